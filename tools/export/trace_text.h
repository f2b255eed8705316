#pragma once
// What verbs, messages and waits say of themselves in a trace: arguments of their slices.

#include <string>
#include <string_view>

#include "core/base/ids.h"
#include "core/protocols/lock.h"
#include "core/verbs/operation.h"

namespace latchlab::exporting {

std::string_view name_of(AbortReason reason);

// "node 1 + 0x1000".
std::string address_text(RemoteAddr addr);

// What is asked for, as the slice begins; `receiver` is who opened a message's target endpoint.
std::string asked_of(const Operation& op, const std::string& receiver);
// What came of it, as it ends.
std::string result_of(const Operation& op);
std::string outcome_of(const WaitOperation& wait);

}  // namespace latchlab::exporting

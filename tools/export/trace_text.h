#pragma once
// What verbs, messages and waits say of themselves in a trace: arguments of their slices.

#include <string>
#include <string_view>

#include "core/base/ids.h"
#include "core/protocols/message_names.h"
#include "core/verbs/operation.h"
#include "tools/export/trace_log.h"

namespace latchlab::exporting {

std::string_view name_of(AbortReason reason);

// "node 1 + 0x1000".
std::string address_text(RemoteAddr addr);

// `name high` is the second word of 16 bytes.
void add_words(Args& args, std::string_view name, const Words& words, std::uint32_t bytes);
// Names: what the protocol calls its messages; null: nothing.
void add_message(Args& args, const Message& message, const MessageNames* names);
void add_request(Args& args, const Request& request, const MessageNames* names);

// What is asked for, as the slice begins; `receiver` is who opened a message's target endpoint.
std::string asked_of(const Operation& op, const std::string& receiver, const MessageNames* names);
// What came of it, as it ends.
std::string result_of(const Operation& op);
std::string outcome_of(const WaitOperation& wait, const MessageNames* names);

}  // namespace latchlab::exporting

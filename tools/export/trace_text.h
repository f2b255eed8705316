#pragma once
// Texts for the slices of verbs, messages and waits in a trace: their JSON arguments.

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

// A value of 16 bytes adds its second word as `name high`.
void add_words(Args& args, std::string_view name, const Words& words, std::uint32_t bytes);
// `names`: the protocol's names for its messages; may be null.
void add_message(Args& args, const Message& message, const MessageNames* names);
void add_request(Args& args, const Request& request, const MessageNames* names);

// The operands, logged at the slice's begin. `receiver` names the actor that opened a message's
// target endpoint.
std::string asked_of(const Operation& op, const std::string& receiver, const MessageNames* names);
// The result, logged at the slice's end.
std::string result_of(const Operation& op);
std::string outcome_of(const WaitOperation& wait, const MessageNames* names);

}  // namespace latchlab::exporting

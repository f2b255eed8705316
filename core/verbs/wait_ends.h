#pragma once
// Finds the condition that ends a wait, for backends with direct access to the messages and the
// memory of a waiting actor. The order is part of the seam: the first message that a filter
// accepts, then the first word whose predicate holds, then a change of membership.

#include <algorithm>
#include <cstdint>

#include "core/verbs/wait.h"

namespace latchlab {

// endpoint_of(EndpointAddr) returns a reference to the own endpoint, with `queue`, a sequence of
// messages, and `free_recvs`. A message that is taken leaves its queue, and its RECV is posted
// again. word_at(RemoteAddr) reads a word of the own node.
template <class EndpointOf, class WordAt>
bool take_end_of_wait(const WaitSet& set, std::uint64_t membership_version,
                      EndpointOf&& endpoint_of, WordAt&& word_at, WaitOutcome& outcome) {
  for (std::uint8_t i = 0; i < set.message_count; ++i) {
    auto& endpoint = endpoint_of(set.messages[i].endpoint);
    const MessageFilter& filter = set.messages[i].filter;
    const auto found =
        std::find_if(endpoint.queue.begin(), endpoint.queue.end(),
                     [&](const Message& message) { return !filter || filter(message); });
    if (found == endpoint.queue.end()) continue;
    outcome.by = Woke::message;
    outcome.index = i;
    outcome.message = *found;
    endpoint.queue.erase(found);
    ++endpoint.free_recvs;
    return true;
  }
  for (std::uint8_t i = 0; i < set.word_count; ++i) {
    const std::uint64_t value = word_at(set.words[i].word);
    if (!set.words[i].until(value)) continue;
    outcome.by = Woke::word;
    outcome.index = i;
    outcome.value = value;
    return true;
  }
  if (membership_version <= set.membership_after) return false;
  outcome.by = Woke::membership;
  return true;
}

}  // namespace latchlab

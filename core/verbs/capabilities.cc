#include "core/verbs/capabilities.h"

#include <utility>

namespace latchlab {

std::string_view name_of(Capability capability) {
  static constexpr std::array<std::string_view, kCapabilities> kNames = {"masked_atomics_8",
                                                                         "masked_atomics_16",
                                                                         "mixed_width_atomic",
                                                                         "atomic_with_writes",
                                                                         "reliable_messages",
                                                                         "datagrams",
                                                                         "calls",
                                                                         "local_words",
                                                                         "node_state",
                                                                         "receive_timestamps",
                                                                         "synchronised_clock",
                                                                         "membership",
                                                                         "evict",
                                                                         "allocate",
                                                                         "timing",
                                                                         "client_crash"};
  return kNames[static_cast<std::size_t>(capability)];
}

void Capabilities::set(Capability capability, Support support, std::string how) {
  entries_[static_cast<std::size_t>(capability)] = {support, std::move(how)};
}

std::string Capabilities::first_missing(const std::vector<Capability>& needed) const {
  for (const Capability capability : needed)
    if (!has(capability))
      return std::string(name_of(capability)) +
             (how(capability).empty() ? "" : " (" + how(capability) + ")");
  return {};
}

}  // namespace latchlab

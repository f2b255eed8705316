#pragma once
// What a backend declares that it can do, and what a protocol declares that it needs. The runner
// rejects a protocol whose needs are absent; a result lists what was emulated; a test that needs an
// absent capability is skipped, and the skip prints its name.

#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace latchlab {

enum class Capability : std::uint8_t {
  masked_atomics_8,    // masked CAS and FAA on 8 bytes
  masked_atomics_16,   // and on 16 bytes
  mixed_width_atomic,  // 8-byte and 16-byte atomics on one word are atomic among themselves
  atomic_with_writes,  // a WRITE or CPU store never lands inside an atomic's read-modify-write
  reliable_messages,   // SEND is acknowledged and reports receiver-not-ready
  datagrams,           // unacknowledged messages
  calls,               // a server part that runs on a CPU
  local_words,         // registered client memory that peers WRITE and the CPU reads
  node_state,          // on_node
  receive_timestamps,
  synchronised_clock,
  membership,
  evict,
  allocate,
  timing,        // time passes: leases, sleeps and latencies are meaningful
  client_crash,  // a client can be destroyed at any suspension
};
inline constexpr int kCapabilities = 16;

std::string_view name_of(Capability capability);

enum class Support : std::uint8_t { absent, emulated, native };

class Capabilities {
 public:
  void set(Capability capability, Support support, std::string how = {});
  Support of(Capability capability) const { return entry(capability).support; }
  bool has(Capability capability) const { return of(capability) != Support::absent; }
  const std::string& how(Capability capability) const { return entry(capability).how; }

  // The first of `needed` that is absent, as text for a message, with the reason if there is one;
  // empty if none is absent.
  std::string first_missing(const std::vector<Capability>& needed) const;

 private:
  struct Entry {
    Support support = Support::absent;
    std::string how;  // emulated: by what; absent: why
  };
  const Entry& entry(Capability capability) const {
    return entries_[static_cast<std::size_t>(capability)];
  }
  std::array<Entry, kCapabilities> entries_;
};

}  // namespace latchlab

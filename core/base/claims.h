#pragma once
// What a lock claims to keep when faults of a kind happen. Searches that draw faults hold it to
// that, and check that it loses nothing else.

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "core/base/time.h"

namespace latchlab {

// Kinds of faults as a lock sees them; several kinds of a scenario's faults can be one of these.
enum class Mishap : std::uint8_t {
  client_crash,       // its process and its node live on
  process_crash,      // peers notice that it does not acknowledge
  node_crash,         // a client node, with its memory
  server_crash,       // with its memory, which is initial when it returns
  cut_path,           // between two nodes or around one, for shorter than RC retries
  long_cut,           // for longer: verbs and messages fail
  pause,              // of a client or its node; its RNIC goes on
  server_pause,       // of a server's CPU
  slow_client,        // its CPU time is multiplied
  clock_jump,         // of a node's clock, or a rate beyond the bound that the lock assumes
  forgotten_release,  // a client leaves its section without releasing
  long_section,       // a section that exceeds the validity of its grants
  lost_datagram,      // of UD
  late_datagram,      // of UD: later ones overtake it
  packet_loss,        // RC and DC send again
  late_verb,          // a verb may take longer to land than Claims::effects_within
  slow_network,       // ... than Claims::ways_within
  server_loss,        // a server that does not return
};
inline constexpr std::size_t kMishaps = 18;
std::string_view name_of(Mishap mishap);  // "client crash"

// What can be lost.
enum class Keeps : std::uint8_t {
  exclusion,  // no two conflicting grants that are both valid
  fencing,    // a grant that is over changes nothing
  progress,   // once faults are over, each live client acquires within the lock's bound
  order,      // bypasses stay within the lock's bound
  clean_end,  // when all clients have left, each lock is free
};
inline constexpr std::size_t kKept = 5;
std::string_view name_of(Keeps what);  // "exclusion"

struct Claims {
  // Why nothing is claimed with these parameters, such as a form that is kept as printed; empty:
  // the lock makes claims.
  std::string none = {};
  // The lock rests on verbs that take effect this soon after the client decided to post them (zero:
  // it does not): late_verb.
  Duration effects_within = {};
  // Its requests give up, possibly for ever, where a way takes longer than this (zero: they do
  // not), because its waits are shorter than what they wait for: slow_network.
  Duration ways_within = {};
  // How many of the lock's timeouts one acquisition takes at most, one after the other.
  std::int64_t timeouts = 1;
  // Without faults a request waits for at most so many turns of each client; 0: there is no bound.
  std::int64_t turns = 0;
  // [mishap][what]: lost, possibly.
  std::array<std::array<bool, kKept>, kMishaps> lost = {};

  bool keeps(Mishap mishap, Keeps what) const {
    return !lost[static_cast<std::size_t>(mishap)][static_cast<std::size_t>(what)];
  }
  // From here on `mishap` can cost the lock these.
  template <class... What>
  Claims& loses(Mishap mishap, What... what) {
    ((lost[static_cast<std::size_t>(mishap)][static_cast<std::size_t>(what)] = true), ...);
    return *this;
  }
  template <class... What>
  Claims& keep(Mishap mishap, What... what) {
    ((lost[static_cast<std::size_t>(mishap)][static_cast<std::size_t>(what)] = false), ...);
    return *this;
  }
};

// A lock that rests on nothing but its words, and recovers from nothing: a client that dies or
// forgets to release keeps what it held, and a server that returns has forgotten which clients
// hold.
Claims never_recovers();
// Its grants end by leases, or its members are watched: another client takes over what the dead,
// the forgetful and the late hold, once it wants the lock; until then the lock is not free. It
// rests on clocks that run evenly and on verbs that land in time.
Claims recovers_by_leases(Duration effects_within);
// For Claims::ways_within: a wait that has to cover so many ways. Never zero.
constexpr Duration slowest(Duration wait, std::int64_t ways) {
  return Duration{wait.ps > ways ? wait.ps / ways : 1};
}
// Nothing is claimed, for this reason.
Claims claims_nothing(std::string why);

}  // namespace latchlab

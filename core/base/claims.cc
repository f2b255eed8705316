#include "core/base/claims.h"

#include <utility>

namespace latchlab {

std::string_view name_of(Mishap mishap) {
  constexpr std::array<std::string_view, kMishaps> kNames = {
      "client crash",      "process crash", "node crash",    "server crash",  "cut path",
      "long cut",          "pause",         "server pause",  "slow client",   "clock jump",
      "forgotten release", "long section",  "lost datagram", "late datagram", "packet loss",
      "late verb",         "slow network",  "server loss"};
  return kNames[static_cast<std::size_t>(mishap)];
}

std::string_view name_of(Keeps what) {
  constexpr std::array<std::string_view, kKept> kNames = {"exclusion", "fencing", "progress",
                                                          "order", "a clean end"};
  return kNames[static_cast<std::size_t>(what)];
}

namespace {

// What no lock survives: its words are gone, or its waits are too short for the network.
Claims at_best() {
  Claims claims;
  claims.loses(Mishap::server_loss, Keeps::progress, Keeps::clean_end);
  return claims.loses(Mishap::slow_network, Keeps::progress, Keeps::clean_end);
}

}  // namespace

Claims never_recovers() {
  Claims claims = at_best();
  for (const Mishap mishap :
       {Mishap::client_crash, Mishap::process_crash, Mishap::node_crash, Mishap::forgotten_release,
        Mishap::long_cut, Mishap::lost_datagram, Mishap::late_datagram})
    claims.loses(mishap, Keeps::progress, Keeps::clean_end);
  claims.loses(Mishap::server_crash, Keeps::exclusion, Keeps::fencing, Keeps::progress,
               Keeps::clean_end);
  return claims;
}

Claims recovers_by_leases(Duration effects_within) {
  Claims claims = at_best();
  claims.effects_within = effects_within;
  for (const Mishap mishap : {Mishap::client_crash, Mishap::process_crash, Mishap::node_crash,
                              Mishap::forgotten_release, Mishap::long_cut, Mishap::long_section})
    claims.loses(mishap, Keeps::clean_end);
  for (const Mishap mishap : {Mishap::server_crash, Mishap::clock_jump, Mishap::late_verb})
    claims.loses(mishap, Keeps::exclusion, Keeps::fencing, Keeps::progress, Keeps::clean_end);
  return claims;
}

Claims claims_nothing(std::string why) {
  Claims claims;
  claims.none = std::move(why);
  for (auto& of_mishap : claims.lost) of_mishap.fill(true);
  return claims;
}

}  // namespace latchlab

#pragma once
// A scenario drawn from a number: clients, their requests, durations, clocks and crashes. It stays
// within what the lock allows (Limits), claims (promises.h) and requires of clocks.

#include <fmt/format.h>

#include <string>
#include <utility>
#include <vector>

#include "core/protocols/registry.h"
#include "tests/protocols/random/promises.h"
#include "tools/swarm/dice.h"

namespace latchlab::testing {

using swarm::Dice;

struct Crash {
  std::uint32_t client = 0;
  bool when_it_holds = false;  // when it first holds a lock; otherwise at this time
  Duration at;
};

struct Draw {
  std::uint64_t number = 0;
  const ProtocolEntry* entry = nullptr;
  const Profile* profile = nullptr;
  bool small = false;   // the small model
  ParamValues changed;  // over the profile
  ParamSet params;      // the resulting parameters
  // Clients 0.. are workers; the last client begins when all workers have ended.
  std::uint32_t nodes = 1, per_node = 1, servers = 1;
  bool colocated = false;
  std::uint64_t locks = 1, operations = 1;  // of each worker
  std::int64_t theta_ppb = 0;               // zipf; 0: uniform
  std::uint32_t at_once = 1;                // locks in a section, at most
  std::uint32_t read_percent = 0, update_percent = 0;
  Duration hold, think, patience;  // the longest; no patience: no deadlines
  Duration overstay;               // of some sections; zero: none exceeds a lease
  Duration lease;                  // zero: the lock has none
  bool guard = false, extend = false, give_back = false;
  std::uint64_t units =
      0;  // sections want ranges of locks, most of them below this; 0: whole locks
  std::int64_t drift_ppb = 0;
  Duration offset, synchronisation_error;
  std::vector<Crash> crashes;
  CrashUnit unit = CrashUnit::client;

  std::uint32_t workers() const { return nodes * per_node - 1; }
  std::uint64_t seed() const { return mix64(number); }
  bool calm() const { return crashes.empty() && overstay.ps == 0; }
  // No client may wait longer than this for a lock.
  Duration longest_wait() const {
    const Duration timeouts =
        entry->info.longest_timeout ? entry->info.longest_timeout(params) : Duration{};
    const auto queue = static_cast<std::int64_t>(workers() * at_once);
    return milliseconds(50) + (lease + timeouts) * (6 * (2 + std::ssize(crashes))) +
           (hold + overstay + microseconds(20)) * (2 * queue);
  }
};

inline std::string in_us(Duration length) {
  return fmt::format("{:g} us", length.nanoseconds() / 1000);
}

inline std::string text_of(const ParamValue& value) {
  if (const auto* const length = std::get_if<Duration>(&value)) return in_us(*length);
  if (const auto* const number = std::get_if<std::int64_t>(&value)) return std::to_string(*number);
  if (const auto* const yes = std::get_if<bool>(&value)) return *yes ? "true" : "false";
  return std::get<std::string>(value);
}

inline std::string in_words(const Draw& draw) {
  std::string text = fmt::format("draw {} of {}, profile {}", draw.number, draw.entry->info.name,
                                 draw.profile->name);
  for (const auto& [name, value] : draw.changed)
    text += fmt::format(", {}={}", name, text_of(value));
  text += fmt::format(
      ": {} workers and who comes last on {} nodes{}; {} locks on {} servers, {}; {} sections each "
      "of at most {} locks, {} % shared, {} % update, held for at most {}, then at most {} to "
      "think; guard {}; clocks off by {} ppm, {} and {} (synchronised)",
      draw.workers(), draw.nodes, draw.colocated ? " that are servers" : "", draw.locks,
      draw.servers,
      draw.theta_ppb > 0 ? fmt::format("zipf {:.2f}", static_cast<double>(draw.theta_ppb) / 1e9)
                         : "uniform",
      draw.operations, draw.at_once, draw.read_percent, draw.update_percent, in_us(draw.hold),
      in_us(draw.think), draw.guard ? "on" : "off", draw.drift_ppb / 1000, in_us(draw.offset),
      in_us(draw.synchronisation_error));
  if (draw.units > 0) text += fmt::format("; ranges of {} units, or some beyond", draw.units);
  if (draw.patience.ps > 0) text += "; deadlines after at most " + in_us(draw.patience);
  if (draw.overstay.ps > 0)
    text += fmt::format("; one section in 8 lasts for up to {}{}", in_us(draw.overstay),
                        draw.extend ? ", leases are extended" : "");
  for (const Crash& crash : draw.crashes)
    text += fmt::format("; client {} dies {}", crash.client,
                        crash.when_it_holds ? "when it first holds" : "at " + in_us(crash.at));
  return text;
}

// ---- drawing, in this order: each step depends on the earlier ones ----

// Half of the draws with the default profile use its small model, in which rare paths are likely.
inline void draw_parameters(Draw& draw, Dice& dice) {
  const ProtocolEntry& entry = *draw.entry;
  draw.profile = dice.chance(60) ? &entry.info.profiles.front() : dice.of(sound_profiles(entry));
  draw.params = entry.info.resolve(draw.profile->name);
  draw.small = draw.profile == &entry.info.profiles.front() && dice.chance(50);
  if (draw.small) draw.changed = entry.small_model;
  draw.params.set(draw.changed);
  const char* const lease_name = entry.info.find_param("ttl") == nullptr ? "lease" : "ttl";
  if (entry.info.find_param(lease_name) == nullptr) return;
  if (!draw.small && dice.chance(80)) {
    ParamSet shorter = draw.params;
    const Duration lease = dice.between(microseconds(300), milliseconds(1));
    shorter.set(lease_name, lease);
    if (!entry.info.contradiction || entry.info.contradiction(shorter).empty()) {
      draw.changed = {{lease_name, lease}};
      draw.params = shorter;
    }
  }
  draw.lease = draw.params.duration(lease_name);
}

// Rare or expensive events: clients that exceed their leases, and crashes.
inline void draw_misfortunes(Draw& draw, Dice& dice, const Limits& limits) {
  const Mortal mortal = survives_the_crash_of(draw.entry->info.name);
  const bool dies = mortal != Mortal::none && draw.lease <= milliseconds(1) && dice.chance(40);
  if (draw.lease.ps > 0 && draw.lease <= milliseconds(1) && dice.chance(40))
    draw.overstay = draw.lease * static_cast<std::int64_t>(dice.between(1, 3));
  draw.extend = dice.chance(30);
  if (draw.calm() && !dies) return;
  draw.per_node = std::min(draw.per_node, 16 / draw.nodes);
  draw.per_node = std::max(draw.per_node, draw.nodes == 1 ? 2U : 1U);
  if (!dies || draw.workers() == 0) return;
  draw.unit = limits.crash_unit;
  draw.guard = false;  // a crashed client stays counted in
  std::vector<std::uint32_t> alive;
  for (std::uint32_t i = 0; i < draw.workers(); ++i)  // not on the node of the last client
    if (draw.unit != CrashUnit::node || i / draw.per_node + 1 < draw.nodes) alive.push_back(i);
  for (std::uint64_t left = dice.between(1, 3); left > 0 && !alive.empty(); --left) {
    const std::size_t at = dice.between(0, alive.size() - 1);
    const bool holding = draw.unit == CrashUnit::client && dice.chance(50);
    draw.crashes.push_back({alive[at], holding, dice.between(Duration{}, microseconds(300))});
    alive.erase(alive.begin() + static_cast<std::ptrdiff_t>(at));
  }
}

inline void draw_clients(Draw& draw, Dice& dice, const Limits& limits) {
  const std::uint64_t most = std::min<std::uint64_t>(limits.max_clients, 64);
  draw.nodes = static_cast<std::uint32_t>(
      dice.between(1, std::min<std::uint64_t>({limits.max_nodes, most, 8})));
  const std::uint64_t room = most / draw.nodes;
  const std::uint64_t few = std::min<std::uint64_t>(room, 3);
  draw.per_node = static_cast<std::uint32_t>(dice.between(1, dice.chance(50) ? few : room));
  if (draw.nodes * draw.per_node == 1) draw.per_node = 2;
  draw.servers = draw.nodes > 1 && dice.chance(30) ? 2 : 1;
}

inline void draw_clocks(Draw& draw, Dice& dice) {
  const ParamSet& params = draw.params;
  std::int64_t most = milliseconds(1).ps / 1000;  // ppb: 1000 ppm
  if (params.values().count("clock_drift_ppm") > 0)
    most = params.integer("clock_drift_ppm") * 1000 / 2;  // of two clocks against each other
  Duration error = microseconds(10);
  if (params.values().count("drift_ppm") > 0)
    most = params.integer("drift_ppm") * 1000;  // of each of them against the truth
  if (params.values().count("delta") > 0) {     // the error of the synchronised clock
    error = Duration{params.duration("delta").ps / 4};
    most = 100'000;
  }
  draw.drift_ppb = static_cast<std::int64_t>(dice.between(0, static_cast<std::uint64_t>(most)));
  draw.offset = dice.chance(50) ? microseconds(10) : seconds(1);
  draw.synchronisation_error = dice.between(Duration{}, error);
}

// Trees that are small, so that clients meet, and that grow.
inline void draw_tree(Draw& draw, Dice& dice) {
  if (draw.entry->info.name != "citron") return;
  const auto change = [&draw](const char* name, const ParamValue& value) {
    draw.changed.emplace_back(name, value);
    draw.params.set(name, value);
  };
  const auto height = static_cast<unsigned>(dice.between(1, 4));
  if (!draw.small) change("units", std::int64_t{64} << (2 * height));
  if (draw.lease.ps == 0) {
    draw.lease = dice.between(microseconds(300), milliseconds(1));
    change("lease", draw.lease);
  }
  change("allocation_time", microseconds(1));
  if (dice.chance(40)) change("scale_up_poll", dice.between(microseconds(5), microseconds(100)));
}
// No client completes the growth of a tree.
inline void spare_trees_that_grow(Draw& draw) {
  if (draw.entry->info.name != "citron" || draw.crashes.empty()) return;
  draw.changed.emplace_back("scale_up_poll", Duration{});
  draw.params.set("scale_up_poll", Duration{});
}

// Ranges have no guard words of their own.
inline void draw_ranges(Draw& draw, Dice& dice) {
  if (!draw.entry->info.ranges || !dice.chance(70)) return;
  draw.guard = false;
  draw.units = draw.params.values().count("units") > 0
                   ? static_cast<std::uint64_t>(draw.params.integer("units"))
                   : 10;
}

inline Draw drawn(const ProtocolEntry& entry, std::uint64_t number) {
  Draw draw;
  draw.number = number;
  draw.entry = &entry;
  std::uint64_t seed = number;
  for (const char letter : entry.info.name)
    seed = hash_of(seed, static_cast<std::uint64_t>(letter));
  Dice dice(seed);
  draw_parameters(draw, dice);
  draw_tree(draw, dice);
  const Limits limits = entry.make(draw.params)->limits();
  draw_clients(draw, dice, limits);
  const std::uint64_t most_locks = std::min<std::uint64_t>(limits.max_locks, 100);
  draw.locks =
      dice.between(1, dice.chance(50) ? std::min<std::uint64_t>(most_locks, 3) : most_locks);
  draw.theta_ppb =
      dice.chance(40) ? static_cast<std::int64_t>(dice.between(1, 15)) * 100'000'000 : 0;
  draw.guard = dice.chance(50);
  draw_misfortunes(draw, dice, limits);
  spare_trees_that_grow(draw);
  if (dice.chance(50))
    draw.at_once = static_cast<std::uint32_t>(
        dice.between(1, std::min<std::uint64_t>({draw.locks, limits.held_at_once, 4})));
  draw.read_percent = static_cast<std::uint32_t>(dice.of(std::vector{0, 20, 50, 80, 95, 100}));
  if (entry.info.update_mode && dice.chance(60))
    draw.update_percent = static_cast<std::uint32_t>(dice.between(5, 50));
  const std::vector<Duration> holds = {Duration{}, microseconds(1), microseconds(5),
                                       microseconds(40)};
  draw.hold = dice.of(holds);
  draw.think = dice.of(holds);
  if (dice.chance(35)) draw.patience = dice.between(microseconds(2), microseconds(200));
  draw.give_back = dice.chance(50);
  // Counters of small models are for small runs.
  const std::uint64_t sections = !draw.calm() ? 80 : draw.small ? 100 : 400;
  draw.operations = dice.between(1, std::max<std::uint64_t>(1, sections / draw.workers()));
  draw_clocks(draw, dice);
  draw.colocated = draw.calm() && dice.chance(25);
  if (draw.colocated) draw.servers = std::max(draw.servers, draw.nodes);
  draw_ranges(draw, dice);
  return draw;
}

}  // namespace latchlab::testing

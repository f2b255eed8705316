#include "tools/explore/case.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "core/base/check.h"
#include "core/protocols/registry.h"
#include "core/scenario/scenario.h"
#include "core/scenario/suggestions.h"

namespace latchlab::explore {

char Case::letter(std::uint32_t client, std::uint32_t operation) const {
  const bool known = client < modes.size() && operation < modes[client].size();
  return known ? modes[client][operation] : 'X';
}

LockMode Case::mode(std::uint32_t client, std::uint32_t operation) const {
  switch (letter(client, operation)) {
    case 'S':
      return LockMode::shared;
    case 'U':
    case 'P':
      return LockMode::update;
    default:
      return LockMode::exclusive;
  }
}

std::vector<LockId> Case::wanted(std::uint32_t client, std::uint32_t operation) const {
  std::vector<LockId> wanted;
  for (std::uint32_t k = 0; k < held; ++k)
    wanted.push_back(LockId{(operation + k + (sorted ? 0 : client)) % locks});
  if (sorted) std::sort(wanted.begin(), wanted.end());
  return wanted;
}

Extent Case::extent(std::uint32_t client, std::uint32_t operation) const {
  return extents.empty() ? Extent{} : extents[(client + operation) % extents.size()];
}

bool Case::equal(std::uint32_t one, std::uint32_t other) const {
  if (!exchangeable()) return false;
  const auto drift = [this](std::uint32_t client) {
    const std::uint32_t node = client / clients_per_node;
    return node < time.drift_ppm.size() ? time.drift_ppm[node] : 0;
  };
  for (std::uint32_t i = 0; i < operations; ++i)
    if (letter(one, i) != letter(other, i)) return false;
  return drift(one) == drift(other);
}

std::string text_of(const Extent& extent) {
  return fmt::format("{}-{}", extent.first, extent.first + extent.count);
}

Result<Extent> extent_of(const std::string& text) {
  std::uint64_t first = 0;
  std::uint64_t end = 0;
  const char* const stop = text.data() + text.size();
  const auto [dash, one] = std::from_chars(text.data(), stop, first);
  const bool dashed = one == std::errc() && dash != stop && *dash == '-';
  const auto [last, two] = dashed ? std::from_chars(dash + 1, stop, end) : std::from_chars_result{};
  if (!dashed || two != std::errc() || last != stop || end <= first)
    return Error{fmt::format("extent '{}': expected FIRST-END such as 0-4, units 0 to 3", text),
                 {}};
  return Extent{first, end - first};
}

// ---- parameters on the command line and in traces: NAME=VALUE, in the format of scenarios ----

namespace {

Result<ParamValue> parse(const ParamSpec& spec, const std::string& text) {
  const auto outside = [&](const std::string& range) {
    return Error{fmt::format("parameter {}: {} is outside {}", spec.name, text, range), {}};
  };
  switch (spec.kind) {
    case ParamKind::integer: {
      const Result<std::int64_t> count = parse_count(text);
      if (!count)
        return Error{fmt::format("parameter {}: {}", spec.name, count.error().message), {}};
      const std::int64_t value = count.value();
      if (value < spec.min || value > spec.max)
        return outside(fmt::format("{}..{}", spec.min, spec.max));
      return ParamValue(value);
    }
    case ParamKind::duration: {
      const Result<Duration> length = parse_duration(text);
      if (!length)
        return Error{fmt::format("parameter {}: {}", spec.name, length.error().message), {}};
      if (length.value().ps < spec.min || length.value().ps > spec.max)
        return outside(format_duration({spec.min}) + ".." + format_duration({spec.max}));
      return ParamValue(length.value());
    }
    case ParamKind::boolean:
      if (text == "true" || text == "false") return ParamValue(text == "true");
      return Error{fmt::format("parameter {}: {} is neither true nor false", spec.name, text), {}};
    case ParamKind::choice:
      break;
  }
  if (std::find(spec.choices.begin(), spec.choices.end(), text) != spec.choices.end())
    return ParamValue(text);
  return Error{fmt::format("parameter {}: '{}' is none of {}", spec.name, text,
                           fmt::join(spec.choices, ", ")),
               {}};
}

}  // namespace

Result<ParamSet> params_of(const Case& setup, const ProtocolEntry& entry) {
  const ProtocolInfo& info = entry.info;
  ParamSet params = entry.small_params();
  if (!setup.profile.empty()) {
    const Profile* profile = info.find_profile(setup.profile);
    if (profile == nullptr) {
      std::string known;
      for (const Profile& each : info.profiles) known += (known.empty() ? "" : ", ") + each.name;
      return Error{fmt::format("protocol {} has no profile '{}'; known: {}", info.name,
                               setup.profile, known),
                   {}};
    }
    for (const auto& [name, value] : profile->values) params.set(name, value);
  }
  for (const std::string& set : setup.sets) {
    const std::size_t equals = set.find('=');
    const std::string name = set.substr(0, equals);
    const ParamSpec* spec = info.find_param(name);
    if (equals == std::string::npos || spec == nullptr)
      return Error{fmt::format("'{}': expected NAME=VALUE with a parameter of {} (see: latchlab "
                               "list protocols)",
                               set, info.name),
                   {}};
    Result<ParamValue> value = parse(*spec, set.substr(equals + 1));
    if (!value) return value.error();
    params.set(name, std::move(value).value());
  }
  const std::string contradiction = info.contradiction ? info.contradiction(params) : "";
  if (!contradiction.empty()) return Error{contradiction, {}};
  return params;
}

std::unique_ptr<Protocol> make_protocol(const Case& setup) {
  const ProtocolEntry* entry = find_protocol(setup.protocol);
  LATCHLAB_CHECK(entry != nullptr, "no such protocol");
  const Result<ParamSet> params = params_of(setup, *entry);
  LATCHLAB_CHECK(params.ok(), "parameters are checked before a search");
  return entry->make(params.value());
}

// ---- checks of cases ----

namespace {

constexpr std::size_t kMostLatencies = 4;
constexpr std::uint64_t kMostUnits = 1'000'000;
constexpr std::int64_t kMostDrift = 100'000;

Status check_time(const Case& setup) {
  const CaseTime& time = setup.time;
  if (!setup.timed()) return fine();
  if (setup.pauses == 0 && time.pause.ps > 0)
    return Error{"pause_length is given, and there are no pauses", {}};
  if (setup.pauses > 0 && time.pause.ps == 0)
    return Error{"pauses in a timed search need a length: give --pause-length", {}};
  if (setup.delays > 0 || setup.cuts > 0)
    return Error{"delays and cuts are for untimed searches: give a long latency instead", {}};
  if (time.latencies.size() > kMostLatencies)
    return Error{fmt::format("{} latencies: at most {}, or there are too many orders of events",
                             time.latencies.size(), kMostLatencies),
                 {}};
  if (time.latencies.front().ps <= 0 || time.latencies.back() > kLongestTime)
    return Error{"latencies: expected more than 0 and at most " + format_duration(kLongestTime),
                 {}};
  if (!std::is_sorted(time.latencies.begin(), time.latencies.end(), std::less_equal<>()))
    return Error{"latencies: each is longer than the one before", {}};
  if (time.drift_ppm.size() > setup.client_nodes)
    return Error{"drift_ppm: there are more clocks than nodes", {}};
  for (const std::int64_t drift : time.drift_ppm)
    if (drift < -kMostDrift || drift > kMostDrift)
      return Error{fmt::format("drift {}: at most {} ppm either way", drift, kMostDrift), {}};
  const std::pair<const char*, Duration> lengths[] = {{"hold", time.hold},
                                                      {"patience", time.patience},
                                                      {"pause_length", time.pause},
                                                      {"horizon", time.horizon}};
  for (const auto& [name, length] : lengths)
    if (length.ps < 0 || length > kLongestTime)
      return Error{fmt::format("{} {}: expected at most {}", name, format_duration(length),
                               format_duration(kLongestTime)),
                   {}};
  if (time.horizon.ps == 0) return Error{"horizon: expected more than 0", {}};
  return fine();
}

Status check_wants(const Case& setup, const Limits& limits) {
  if (setup.held < 1 || setup.held > setup.locks)
    return Error{fmt::format("{} locks held at once, and there are {}", setup.held, setup.locks),
                 {}};
  if (setup.held > limits.held_at_once)
    return Error{fmt::format("a client of {} holds at most {} locks at once, not {}",
                             setup.protocol, limits.held_at_once, setup.held),
                 {}};
  if (setup.locks > setup.operations + setup.held - 1)
    return Error{fmt::format("{} locks, and {} operations of each client: one lock after the other",
                             setup.locks, setup.operations),
                 {}};
  for (const Extent& extent : setup.extents)
    if (extent.count == 0 || extent.first > kMostUnits || extent.count > kMostUnits)
      return Error{fmt::format("extent {}: expected up to {} units", text_of(extent), kMostUnits),
                   {}};
  return fine();
}

Status check_places(const Case& setup, const Limits& limits) {
  if (setup.servers < 1 || setup.servers > kMostServers)
    return Error{fmt::format("{} servers: expected 1 to {}", setup.servers, kMostServers), {}};
  if (setup.colocated && setup.client_nodes > setup.servers)
    return Error{fmt::format("{} client nodes that are servers too, and {} servers",
                             setup.client_nodes, setup.servers),
                 {}};
  if (setup.client_nodes > limits.max_nodes)
    return Error{fmt::format("{} with these parameters serves at most {} client nodes, not {}",
                             setup.protocol, limits.max_nodes, setup.client_nodes),
                 {}};
  const bool nodes = setup.crash_unit.value_or(limits.crash_unit) == CrashUnit::node;
  const std::uint32_t mortal = nodes ? setup.client_nodes : setup.clients();
  if (setup.crashes > mortal)
    return Error{fmt::format("{} crashes of {} {}: at most one each", setup.crashes, mortal,
                             nodes ? "client nodes" : "clients"),
                 {}};
  return fine();
}

}  // namespace

Status check_case(const Case& setup) {
  const ProtocolEntry* entry = find_protocol(setup.protocol);
  if (entry == nullptr) {
    std::vector<std::string> known;
    for (const ProtocolInfo& info : protocol_infos()) known.push_back(info.name);
    return Error{fmt::format("there is no protocol '{}'; known: {}{}; a lock of a plug-in needs "
                             "--plugin FILE.so",
                             setup.protocol, joined(known), aside(setup.protocol, known)),
                 {}};
  }
  const Result<ParamSet> params = params_of(setup, *entry);
  if (!params) return params.error();
  if (setup.clients() > kMostClients)
    return Error{fmt::format("{} clients are more than the {} that an exploration can hold",
                             setup.clients(), kMostClients),
                 {}};
  const std::unique_ptr<Protocol> protocol = entry->make(params.value());
  if (setup.clients() > protocol->limits().max_clients)
    return Error{fmt::format("{} with these parameters serves at most {} clients, not {}",
                             setup.protocol, protocol->limits().max_clients, setup.clients()),
                 {}};
  if (const Status known = check_wants(setup, protocol->limits()); !known) return known.error();
  if (setup.time.patience.ps > 0 && !protocol->limits().abortable)
    return Error{setup.protocol + " lets no client give up: it cannot have patience", {}};
  if (const Status known = check_places(setup, protocol->limits()); !known) return known.error();
  if (const Status known = check_time(setup); !known) return known.error();
  for (const std::string& modes : setup.modes)
    if (modes.find_first_not_of("XSUP-") != modes.npos)
      return Error{
          fmt::format("modes '{}': expected letters X (exclusive), S (shared), U (update), "
                      "P (update that becomes exclusive) and - (none)",
                      modes),
          {}};
  return fine();
}

}  // namespace latchlab::explore

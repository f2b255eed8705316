// Faults of CPUs and clocks:
//   {kind: pause, client: 3, at: 30ms, length: 1ms}    a client's CPU stands still
//   {kind: pause, rate: 100, length: 50us}             so many a second on average, at any client
//   {kind: slow_client, client: 3, factor: 4, at: 0us}
//   {kind: drift, server: 0, at: 30ms, jump: -10us, drift: 200ppm}
// In place of `client: N` a pause and a drift take `client_node: N` or `server: N`.

#include <fmt/format.h>

#include <string>

#include "core/scenario/quantities.h"
#include "core/scenario/sections.h"

namespace latchlab {
namespace {

constexpr Duration kLongestRun = seconds(3600);
constexpr std::int64_t kWhole = 1'000'000'000;
constexpr std::int64_t kSlowest = 10'000 * kWhole;
constexpr std::int64_t kMostPerSecond = 1'000'000;
constexpr std::int64_t kFastestDriftPpb = 100'000'000;  // 10 %

// "-10us": the sign, and what follows it.
struct Signed {
  bool negative = false;
  YamlNode size;
};
Signed split_sign(const YamlNode& node) {
  Signed split{node.is_scalar() && node.text.starts_with('-'), node};
  if (split.negative) split.size.text = node.text.substr(1);
  return split;
}

void read_target(MapReader& reader, const PlatformSpec& platform, FaultSpec& fault) {
  struct Choice {
    const char* key;
    FaultTarget target;
    std::uint32_t count;
  };
  const Choice choices[] = {{"client", FaultTarget::client, platform.clients()},
                            {"client_node", FaultTarget::client_node, platform.client_nodes},
                            {"server", FaultTarget::server, platform.servers}};
  int given = 0;
  for (const Choice& choice : choices) {
    const bool possible =
        fault.kind == FaultKind::pause ||
        (fault.kind == FaultKind::drift) == (choice.target != FaultTarget::client);
    const YamlNode* value = possible ? reader.find(choice.key) : nullptr;
    if (!value) continue;
    ++given;
    fault.target = choice.target;
    fault.index = static_cast<std::uint32_t>(
        read_count(*value, reader.path_of(choice.key), 0, std::int64_t{choice.count} - 1));
  }
  if (given == 1) return;
  const char* const wanted = fault.kind == FaultKind::slow_client ? "client: N"
                             : fault.kind == FaultKind::drift
                                 ? "client_node: N or server: N"
                                 : "client: N, client_node: N or server: N";
  if (given == 0 && fault.per_second > 0)
    fault.target = FaultTarget::any_client;
  else
    reject(reader.place(),
           fmt::format("{} says {}; expected {}", reader.path(),
                       given == 0 ? "not who it is about" : "twice who it is about", wanted));
}

void read_date(MapReader& reader, FaultSpec& fault) {
  const bool may_repeat = fault.kind == FaultKind::pause;
  const bool repeats = may_repeat && reader.find("rate") != nullptr;
  const bool once = reader.find("at") != nullptr;
  if (repeats == once)
    reject(reader.place(), fmt::format("{} needs {}", reader.path(),
                                       may_repeat ? "one of 'at: 30ms' and 'rate: 100' (so many a "
                                                    "second on average)"
                                                  : "'at: 30ms'"));
  if (once) fault.at = reader.duration("at", Duration{0}, Duration{0}, kLongestRun);
  if (repeats)
    fault.per_second = static_cast<std::uint32_t>(reader.count("rate", 1, 1, kMostPerSecond));
}

void read_clock(MapReader& reader, FaultSpec& fault) {
  if (const YamlNode* jump = reader.find("jump")) {
    const Signed value = split_sign(*jump);
    const Duration size =
        read_duration(value.size, reader.path_of("jump"), Duration{0}, kLongestRun);
    fault.jump = value.negative ? Duration{} - size : size;
  }
  if (const YamlNode* drift = reader.find("drift")) {
    const Signed value = split_sign(*drift);
    const std::int64_t ppb =
        read_ratio_ppb(value.size, reader.path_of("drift"), 0, kFastestDriftPpb);
    fault.drift_ppb = value.negative ? -ppb : ppb;
  }
  if (fault.jump.ps == 0 && !fault.drift_ppb)
    reject(reader.place(), reader.path() + " changes nothing; add 'jump: 10us' or 'drift: 200ppm'");
}

YamlNode number(std::uint64_t value) {
  YamlNode node = yaml_text(format_count(static_cast<std::int64_t>(value)));
  node.json = fmt::format("{}", value);
  return node;
}

}  // namespace

void read_cpu_fault(MapReader& reader, const PlatformSpec& platform, FaultSpec& fault) {
  read_date(reader, fault);
  read_target(reader, platform, fault);
  if (fault.kind == FaultKind::pause) {
    reader.require("length", "length: 1ms");
    fault.length = reader.duration("length", Duration{0}, picoseconds(1), kLongestRun);
  } else if (fault.kind == FaultKind::slow_client) {
    reader.require("factor", "factor: 4");
    fault.factor_ppb = reader.ratio_ppb("factor", kWhole, kWhole, kSlowest);
  } else {
    read_clock(reader, fault);
  }
}

YamlNode write_cpu_fault(const FaultSpec& fault) {
  static const char* const kinds[] = {"pause", "slow_client", "drift"};
  static const char* const targets[] = {"client", "client_node", "server"};
  YamlNode node = yaml_map();
  node.set("kind", yaml_text(kinds[static_cast<std::size_t>(fault.kind) -
                                   static_cast<std::size_t>(FaultKind::pause)]));
  if (fault.target != FaultTarget::any_client)
    node.set(targets[static_cast<std::size_t>(fault.target)], number(fault.index));
  if (fault.at)
    node.set("at", yaml_text(format_duration(*fault.at)));
  else
    node.set("rate", number(fault.per_second));
  const auto sign = [](std::int64_t value) { return std::string(value < 0 ? "-" : ""); };
  const auto size = [](std::int64_t value) { return value < 0 ? -value : value; };
  if (fault.kind == FaultKind::pause) {
    node.set("length", yaml_text(format_duration(fault.length)));
  } else if (fault.kind == FaultKind::slow_client) {
    node.set("factor", yaml_text(format_decimal(fault.factor_ppb)));
  } else {
    node.set("jump",
             yaml_text(sign(fault.jump.ps) + format_duration(Duration{size(fault.jump.ps)})));
    if (fault.drift_ppb)
      node.set("drift", yaml_text(sign(*fault.drift_ppb) + format_ppm(size(*fault.drift_ppb))));
  }
  return node;
}

}  // namespace latchlab

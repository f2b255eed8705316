#include "tools/swarm/draw.h"

#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "core/base/random.h"
#include "core/scenario/quantities.h"
#include "core/scenario/sections.h"
#include "tools/swarm/dice.h"
#include "tools/swarm/draw_faults.h"

namespace latchlab::swarm {

namespace {

constexpr std::uint64_t kTries = 100;
constexpr std::uint32_t kMostClients = 24;

class Drawing {
 public:
  Drawing(const ProtocolEntry& entry, std::uint64_t seed, const Range& range)
      : entry_(entry), dice_(seed), own_parameters_(range.own_parameters) {
    case_.protocol = entry.info.name;
    case_.seed = seed >> 1U;
    case_.forced = range.forced;
  }

  // In this order, because each step depends on the earlier ones.
  Case drawn() {
    draw_parameters();
    draw_clients();
    draw_locks();
    draw_nic();
    draw_clocks();
    draw_times();
    draw_work();
    draw_faults(
        case_, dice_,
        {busy_, patience_, ack_timeout_, ack_retries_, receives_datagrams(entry_, params_)});
    set_dates();
    return std::move(case_);
  }

 private:
  bool has(const char* name) const { return params_.values().contains(name); }

  // ---- the lock ----

  void change(const std::string& name, const ParamValue& value) {
    params_.set(name, value);
    case_.unset("protocol." + name);
    case_.set("protocol." + name, text_of(value));
  }
  bool allowed(const ParamSet& params) const {
    const bool contradicts =
        entry_.info.contradiction && !entry_.info.contradiction(params).empty();
    return !contradicts && entry_.info.claims_of(params).none.empty();
  }
  ParamValue value_for(const ParamSpec& spec) {
    switch (spec.kind) {
      case ParamKind::boolean:
        return dice_.chance(50);
      case ParamKind::choice:
        return dice_.of(spec.choices);
      case ParamKind::integer: {
        if (spec.name == "units")  // of an object: small trees, whose clients meet
          return std::int64_t{64} << (2 * dice_.between(1, 4));
        // Counters and versions as narrow as they may be are as likely as usual numbers.
        const std::int64_t usual = std::get<std::int64_t>(spec.fallback);
        const std::int64_t most = std::min(spec.max, std::max(usual * 2, spec.min + 8));
        return dice_.about(spec.min, std::max(most, spec.min));
      }
      case ParamKind::duration:
        break;
    }
    const Duration usual = std::get<Duration>(spec.fallback);
    const Duration least{std::max(spec.min, std::int64_t{1})}, most{spec.max};
    if (spec.name == "t_wait" || spec.name == "tune_t_wait")
      return dice_.about(usual, microseconds(200));
    if (usual >= milliseconds(1))
      return dice_.about(std::max(least, microseconds(30)),
                         std::min(most, dice_.chance(75) ? milliseconds(1) : usual));
    if (usual.ps == 0)
      return dice_.chance(60) ? usual : dice_.about(least, std::min(most, microseconds(50)));
    return dice_.about(std::max(least, usual / 16), std::min(most, usual * 8));
  }
  void draw_parameters() {
    params_ = entry_.info.resolve(entry_.info.profiles.front().name);
    if (!own_parameters_) return force();
    if (dice_.chance(30)) {
      ParamSet small = params_;
      small.set(entry_.small_model);
      if (allowed(small))
        for (const auto& [name, value] : entry_.small_model) change(name, value);
    }
    for (const ParamSpec& spec : entry_.info.params) {
      const bool time =
          spec.kind == ParamKind::duration && std::get<Duration>(spec.fallback) >= milliseconds(1);
      if (!dice_.chance(time || spec.name == "units" ? 70 : 25)) continue;
      ParamSet changed = params_;
      const ParamValue value = value_for(spec);
      changed.set(spec.name, value);
      if (allowed(changed)) change(spec.name, value);
    }
    limit_segments();
    force();
  }
  void force() {
    for (const auto& [name, value] : case_.forced) {
      case_.unset("protocol." + name);
      params_.set(name, value);
    }
  }
  // Few enough that a request for all of them, each of which may have to be repaired, ends soon.
  void limit_segments() {
    constexpr std::int64_t kMost = 8;
    if (!has("segment") || !has("units")) return;
    if (params_.integer("units") / params_.integer("segment") <= kMost) return;
    change("units", std::max<std::int64_t>(kMost, params_.integer("segment")));
    change("segment",
           params_.integer("units") / static_cast<std::int64_t>(dice_.between(1, kMost)));
    change("parts", std::int64_t{1});
  }
  // The longest time by which the lock notices anything; zero: none.
  Duration patience_of_lock() const {
    Duration longest;
    for (const auto& of :
         {entry_.info.longest_timeout, entry_.info.longest_grant, entry_.info.longest_shared_grant})
      if (of) longest = std::max(longest, of(params_));
    return longest;
  }

  // ---- nodes, clients, locks ----

  void draw_clients() {
    limits_ = entry_.make(params_)->limits();
    const auto most = static_cast<std::uint32_t>(
        std::min<std::uint64_t>(limits_.max_clients - 1, dice_.chance(80) ? 8 : kMostClients));
    case_.nodes = static_cast<std::uint32_t>(
        dice_.between(1, std::min<std::uint64_t>({limits_.max_nodes - 1, most, 6})));
    const std::uint32_t room = most / case_.nodes;
    case_.per_node =
        static_cast<std::uint32_t>(dice_.between(1, dice_.chance(60) ? std::min(room, 2U) : room));
    if (case_.clients() == 1) case_.per_node = std::max(1U, std::min(room, 2U));
    case_.servers = dice_.chance(75) ? 1 : static_cast<std::uint32_t>(dice_.between(2, 3));
    case_.colocated = dice_.chance(20);
    if (case_.colocated) case_.servers = case_.nodes + 1;
    if (dice_.chance(15))
      case_.set("platform.qps", dice_.of(std::vector<std::string>{"node", "core"}));
    if (dice_.chance(15) && case_.per_node > 1) case_.set("platform.cores", "1");
  }
  void draw_locks() {
    const auto most = static_cast<std::uint64_t>(std::min<std::uint64_t>(limits_.max_locks, 16));
    case_.locks = dice_.chance(50) ? 1 : dice_.between(1, dice_.chance(70) ? 4 : most);
    case_.locks = std::min(case_.locks, most);
    const std::uint64_t at_once =
        std::min<std::uint64_t>({case_.locks, limits_.held_at_once, std::uint64_t{4}});
    if (at_once > 1 && dice_.chance(40))
      case_.set("workload.locks_per_section", std::to_string(dice_.between(2, at_once)));
    if (case_.locks > 1 && dice_.chance(30))
      case_.set("workload.distribution", "{kind: zipf, theta: 0.99}");
    if (entry_.info.ranges && dice_.chance(70)) draw_ranges();
  }
  void draw_ranges() {
    case_.unset("workload.locks_per_section");
    std::int64_t units = has("units") ? params_.integer("units") : 64;
    units = std::min<std::int64_t>(units, dice_.of(std::vector<std::int64_t>{16, 256, 1024}));
    case_.set("workload.kind", "range");
    case_.set("workload.units", std::to_string(units));
    std::string sizes;
    for (std::uint64_t left = dice_.between(1, 3); left > 0; --left)
      sizes += (sizes.empty() ? "" : ", ") + std::to_string(dice_.about(1, units));
    case_.set("workload.sizes", "{values: [" + sizes + "], by: operation}");
  }

  // ---- the network ----

  void draw_nic() {
    // Three round trips, and the crowd at a word, have to take less than a wait on which exclusion
    // rests: otherwise every request gives up.
    Duration most = microseconds(8);
    if (has("t_wait")) most = params_.duration("t_wait") / 16;
    if (dice_.chance(60))
      case_.set("platform.nic.latency.jitter", dice_.about(std::min(nanoseconds(20), most), most));
    if (dice_.chance(30) && most > nanoseconds(700))
      case_.set("platform.nic.latency.one_way", dice_.about(nanoseconds(300), most));
    if (dice_.chance(20))
      case_.set("platform.nic.latency.receive", dice_.about(nanoseconds(50), microseconds(5)));
    ack_timeout_ = milliseconds(67);
    ack_retries_ = 6;
    if (dice_.chance(95)) {
      ack_timeout_ = dice_.about(microseconds(40), milliseconds(2));
      ack_retries_ = static_cast<std::int64_t>(dice_.between(1, 7));
      case_.set("platform.nic.timeout.ack", ack_timeout_);
      case_.set("platform.nic.timeout.retries", std::to_string(ack_retries_));
    }
    if (dice_.chance(50))
      case_.set("platform.nic.rnr.timer", dice_.about(microseconds(10), microseconds(640)));
    if (dice_.chance(20)) case_.set("platform.nic.timeout.selective", "1");
    if (dice_.chance(85))
      case_.set("platform.failure_detection", dice_.about(microseconds(20), milliseconds(2)));
  }
  void draw_clocks() {
    std::int64_t most = 1'000'000;  // 1000 ppm
    if (has("clock_drift_ppm")) most = params_.integer("clock_drift_ppm") * 1000 / 2;
    if (has("drift_ppm")) most = params_.integer("drift_ppm") * 1000;
    if (has("drift_factor_ppm")) most = params_.integer("drift_factor_ppm") * 1000 / 4;
    if (has("delta")) most = 100'000;  // a bound on the error of the synchronised clock
    if (dice_.chance(40)) return;
    case_.set(
        "platform.clocks.drift",
        format_ppm(static_cast<std::int64_t>(dice_.between(0, static_cast<std::uint64_t>(most))) /
                   1000 * 1000));
    if (!has("delta"))
      case_.set("platform.clocks.offset", dice_.chance(50) ? microseconds(10) : seconds(1));
  }

  // ---- sections ----

  void draw_times() {
    patience_ = patience_of_lock();
    const bool by_lock = patience_.ps > 0 && patience_ <= milliseconds(2) && dice_.chance(50);
    busy_ = by_lock ? std::max(microseconds(100),
                               patience_ * static_cast<std::int64_t>(dice_.between(1, 4)))
                    : dice_.about(microseconds(80), milliseconds(1));
  }
  void draw_work() {
    const std::vector<std::string> ratios = {"0%", "20%", "50%", "80%", "95%", "100%"};
    const std::string read = dice_.of(ratios);
    if (read != "0%") case_.set("workload.read_ratio", read);
    if (entry_.info.update_mode && dice_.chance(50) && read != "100%" && read != "95%") {
      case_.set("workload.update_ratio", "20%");
      if (dice_.chance(60)) case_.set("workload.upgrade_ratio", "50%");
    }
    const std::vector<Duration> lengths = {Duration{}, microseconds(1), microseconds(5),
                                           microseconds(40)};
    Duration hold = dice_.of(lengths);
    if (patience_.ps > 0 && dice_.chance(10)) hold = dice_.about(patience_ / 4, patience_ * 2);
    hold = std::min(hold, busy_);
    if (dice_.chance(15)) {
      case_.set("workload.critical_section.remote_ops", std::to_string(dice_.between(1, 3)));
      case_.set("workload.critical_section.time", hold);
    } else if (hold.ps > 0) {
      case_.set("workload.critical_section", hold);
    }
    Duration think = dice_.of(lengths);
    if (busy_ > milliseconds(3)) think = std::max(think, busy_ / 200);
    if (dice_.chance(40) && think.ps > 0)
      case_.set("workload.think_time", "{kind: exponential, mean: " + format_duration(think) + "}");
    else if (think.ps > 0)
      case_.set("workload.think_time", think);
    if (case_.find("workload.locks_per_section") != nullptr || dice_.chance(60))
      case_.set("workload.on_abort", "give_back");
    case_.set("workload.retry_pause", dice_.about(microseconds(1), microseconds(10)));
    if (limits_.abortable && dice_.chance(20) && case_.find("workload.kind") == nullptr)
      // Enough for all locks of a section, or it starts over for ever.
      case_.set("workload.patience", dice_.about(microseconds(100), milliseconds(1)));
    if (dice_.chance(10) && case_.find("workload.kind") == nullptr)
      case_.set("workload.arrivals", fmt::format("{{kind: poisson, rate: {}}}",
                                                 case_.clients() * dice_.between(5'000, 100'000)));
  }

  // ---- dates ----

  void set_dates() {
    const bool one_lock = case_.find("workload.locks_per_section") == nullptr &&
                          case_.find("workload.patience") == nullptr &&
                          case_.find("platform.packet_loss") == nullptr;
    case_.early = case_.faults.empty() && one_lock &&
                  claims_without(case_.forced, params_, entry_.info).turns > 0 && dice_.chance(70);
    case_.calm_from = last_fault(case_);
    case_.until = case_.calm_from + std::max(microseconds(100), busy_ / 2);
  }

  const ProtocolEntry& entry_;
  Dice dice_;
  bool own_parameters_;
  Case case_;
  ParamSet params_;
  Limits limits_;
  Duration ack_timeout_;
  std::int64_t ack_retries_ = 6;
  Duration busy_, patience_;
};

}  // namespace

Result<Drawn> draw_case(const ProtocolEntry& entry, const Range& range, std::uint64_t number,
                        const DataDirs& data) {
  std::uint64_t key = hash_of(range.seed, number, range.own_parameters ? 1 : 0);
  for (const char letter : entry.info.name) key = hash_of(key, static_cast<unsigned char>(letter));
  std::string why;
  for (std::uint64_t attempt = 0; attempt < kTries; ++attempt) {
    Drawn drawn{Drawing(entry, hash_of(key, attempt), range).drawn(), {}};
    auto scenario =
        scenario_of(drawn.drawn, fmt::format("{}-{}", entry.info.name, number), {}, data);
    if (scenario) {
      drawn.scenario = std::move(scenario).value();
      return drawn;
    }
    why = scenario.error().text();
  }
  return Error{fmt::format("no case of {} can be drawn: {}", entry.info.name, why), {}};
}

}  // namespace latchlab::swarm

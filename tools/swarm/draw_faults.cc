#include "tools/swarm/draw_faults.h"

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "core/scenario/quantities.h"

namespace latchlab::swarm {

namespace {

class FaultDrawing {
 public:
  FaultDrawing(Case& drawn, Dice& dice, const FaultScales& scales)
      : drawn_(drawn), dice_(dice), scales_(scales) {}

  void go() {
    constexpr std::uint64_t kNone = 12, kOne = 45, kTwo = 75, kThree = 92;  // percent, added up
    const std::uint64_t drawn = dice_.between(0, 99);
    std::uint64_t kinds = drawn < kNone    ? 0
                          : drawn < kOne   ? 1
                          : drawn < kTwo   ? 2
                          : drawn < kThree ? 3
                                           : 5;
    std::vector<void (FaultDrawing::*)()> all = {
        &FaultDrawing::draw_client_crashes, &FaultDrawing::draw_process_crashes,
        &FaultDrawing::draw_node_crashes,   &FaultDrawing::draw_server_crash,
        &FaultDrawing::draw_cuts,           &FaultDrawing::draw_pauses,
        &FaultDrawing::draw_slow_client,    &FaultDrawing::draw_clock_jumps,
        &FaultDrawing::draw_forgetting,     &FaultDrawing::draw_datagrams,
        &FaultDrawing::draw_losses};
    for (; kinds > 0; --kinds) {
      const std::size_t at = dice_.between(0, all.size() - 1);
      (this->*all[at])();
      all.erase(all.begin() + static_cast<std::ptrdiff_t>(at));
    }
    spare_one_client();
  }

 private:
  Duration some_date() {
    return Duration{
        static_cast<std::int64_t>(dice_.between(0, static_cast<std::uint64_t>(scales_.busy.ps))) /
        1000 * 1000};
  }
  FaultSpec fault(FaultKind kind) {
    FaultSpec fault;
    fault.kind = kind;
    fault.at = some_date();
    return fault;
  }
  std::uint32_t some_client() {
    return static_cast<std::uint32_t>(dice_.between(0, drawn_.clients() - 1));
  }
  // As long as a lock's timeout or RC's retries, or much shorter.
  Duration some_outage() {
    const Duration retries = scales_.ack_timeout * (scales_.ack_retries + 1);
    const std::vector<Duration> scales = {microseconds(20), microseconds(200), scales_.lock * 2,
                                          std::min(scales_.ack_timeout, milliseconds(3)),
                                          std::min(retries * 2, milliseconds(8))};
    const bool by_lock = scales_.lock.ps > 0 && scales_.lock <= milliseconds(5);
    const Duration most = by_lock && dice_.chance(40) ? scales_.lock * 2
                                                      : std::max(microseconds(2), dice_.of(scales));
    return dice_.about(std::max(microseconds(1), most / 16), std::min(most, milliseconds(20)));
  }

  void draw_crashes(FaultKind kind) {
    const bool node = kind == FaultKind::node_crash;
    const std::uint32_t units = node ? drawn_.nodes : drawn_.clients();
    std::vector<std::uint32_t> alive(units);
    for (std::uint32_t i = 0; i < units; ++i) alive[i] = i;
    for (std::uint64_t left = dice_.between(1, 3); left > 0 && alive.size() > 1; --left) {
      const std::size_t at = dice_.between(0, alive.size() - 1);
      const std::uint32_t who = alive[at];
      alive.erase(alive.begin() + static_cast<std::ptrdiff_t>(at));
      const bool dead =
          node && std::ranges::any_of(drawn_.faults, [&](const FaultSpec& other) {
            return other.kind == kind && other.node == who + drawn_.first_client_node();
          });
      if (dead) continue;
      FaultSpec crash = fault(kind);
      (node ? crash.node : crash.client) = node ? who + drawn_.first_client_node() : who;
      drawn_.faults.push_back(crash);
    }
  }
  void draw_server_crash() {
    if (drawn_.colocated) return;
    FaultSpec crash = fault(FaultKind::node_crash);
    crash.node = static_cast<std::uint32_t>(dice_.between(0, drawn_.servers - 1));
    crash.outage = some_outage();
    drawn_.faults.push_back(crash);
  }
  void draw_cuts() {
    const std::uint32_t nodes = drawn_.first_client_node() + drawn_.nodes;
    if (nodes < 2) return;
    for (std::uint64_t left = dice_.between(1, 3); left > 0; --left) {
      FaultSpec cut = fault(FaultKind::link_down);
      cut.node = static_cast<std::uint32_t>(dice_.between(0, nodes - 1));
      cut.outage = some_outage();
      if (dice_.chance(70)) {
        cut.to = static_cast<std::uint32_t>(dice_.between(0, nodes - 2));
        if (*cut.to >= cut.node) ++*cut.to;
      }
      drawn_.faults.push_back(cut);
    }
  }
  void draw_pauses() {
    for (std::uint64_t left = dice_.between(1, 4); left > 0; --left) {
      FaultSpec pause = fault(FaultKind::pause);
      pause.length = some_outage();
      pause.index = some_client();
      if (dice_.chance(25)) {
        pause.target = FaultTarget::client_node;
        pause.index = static_cast<std::uint32_t>(dice_.between(0, drawn_.nodes - 1));
      } else if (dice_.chance(15)) {
        pause.target = FaultTarget::server;
        pause.index = static_cast<std::uint32_t>(dice_.between(0, drawn_.servers - 1));
      }
      drawn_.faults.push_back(pause);
    }
  }
  void draw_slow_client() {
    FaultSpec slow = fault(FaultKind::slow_client);
    slow.index = some_client();
    slow.factor_ppb = static_cast<std::int64_t>(dice_.between(2, 30)) * kWholePpb;
    drawn_.faults.push_back(slow);
  }
  void draw_clock_jumps() {
    for (std::uint64_t left = dice_.between(1, 2); left > 0; --left) {
      FaultSpec jump = fault(FaultKind::drift);
      jump.target = FaultTarget::client_node;
      jump.index = static_cast<std::uint32_t>(dice_.between(0, drawn_.nodes - 1));
      jump.jump = dice_.about(microseconds(1), milliseconds(2));
      if (dice_.chance(50)) jump.jump = Duration{} - jump.jump;
      drawn_.faults.push_back(jump);
    }
  }
  void draw_forgetting() {
    FaultSpec forget;
    forget.kind = FaultKind::skip_release;
    forget.probability_ppb = dice_.about(std::int64_t{500}, std::int64_t{50'000}) * 1000;
    drawn_.faults.push_back(forget);
  }
  void draw_datagrams() {
    if (!scales_.datagrams) return;
    if (dice_.chance(70))
      drawn_.set("platform.datagrams.loss",
                 format_ppm(dice_.about(std::int64_t{100}, std::int64_t{50'000}) * 1000));
    if (dice_.chance(70)) {
      drawn_.set("platform.datagrams.reorder",
                 format_ppm(dice_.about(std::int64_t{1000}, std::int64_t{200'000}) * 1000));
      drawn_.set("platform.datagrams.reorder_by", dice_.about(microseconds(1), microseconds(100)));
    }
  }
  // As many retries as RNICs have, so that none gives up what a mere loss delays.
  void draw_losses() {
    drawn_.unset("platform.nic.timeout.retries");
    drawn_.set("platform.nic.timeout.retries", "7");
    drawn_.set("platform.packet_loss",
               format_ppm(dice_.about(std::int64_t{10}, std::int64_t{10'000}) * 1000));
  }

  void draw_client_crashes() { draw_crashes(FaultKind::client_crash); }
  void draw_process_crashes() { draw_crashes(FaultKind::process_crash); }
  void draw_node_crashes() { draw_crashes(FaultKind::node_crash); }

  // Someone has to be left to wait for what the dead held.
  void spare_one_client() {
    std::vector<bool> dead(drawn_.clients());
    for (std::size_t i = 0; i < drawn_.faults.size();) {
      const FaultSpec& each = drawn_.faults[i];
      const auto kills = [&](std::uint32_t client) {
        if (each.kind == FaultKind::client_crash || each.kind == FaultKind::process_crash)
          return each.client == client;
        return each.kind == FaultKind::node_crash && !each.outage &&
               each.node == client / drawn_.per_node + drawn_.first_client_node();
      };
      std::vector<bool> then = dead;
      for (std::uint32_t c = 0; c < drawn_.clients(); ++c) then[c] = then[c] || kills(c);
      if (std::ranges::find(then, false) == then.end()) {
        drawn_.faults.erase(drawn_.faults.begin() + static_cast<std::ptrdiff_t>(i));
        continue;
      }
      dead = std::move(then);
      ++i;
    }
  }

  Case& drawn_;
  Dice& dice_;
  const FaultScales& scales_;
};

}  // namespace

void draw_faults(Case& drawn, Dice& dice, const FaultScales& scales) {
  FaultDrawing(drawn, dice, scales).go();
}

}  // namespace latchlab::swarm

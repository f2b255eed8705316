#include "tools/export/worst_acquisition.h"

#include <fmt/core.h>

#include <filesystem>
#include <fstream>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "core/protocols/registry.h"
#include "core/run/child.h"
#include "core/run/files.h"
#include "core/workload/forwarding_observer.h"
#include "core/world/forwarding.h"

namespace latchlab::exporting {

namespace {

constexpr Duration kAroundWorst = microseconds(5);  // before and after
constexpr std::int64_t kNanosecond = nanoseconds(1).ps;

struct LongAcquisition {
  Time began;
  Time ended;  // granted, given up, or the end of the run
};

class WorstObserver final : public ForwardingObserver {
 public:
  WorstObserver(LoopObserver& inner, const Running& clock, const World& world, Time from)
      : inner_(inner),
        clock_(clock),
        world_(world),
        from_(from),
        asking_(world.world_shape().clients(), kNever) {}

  const std::optional<LongAcquisition>& worst() const { return worst_; }
  void run_ends(Time now) {
    for (Time& began : asking_) end(began, now);
  }
  // A crashed client no longer waits.
  void died(ClientId client) { asking_[client.value] = kNever; }
  void died(NodeId node) {
    for (std::uint32_t i = 0; i < asking_.size(); ++i)
      if (world_.node_of(ClientId{i}) == node) asking_[i] = kNever;
  }

  // A retry belongs to its acquisition.
  void acquire_begins(ClientId client, const Want& want) override {
    if (asking_[client.value] == kNever) asking_[client.value] = clock_.true_now();
    ForwardingObserver::acquire_begins(client, want);
  }
  void acquired(ClientId client, const Grant& grant) override {
    end(asking_[client.value], clock_.true_now());
    ForwardingObserver::acquired(client, grant);
  }
  void acquire_aborted(ClientId client, const Want& want, AbortReason reason) override {
    if (reason == AbortReason::deadline || reason == AbortReason::unsupported)
      end(asking_[client.value], clock_.true_now());
    ForwardingObserver::acquire_aborted(client, want, reason);
  }
  // After an abort, the client releases what it holds, which ends the acquisition.
  void release_begins(ClientId client, const Grant& grant) override {
    end(asking_[client.value], clock_.true_now());
    ForwardingObserver::release_begins(client, grant);
  }

 private:
  LoopObserver& inner(ClientId /*client*/) override { return inner_; }
  void end(Time& began, Time now) {
    const Time since = std::exchange(began, kNever);
    if (since == kNever || now < from_) return;
    if (!worst_ || now - since > worst_->ended - worst_->began) worst_ = {since, now};
  }

  LoopObserver& inner_;
  const Running& clock_;
  const World& world_;
  const Time from_;
  std::vector<Time> asking_;  // by client, the begin of its acquisition; kNever: none
  std::optional<LongAcquisition> worst_;
};

// Reports crashes to the observer.
class DeathsHeard final : public ForwardingBackend, public HardwareFaults {
 public:
  explicit DeathsHeard(std::unique_ptr<Backend> inner) : ForwardingBackend(std::move(inner)) {}
  void tell(WorstObserver& observer) { observer_ = &observer; }

  void crash(ClientId client, CrashKind kind) override {
    observer_->died(client);
    inner().crash(client, kind);
  }
  HardwareFaults* hardware_faults() override {
    return inner().hardware_faults() == nullptr ? nullptr : this;
  }
  void crash_node(NodeId node) override {
    observer_->died(node);
    inner().hardware_faults()->crash_node(node);
  }
  void crash_server(NodeId node, Duration outage, std::function<void()> back) override {
    inner().hardware_faults()->crash_server(node, outage, std::move(back));
  }
  void set_link(NodeId node, NodeId other, bool up) override {
    inner().hardware_faults()->set_link(node, other, up);
  }

 private:
  WorstObserver* observer_ = nullptr;
};

class WorstFinder final : public TraceHook {
 public:
  WorstFinder(Time from, std::string file) : from_(from), file_(std::move(file)) {}

  std::unique_ptr<Backend> around(std::unique_ptr<Backend> inner,
                                  const WorldPlan& /*plan*/) override {
    auto made = std::make_unique<DeathsHeard>(std::move(inner));
    backend_ = made.get();
    return made;
  }
  LoopObserver& around(LoopObserver& inner, const World& world) override {
    observer_ = std::make_unique<WorstObserver>(inner, *backend_, world, from_);
    backend_->tell(*observer_);
    return *observer_;
  }
  // The status is ignored: worst_acquisition() reports a missing file.
  void ended(Time now) override {
    observer_->run_ends(now);
    const auto& worst = observer_->worst();
    const std::string text =
        worst ? fmt::format("{} {}\n", worst->began.ps, worst->ended.ps) : std::string("none\n");
    static_cast<void>(write_atomically(file_, text));
  }

 private:
  Time from_;
  std::string file_;
  DeathsHeard* backend_ = nullptr;
  std::unique_ptr<WorstObserver> observer_;
};

// The longest acquisition of the point's first repeat that ends at `from` or later, or never; of
// equal ones the first. The repeat runs in a child process, which returns the result in the
// temporary `file`. nullopt: no client requested a lock.
Result<std::optional<LongAcquisition>> worst_acquisition(const Point& point, Time from,
                                                         const BackendFactory& make_backend,
                                                         const std::string& file) {
  const ProtocolEntry* const entry = find_protocol(point.protocol.name);
  if (entry == nullptr) return Error{fmt::format("there is no lock {}", point.protocol.name), {}};
  const TraceHookFactory finder = [&](const Point&, std::uint32_t) {
    return std::make_unique<WorstFinder>(from, file);
  };
  auto child = ChildRepeat::start(point, *entry, 0, make_backend, finder);
  if (!child) return child.error();
  while (!child.value().drain()) {
  }
  const RepeatOutcome outcome = child.value().finish();
  std::ifstream found(file);
  std::int64_t began = 0;
  std::int64_t ended = 0;
  const bool any = static_cast<bool>(found >> began >> ended);
  const bool written = std::filesystem::exists(file);
  std::error_code ignored;
  std::filesystem::remove(file, ignored);
  if (!written)
    return Error{fmt::format("its worst acquisition could not be found: {}",
                             outcome.message.empty() ? "the run did not end" : outcome.message),
                 {}};
  if (!any) return std::optional<LongAcquisition>();
  return std::optional(LongAcquisition{Time{began}, Time{ended}});
}

}  // namespace

// If no client requests a lock, the plan keeps its window.
Status place_worst(const std::string& directory, const Scenario& scenario,
                   const TraceRequest& request, const BackendFactory& make_backend,
                   TracePlan& plan) {
  if (!request.wanted || request.window != kWorst) return fine();
  for (PlannedTrace& planned : plan) {
    const auto found = worst_acquisition(scenario.points[planned.point], planned.from, make_backend,
                                         fmt::format("{}/worst-{}", directory, planned.point));
    if (!found) return Error{fmt::format("point {}: {}", planned.point, found.error().text()), {}};
    if (!found.value()) continue;
    const Time began = found.value()->began;
    const Time from = began - Time{} > kAroundWorst ? began - kAroundWorst : Time{};
    planned.from = Time{from.ps / kNanosecond * kNanosecond};  // whole ns are easier to read
    planned.to = Time{(found.value()->ended + kAroundWorst).ps / kNanosecond * kNanosecond};
  }
  return fine();
}

}  // namespace latchlab::exporting

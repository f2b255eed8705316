#include "tools/swarm/watch.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>
#include <vector>

#include "core/base/json.h"
#include "core/protocols/registry.h"
#include "core/run/child.h"
#include "core/workload/forwarding_observer.h"
#include "tools/swarm/bypass_count.h"
#include "tools/swarm/case.h"

namespace latchlab::swarm {

namespace {

// So much time of the CPU is enough for any run that is drawn: one that takes more goes round in
// circles without time passing.
constexpr unsigned kMostSeconds = 120;

constexpr std::uint64_t kLooksAt = 4096;  // locks, at the end

constexpr std::size_t kMostText = 200;  // of an entry, which can have thousands of words

std::string in_us(Time at) {
  return fmt::format("{:.3f} us", (at - Time{}).nanoseconds() / 1000);
}

class Watch final : public TraceHook, public ForwardingObserver {
 public:
  explicit Watch(const Point& point)
      : point_(point), clients_(point.platform.clients()), mortal_(mortal_clients(point)) {
    end_this_process_after(kMostSeconds);
  }

  // ---- TraceHook ----
  std::unique_ptr<Backend> around(std::unique_ptr<Backend> inner, const WorldPlan&) override {
    backend_ = inner.get();
    return inner;
  }
  LoopObserver& around(LoopObserver& inner, const World& world) override {
    inner_ = &inner;
    world_ = &world;
    bypasses_.watch(world);
    return *this;
  }
  void ended(Time now) override {
    for (std::uint32_t i = 0; i < clients_.size(); ++i)
      seen_.recoveries += world_->client(ClientId{i}).recoveries();
    for (std::uint32_t i = 0; i < clients_.size(); ++i)
      if (!mortal_[i]) waited(i);
    const bool calm = point_.faults.empty() && point_.platform.packet_loss_ppb == 0 &&
                      workers_of(point_).patience.ps == 0 && seen_.cut == 0;
    look_for_waiting(now);
    // Releases that no client waits for may be in flight.
    if (seen_.progress.empty() && backend_->census().in_flight == 0) {
      look_at_locks();
      if (seen_.clean_end.empty()) look_at_messages(calm);
    }
    if (calm && !posts_counts()) seen_.order = bypasses_.judged(world_->protocol()).broken;
  }
  std::string report() const override { return seen_.text(); }

  // ---- ForwardingObserver ----
  void cycle_begins(ClientId client) override {
    clients_[client.value] = {};
    ForwardingObserver::cycle_begins(client);
  }
  void acquire_begins(ClientId client, const Want& want) override {
    Client& who = clients_[client.value];
    if (!std::exchange(who.waits, true)) who.since = backend_->true_now();
    who.lock = want.lock.id;
    who.mode = want.mode;
    ForwardingObserver::acquire_begins(client, want);
    bypasses_.acquire_begins(client, want);
  }
  void acquire_aborted(ClientId client, const Want& want, AbortReason reason) override {
    if (reason == AbortReason::unsupported) clients_[client.value].waits = false;
    ForwardingObserver::acquire_aborted(client, want, reason);
    bypasses_.acquire_aborted(client, want, reason);
  }
  void acquired(ClientId client, const Grant& grant) override {
    ++seen_.grants;
    waited(client.value);
    clients_[client.value].waits = false;
    ++clients_[client.value].held;
    ForwardingObserver::acquired(client, grant);
    bypasses_.acquired(client, grant);
  }
  void released(ClientId client, const Grant& grant, ReleaseResult result) override {
    if (result == ReleaseResult::suppressed) ++seen_.cut;
    --clients_[client.value].held;
    ForwardingObserver::released(client, grant, result);
  }
  void release_skipped(ClientId client, const Grant& grant) override {
    --clients_[client.value].held;
    ForwardingObserver::release_skipped(client, grant);
  }
  void section_cut(ClientId client) override {
    ++seen_.cut;
    ForwardingObserver::section_cut(client);
  }

 private:
  struct Client {
    bool waits = false;
    std::uint32_t held = 0;
    Time since;
    LockId lock;
    LockMode mode = LockMode::exclusive;
  };

  LoopObserver& inner(ClientId) override { return *inner_; }

  // The count of a handover (mcs) is posted and not awaited. It may land during the client's next
  // acquisition, and is then taken for its first effect, so that nothing is known of the order.
  bool posts_counts() const {
    const ParamSet& params = point_.protocol.params;
    return params.values().contains("handover_counter") && params.boolean("handover_counter");
  }
  void waited(std::uint32_t client) {
    const Duration length = backend_->true_now() - clients_[client].since;
    if (!clients_[client].waits || length <= seen_.waited) return;
    seen_.waited = length;
    seen_.waiter = client;
  }

  std::string entry_text(LockId lock) const {
    std::string text = world_->protocol().decode(world_->entry(lock, *backend_));
    if (text.size() > kMostText) text = text.substr(0, kMostText) + " ...";
    return text;
  }
  void look_for_waiting(Time now) {
    std::uint32_t left = 0, first = 0;
    for (std::uint32_t i = 0; i < clients_.size(); ++i) {
      const bool busy = clients_[i].waits || clients_[i].held > 0;
      if (!busy || mortal_[i]) continue;
      if (left++ == 0 || clients_[i].since < clients_[first].since) first = i;
    }
    if (left == 0) return;
    const Client& who = clients_[first];
    seen_.progress = fmt::format(
        "at {}, {} after workers stopped asking, {} live clients have not left; client {} {} lock "
        "{} ({}) since {}; its entry: {}",
        in_us(now), format_duration(now - Time{} - workers_of(point_).until), left, first,
        who.waits ? "waits for" : "cannot leave", who.lock.value, name_of(who.mode),
        in_us(who.since), entry_text(who.lock));
  }
  void look_at_locks() {
    std::uint64_t busy = 0, first = 0;
    for (std::uint64_t i = std::min(point_.locks.count, kLooksAt); i-- > 0;) {
      const LockRef lock = world_->lock(LockId{i});
      if (world_->protocol().is_free(lock.entry, world_->entry(lock.id, *backend_))) continue;
      ++busy;
      first = i;
    }
    if (busy > 0)
      seen_.clean_end = fmt::format("all clients have left, and {} locks are not free; lock {}: {}",
                                    busy, first, entry_text(LockId{first}));
  }
  // A message that is late, because of a fault, or because a client gave up or reset a lock, may
  // stay until a request drops it; but an endpoint without a RECV gets no more.
  void look_at_messages(bool calm) {
    const Unreceived found = backend_->unreceived();
    const bool all = calm && seen_.recoveries == 0;
    if ((all ? found.messages : found.full) == 0) return;
    seen_.clean_end = fmt::format(
        "all clients have left, and {} messages were not received; {} endpoints have no RECV left",
        found.messages, found.full);
  }

  // A wait that ends at a deadline is not counted: such runs are not judged.
  struct Bypasses final : BypassCount {
    bool too_late(ClientId) const override { return false; }
  };

  const Point& point_;
  std::vector<Client> clients_;
  std::vector<bool> mortal_;
  Backend* backend_ = nullptr;
  LoopObserver* inner_ = nullptr;
  const World* world_ = nullptr;
  Bypasses bypasses_;
  Seen seen_;
};

}  // namespace

std::string Seen::text() const {
  Json json;
  json["grants"] = grants;
  json["recoveries"] = recoveries;
  json["cut"] = cut;
  json["waited_ps"] = static_cast<std::uint64_t>(waited.ps);
  json["waiter"] = waiter;
  json["progress"] = progress;
  json["clean_end"] = clean_end;
  json["order"] = order;
  return dump_json(json);
}

Result<Seen> parse_seen(const std::string& text) {
  const Json json = parse_json(text);
  Seen seen;
  std::uint64_t waited = 0, waiter = 0;
  for (auto [name, number] : {std::pair{"grants", &seen.grants},
                              {"recoveries", &seen.recoveries},
                              {"cut", &seen.cut},
                              {"waited_ps", &waited},
                              {"waiter", &waiter}}) {
    if (!json.is_object() || !json.contains(name)) return Error{"not what a watch reports", {}};
    *number = json[name].get<std::uint64_t>();
  }
  for (auto [name, words] : {std::pair{"progress", &seen.progress},
                             {"clean_end", &seen.clean_end},
                             {"order", &seen.order}})
    *words = json.value(name, std::string());
  seen.waited = Duration{static_cast<std::int64_t>(waited)};
  seen.waiter = static_cast<std::uint32_t>(waiter);
  return seen;
}

std::unique_ptr<TraceHook> make_watch(const Point& point) {
  return std::make_unique<Watch>(point);
}

}  // namespace latchlab::swarm

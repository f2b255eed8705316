#include <optional>
#include <set>
#include <utility>
#include <vector>

#include "core/base/lookup.h"
#include "core/protocols/common/one_by_one.h"
#include "core/protocols/common/planted.h"
#include "core/protocols/common/range_server/manager.h"

namespace latchlab::range_server {

namespace {

class Server final : public ServerPart {
 public:
  explicit Server(const Options& options) : options_(options) {}

  Task<void> serve(Verbs& verbs, PendingCall pending) override {
    if (options_.handler.ps > 0) co_await verbs.compute(options_.handler);
    const RemoteAddr entry = unpack(pending.request).entry;
    if (!options_.kind->one_at_a_time) {
      const Decided decided = decide(object_of(entry), pending);
      forget_if_unused(entry);
      if (decided.takes.ps > 0) co_await verbs.compute(decided.takes);
      if (!options_.show) {
        send(verbs, decided);
      } else if (to_show_.begin(decided)) {
        for (std::optional<Decided> next = decided; next; next = to_show_.next()) {
          if (next->change != 0) co_await verbs.cpu_fetch_add(next->entry, next->change);
          send(verbs, *next);
        }
      }
      co_return;
    }
    Object& object = object_of(entry);
    if (!object.requests.begin(pending)) co_return;
    for (std::optional<PendingCall> next = pending; next; next = object.requests.next()) {
      const Decided decided = decide(object, *next);
      if (decided.takes.ps > 0) co_await verbs.compute(decided.takes);
      if (decided.change != 0) co_await verbs.cpu_fetch_add(entry, decided.change);
      send(verbs, decided);
    }
    forget_if_unused(entry);
  }

 private:
  struct Object {
    std::unique_ptr<ObjectRanges> ranges;
    OneByOne<PendingCall> requests;
  };
  struct Answer {
    PendingCall call;
    served::Answer answer = served::kRefused;
    std::uint64_t has_waited = 0;
  };
  struct Decided {  // the result of a request
    RemoteAddr entry;
    Duration takes;            // CPU time
    std::uint64_t change = 0;  // to the entry's word
    std::vector<Answer> answers;
  };

  Object& object_of(RemoteAddr entry) {
    Object& object = objects_[entry.packed()];
    if (!object.ranges) object.ranges = options_.kind->make_ranges(options_);
    return object;
  }
  void forget_if_unused(RemoteAddr entry) {
    const Object* const object = objects_.find(entry.packed());
    if (object != nullptr && object->ranges->empty()) objects_.erase(entry.packed());
  }

  static void send(Verbs& verbs, const Decided& decided) {
    for (const Answer& each : decided.answers) {
      Reply reply;
      reply.words[0] = each.answer;
      reply.words[1] = each.has_waited;
      verbs.reply(each.call, reply);
    }
  }

  std::uint64_t shown(const ObjectRanges& ranges) const {
    return options_.show ? served::entry_word(ranges.holders(), 0, ranges.waiters()) : 0;
  }

  Decided decide(Object& object, const PendingCall& call) {
    ObjectRanges& ranges = *object.ranges;
    const std::uint64_t before = shown(ranges);
    const Asked asked = unpack(call.request);
    Decided decided;
    decided.entry = asked.entry;
    switch (call.request.type) {
      case served::kAcquire:
        acquire(ranges, asked, call, decided);
        break;
      case served::kRelease:
        release(ranges, asked, call, decided);
        break;
      default:
        withdraw(ranges, asked, call, decided);
    }
    decided.change = shown(ranges) - before;
    decided.takes = options_.step * static_cast<std::int64_t>(ranges.take_steps());
    return decided;
  }

  void acquire(ObjectRanges& ranges, const Asked& asked, const PendingCall& call,
               Decided& decided) {
    if (withdrawn_.erase(asked.who) != 0) {
      note(Path::late_request);
      decided.answers.push_back({call, served::kRefused});  // the client does not receive it
    } else if (ranges.acquire(asked, call)) {
      note(Path::enters);
      decided.answers.push_back({call, served::kGranted});
    } else {
      note(Path::waits);
    }
  }

  void release(ObjectRanges& ranges, const Asked& asked, const PendingCall& call,
               Decided& decided) {
    ObjectRanges::Calls granted;
    ranges.release(asked.who, granted);
    note(granted.empty() ? Path::none_granted : Path::others_granted);
    grant(granted, decided);
    decided.answers.push_back({call, served::kGranted});
  }

  void withdraw(ObjectRanges& ranges, const Asked& asked, const PendingCall& call,
                Decided& decided) {
    ObjectRanges::Calls granted;
    if (ranges.holds(asked.who)) {
      note(Path::grant_crosses);
      if (PLANTED(common_frees_a_late_range)) ranges.release(asked.who, granted);
      decided.answers.push_back({call, served::kGranted});
      return grant(granted, decided);
    }
    const std::optional<PendingCall> waiting = ranges.withdraw(asked.who, granted);
    if (!waiting) {
      note(Path::request_overtaken);
      if (!PLANTED(common_forgets_a_withdrawn_range)) withdrawn_.insert(asked.who);
      return decided.answers.push_back({call, served::kRefused});
    }
    note(Path::withdrawn);
    grant(granted, decided);
    decided.answers.push_back({*waiting, served::kRefused});
    decided.answers.push_back({call, served::kRefused});
  }

  static void grant(const ObjectRanges::Calls& calls, Decided& decided) {
    for (const PendingCall& each : calls) decided.answers.push_back({each, served::kGranted, 1});
  }

  void note(Path path) const { options_.kind->note(path); }

  const Options& options_;
  Lookup<Object> objects_;     // in use, by their entries' packed addresses
  std::set<Asker> withdrawn_;  // withdrawn before their requests arrived
  OneByOne<Decided> to_show_;  // in the entries, before they are answered
};

}  // namespace

std::unique_ptr<ServerPart> make_server_part(const Options& options) {
  return std::make_unique<Server>(options);
}

}  // namespace latchlab::range_server

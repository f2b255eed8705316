#include <optional>
#include <set>
#include <vector>

#include "core/protocols/common/one_by_one.h"
#include "core/protocols/common/planted.h"
#include "core/protocols/traditional/manager.h"

namespace latchlab::traditional {

namespace {

using served::Asked;

class Server final : public ServerPart {
 public:
  explicit Server(const Options& options) : options_(options) {}

  // All decisions are made before the first suspension: requests are ordered as they are taken up.
  Task<void> serve(Verbs& verbs, PendingCall pending) override {
    Step step;
    step.verbs = &verbs;
    step.entry = served::unpack(pending.request).entry;
    const std::uint64_t before = table_.shown(options_.show, step.entry);
    decide(step, pending);
    if (!options_.show) co_return;
    step.change = table_.shown(options_.show, step.entry) - before;
    if (!to_show_.begin(step)) co_return;
    for (std::optional<Step> next = step; next; next = to_show_.next()) {
      if (next->change != 0) co_await verbs.cpu_fetch_add(next->entry, next->change);
      for (const Decided& each : next->answers) send(verbs, each);
    }
  }

 private:
  struct Decided {
    PendingCall call;
    served::Answer answer = served::kRefused;
    std::uint64_t has_waited = 0;
  };
  struct Step {  // the changes made by a request
    Verbs* verbs = nullptr;
    RemoteAddr entry;
    std::uint64_t change = 0;      // to the entry's word
    std::vector<Decided> answers;  // held back until the entry shows the change
  };

  static void send(Verbs& verbs, const Decided& decided) {
    Reply reply;
    reply.words[0] = decided.answer;
    reply.words[1] = decided.has_waited;
    verbs.reply(decided.call, reply);
  }
  void answer(Step& step, const Decided& decided) const {
    if (options_.show)
      step.answers.push_back(decided);
    else
      send(*step.verbs, decided);
  }

  void decide(Step& step, const PendingCall& call) {
    const Asked asked = served::unpack(call.request);
    switch (call.request.type) {
      case served::kAcquire:
        return acquire(step, asked, call);
      case served::kRelease:
        return release(step, asked, call);
      default:
        return withdraw(step, asked, call);
    }
  }

  void acquire(Step& step, const Asked& asked, const PendingCall& call) {
    if (withdrawn_.erase(asked.who) != 0) {
      note(Path::late_request);
      return answer(step, {call, served::kRefused});  // the client does not receive it
    }
    const bool reader = asked.mode == LockMode::shared;
    if (table_.try_enter(asked)) {
      note(reader ? Path::reader_enters : Path::writer_enters);
      return answer(step, {call, served::kGranted});
    }
    const auto may_pass = options_.kind->may_pass;
    if (reader && may_pass != nullptr) {
      const std::optional<served::LockTable::Waiting> waiting = table_.waiting(asked.entry);
      if (waiting && may_pass(options_, *waiting)) {
        table_.pass(asked);
        return answer(step, {call, served::kGranted});
      }
    }
    note(reader ? Path::reader_queues : Path::writer_queues);
    table_.wait(asked, call);
  }

  void release(Step& step, const Asked& asked, const PendingCall& call) {
    table_.leave(asked);
    if (const std::optional<LockMode> next = let_in(step))
      note(*next == LockMode::shared ? Path::readers_let_in : Path::writer_let_in);
    else
      note(Path::none_waits);
    answer(step, {call, served::kGranted});
  }

  void withdraw(Step& step, const Asked& asked, const PendingCall& call) {
    if (table_.holds(asked)) {
      note(Path::grant_crosses);
      if (PLANTED(traditional_frees_a_late_grant)) table_.leave(asked);
      return answer(step, {call, served::kGranted});
    }
    const std::optional<PendingCall> waiting = table_.withdraw(asked);
    if (!waiting) {
      note(Path::request_overtaken);
      if (!PLANTED(traditional_forgets_a_withdrawal)) withdrawn_.insert(asked.who);
      return answer(step, {call, served::kRefused});
    }
    note(Path::withdrawn);
    if (let_in(step)) note(Path::withdrawal_lets_in);
    answer(step, {*waiting, served::kRefused});
    answer(step, {call, served::kRefused});
  }

  // Grants the lock to all waiting requests that can have it now. Returns their mode, or none.
  std::optional<LockMode> let_in(Step& step) {
    std::optional<LockMode> mode;
    while (const std::optional<PendingCall> call = table_.let_next_in(step.entry)) {
      mode = served::unpack(call->request).mode;
      answer(step, {*call, served::kGranted, 1});
    }
    return mode;
  }

  void note(Path path) const { options_.kind->note(path); }

  const Options& options_;
  served::LockTable table_;
  std::set<served::Asker> withdrawn_;  // withdrawn before their requests arrived
  OneByOne<Step> to_show_;             // in the entries, before they are answered
};

}  // namespace

std::unique_ptr<ServerPart> make_server_part(const Options& options) {
  return std::make_unique<Server>(options);
}

}  // namespace latchlab::traditional

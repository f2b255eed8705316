#include <set>
#include <utility>

#include "core/protocols/common/one_by_one.h"
#include "core/protocols/common/planted.h"
#include "core/protocols/traditional/manager.h"

namespace latchlab::traditional {

namespace {

using served::Asked;

class Server final : public ServerPart {
 public:
  explicit Server(const Options& options) : options_(options) {}

  // Everything is decided before the first suspension: requests count in the order in which they
  // are taken up.
  Task<void> serve(Verbs& verbs, PendingCall pending) override {
    Step step;
    step.entry = served::unpack(pending.request).entry;
    const std::uint64_t before = shown(step.entry);
    step.answers = decide(pending);
    step.change = shown(step.entry) - before;
    if (!options_.show) {
      answer(verbs, step);
      co_return;
    }
    if (!to_show_.add(step)) co_return;
    while (to_show_.more()) {
      const Step next = to_show_.take();
      if (next.change != 0) co_await verbs.cpu_fetch_add(next.entry, next.change);
      answer(verbs, next);
    }
  }

 private:
  struct Decided {
    PendingCall call;
    served::Answer answer = served::kRefused;
    std::uint64_t has_waited = 0;
  };
  using Answers = std::vector<Decided>;
  struct Step {  // what a request has changed
    RemoteAddr entry;
    std::uint64_t change = 0;  // of the entry's word
    Answers answers;
  };

  static void answer(Verbs& verbs, const Step& step) {
    for (const Decided& each : step.answers) {
      Reply reply;
      reply.words[0] = each.answer;
      reply.words[1] = each.has_waited;
      verbs.reply(each.call, reply);
    }
  }

  std::uint64_t shown(RemoteAddr entry) const {
    return options_.show ? table_.entry_word_of(entry) : 0;
  }

  Answers decide(const PendingCall& call) {
    const Asked asked = served::unpack(call.request);
    switch (call.request.type) {
      case served::kAcquire:
        return acquire(asked, call);
      case served::kRelease:
        return release(asked, call);
      default:
        return withdraw(asked, call);
    }
  }

  Answers acquire(const Asked& asked, const PendingCall& call) {
    if (withdrawn_.erase(asked.who) != 0) {
      note(Path::late_request);
      return {{call, served::kRefused}};  // nobody hears it
    }
    const bool reader = asked.mode == LockMode::shared;
    if (table_.try_enter(asked)) {
      note(reader ? Path::reader_enters : Path::writer_enters);
      return {{call, served::kGranted}};
    }
    const auto may_pass = options_.kind->may_pass;
    const std::optional<served::LockTable::Waiting> waiting = table_.waiting(asked.entry);
    if (reader && waiting && may_pass != nullptr && may_pass(options_, *waiting)) {
      table_.pass(asked);
      return {{call, served::kGranted}};
    }
    note(reader ? Path::reader_queues : Path::writer_queues);
    table_.wait(asked, call);
    return {};
  }

  Answers release(const Asked& asked, const PendingCall& call) {
    table_.leave(asked);
    Answers answers = let_in(asked.entry);
    if (answers.empty()) note(Path::nobody_waits);
    if (!answers.empty())
      note(mode_of(answers.front()) == LockMode::shared ? Path::readers_let_in
                                                        : Path::writer_let_in);
    answers.push_back({call, served::kGranted});
    return answers;
  }

  Answers withdraw(const Asked& asked, const PendingCall& call) {
    if (table_.holds(asked)) {
      note(Path::grant_crosses);
      if (PLANTED(traditional_frees_a_late_grant)) table_.leave(asked);
      return {{call, served::kGranted}};
    }
    const std::optional<PendingCall> waiting = table_.withdraw(asked);
    if (!waiting) {
      note(Path::request_overtaken);
      if (!PLANTED(traditional_forgets_a_withdrawal)) withdrawn_.insert(asked.who);
      return {{call, served::kRefused}};
    }
    note(Path::withdrawn);
    Answers answers = let_in(asked.entry);
    if (!answers.empty()) note(Path::withdrawal_lets_in);
    answers.push_back({*waiting, served::kRefused});
    answers.push_back({call, served::kRefused});
    return answers;
  }

  Answers let_in(RemoteAddr entry) {
    Answers answers;
    for (const PendingCall& call : table_.let_in(entry))
      answers.push_back({call, served::kGranted, 1});
    return answers;
  }

  static LockMode mode_of(const Decided& decided) {
    return served::unpack(decided.call.request).mode;
  }
  void note(Path path) const { options_.kind->note(path); }

  const Options& options_;
  served::LockTable table_;
  std::set<served::Asker> withdrawn_;  // whose requests have not arrived
  OneByOne<Step> to_show_;             // in the entries, before they are answered
};

}  // namespace

std::unique_ptr<ServerPart> make_server_part(const Options& options) {
  return std::make_unique<Server>(options);
}

}  // namespace latchlab::traditional

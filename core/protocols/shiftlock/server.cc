#include "core/protocols/shiftlock/server.h"

#include "core/base/paths.h"
#include "core/protocols/shiftlock/messages.h"

namespace latchlab::shiftlock {

namespace {

class Server final : public ServerPart {
 public:
  Server(const Switches& on, const ServerEnv& env) : on_(on), era_word_(env.server_words) {}

  Task<void> serve(Verbs& verbs, PendingCall pending) override {
    Reply reply;
    if (pending.request.type == kRecover) {
      const bool done = co_await recover(verbs, pending.request);
      reply.words[0] = done ? 1 : 0;
    }
    verbs.reply(pending, reply);
  }

 private:
  // The reset is an atomic through the NIC, as the clients' verbs are: a concurrent client atomic
  // could overwrite a CPU store.
  Task<bool> recover(Verbs& verbs, Request request) {
    const RemoteAddr entry = RemoteAddr::unpack(request.words[0]);
    const std::uint64_t era = request.words[1];
    std::uint64_t relcnt = request.words[2];
    const std::uint64_t current = co_await verbs.cpu_compare_swap(era_word_, era, era + 1);
    if (current != era) {
      LATCHLAB_PATH("shiftlock: the server rejects a request of an earlier era");
      co_return false;
    }
    if (on_.reset_compares_own_read) relcnt = co_await verbs.load(entry + kRelCntOffset);
    const Verb reset = on_.reset(entry, relcnt, !on_.reset_zeroes_epoch);
    const Completion before = co_await verbs.issue(reset);
    const bool done = before.ok() && matched(reset, before.value);
    if (done) LATCHLAB_PATH("shiftlock: the server resets a lock");
    if (!done) LATCHLAB_PATH("shiftlock: a reset finds that the lock has moved");
    co_return done;
  }

  Switches on_;
  RemoteAddr era_word_;
};

}  // namespace

std::unique_ptr<ServerPart> make_server_part(const Switches& on, const ServerEnv& env) {
  return std::make_unique<Server>(on, env);
}

}  // namespace latchlab::shiftlock

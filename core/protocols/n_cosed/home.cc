#include "core/base/lookup.h"
#include "core/base/paths.h"
#include "core/protocols/common/planted.h"
#include "core/protocols/n_cosed/client.h"
#include "core/protocols/n_cosed/word.h"

namespace latchlab::n_cosed {
namespace {

// The readers of one lock in a period in which no writer is its tail.
struct Readers {
  std::uint64_t left = 0;
  std::uint64_t awaited = 0;  // 0: no writer waits
  PendingCall writer;
  bool resetting = false;  // a reset is in flight: `left` may be too high
};

class Home final : public ServerPart {
 public:
  explicit Home(const Options& options) : options_(options) {}

  Task<void> serve(Verbs& verbs, PendingCall pending) override {
    const std::uint64_t key = pending.request.words[0];
    Readers& readers = readers_[key];
    if (pending.request.type == kAwait) {
      readers.awaited = pending.request.words[1];
      readers.writer = pending;
      if (readers.left < readers.awaited) LATCHLAB_PATH("n_cosed: a writer waits at home");
    } else {
      ++readers.left;
    }
    answer_writer(verbs, readers);
    if (options_.home_reset) co_await reset(verbs, RemoteAddr::unpack(key), readers);
    if (pending.request.type == kReleased) verbs.reply(pending, {});
    const Readers* const now = readers_.find(key);
    if (now == nullptr) co_return;
    if (now->left == 0 && now->awaited == 0 && !now->resetting) readers_.erase(key);
  }

 private:
  void answer_writer(Verbs& verbs, Readers& readers) {
    if (readers.awaited == 0 || readers.left < readers.awaited) return;
    if (readers.resetting && !PLANTED(n_cosed_counts_during_a_reset)) return;
    readers.left -= readers.awaited;
    readers.awaited = 0;
    verbs.reply(readers.writer, {});
    readers.writer = {};
  }

  // Sets the word to free if it counts only readers that have released. One reset at a time: this
  // loop also serves the releases that arrive meanwhile. The reset is an atomic through the NIC, as
  // the clients' verbs are.
  Task<void> reset(Verbs& verbs, RemoteAddr entry, Readers& readers) {
    if (readers.resetting) {
      LATCHLAB_PATH("n_cosed: a reader leaves during a reset");
      co_return;
    }
    std::uint64_t seen = 0;  // `left` at the last try that failed
    while (readers.awaited == 0 && readers.left != seen) {
      readers.resetting = true;
      seen = readers.left;
      const std::uint64_t now = co_await verbs.load(entry);
      bool done = false;
      if (now == seen) {
        const Verb free = cas_verb(entry, seen, 0);
        const Completion before = co_await verbs.issue(free);
        done = before.ok() && matched(free, before.value);
        if (!done) LATCHLAB_PATH("n_cosed: a reset finds the word changed");
      }
      readers.resetting = false;
      if (done) {
        LATCHLAB_PATH("n_cosed: the home frees the word");
        readers.left -= seen;
        seen = 0;
      }
      answer_writer(verbs, readers);
    }
  }

  const Options& options_;
  Lookup<Readers> readers_;  // by the lock's address
};

}  // namespace

std::unique_ptr<ServerPart> make_home(const Options& options) {
  return std::make_unique<Home>(options);
}

}  // namespace latchlab::n_cosed

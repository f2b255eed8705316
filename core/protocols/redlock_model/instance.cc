#include <algorithm>
#include <map>

#include "core/base/paths.h"
#include "core/protocols/common/one_by_one.h"
#include "core/protocols/common/planted.h"
#include "core/protocols/redlock_model/parts.h"

namespace latchlab::redlock {

namespace {

using served::Asked;

// Commands are done one after the other, in the order in which they came, by one thread.
class Instance final : public ServerPart {
 public:
  explicit Instance(const Options& options) : options_(options) {}

  Task<void> serve(Verbs& verbs, PendingCall pending) override {
    if (!commands_.add(pending)) co_return;
    while (commands_.more()) {
      const PendingCall call = commands_.take();
      if (options_.command.ps > 0) co_await verbs.compute(options_.command);
      const RemoteAddr entry = served::unpack(call.request).entry;
      const bool was_there = keys_.count(entry.packed()) != 0;
      Reply reply;
      reply.words[0] = done(call.request, verbs.now()) ? served::kGranted : served::kRefused;
      const bool is_there = keys_.count(entry.packed()) != 0;
      const bool shown = options_.show && entry.node == verbs.node();
      if (shown && was_there != is_there) {
        const std::uint64_t key = served::entry_word(1, 0, 0);
        co_await verbs.cpu_fetch_add(entry, is_there ? key : 0 - key);
      }
      verbs.reply(call, reply);
    }
  }

 private:
  struct Key {
    served::Asker value;
    Time expires;
  };

  bool done(const Request& request, Time now) {
    const Asked asked = served::unpack(request);
    const auto found = keys_.find(asked.entry.packed());
    const bool expired = found != keys_.end() && now >= found->second.expires;
    if (expired) {
      LATCHLAB_PATH("redlock_model: a key has expired");
      keys_.erase(found);
    }
    Key* const key = expired || found == keys_.end() ? nullptr : &found->second;
    const Time expires = saturating_add(now, lifetime_of(request));
    switch (request.type) {
      case served::kAcquire:
        return set(asked, key, expires);
      case kExtend:
        return extend(asked, key, expires);
      default:
        return drop(asked, key);
    }
  }

  bool set(const Asked& asked, const Key* key, Time expires) {
    if (key != nullptr && !PLANTED(redlock_model_sets_what_is_there)) {
      LATCHLAB_PATH("redlock_model: a key is there");
      return false;
    }
    LATCHLAB_PATH("redlock_model: a key is set");
    keys_.insert_or_assign(asked.entry.packed(), Key{asked.who, expires});
    return true;
  }

  static bool extend(const Asked& asked, Key* key, Time expires) {
    if (key == nullptr || key->value != asked.who) {
      LATCHLAB_PATH("redlock_model: a key to be extended is not there");
      return false;
    }
    key->expires = std::max(key->expires, expires);
    return true;
  }

  bool drop(const Asked& asked, const Key* key) {
    const bool own = key != nullptr && key->value == asked.who;
    if (!own) LATCHLAB_PATH("redlock_model: a key to be deleted is not there");
    if (!own && !(key != nullptr && PLANTED(redlock_model_deletes_any_key))) return false;
    if (own) LATCHLAB_PATH("redlock_model: a key is deleted");
    keys_.erase(asked.entry.packed());
    return own;
  }

  const Options& options_;
  std::map<std::uint64_t, Key> keys_;  // by their locks' packed addresses
  OneByOne<PendingCall> commands_;
};

}  // namespace

std::unique_ptr<ServerPart> make_instance(const Options& options) {
  return std::make_unique<Instance>(options);
}

}  // namespace latchlab::redlock

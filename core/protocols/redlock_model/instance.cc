#include <algorithm>
#include <optional>

#include "core/base/lookup.h"
#include "core/base/paths.h"
#include "core/protocols/common/one_by_one.h"
#include "core/protocols/common/planted.h"
#include "core/protocols/redlock_model/parts.h"

namespace latchlab::redlock {

namespace {

using served::Asked;

// One thread executes the commands, one after the other in the order of their arrival.
class Instance final : public ServerPart {
 public:
  explicit Instance(const Options& options) : options_(options) {}

  Task<void> serve(Verbs& verbs, PendingCall pending) override {
    if (!commands_.begin(pending)) co_return;
    for (std::optional<PendingCall> next = pending; next; next = commands_.next()) {
      const PendingCall call = *next;
      if (options_.command.ps > 0) co_await verbs.compute(options_.command);
      const RemoteAddr entry = served::unpack(call.request).entry;
      const bool show = options_.show && entry.node == verbs.node();
      const std::uint64_t before = shown(show, entry);
      Reply reply;
      reply.words[0] = done(call.request, verbs.now()) ? served::kGranted : served::kRefused;
      const std::uint64_t change = shown(show, entry) - before;
      if (change != 0) co_await verbs.cpu_fetch_add(entry, change);
      verbs.reply(call, reply);
    }
  }

 private:
  struct Key {
    served::Asker value;
    Time expires;
  };

  // What the entry shows of its key. Without `show` it is 0, and there is no lookup.
  std::uint64_t shown(bool show, RemoteAddr entry) const {
    return show && keys_.contains(entry.packed()) ? served::entry_word(1, 0, 0) : 0;
  }

  bool done(const Request& request, Time now) {
    const Asked asked = served::unpack(request);
    Key* key = keys_.find(asked.entry.packed());
    if (key != nullptr && now >= key->expires) {
      LATCHLAB_PATH("redlock_model: a key has expired");
      keys_.erase(asked.entry.packed());
      key = nullptr;
    }
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
    keys_[asked.entry.packed()] = Key{asked.who, expires};
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
  Lookup<Key> keys_;  // by their locks' packed addresses
  OneByOne<PendingCall> commands_;
};

}  // namespace

std::unique_ptr<ServerPart> make_instance(const Options& options) {
  return std::make_unique<Instance>(options);
}

}  // namespace latchlab::redlock

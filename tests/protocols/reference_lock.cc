#include "tests/protocols/reference_lock.h"

#include <algorithm>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "core/protocols/common/entry.h"

namespace latchlab::testing {

namespace {

constexpr Duration kListStep = nanoseconds(1);  // of the server's CPU
// The server's and a client's clock may differ by this share of a lease.
constexpr std::int64_t kLeaseMargin = 4;

enum class Fault : std::uint8_t { none, shares_extents, upgrades_at_once, keeps_no_expiry };

struct Options {
  Duration lease;
  std::uint64_t max_held = 16;
  std::uint64_t max_waiting = 1'000;
  Fault fault = Fault::none;
};

// What a call asks for; only `acquire` uses `mode` and `extent`.
enum class Ask : std::uint8_t { acquire, upgrade, extend, release };

// ---- the server part ----

struct Claim {
  std::uint64_t owner = 0;  // client and grant
  LockMode mode = LockMode::exclusive;
  Extent extent;
  Time until = kNever;  // of holders
  PendingCall call;     // of waiting requests
  bool upgrades = false;
};

struct Book {  // of one lock
  std::vector<Claim> holders, waiting;
};

class Server final : public ServerPart {
 public:
  explicit Server(const Options& options) : options_(options) {}

  Task<void> serve(Verbs& verbs, PendingCall pending) override {
    const Request& request = pending.request;
    Book& book = books_[request.words[0]];
    Claim claim;
    claim.owner = request.words[1];
    claim.mode = static_cast<LockMode>(request.type >> 8);
    claim.extent = {request.words[2], request.words[3]};
    claim.call = pending;
    const auto owned = [&claim](const Claim& one) { return one.owner == claim.owner; };
    bool queued = false;
    bool done = false;
    switch (static_cast<Ask>(request.type & 0xff)) {
      case Ask::acquire:
        book.waiting.push_back(claim);
        queued =
            book.waiting.size() <= options_.max_waiting || is_free(book, book.waiting.size() - 1);
        if (!queued) book.waiting.pop_back();
        break;
      case Ask::upgrade:
        queued = wants_upgrade(book, claim);
        break;
      case Ask::extend:
        done = extends(book, claim.owner, verbs.now());
        break;
      case Ask::release:
        done = std::erase_if(book.holders, owned) > 0 || options_.fault == Fault::keeps_no_expiry;
        break;
    }
    co_await settle(verbs, book);
    if (!queued) answer(verbs, pending, done);
    while (options_.lease.ps > 0 && waits(book, pending.ticket)) {
      const Time next = first_to_expire(book);
      if (next > verbs.now()) co_await verbs.sleep(next - verbs.now());
      co_await settle(verbs, book);
    }
  }

 private:
  static void answer(Verbs& verbs, const PendingCall& call, bool done) {
    Reply reply;
    reply.words[0] = done ? 1 : 0;
    verbs.reply(call, reply);
  }

  // Removes holders whose lease has expired, then grants every request without a conflict.
  Task<void> settle(Verbs& verbs, Book& book) {
    const Time now = verbs.now();
    std::erase_if(book.holders, [now](const Claim& holder) { return holder.until <= now; });
    std::vector<PendingCall> granted;
    std::size_t steps = 1;
    for (std::size_t i = 0; i < book.waiting.size();) {
      steps += book.holders.size() + i;
      if (!is_free(book, i)) {
        ++i;
        continue;
      }
      granted.push_back(book.waiting[i].call);
      enter(book, book.waiting[i], now);
      book.waiting.erase(book.waiting.begin() + static_cast<std::ptrdiff_t>(i));
    }
    co_await verbs.compute(kListStep * static_cast<std::int64_t>(steps));
    for (const PendingCall& call : granted) answer(verbs, call, true);
  }

  bool is_free(const Book& book, std::size_t index) const {
    const Claim& mine = book.waiting[index];
    if (mine.upgrades && options_.fault == Fault::upgrades_at_once) return true;
    const auto in_the_way = [&](const Claim& other) { return excludes(other, mine); };
    const auto before = book.waiting.begin() + static_cast<std::ptrdiff_t>(index);
    return std::none_of(book.holders.begin(), book.holders.end(), in_the_way) &&
           std::none_of(book.waiting.begin(), before, in_the_way);
  }

  bool excludes(const Claim& a, const Claim& b) const {
    if (a.owner == b.owner || !conflict(a, b)) return false;
    return a.extent == b.extent || options_.fault != Fault::shares_extents;
  }

  void enter(Book& book, const Claim& claim, Time now) const {
    Claim* holder = find(book, claim.owner);
    if (holder == nullptr) holder = &book.holders.emplace_back(claim);
    holder->mode = claim.mode;
    holder->until = expiry(now);
  }

  Time expiry(Time now) const {
    if (options_.lease.ps == 0) return kNever;
    return now + options_.lease + options_.lease / kLeaseMargin;
  }

  static Claim* find(Book& book, std::uint64_t owner) {
    for (Claim& holder : book.holders)
      if (holder.owner == owner) return &holder;
    return nullptr;
  }
  static bool waits(const Book& book, std::uint64_t ticket) {
    return std::any_of(book.waiting.begin(), book.waiting.end(),
                       [=](const Claim& one) { return one.call.ticket == ticket; });
  }
  static Time first_to_expire(const Book& book) {
    Time first = kNever;
    for (const Claim& holder : book.holders) first = std::min(first, holder.until);
    return first;
  }

  bool wants_upgrade(Book& book, Claim claim) const {
    const Claim* holder = find(book, claim.owner);
    if (holder == nullptr) return false;
    claim.mode = LockMode::exclusive;
    claim.extent = holder->extent;
    claim.upgrades = true;
    const auto at = std::find_if(book.waiting.begin(), book.waiting.end(),
                                 [](const Claim& one) { return !one.upgrades; });
    book.waiting.insert(at, claim);
    return true;
  }

  bool extends(Book& book, std::uint64_t owner, Time now) const {
    Claim* const holder = find(book, owner);
    if (holder == nullptr || holder->until <= now) return false;
    holder->until = expiry(now);
    return true;
  }

  Options options_;
  std::map<std::uint64_t, Book> books_;  // by lock
};

class Client final : public LockClient {
 public:
  Client(const Options& options, const ClientEnv& env) : options_(options), verbs_(*env.verbs) {}

  Task<AcquireResult> acquire(Want want, AcquireOptions /*options*/) override {
    Grant grant(want, want.mode);
    grant.extent = want.extent;
    co_return co_await ask(Ask::acquire, grant);
  }

  Task<ReleaseResult> release(Grant grant) override {
    verbs_.mark(Phase::initial_atomic);
    const Request request = request_for(Ask::release, grant);
    const Reply reply = co_await verbs_.call(grant.lock.entry.node, request);
    co_return reply.ok() && reply.words[0] == 0 ? ReleaseResult::suppressed
                                                : ReleaseResult::released;
  }

  // If two readers upgraded, each would wait for the other.
  Task<AcquireResult> upgrade(Grant grant, AcquireOptions /*options*/) override {
    if (grant.mode == LockMode::shared) co_return Aborted{AbortReason::unsupported};
    co_return co_await ask(Ask::upgrade, grant);
  }

  Task<AcquireResult> extend(Grant grant, Duration /*longer*/) override {
    if (options_.lease.ps == 0) co_return grant;
    co_return co_await ask(Ask::extend, grant);
  }

 private:
  Request request_for(Ask ask, const Grant& grant) const {
    Request request;
    request.type = static_cast<std::uint16_t>(static_cast<unsigned>(ask) |
                                              (static_cast<unsigned>(grant.mode) << 8));
    const std::uint64_t owner = (std::uint64_t{verbs_.client().value} << 32) | grant.id.value;
    request.words = {grant.lock.id.value, owner, grant.extent.first, grant.extent.count};
    return request;
  }

  // A lease counts from before the call, on the client's clock. A client that has waited for long
  // has to extend it at once.
  Task<AcquireResult> ask(Ask what, Grant grant) {
    verbs_.mark(Phase::initial_atomic);
    for (;;) {
      const Time asked = verbs_.now();
      const Request request = request_for(what, grant);
      const Reply reply = co_await verbs_.call(grant.lock.entry.node, request);
      if (!reply.ok()) co_return Aborted{AbortReason::server_failed};
      if (reply.words[0] == 0)
        co_return Aborted{what == Ask::acquire ? AbortReason::too_many : AbortReason::recovered};
      if (what == Ask::upgrade) grant.mode = LockMode::exclusive;
      if (options_.lease.ps == 0) co_return grant;
      grant.valid_until = asked + options_.lease;
      if (verbs_.now() < asked + options_.lease / 2) co_return grant;
      what = Ask::extend;
    }
  }

  Options options_;
  Verbs& verbs_;
};

class ReferenceLock final : public ProtocolOf<Options, Client> {
 public:
  using ProtocolOf::ProtocolOf;
  Limits limits() const override { return {.held_at_once = options_.max_held}; }
  std::vector<Capability> needs() const override {
    if (options_.lease.ps > 0) return {Capability::calls, Capability::timing};
    return {Capability::calls};
  }
  std::unique_ptr<ServerPart> make_server(const ServerEnv& /*env*/) const override {
    return std::make_unique<Server>(options_);
  }
  std::string decode(std::span<const std::uint64_t> /*words*/) const override {
    return "kept by the server";
  }
};

}  // namespace

const ProtocolEntry& reference_lock() {
  static const ProtocolEntry entry = make_entry<ReferenceLock>(
      {.name = kReferenceLock,
       .summary = "calls to a server that keeps lists; for tests",
       .source = "none",
       .shared_mode = true,
       .update_mode = true,
       .ranges = true,
       .params = {{"lease", &Options::lease, Duration{}, seconds(10), "0: grants never expire"},
                  {"max_held", &Options::max_held, 1, 1'000,
                   "locks that a client may hold at once"},
                  {"max_waiting", &Options::max_waiting, 0, 1'000,
                   "requests of a lock that may wait"},
                  {"fault", &Options::fault, "none|shares_extents|upgrades_at_once|keeps_no_expiry",
                   "what it does wrong"}},
       .profiles = {{"default", "none"}}});
  return entry;
}

}  // namespace latchlab::testing

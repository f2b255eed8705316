#include "backends/ibverbs/memory_server.h"

#include <sched.h>

#include <utility>

namespace latchlab::ib {

namespace {

constexpr int kTurnsBeforeSleep = 50;  // polls before it sleeps until something comes
constexpr Duration kLongestRest = milliseconds(20);

std::uint64_t load(const std::byte* word) {
  return __atomic_load_n(reinterpret_cast<const std::uint64_t*>(word), __ATOMIC_ACQUIRE);
}
void store(std::byte* word, std::uint64_t value) {
  __atomic_store_n(reinterpret_cast<std::uint64_t*>(word), value, __ATOMIC_RELEASE);
}

// `before` with its first bytes replaced by data, which may end within the word.
std::uint64_t merge_word(std::uint64_t before, const std::byte* data, std::uint32_t bytes) {
  std::memcpy(&before, data, std::min<std::uint32_t>(bytes, 8));
  return before;
}

}  // namespace

MemoryServer::MemoryServer(std::unique_ptr<FrameExchange> frames, Memory& memory,
                           std::uint32_t clients, ThreadQueues& queues)
    : frames_(std::move(frames)), memory_(memory), queues_(queues), evicted_(clients) {
  frames_->set_owner(*this);
}

MemoryServer::~MemoryServer() {
  stop();
}

Status MemoryServer::offer_dc() {
  auto recvs = RecvPool::make(frames_->device(), 1, 64);
  if (!recvs) return recvs.error();
  unused_recvs_ = std::move(recvs).value();
  auto target = DcTarget::make(frames_->device(), queues_.cq, *unused_recvs_);
  if (!target) return target.error();
  target_ = std::move(target).value();
  return fine();
}

void MemoryServer::start() {
  stop_ = false;
  thread_ = std::thread([this] { run(); });
}

void MemoryServer::stop() {
  stop_ = true;
  frames_->wake();
  if (thread_.joinable()) thread_.join();
}

void MemoryServer::die() {
  die_ = true;
  stop();
}

void MemoryServer::run() {
  if (clock_times_ > 0) ask_for_clock();
  int idle = 0;
  while (!stop_.load(std::memory_order_relaxed)) {
    if (frames_->poll() > 0) {
      idle = 0;
      continue;
    }
    if (idle < kTurnsBeforeSleep) {
      ++idle;
      ::sched_yield();
      continue;
    }
    // After a sleep in which nothing came, polls once and sleeps again.
    frames_->arm();
    if (frames_->poll() > 0)
      idle = 0;
    else
      frames_->sleep_until_any(kLongestRest);
  }
  if (!die_) return;
  // QPs and target first: otherwise peers would see access errors of verbs that find no memory.
  for (auto& [actor, qp] : responders_) qp.fail();
  target_.drop();
  frames_->fail();
  memory_.withdraw();
}

void MemoryServer::frame_came(const FrameHead& head, std::span<const std::byte> body) {
  const ThreadId asker{NodeId{head.node}, head.thread};
  FrameReader reader(body);
  if (head.kind == FrameKind::proxy_verbs) return serve_proxy(asker, reader);
  if (head.kind == FrameKind::clock)
    return frames_->send(asker, FrameKind::clock_answer, head.ticket, monotonic_ns());
  if (std::int64_t told_ns = 0; head.kind == FrameKind::clock_answer && reader.take(told_ns))
    return clock_told(told_ns);
  if (ConnectBody wanted; head.kind == FrameKind::connect && reader.take(wanted))
    return connect(asker, head.ticket, wanted);
  if (ClientId wanted; head.kind == FrameKind::evict && reader.take(wanted))
    return evict(asker, head.ticket, wanted);
  if (std::uint64_t offset = 0; head.kind == FrameKind::region && reader.take(offset)) {
    const std::optional<Region> region = memory_.find(offset, 1);
    return tell_region(asker, head.ticket, region ? &*region : nullptr);
  }
  if (std::uint64_t bytes = 0; head.kind == FrameKind::allocate && reader.take(bytes)) {
    const Result<Region> made = memory_.allocate(bytes);
    return tell_region(asker, head.ticket, made ? &made.value() : nullptr);
  }
}

void MemoryServer::ask_for_clock() {
  clock_asked_ns_ = monotonic_ns();
  frames_->send(clock_of_, FrameKind::clock, 0, {});
}

void MemoryServer::clock_told(std::int64_t told_ns) {
  clock_probe_.round_trip(clock_asked_ns_, told_ns, monotonic_ns());
  if (clock_probe_.trips() < clock_times_)
    ask_for_clock();
  else
    clock_compared_.store(true, std::memory_order_release);
}

void MemoryServer::connect(ThreadId asker, std::uint64_t ticket, const ConnectBody& wanted) {
  ConnectAnswerBody answer;
  responders_.erase(wanted.from);  // from before an error
  answer.status = VerbStatus::flushed;
  if (!evicted(wanted.from))
    answer.status = wanted.kept != 0 ? take_kept(wanted) : make_responder(wanted);
  if (answer.status == VerbStatus::ok) answer.address = responders_.at(wanted.from).address();
  frames_->send(asker, FrameKind::connect_answer, ticket, answer);
}

// Succeeds only if this end, too, still has the number and the peer that it had.
VerbStatus MemoryServer::take_kept(const ConnectBody& wanted) {
  auto kept = queues_.ends.extract({wanted.from, {}});
  if (kept.empty() || kept.mapped().address().number != wanted.kept ||
      kept.mapped().peer() != wanted.address)
    return VerbStatus::peer_failed;
  responders_[wanted.from] = std::move(kept.mapped());
  return VerbStatus::ok;
}

VerbStatus MemoryServer::make_responder(const ConnectBody& wanted) {
  queues_.ends.erase({wanted.from, {}});
  QpOptions options;
  options.depth = 1;
  auto made = QueuePair::make(frames_->device(), queues_.cq, options);
  if (!made || !made.value().connect(wanted.address)) return VerbStatus::peer_failed;
  responders_[wanted.from] = std::move(made).value();
  return VerbStatus::ok;
}

void MemoryServer::give_back(const std::set<std::uint32_t>& confirmed) {
  queues_.ends.clear();  // not used in this run
  for (auto& [actor, end] : responders_)
    if (!evicted(actor) && confirmed.count(end.address().number) > 0)
      queues_.ends.emplace(EndName{actor, {}}, std::move(end));
}

void MemoryServer::evict(ThreadId asker, std::uint64_t ticket, ClientId client) {
  AnswerBody answer;
  if (client.value < evicted_.size()) {
    evicted_[client.value].store(1, std::memory_order_release);
    // Destroyed rather than moved to the error state, in which soft-RoCE (Linux 6.1) still writes
    // what it is handling on another processor; destroying a QP waits for that.
    responders_.erase(client_key(client));
  } else {
    answer.status = VerbStatus::access_error;
  }
  frames_->send(asker, FrameKind::evict_answer, ticket, answer);
}

void MemoryServer::tell_region(ThreadId asker, std::uint64_t ticket, const Region* region) {
  RegionAnswerBody answer;
  if (region != nullptr)
    answer = {VerbStatus::ok, region->offset, region->bytes, region->remote_key, region->address};
  else
    answer.status = VerbStatus::access_error;
  frames_->send(asker, FrameKind::region_answer, ticket, answer);
}

// ---- software atomics ----

void MemoryServer::serve_proxy(ThreadId asker, FrameReader& reader) {
  ProxyHead head;
  if (!reader.take(head)) return;
  const bool allowed = !evicted(head.from);
  bool& failed = batch_failed_[asker];
  failed = failed && head.continues;
  FrameWriter answer;
  for (std::uint32_t i = 0; i < head.verbs; ++i) {
    ProxyVerb verb;
    if (!reader.take(verb)) return;
    const bool brings = verb.kind == VerbKind::write && verb.carries_data;
    const std::byte* const data = brings ? reader.take_bytes(verb.bytes) : nullptr;
    if (brings && data == nullptr) return;
    ProxyResult result;
    result.ticket = verb.ticket;
    result.status = VerbStatus::flushed;  // after an error the rest of the batch is flushed
    if (!failed) result = execute(verb, data, allowed);
    failed = failed || result.status != VerbStatus::ok;
    const bool takes = verb.kind == VerbKind::read && verb.carries_data && !failed;
    result.data_bytes = takes ? verb.bytes : 0;
    answer.put(result);
    for (std::uint32_t at = 0; at < result.data_bytes; at += 8) {
      const std::uint64_t word = load(memory_.base() + verb.offset + at);
      answer.put_bytes(&word, std::min<std::uint32_t>(8, verb.bytes - at));
    }
  }
  frames_->send(asker, FrameKind::proxy_answer, 0, answer.body());
}

ProxyResult MemoryServer::execute(const ProxyVerb& verb, const std::byte* data, bool allowed) {
  ProxyResult result;
  result.ticket = verb.ticket;
  if (!allowed || !memory_.find(verb.offset, verb.bytes)) {
    result.status = allowed ? VerbStatus::access_error : VerbStatus::flushed;
    return result;
  }
  std::byte* const word = memory_.base() + verb.offset;
  const bool wide = verb.bytes > 8;
  if (verb.kind == VerbKind::write) {
    const std::byte* const from =
        verb.carries_data ? data : reinterpret_cast<const std::byte*>(&verb.value);
    for (std::uint32_t at = 0; at < verb.bytes; at += 8) {
      const std::uint32_t left = verb.bytes - at;
      const std::uint64_t before = left < 8 ? load(word + at) : 0;
      store(word + at, merge_word(before, from + at, left));
    }
    return result;
  }
  result.value.lo = load(word);
  if (wide) result.value.hi = load(word + 8);
  if (verb.kind == VerbKind::read) return result;
  Verb asked;
  asked.kind = verb.kind;
  asked.bytes = verb.bytes;
  asked.value = verb.value;
  asked.compare = verb.compare;
  asked.compare_mask = verb.compare_mask;
  asked.swap_mask = verb.swap_mask;
  asked.boundary = verb.boundary;
  if (!matched(asked, result.value)) return result;  // writes nothing
  const Words after = after_atomic(asked, result.value);
  store(word, after.lo);
  if (wide) store(word + 8, after.hi);
  return result;
}

}  // namespace latchlab::ib

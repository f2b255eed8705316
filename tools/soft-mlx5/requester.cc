// The requester: takes WQEs from send queues, and starts and completes them in order.
#include <infiniband/verbs.h>

#include <algorithm>
#include <array>

#include "tools/soft-mlx5/bits.h"
#include "tools/soft-mlx5/config.h"
#include "tools/soft-mlx5/device.h"

namespace soft_mlx5 {

namespace {

constexpr std::size_t kWindow = 64;  // WQEs in the device, per QP
constexpr std::int64_t kForever = 1'000'000'000;

// IBTA table 45, in 10 us.
constexpr std::array<std::int64_t, 32> kRnrTimers = {
    65536, 1,    2,    3,    4,    6,     8,     12,    16,    24,   32,
    48,    64,   96,   128,  192,  256,   384,   512,   768,   1024, 1536,
    2048,  3072, 4096, 6144, 8192, 12288, 16384, 24576, 32768, 49152};

std::int64_t answer_time_ns(const Qp& qp) {
  return qp.timeout == 0 ? kForever : 4096LL << qp.timeout;
}

// Puts the result of an atomic into the byte order of a ConnectX: 8 bytes in host order, words of
// other widths big-endian.
void order_result(const Wqe& wqe, std::vector<std::byte>& words) {
  const bool host_order = (wqe.operands.bytes == 8) != config().swapped_reply;
  if (host_order) return;
  const std::size_t width = wqe.operands.bytes == 4 ? 4 : 8;
  for (std::size_t i = 0; i + width <= words.size(); i += width)
    std::reverse(words.begin() + static_cast<std::ptrdiff_t>(i),
                 words.begin() + static_cast<std::ptrdiff_t>(i + width));
}

}  // namespace

void Device::take(Qp& qp, std::uint16_t produced) {
  const auto unfinished = static_cast<std::uint16_t>(produced - qp.oldest_block);
  if (unfinished > qp.sq_blocks)
    die("the send queue of QP 0x%x is overrun: %u blocks of %u are posted and not done", qp.number,
        unfinished, qp.sq_blocks);
  while (qp.next_block != produced && qp.entries.size() < kWindow) {
    std::array<std::byte, (kMaxOctowords + 1) * kOctoword> wqe;
    const auto copy = [&](std::size_t block) {
      const std::size_t place = (qp.next_block + block) & (qp.sq_blocks - 1);
      copy_shared(wqe.data() + block * kBlock, qp.sq + place * kBlock, kBlock);
    };
    copy(0);
    const std::size_t octowords = load_be32(wqe.data() + 4) & 0x3f;
    const std::size_t blocks = std::min<std::size_t>((octowords + 3) / 4, qp.sq_blocks);
    for (std::size_t i = 1; i < blocks; ++i) copy(i);
    const WqeContext context = {qp.number, qp.kind == QpKind::dci,
                                static_cast<std::uint32_t>(qp.streams.size()), qp.next_block};
    Entry entry;
    entry.wqe = decode_wqe(wqe.data(), context);
    const auto left = static_cast<std::uint16_t>(produced - qp.next_block);
    if (entry.wqe.blocks > left)
      die("QP 0x%x: the doorbell ends within WQE %u, which has %u blocks", qp.number,
          entry.wqe.index, entry.wqe.blocks);
    qp.next_block = static_cast<std::uint16_t>(qp.next_block + entry.wqe.blocks);
    entry.psn = qp.send_psn;
    qp.send_psn = (qp.send_psn + 1) & 0xff'ffff;
    if (qp.state == QpState::err || qp.streams[entry.wqe.stream].failed) {
      entry.state = Entry::State::done;
      entry.syndrome = kFlushed;
    }
    qp.entries.push_back(std::move(entry));
  }
}

bool Device::work(Qp& qp) {
  if (qp.state != QpState::rts && qp.state != QpState::err) return false;
  const auto produced = static_cast<std::uint16_t>(read_record(qp.record + 1));
  if (qp.next_block == produced && qp.entries.empty()) return false;
  take(qp, produced);
  bool stopped = false;
  std::vector<bool> streams_stopped(qp.streams.size() > 1 ? qp.streams.size() : 0);
  for (std::size_t i = 0; i < qp.entries.size() && !stopped; ++i) {
    Entry& entry = qp.entries[i];
    if (entry.state != Entry::State::waiting) continue;
    if (!streams_stopped.empty() && streams_stopped[entry.wqe.stream]) continue;
    if (may_start(qp, entry) && issue(qp, entry)) continue;
    if (entry.state != Entry::State::waiting) continue;
    if (streams_stopped.empty())
      stopped = true;
    else
      streams_stopped[entry.wqe.stream] = true;
  }
  retire(qp);
  if (qp.next_block != produced && qp.entries.size() < kWindow) queue(qp);
  return true;
}

bool Device::may_start(const Qp& qp, const Entry& entry) const {
  if (qp.streams[entry.wqe.stream].blocked_until > 0) return false;
  std::size_t results = 0;
  for (const Entry& other : qp.entries) {
    if (&other == &entry) break;
    if (other.state != Entry::State::sent || other.wqe.stream != entry.wqe.stream) continue;
    if (has_result(other.wqe.opcode)) ++results;
    // A DCI talks to one target at a time, and its messages are not numbered.
    if (qp.kind == QpKind::dci && (other.wqe.peer.dct != entry.wqe.peer.dct ||
                                   is_send(other.wqe.opcode) || is_send(entry.wqe.opcode)))
      return false;
  }
  if (entry.wqe.fenced && results > 0) return false;
  return !has_result(entry.wqe.opcode) || results < qp.max_rd_atomic;
}

// True if the request is under way; false: it has failed, or has to wait.
bool Device::issue(Qp& qp, Entry& entry) {
  const Wqe& wqe = entry.wqe;
  Stream& stream = qp.streams[wqe.stream];
  if (wqe.opcode == kNop) {
    entry.state = Entry::State::done;
    return true;
  }
  if (wqe.malformed || (has_result(wqe.opcode) && qp.max_rd_atomic == 0)) {
    fail(qp, entry, kLocalOperation);
    return false;
  }
  if (stream.exhausted) {
    fail(qp, entry, kRetriesExceeded);
    return false;
  }
  Request request;
  request.from = qp.number;
  request.to = qp.kind == QpKind::dci ? wqe.peer.dct : qp.remote_number;
  request.opcode = wqe.opcode;
  request.dc = qp.kind == QpKind::dci;
  request.dc_key = wqe.peer.dc_key;
  request.solicited = wqe.solicited;
  request.immediate = wqe.immediate;
  request.remote = wqe.remote;
  request.remote_key = wqe.remote_key;
  request.bytes = wqe.bytes;
  request.operands = wqe.operands;
  request.psn = entry.psn;
  if (!gather(qp, wqe, request.payload)) {
    fail(qp, entry, kLocalProtection);
    return false;
  }
  request.ticket = entry.ticket = qp.next_ticket++;
  if (!entry.judged) {
    entry.judged = true;
    if (draw(Fault::flush)) {
      enter_error(qp);
      return false;
    }
    entry.doomed = draw(Fault::retry);
    if (is_send(wqe.opcode) && draw(Fault::rnr)) {
      Reply reply;
      reply.verdict = Verdict::not_ready;
      reply.rnr_timer = 1;
      settle(qp, entry, reply);
      return false;
    }
  }
  entry.state = Entry::State::sent;
  const bool reachable = is_reachable(qp, wqe) && !entry.doomed && !draw(Fault::loss);
  if (reachable && !fabric_.is_here(request.to)) {
    fabric_.send(request);
    return true;
  }
  Reply reply;
  reply.verdict = Verdict::silence;
  if (reachable) reply = respond(request);
  if (entry.state == Entry::State::sent) settle(qp, entry, reply);
  return entry.state != Entry::State::waiting;
}

void Device::settle(Qp& qp, Entry& entry, const Reply& reply) {
  Stream& stream = qp.streams[entry.wqe.stream];
  switch (reply.verdict) {
    case Verdict::done: {
      stream.retries_left = qp.retry_count;
      stream.rnr_left = qp.rnr_retry;
      entry.state = Entry::State::done;
      if (!has_result(entry.wqe.opcode)) return;
      std::vector<std::byte> result = reply.payload;
      if (is_atomic(entry.wqe.opcode)) order_result(entry.wqe, result);
      if (qp.scatter_requests && result.size() <= 32)
        entry.result = std::move(result);
      else if (!scatter(qp.pd, entry.wqe.segments, result.data(), result.size()))
        fail(qp, entry, kLocalProtection);
      return;
    }
    case Verdict::not_ready:
      if (qp.rnr_retry != 7 && stream.rnr_left-- <= 0)
        fail(qp, entry, kNotReadyExceeded);
      else
        hold(qp, entry, kRnrTimers[reply.rnr_timer & 31] * 10'000);
      return;
    case Verdict::silence:
      if (stream.retries_left-- <= 0 && qp.timeout != 0) stream.exhausted = true;
      hold(qp, entry, answer_time_ns(qp));
      return;
    case Verdict::invalid_request:
      return fail(qp, entry, kRemoteInvalid);
    case Verdict::access_error:
      return fail(qp, entry, kRemoteAccess);
    case Verdict::operation_error:
      return fail(qp, entry, kRemoteOperation);
  }
}

// Schedules this WQE, and those sent after it, to be sent again later.
void Device::hold(Qp& qp, Entry& entry, std::int64_t ns) {
  Stream& stream = qp.streams[entry.wqe.stream];
  stream.blocked_until = now_ns() + ns;
  next_timer_ = std::min(next_timer_, stream.blocked_until);
  if (!qp.timed) timed_.push_back(&qp);
  qp.timed = true;
  bool after = false;
  for (Entry& other : qp.entries) {
    after = after || &other == &entry;
    if (after && other.wqe.stream == entry.wqe.stream && other.state == Entry::State::sent)
      other.state = Entry::State::waiting;
  }
}

void Device::fail(Qp& qp, Entry& entry, std::uint8_t syndrome) {
  entry.state = Entry::State::done;
  entry.syndrome = syndrome;
  Stream& stream = qp.streams[entry.wqe.stream];
  if (qp.errored_streams_allowed == 0) return enter_error(qp);
  if (!stream.failed) ++qp.errored_streams;
  stream.failed = true;
  stream.blocked_until = 0;
  if (qp.errored_streams >= qp.errored_streams_allowed) return enter_error(qp);
  for (Entry& other : qp.entries) {
    if (other.wqe.stream != entry.wqe.stream || other.state == Entry::State::done) continue;
    other.state = Entry::State::done;
    other.syndrome = kFlushed;
  }
  queue(qp);
}

void Device::retire(Qp& qp) {
  while (!qp.entries.empty() && qp.entries.front().state == Entry::State::done) {
    const Entry& entry = qp.entries.front();
    qp.oldest_block = static_cast<std::uint16_t>(qp.oldest_block + entry.wqe.blocks);
    complete_send(qp, entry);
    qp.entries.pop_front();
  }
}

}  // namespace soft_mlx5

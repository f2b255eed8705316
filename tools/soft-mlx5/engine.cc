// The engine: polls doorbells, and runs queues and timers. Doorbells are plain memory. The engine
// reads the registers of UAR pages, each of which names a QP, and also the doorbell records of all
// QPs whose page was written to, because a register holds only one doorbell.
#include <infiniband/verbs.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include <algorithm>
#include <thread>

#include "tools/soft-mlx5/bits.h"
#include "tools/soft-mlx5/device.h"

namespace soft_mlx5 {

namespace {

// Offsets in a UAR page: two registers, each of two halves that are used in turn; and the CQ
// register.
constexpr std::size_t kRegisters[] = {0x800, 0x900, 0xa00, 0xb00};
constexpr std::size_t kCqRegister = 0x20;

constexpr std::int64_t kLookEvery = 500'000;  // interval of polling all queues, without a doorbell
constexpr std::int64_t kSpin = 50'000;        // time without work before it sleeps
constexpr std::int64_t kLongestNap = 200'000;

// A system call, because sched_yield() is replaced by this library (preload.cc).
void offer_core() {
  ::syscall(SYS_sched_yield);
}

}  // namespace

void Device::start_engine() {
  if (!engine_runs_) {
    engine_runs_ = true;
    std::thread([this] { engine(); }).detach();
  }
}

bool Device::help() {
  const std::unique_lock guard(lock_, std::try_to_lock);
  if (!guard.owns_lock()) return false;
  helped_ns_.store(now_ns(), std::memory_order_relaxed);
  return round();
}

void Device::engine() {
  ::prctl(PR_SET_NAME, "soft-mlx5");
  ::prctl(PR_SET_TIMERSLACK, 1000UL);
  std::int64_t idle_since = now_ns();
  while (true) {
    bool busy = false;
    if (waiting_.load(std::memory_order_relaxed) > 0) offer_core();
    {
      const std::lock_guard guard(lock_);
      busy = round();
    }
    const std::int64_t now = now_ns();
    if (busy) {
      idle_since = now;
      continue;
    }
    const std::int64_t idle = now - idle_since;
    if (now - helped_ns_.load(std::memory_order_relaxed) < kSpin)
      fabric_.wait(kSpin);  // threads that wait run turns meanwhile
    else if (idle < kSpin)
      offer_core();
    else
      fabric_.wait(std::min(idle / 8, kLongestNap));
  }
}

bool Device::round() {
  if (contexts_.empty()) return false;
  pages_.show_clock();
  bool busy = ring_doorbells();
  busy |=
      fabric_.receive([this](const Request& request,
                             std::uint64_t asker) { fabric_.answer(asker, respond(request)); },
                      [this](const Reply& reply) {
                        Qp* const qp = numbered(reply.to);
                        if (qp == nullptr) return;
                        for (Entry& entry : qp->entries)
                          if (entry.state == Entry::State::sent && entry.ticket == reply.ticket) {
                            settle(*qp, entry, reply);
                            queue(*qp);
                            return;
                          }
                      });
  const std::int64_t now = now_ns();
  if (now >= next_timer_) expire_timers();
  if (now >= next_look_) {
    next_look_ = now + kLookEvery;
    look_at_all_queues();
  }
  for (std::size_t left = ready_.size(); left > 0; --left) {
    Qp* const qp = ready_.front();
    ready_.pop_front();
    qp->queued = false;
    busy |= work(*qp);
  }
  return busy || !ready_.empty();
}

bool Device::ring_doorbells() {
  bool rung = false;
  bool cq_rung = false;
  for (auto& [handle, uar] : uars) {
    std::byte* const page = pages_.at(uar->page);
    bool here = false;
    for (const std::size_t place : kRegisters) {
      const std::uint64_t value = take_register(reinterpret_cast<std::uint64_t*>(page + place));
      if (value == 0) continue;
      here = true;
      Qp* const qp = numbered(static_cast<std::uint32_t>(be64(value)) >> 8);
      if (qp != nullptr && qp->kind != QpKind::dct) queue(*qp);
    }
    if (take_register(reinterpret_cast<std::uint64_t*>(page + kCqRegister)) != 0) cq_rung = true;
    if (!here) continue;
    rung = true;
    for (Qp* qp : uar->qps)
      if (qp->next_block != static_cast<std::uint16_t>(read_record(qp->record + 1))) queue(*qp);
  }
  if (cq_rung)
    for (auto& [handle, cq] : cqs) check_armed(*cq, false);
  return rung || cq_rung;
}

void Device::look_at_all_queues() {
  for (auto& [handle, qp] : qps) {
    if (qp->state == QpState::err) flush_receives(*qp);
    if (qp->record != nullptr && qp->state >= QpState::rts &&
        qp->next_block != static_cast<std::uint16_t>(read_record(qp->record + 1)))
      queue(*qp);
  }
}

void Device::expire_timers() {
  const std::int64_t now = now_ns();
  next_timer_ = INT64_MAX;
  const auto done = [&](Qp* qp) {
    bool waits = false;
    for (Stream& stream : qp->streams) {
      if (stream.blocked_until == 0) continue;
      if (stream.blocked_until <= now) {
        stream.blocked_until = 0;
        queue(*qp);
      } else {
        waits = true;
        next_timer_ = std::min(next_timer_, stream.blocked_until);
      }
    }
    qp->timed = waits;
    return !waits;
  };
  timed_.erase(std::remove_if(timed_.begin(), timed_.end(), done), timed_.end());
}

bool Device::is_reachable(const Qp& qp, const Wqe& wqe) {
  const bool dc = qp.kind == QpKind::dci;
  if (config().infiniband) return (dc ? wqe.peer.lid : qp.remote_lid) == kLid;
  const Gid& gid = dc ? wqe.peer.gid : qp.remote_gid;
  return std::find(gids().begin(), gids().end(), gid) != gids().end();
}

// ---- QP states ----

void Device::reset(Qp& qp) {
  qp.state = QpState::reset;
  qp.entries.clear();
  qp.streams.assign(qp.streams.size(), Stream{});
  qp.errored_streams = 0;
  qp.next_block = qp.oldest_block = qp.rq_head = 0;
}

void Device::enter_error(Qp& qp) {
  if (qp.state == QpState::err) return;
  qp.state = QpState::err;
  for (Stream& stream : qp.streams) stream.blocked_until = 0;
  for (Entry& entry : qp.entries) {
    if (entry.state == Entry::State::done) continue;
    entry.state = Entry::State::done;
    entry.syndrome = kFlushed;
  }
  flush_receives(qp);
  if (qp.record != nullptr) queue(qp);
}

bool Device::reset_stream(Qp& qp, unsigned stream) {
  if (stream >= qp.streams.size() || qp.state != QpState::rts) return false;
  if (qp.streams[stream].failed) --qp.errored_streams;
  qp.streams[stream] = Stream{};
  qp.streams[stream].retries_left = qp.retry_count;
  qp.streams[stream].rnr_left = qp.rnr_retry;
  return true;
}

}  // namespace soft_mlx5

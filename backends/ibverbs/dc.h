#pragma once
// Dynamically connected transport (DC) of mlx5, for READs, WRITEs and atomics. A node has one
// target (DCT), where the verbs of all peers arrive; who posts has initiators (DCIs), each of which
// reaches any target whose address it knows. So nobody connects to anybody, and the QPs of a thread
// do not grow with the number of its peers. Sources: infiniband/mlx5dv.h and the manual page of
// mlx5dv_create_qp (objects, attributes), mlx5 of Linux 6.1 (which attributes each change of state
// takes: one too many is refused like one that is missing), UCX and ShiftLock's artifact
// (recovery).
//
// A DCI talks to one target at a time. What is posted to another waits until everything before it
// is acknowledged or given up, and an error flushes all that stands behind it, whomever it is for.
// Of those flushed
//  * verbs to other targets than the failed one's have not left: only after the last verb to one
//    target is over does a DCI turn to the next;
//  * verbs to the same target follow it without waiting, and may have been executed though nothing
//    said so: when retries are exceeded, perhaps acknowledgements were lost, and no more. Whoever
//    posts an atomic again may do it twice.
// Nobody may be told `flushed` of a verb because another actor's verb failed: with QPs of their own
// that does not happen, and locks are written for that. So a DCI is *lent*: to one connection (of
// an actor to a node), from its first outstanding verb to the return of its last one. Everything
// that an error flushes is then of that connection, as on its QP with RC, nothing is ever posted
// again, and a dead peer holds up nobody but those who talk to it.
//
// Recovery: a DCI in error is made ready again by RESET, INIT, RTR and RTS, once all that was
// posted has come back; RESET forgets completions that have not been polled. Targets need nothing.
//
// Streams (several targets in parallel on one DCI) are not used: a DCI that is lent has one target,
// and what several actors had on streams of one DCI would share its fate once too many are in
// error.
//
// Errors of a DCI's verbs: no target of this number and key, or a dead one: retries exceeded, after
// about as long as with RC; key of memory, range or rights: access error; SEND that finds no RECV:
// receiver not ready, after QpOptions::rnr_retries.

#include <array>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <map>
#include <memory>
#include <mutex>
#include <span>
#include <utility>
#include <vector>

#include "backends/ibverbs/device.h"
#include "backends/ibverbs/queues.h"
#include "backends/ibverbs/wqe.h"
#include "core/base/ids.h"

// NOLINTBEGIN(readability-identifier-naming): libibverbs' own names
struct ibv_ah;
// NOLINTEND(readability-identifier-naming)

namespace latchlab::ib {

// Where a target is to be found; goes over the wire as it is.
struct DctAddress {
  Gid gid;
  std::uint64_t key = 0;     // whoever does not have it is not answered
  std::uint32_t number = 0;  // 0: there is no target
  std::uint16_t lid = 0;
  std::uint8_t mtu = 0;  // a DCI's must be the same
};

class DcTarget {
 public:
  // In RTR: answers. `recvs`: for SENDs; a target must have some even if nobody sends to it.
  static Result<DcTarget> make(const Device& device, const CompletionQueue& cq,
                               const RecvPool& recvs);
  DcTarget() = default;
  ~DcTarget();
  DcTarget(DcTarget&& other) noexcept;
  DcTarget& operator=(DcTarget&& other) noexcept;

  const DctAddress& address() const { return address_; }
  // Nothing lands any more, and nobody is answered.
  void drop();

 private:
  const Device* device_ = nullptr;
  ibv_qp* qp_ = nullptr;
  DctAddress address_;
};

// A target, as the verbs of a DCI name it.
struct DcAim {
  ibv_ah* path = nullptr;
  std::uint32_t number = 0;
  std::uint64_t key = 0;
  std::array<std::byte, kAddressVectorBytes> vector = {};  // all of it, for WQEs of our own
};

// Paths to peers (address handles), one for each: on RoCE the kernel resolves the peer's MAC, which
// may take long. Any thread.
class AhCache {
 public:
  explicit AhCache(const Device& device) : device_(device) {}
  ~AhCache();
  AhCache(const AhCache&) = delete;
  AhCache& operator=(const AhCache&) = delete;

  Result<DcAim> aim_at(const DctAddress& target);
  std::size_t size() const;

 private:
  Result<ibv_ah*> path_to(const DctAddress& target);

  const Device& device_;
  mutable std::mutex mutex_;
  std::map<std::pair<Gid, std::uint16_t>, ibv_ah*> paths_;
};

class Dci {
 public:
  // Ready; takes masked atomics where the device has them by DC, whatever the options say. It
  // receives nothing.
  static Result<std::unique_ptr<Dci>> make(const Device& device, const CompletionQueue& cq,
                                           const QpOptions& options);
  ~Dci();
  Dci(const Dci&) = delete;
  Dci& operator=(const Dci&) = delete;

  // All with one doorbell; 0 or an errno, and then nothing was posted.
  int post(std::span<const WorkRequest> requests, const DcAim& to);
  // Everything outstanding is flushed.
  void fail();
  // After an error, when everything that was posted has come back.
  Status recover();
  std::uint32_t number() const;

  NodeId last;  // whom it was lent for

 private:
  Dci(const Device& device, const QpOptions& options) : device_(device), options_(options) {}
  Status make_ready();

  const Device& device_;
  QpOptions options_;
  ibv_qp* qp_ = nullptr;
  ibv_qp_ex* extended_ = nullptr;
};

// The DCIs of one thread: as many as it ever lends at once, up to `most`.
class DciPool {
 public:
  DciPool(const Device& device, const CompletionQueue& cq, const QpOptions& options,
          std::uint32_t most)
      : device_(device), cq_(cq), options_(options), most_(most) {}

  // The one that talked to this node last, if it is free: another would have to connect. Else that
  // which has rested longest, or a new one; null: all are lent.
  Result<Dci*> lend(NodeId to);
  void give_back(Dci& dci) { free_.push_back(&dci); }
  bool has_free() const { return !free_.empty() || all_.size() < most_; }
  bool has_all() const { return free_.size() == all_.size(); }
  std::size_t size() const { return all_.size(); }

 private:
  const Device& device_;
  const CompletionQueue& cq_;
  QpOptions options_;
  std::uint32_t most_;
  std::vector<std::unique_ptr<Dci>> all_;
  std::deque<Dci*> free_;
};

}  // namespace latchlab::ib

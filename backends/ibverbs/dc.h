#pragma once
// Dynamically connected transport (DC) of mlx5, for READs, WRITEs and atomics. A node has one
// target (DCT), which receives the verbs of all peers. A thread that posts verbs has initiators
// (DCIs), each of which reaches any target whose address it knows. So no connections are set up,
// and the number of a thread's QPs does not grow with the number of its peers. Sources:
// infiniband/mlx5dv.h and the manual page of mlx5dv_create_qp (objects, attributes), mlx5 of Linux
// 6.1 (which attributes each change of state takes: one too many is refused like one that is
// missing), UCX and ShiftLock's artifact (recovery).
//
// A DCI talks to one target at a time. A verb to another target waits until all earlier verbs are
// acknowledged or have failed, and an error flushes all later verbs, to whichever target. Of the
// flushed verbs,
//  - those to other targets than the failed verb's have not left: a DCI turns to the next target
//    only after the last verb to the current one is over;
//  - those to the same target follow the failed verb without waiting, and may have been executed
//    although they are flushed: when retries are exceeded, possibly only acknowledgements were
//    lost. Posting an atomic again may execute it twice.
// An actor must not see `flushed` for a verb because another actor's verb failed: with an RC QP per
// actor this does not happen, and locks rely on it. So a DCI is *leased* to one connection (of an
// actor to a node), from its first outstanding verb until its last one is back. Then all verbs that
// an error flushes belong to that connection, as on its QP with RC, no verb is ever posted again,
// and a dead peer delays only the connections to it.
//
// Recovery: after all posted verbs have come back, a DCI in error is made ready by RESET, INIT, RTR
// and RTS; RESET discards completions that have not been polled. Targets need no recovery.
//
// Streams (several targets in parallel on one DCI) are not used: a leased DCI has one target, and
// the verbs of several actors on streams of one DCI would fail together after too many errors.
//
// Errors of a DCI's verbs: no live target with this number and key: retries exceeded, after about
// as long as with RC; wrong memory key, range or rights: access error; SEND that finds no RECV:
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

// The address of a target; sent to peers as it is in memory.
struct DctAddress {
  Gid gid;
  std::uint64_t key = 0;     // a request with a wrong key gets no response
  std::uint32_t number = 0;  // 0: there is no target
  std::uint16_t lid = 0;
  std::uint8_t mtu = 0;  // a DCI's must be the same
};

class DcTarget {
 public:
  // Makes a target in RTR, which answers verbs. `recvs`: for SENDs; a target needs some even if it
  // gets no SENDs.
  static Result<DcTarget> make(const Device& device, const CompletionQueue& cq,
                               const RecvPool& recvs);
  DcTarget() = default;
  ~DcTarget();
  DcTarget(DcTarget&& other) noexcept;
  DcTarget& operator=(DcTarget&& other) noexcept;

  const DctAddress& address() const { return address_; }
  // Destroys the target: verbs to it take no effect and get no response.
  void drop();

 private:
  const Device* device_ = nullptr;
  ibv_qp* qp_ = nullptr;
  DctAddress address_;
};

// A target in the form in which verbs on a DCI name it.
struct DcAim {
  ibv_ah* path = nullptr;
  std::uint32_t number = 0;
  std::uint64_t key = 0;
  // The whole address vector, for WQEs that we build.
  std::array<std::byte, kAddressVectorBytes> vector = {};
};

// Address handles, one for each peer port: on RoCE the kernel resolves the peer's MAC address,
// which may take long. Any thread.
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
  // Makes an initiator that is ready to send. It takes masked atomics if the device has them over
  // DC, whatever the options say, and receives nothing.
  static Result<std::unique_ptr<Dci>> make(const Device& device, const CompletionQueue& cq,
                                           const QpOptions& options);
  ~Dci();
  Dci(const Dci&) = delete;
  Dci& operator=(const Dci&) = delete;

  // Posts all with one doorbell. Returns 0, or an errno if nothing was posted.
  int post(std::span<const WorkRequest> requests, const DcAim& to);
  // Flushes all outstanding verbs.
  void fail();
  // Makes the DCI ready again after an error, when all posted verbs have come back.
  Status recover();
  std::uint32_t number() const;

  NodeId last;  // the node that it was last leased for

 private:
  Dci(const Device& device, const QpOptions& options) : device_(device), options_(options) {}
  Status make_ready();

  const Device& device_;
  QpOptions options_;
  ibv_qp* qp_ = nullptr;
  ibv_qp_ex* extended_ = nullptr;
};

// The DCIs of one thread: as many as it ever leases at once, up to `most`.
class DciPool {
 public:
  DciPool(const Device& device, const CompletionQueue& cq, const QpOptions& options,
          std::uint32_t most)
      : device_(device), cq_(cq), options_(options), most_(most) {}

  // Prefers the DCI that talked to this node last, if it is free, because it need not connect; else
  // the one that has been free for longest, or a new one. Null: all are leased.
  Result<Dci*> lease(NodeId to);
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

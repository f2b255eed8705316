#pragma once
// Queues of a device: CQs, SRQs with their pools of RECVs, and RC QPs. Extended CQs and ibv_wr_*
// are used if the driver has them, else plain CQs and ibv_post_send. A queue is used by one thread
// at a time.
//
// The caller limits its outstanding requests itself: drivers do not report a full send queue
// reliably (soft-RoCE takes more than it has room for, and mlx5 overwrites entries).

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>

#include "backends/ibverbs/device.h"
#include "core/base/time.h"
#include "core/verbs/verb.h"

// NOLINTBEGIN(readability-identifier-naming): libibverbs' own names
struct ibv_comp_channel;
struct ibv_cq;
struct ibv_cq_ex;
struct ibv_qp;
struct ibv_qp_ex;
struct ibv_srq;
struct ibv_td;
// NOLINTEND(readability-identifier-naming)

namespace latchlab::ib {

// A protection domain of one thread. QPs made from it are used by that thread only, so that it
// rings their doorbells without a lock, on a register page of its own. Apart from those of thread
// domains, libmlx5 has few such registers, which it gives to the first QPs; all later QPs share one
// register under a lock. Memory is registered with the device's own domain (Device::pd) and is
// accessible from all domains.
class ThreadDomain {
 public:
  // If the driver has no thread domains (soft-RoCE), or no more of them, this is the device's own
  // domain. Must outlive what is made from it, and must not outlive the device.
  explicit ThreadDomain(const Device& device);
  ~ThreadDomain();
  ThreadDomain(const ThreadDomain&) = delete;
  ThreadDomain& operator=(const ThreadDomain&) = delete;

  ibv_pd* pd() const;

 private:
  const Device& device_;
  ibv_td* thread_ = nullptr;
  ibv_pd* parent_ = nullptr;
};

// One completion. `status` is an ibv_wc_status; 0: success.
struct Done {
  std::uint64_t id = 0;
  int status = 0;
  std::uint32_t bytes = 0;  // of a RECV
};
std::string_view name_of_status(int status);
VerbStatus verb_status(int status);

// Sleeps until one of the descriptors is readable, or for `longest`; negative ones are left out.
void sleep_on(std::span<const int> descriptors, Duration longest);

class CompletionQueue {
 public:
  // `wakes_with`: another CQ, which outlives this one; sleeping on either is ended by an event of
  // the other.
  static Result<CompletionQueue> make(const Device& device, int depth,
                                      const CompletionQueue* wakes_with = nullptr);
  CompletionQueue() = default;
  ~CompletionQueue();
  CompletionQueue(CompletionQueue&& other) noexcept;
  CompletionQueue& operator=(CompletionQueue&& other) noexcept;

  // Takes up to done.size() completions; returns how many.
  std::size_t poll(std::span<Done> done);
  // The next completion raises an event, which makes bell() readable until take_events(). Call
  // arm() and then poll() once before sleeping on it: completions before arm() raise none.
  void arm();
  int bell() const;
  void take_events();

  ibv_cq* handle() const { return cq_; }
  bool is_extended() const { return extended_ != nullptr; }

 private:
  std::size_t poll_plain(std::span<Done> done);

  ibv_cq* cq_ = nullptr;
  ibv_cq_ex* extended_ = nullptr;  // the same CQ; null: the driver has no extended CQs
  ibv_comp_channel* channel_ = nullptr;
  bool owns_channel_ = false;
};

// RECVs of equal size for any number of QPs. Their ids are kRecvTag | slot.
inline constexpr std::uint64_t kRecvTag = 1ULL << 63;
class RecvPool {
 public:
  static Result<std::unique_ptr<RecvPool>> make(const Device& device, std::uint32_t slots,
                                                std::uint32_t slot_bytes);
  ~RecvPool();
  RecvPool(const RecvPool&) = delete;
  RecvPool& operator=(const RecvPool&) = delete;

  const std::byte* slot(std::uint32_t index) const { return memory_.get() + index * slot_bytes_; }
  void post(std::uint32_t index);
  ibv_srq* handle() const { return srq_; }

 private:
  RecvPool() = default;
  std::unique_ptr<std::byte[]> memory_;
  Registration registered_;
  std::uint32_t slot_bytes_ = 0;
  ibv_srq* srq_ = nullptr;
};

// The address of a QP; sent to peers as it is in memory.
struct QpAddress {
  Gid gid;
  std::uint32_t number = 0;
  std::uint32_t psn = 0;
  std::uint16_t lid = 0;
  std::uint8_t mtu = 0;
  std::uint8_t rd_atomic = 0;  // READs and atomics that it accepts at once
  bool operator==(const QpAddress&) const = default;
};

struct WorkRequest {
  enum class Kind : std::uint8_t { read, write, cas, faa, send, masked_cas, masked_faa };
  Kind kind = Kind::read;
  bool signalled = false;
  bool fenced = false;
  bool by_value = false;  // inline: `local` is copied when posted
  std::uint32_t bytes = 8;
  std::uint64_t id = 0;
  std::uint64_t remote = 0;  // virtual address at the peer
  std::uint32_t remote_key = 0;
  std::uint32_t local_key = 0;
  const void* local = nullptr;
  std::uint64_t operand = 0;  // CAS: swap; FAA: addend
  std::uint64_t compare = 0;
  const Verb* masked = nullptr;  // of a masked CAS or FAA: its operands
};

// Between ibv_wr_start and ibv_wr_complete. `address`: the address vector of a DC target, for raw
// entries; for other requests the caller sets the target (dc.h).
void build(ibv_qp_ex* qp, const WorkRequest& request, std::span<const std::byte> address = {});

// The send_ops_flags of QPs on this device: without atomics if it has none, because drivers refuse
// them.
std::uint64_t send_operations(const Device& device);

struct QpOptions {
  std::uint32_t depth = 64;  // send queue
  std::uint32_t inline_bytes = 0;
  bool masked = false;        // also masked atomics, if the mlx5 device has them
  int rd_atomic = 16;         // READs and atomics that it accepts at once; ConnectX accepts 16
  RecvPool* recvs = nullptr;  // null: it never receives
  const ThreadDomain* domain = nullptr;  // of the thread that posts to it; null: the device's
  std::uint8_t timeout = 15;             // 4.096 us * 2^timeout until a try counts as lost: 134 ms
  std::uint8_t retries = 6;              // not 7, which soft-RoCE takes as no limit
  std::uint8_t rnr_retries = 7;          // 7: no limit
};

class QueuePair {
 public:
  // In INIT: has an address and can be connected.
  static Result<QueuePair> make(const Device& device, const CompletionQueue& cq,
                                const QpOptions& options);
  QueuePair() = default;
  ~QueuePair();
  QueuePair(QueuePair&& other) noexcept;
  QueuePair& operator=(QueuePair&& other) noexcept;

  QpAddress address() const;
  // The QP that it is connected to; number 0: none yet.
  const QpAddress& peer() const { return peer_; }
  const QpOptions& options() const { return options_; }
  bool is_extended() const { return extended_ != nullptr; }
  Status connect(const QpAddress& peer);
  // Flushes all outstanding requests; peers get no more answers.
  void fail();
  void drop();
  // Posts all with one doorbell. Returns 0, or an errno if nothing was posted.
  int post(std::span<const WorkRequest> requests);

 private:
  int post_plain(std::span<const WorkRequest> requests);

  const Device* device_ = nullptr;
  QpOptions options_;
  ibv_qp* qp_ = nullptr;
  ibv_qp_ex* extended_ = nullptr;  // the same QP; null: it is posted to by ibv_post_send
  std::uint32_t psn_ = 0;
  std::uint8_t rd_atomic_ = 0;  // reserved from the device
  QpAddress peer_;
};

// Whether a device has the queues that a run needs. Tried on the device, because drivers do not
// report what they refuse: extended QPs (ibv_create_qp_ex with send_ops_flags) are missing in mlx4,
// bnxt_re, irdma, erdma and qedr, shared receive queues in irdma.
struct QueueKinds {
  bool extended_qps = false;  // posted to by ibv_wr_*, else by ibv_post_send
  bool extended_cqs = false;  // polled by ibv_start_poll, else by ibv_poll_cq
  // "work requests by ibv_post_send, completions by ibv_poll_cq"; empty: both are extended.
  std::string text() const;
};

// Makes a CQ, a shared receive queue and two RC QPs that are connected to each other, and does a
// SEND, a WRITE and a READ. Takes milliseconds. The error names what the device refused.
Result<QueueKinds> try_queues(const Device& device);

}  // namespace latchlab::ib

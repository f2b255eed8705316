#pragma once
// Queues of a device: CQs, SRQs with their pools of RECVs, and RC QPs that are posted to. Extended
// CQs and ibv_wr_* are used where the driver has them, else plain CQs and ibv_post_send. Threads: a
// queue is used by one thread at a time.
//
// Whoever posts counts its own credits: a full send queue is not reliably reported (soft-RoCE takes
// more than it has room for, and mlx5 overwrites what was built).

#include <cstdint>
#include <memory>
#include <span>
#include <string_view>

#include "backends/ibverbs/device.h"
#include "backends/ibverbs/thread_domain.h"
#include "core/base/time.h"
#include "core/verbs/verb.h"

// NOLINTBEGIN(readability-identifier-naming): libibverbs' own names
struct ibv_comp_channel;
struct ibv_cq;
struct ibv_cq_ex;
struct ibv_qp;
struct ibv_qp_ex;
struct ibv_srq;
// NOLINTEND(readability-identifier-naming)

namespace latchlab::ib {

// One completion: `status` is an ibv_wc_status, 0 is success.
struct Done {
  std::uint64_t id = 0;
  int status = 0;
  std::uint32_t bytes = 0;  // of a RECV
};
std::string_view name_of_status(int status);
VerbStatus verb_status(int status);

class CompletionQueue {
 public:
  // `wakes_with`: another, which outlives it; whoever sleeps there is woken by this one, too.
  static Result<CompletionQueue> make(const Device& device, int depth,
                                      const CompletionQueue* wakes_with = nullptr);
  CompletionQueue() = default;
  ~CompletionQueue();
  CompletionQueue(CompletionQueue&& other) noexcept;
  CompletionQueue& operator=(CompletionQueue&& other) noexcept;

  // Takes up to done.size() completions; how many.
  std::size_t poll(std::span<Done> done);
  // Returns at the next completion, or when the descriptor `bell` is readable, or after `longest`,
  // and uses no CPU. Poll once more after arm() and before sleeping: what came in between raises no
  // event.
  void arm();
  void sleep_until_any(Duration longest, int bell = -1);

  ibv_cq* handle() const { return cq_; }
  bool is_extended() const { return extended_ != nullptr; }

 private:
  std::size_t poll_plain(std::span<Done> done);

  ibv_cq* cq_ = nullptr;
  ibv_cq_ex* extended_ = nullptr;  // the same; null: the driver has no extended CQs
  ibv_comp_channel* channel_ = nullptr;
  bool owns_channel_ = false;
};

// RECVs of equal size for any number of QPs; their ids are kRecvTag | slot.
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

// Where a QP is to be found; goes over the wire as it is.
struct QpAddress {
  Gid gid;
  std::uint32_t number = 0;
  std::uint32_t psn = 0;
  std::uint16_t lid = 0;
  std::uint8_t mtu = 0;
  std::uint8_t rd_atomic = 0;  // READs and atomics that it takes at once
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
  std::uint64_t operand = 0;  // CAS: swap; FAA: what is added
  std::uint64_t compare = 0;
  const Verb* masked = nullptr;  // masked CAS and FAA: whose operands it has
};

// Between ibv_wr_start and ibv_wr_complete. `address`: the address vector of a DC target, for those
// entries of which all is written here; the others are aimed by whoever has built them (dc.h).
void build(ibv_qp_ex* qp, const WorkRequest& request, std::span<const std::byte> address = {});

// The send_ops_flags of QPs on this device: no atomics where it has none, since drivers refuse
// them.
std::uint64_t send_operations(const Device& device);

struct QpOptions {
  std::uint32_t depth = 64;  // send queue
  std::uint32_t inline_bytes = 0;
  bool masked = false;        // also masked atomics: of mlx5 devices whose facts have them
  int rd_atomic = 16;         // READs and atomics that it takes at once; ConnectX takes 16
  RecvPool* recvs = nullptr;  // null: it never receives
  const ThreadDomain* domain = nullptr;  // of the thread that posts to it; null: it never posts, or
                                         // shares the device's registers
  std::uint8_t timeout = 15;             // 4.096 us * 2^timeout before a try counts as lost: 134 ms
  std::uint8_t retries = 6;              // not 7, which soft-RoCE takes for ever
  std::uint8_t rnr_retries = 7;          // 7: for ever
};

class QueuePair {
 public:
  // In INIT: has an address, and may be connected.
  static Result<QueuePair> make(const Device& device, const CompletionQueue& cq,
                                const QpOptions& options);
  QueuePair() = default;
  ~QueuePair();
  QueuePair(QueuePair&& other) noexcept;
  QueuePair& operator=(QueuePair&& other) noexcept;

  QpAddress address() const;
  // Of what it was connected to; number 0: to nothing yet.
  const QpAddress& peer() const { return peer_; }
  const QpOptions& options() const { return options_; }
  bool is_extended() const { return extended_ != nullptr; }
  Status connect(const QpAddress& peer);
  // Everything outstanding is flushed; peers get no more answers.
  void fail();
  void drop();
  // All with one doorbell; 0 or an errno, and then nothing was posted.
  int post(std::span<const WorkRequest> requests);

 private:
  int post_plain(std::span<const WorkRequest> requests);

  const Device* device_ = nullptr;
  QpOptions options_;
  ibv_qp* qp_ = nullptr;
  ibv_qp_ex* extended_ = nullptr;  // the same; null: it is posted to by ibv_post_send
  std::uint32_t psn_ = 0;
  std::uint8_t rd_atomic_ = 0;  // taken from the device's
  QpAddress peer_;
};

}  // namespace latchlab::ib

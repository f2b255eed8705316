#pragma once
// The objects that programs make on a device. Device::lock_ guards all of them.

#include <cstddef>
#include <cstdint>
#include <deque>
#include <memory>
#include <string>
#include <vector>

#include "tools/soft-mlx5/config.h"
#include "tools/soft-mlx5/wqe.h"

namespace soft_mlx5 {

struct Context {
  int fd = -1;
  int async_write = -1;  // write end of the channel of asynchronous events
};

// Handles are device-wide; `context` is the context that owns the object.
struct Object {
  std::uint32_t handle = 0;
  Context* context = nullptr;
  int users = 0;  // objects that depend on it: it cannot be destroyed while there are any
  // Events that software has read; it acknowledges as many before it destroys the object.
  std::uint32_t events_read = 0;
  std::uint32_t async_events_read = 0;
};

// A message in a channel of events; software reads its first `bytes`.
struct Event {
  std::uint64_t element = 0;
  std::uint32_t type = 0;
  std::uint32_t reserved = 0;
  std::uint32_t handle = 0;  // of the object
  std::uint32_t bytes = 0;
};

struct Pd : Object {
  std::uint32_t number = 0;
};

struct Dm : Object {
  std::byte* memory = nullptr;
  std::uint64_t bytes = 0;
  std::uint32_t first_page = 0;
  std::uint32_t pages = 0;
};

struct Mr : Object {
  std::uint32_t key = 0;
  Pd* pd = nullptr;
  Dm* dm = nullptr;
  std::uint64_t address = 0;  // of its first byte in work requests
  std::uint64_t bytes = 0;
  std::byte* memory = nullptr;
  unsigned access = 0;
};

struct Channel : Object {
  int read_end = -1;  // the program's end
  int write_end = -1;
};

inline constexpr std::uint32_t kNotArmed = 0xffff'ffff;  // a CQ's arm record at first

struct Cq : Object {
  std::uint32_t number = 0;
  std::uint64_t user_handle = 0;
  std::byte* buffer = nullptr;
  std::uint32_t* record = nullptr;  // [0] consumer index, [1] arming
  std::uint32_t entries = 0;        // a power of two
  std::uint32_t entry_bytes = 64;
  Channel* channel = nullptr;
  std::uint32_t produced = 0;
  std::uint32_t armed_serial = 4;  // of the last event; 4: there was none
  bool ignores_overrun = false;
};

struct Srq : Object {
  std::uint32_t number = 0;
  std::uint64_t user_handle = 0;
  Pd* pd = nullptr;
  std::byte* buffer = nullptr;
  std::uint32_t* record = nullptr;
  std::uint32_t entries = 0;
  std::uint32_t stride = 0;
  std::uint32_t max_wr = 0;
  std::uint32_t max_sge = 0;
  std::uint16_t head = 0;      // next WQE to take
  std::uint16_t consumed = 0;  // WQEs taken so far
  std::uint32_t limit = 0;     // 0: no event
};

struct Ah : Object {};

struct Uar : Object {
  std::uint32_t page = 0;
  std::vector<struct Qp*> qps;
};

enum class QpKind : std::uint8_t { rc, dci, dct };
enum class QpState : std::uint8_t { reset, init, rtr, rts, sqd, sqe, err };  // as in verbs

// A WQE that the requester has taken from the send queue, until its completion is written.
struct Entry {
  enum class State : std::uint8_t { waiting, sent, done };
  State state = State::waiting;
  std::uint8_t syndrome = 0;  // of its completion
  std::uint32_t result_bytes = 0;
  std::uint32_t psn = 0;
  std::uint64_t ticket = 0;
  bool judged = false;            // faults have been drawn for it
  bool doomed = false;            // by a fault: it gets no answer
  std::vector<std::byte> result;  // if it goes into the completion
  Wqe wqe;
};

// The requester's side of one connection: a QP has one, a DCI one for each stream.
struct Stream {
  std::int64_t blocked_until = 0;  // after an RNR NAK, or while an answer is missing
  int retries_left = 0;
  int rnr_left = 0;
  bool exhausted = false;  // the last try got no answer; fails when its timeout is over
  bool failed = false;
};

// A QP's share of the device's max_res_rd_atom.
class ResponderShare {
 public:
  ResponderShare() = default;
  ~ResponderShare() { take(0); }
  ResponderShare(const ResponderShare&) = delete;
  ResponderShare& operator=(const ResponderShare&) = delete;
  bool take(std::uint32_t wanted);  // false: the device has too few left

 private:
  std::uint32_t taken_ = 0;
};

struct Qp : Object {
  QpKind kind = QpKind::rc;
  QpState state = QpState::reset;
  std::uint32_t number = 0;  // a DCT gets one in RTR
  std::uint32_t user_index = 0;
  std::uint64_t user_handle = 0;
  Pd* pd = nullptr;
  Cq* send_cq = nullptr;
  Cq* recv_cq = nullptr;
  Srq* srq = nullptr;
  Uar* uar = nullptr;
  std::uint32_t* record = nullptr;  // [0] receive counter, [1] send counter
  bool signals_all = false;
  bool scatter_requests = false;  // small results go into the completion
  std::uint64_t dc_key = 0;

  std::byte* sq = nullptr;
  std::uint32_t sq_blocks = 0;
  std::uint16_t next_block = 0;    // of the next WQE to take
  std::uint16_t oldest_block = 0;  // of the first WQE that is not complete
  std::deque<Entry> entries;
  std::vector<Stream> streams{1};
  unsigned errored_streams_allowed = 0;
  unsigned errored_streams = 0;
  std::uint64_t next_ticket = 1;
  bool queued = false;  // in Device::ready_
  bool timed = false;   // in Device::timed_
  bool dead = false;    // by a fault: a DCT that answers no requests

  std::byte* rq = nullptr;
  std::uint32_t rq_entries = 0;
  std::uint32_t rq_stride = 0;
  std::uint16_t rq_head = 0;

  // As set by modify_qp.
  std::uint32_t access = 0;
  std::uint32_t remote_number = 0;
  Gid remote_gid = {};
  std::uint16_t remote_lid = 0;
  std::uint32_t send_psn = 0;
  std::uint32_t recv_psn = 0;
  std::uint8_t path_mtu = 0;
  std::uint8_t timeout = 0;
  std::uint8_t retry_count = 0;
  std::uint8_t rnr_retry = 0;
  std::uint8_t min_rnr_timer = 0;
  std::uint8_t max_rd_atomic = 0;
  std::uint8_t max_dest_rd_atomic = 0;
  ResponderShare responders;
  std::uint8_t is_global = 0;
  std::uint8_t sgid_index = 0;
  std::uint8_t service_level = 0;
  std::uint8_t traffic_class = 0;
  std::uint16_t pkey_index = 0;
  std::uint32_t max_send_wr = 0, max_send_sge = 0, max_recv_wr = 0, max_recv_sge = 0;
  std::uint32_t max_inline = 0;
};

}  // namespace soft_mlx5

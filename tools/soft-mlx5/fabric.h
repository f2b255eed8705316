#pragma once
// Requests and answers between QPs, and their transport to other processes of the run: a socket to
// each process that requests go to. The process that owns the memory executes the requests, one
// after the other. Outstanding requests to a process that ends get the verdict `silence`.

#include <cstdint>
#include <deque>
#include <memory>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "tools/soft-mlx5/wqe.h"

namespace soft_mlx5 {

enum class Verdict : std::uint8_t {
  done,
  not_ready,  // RNR NAK
  silence,    // no answer: no such QP, or a wrong state, key or sequence number
  invalid_request,
  access_error,
  operation_error,
};

// Sent over a socket as it is in memory, because both ends are this library.
struct RequestHead {
  std::uint32_t from = 0;
  std::uint32_t to = 0;
  std::uint64_t ticket = 0;
  std::uint32_t psn = 0;
  std::uint8_t opcode = 0;
  bool dc = false;
  bool solicited = false;
  std::uint32_t immediate = 0;
  std::uint64_t dc_key = 0;
  std::uint64_t remote = 0;
  std::uint32_t remote_key = 0;
  std::uint64_t bytes = 0;
  AtomicOperands operands;
};
struct Request : RequestHead {
  std::vector<std::byte> payload;
};

struct ReplyHead {
  std::uint32_t to = 0;
  std::uint64_t ticket = 0;
  Verdict verdict = Verdict::done;
  std::uint8_t rnr_timer = 0;
};
struct Reply : ReplyHead {
  std::vector<std::byte> payload;
};

// A QP number contains the slot of its process.
inline constexpr std::uint32_t kNumberBits = 17;
inline constexpr std::uint32_t kSlots = 1U << (24 - kNumberBits);

class Fabric {
 public:
  void join();  // idempotent
  std::uint32_t slot() const { return slot_; }
  bool is_here(std::uint32_t number) const { return number >> kNumberBits == slot_; }

  void send(const Request& request);
  void answer(std::uint64_t asker, const Reply& reply);  // `asker` as receive() gave it
  // Handles the messages that have arrived; returns whether there were any.
  template <class OnRequest, class OnReply>  // (request, asker), (reply)
  bool receive(const OnRequest& on_request, const OnReply& on_reply) {
    move_bytes();
    std::deque<Arrived> all = std::exchange(arrived_, {});
    for (Arrived& each : all) {
      if (each.is_request)
        on_request(each.request, each.asker);
      else
        on_reply(each.reply);
    }
    return !all.empty();
  }
  // Waits until something arrives, but at most `ns`. Called without the device's lock.
  void wait(std::int64_t ns) const;

 private:
  struct Link {
    std::uint64_t id = 0;
    int fd = -1;
    // The process that requests go to; 0: the other process made the link.
    std::uint32_t slot = 0;
    std::vector<std::byte> in, out;
    std::size_t sent = 0;                                         // of `out`
    std::deque<std::pair<std::uint32_t, std::uint64_t>> waiting;  // QPs and tickets
  };
  struct Arrived {
    bool is_request = false;
    std::uint64_t asker = 0;
    Request request;
    Reply reply;
  };

  std::string path_of(std::uint32_t slot) const;
  bool take_slot(std::uint32_t slot);
  Link* link_to(std::uint32_t slot);
  Link& add(int fd, std::uint32_t slot);
  void move_bytes();
  void accept_all();
  bool read_all(Link& link);  // false: the other process has ended
  bool write_some(Link& link);
  void parse(Link& link);
  void close(Link& link);
  void stay_silent(std::uint32_t qp, std::uint64_t ticket);

  std::uint32_t slot_ = 0;
  int listener_ = -1;
  int poll_ = -1;
  std::uint64_t last_id_ = 0;
  std::unordered_map<std::uint64_t, std::unique_ptr<Link>> links_;  // by id
  std::unordered_map<std::uint32_t, Link*> to_slots_;
  std::deque<Arrived> arrived_;
};

}  // namespace soft_mlx5

#pragma once
// Requests and answers between QPs, and how they get to other processes of the run.

#include <cstdint>
#include <vector>

#include "tools/soft-mlx5/wqe.h"

namespace soft_mlx5 {

enum class Verdict : std::uint8_t {
  done,
  not_ready,  // RNR NAK
  silence,    // nobody answers: no such QP, the wrong state, key or sequence
  invalid_request,
  access_error,
  operation_error,
};

struct Request {
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
  std::vector<std::byte> payload;
};

struct Reply {
  std::uint32_t to = 0;
  std::uint64_t ticket = 0;
  Verdict verdict = Verdict::done;
  std::uint8_t rnr_timer = 0;
  std::vector<std::byte> payload;
};

// QP numbers say in which process a QP is.
inline constexpr std::uint32_t kNumberBits = 17;
inline constexpr std::uint32_t kSlots = 1U << (24 - kNumberBits);

class Fabric {
 public:
  void join();  // idempotent
  std::uint32_t slot() const { return slot_; }
  bool is_here(std::uint32_t number) const { return number >> kNumberBits == slot_; }
  // Of the process that owns this number.
  bool is_alive(std::uint32_t number);

  void send(const Request& request);
  void send(std::uint32_t slot, const Reply& reply);
  // Messages that have arrived; returns whether there was one.
  template <class OnRequest, class OnReply>  // (request, slot), (reply)
  bool receive(const OnRequest& on_request, const OnReply& on_reply) {
    (void)on_request;
    (void)on_reply;
    return false;
  }

 private:
  std::uint32_t slot_ = 0;
};

}  // namespace soft_mlx5

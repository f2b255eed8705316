#pragma once
// Mailboxes of the threads of one node: frames for threads that have no channel between them, on
// their way to the memory server of this node or from it (frame_exchange.h).

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <vector>

#include "backends/ibverbs/wire.h"
#include "core/base/result.h"

namespace latchlab::ib {

// A descriptor that any thread makes readable and its owner sleeps on. Silent until made.
class Bell {
 public:
  Bell() = default;
  ~Bell();
  Bell(const Bell&) = delete;
  Bell& operator=(const Bell&) = delete;

  Status make();
  int descriptor() const { return descriptor_; }  // -1: silent
  void ring();
  // The owner, after a sleep and before it looks for what was rung for.
  void hear();

 private:
  int descriptor_ = -1;
};

struct Mail {
  ThreadId to;
  std::vector<std::byte> frame;
};

class Mailbox {
 public:
  // The last thread is the memory server, which sleeps; the others do if `all_sleep`.
  static Result<std::unique_ptr<Mailbox>> make(std::uint32_t threads, bool all_sleep);
  Mailbox(const Mailbox&) = delete;
  Mailbox& operator=(const Mailbox&) = delete;

  std::uint8_t memory_server() const { return static_cast<std::uint8_t>(boxes_.size() - 1); }
  // Any thread. A frame for a box that does not exist is dropped.
  void put(std::uint32_t box, Mail mail);
  // The box's own thread. Frames of each sender are in the order of its put() calls.
  std::vector<Mail> take(std::uint32_t box);
  // Rung by each put() into the box; silent if the box's thread never sleeps.
  Bell& bell(std::uint32_t box) { return boxes_[box].bell; }

 private:
  struct Box {
    std::mutex mutex;
    std::vector<Mail> mail;
    std::atomic<bool> any = false;
    Bell bell;
  };
  explicit Mailbox(std::uint32_t threads) : boxes_(threads) {}

  std::vector<Box> boxes_;
};

}  // namespace latchlab::ib

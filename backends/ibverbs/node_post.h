#pragma once
// Frames that go from thread to thread of one node through memory: what is meant for a thread that
// there is no lane to, on its way to the memory server of this node or from it (frame_exchange.h).

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <vector>

#include "backends/ibverbs/wire.h"
#include "core/base/result.h"

namespace latchlab::ib {

struct Mail {
  ThreadId to;
  std::vector<std::byte> frame;
};

class NodePost {
 public:
  // The last of the threads is the memory server.
  static Result<std::unique_ptr<NodePost>> make(std::uint32_t threads);
  ~NodePost();
  NodePost(const NodePost&) = delete;
  NodePost& operator=(const NodePost&) = delete;

  std::uint8_t keeper() const { return static_cast<std::uint8_t>(boxes_.size() - 1); }
  // Any thread; what is for a box that there is none of is thrown away.
  void put(std::uint32_t box, Mail mail);
  // The box's own thread; in the order in which each thread has put it there.
  std::vector<Mail> take(std::uint32_t box);
  // Readable from a put() into the memory server's box until it takes that.
  int bell() const { return bell_; }
  // Any thread: the memory server looks up, with mail or without.
  void ring();

 private:
  struct Box {
    std::mutex mutex;
    std::vector<Mail> mail;
    std::atomic<bool> any = false;
  };
  explicit NodePost(std::uint32_t threads) : boxes_(threads) {}

  std::vector<Box> boxes_;
  int bell_ = -1;
};

}  // namespace latchlab::ib

#pragma once
// The device of this process: the objects made on it, and the engine that reads send queues and
// writes completions. All functions except get() and help() are called with lock_ held, which
// CallLock takes.

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <memory>
#include <mutex>
#include <unordered_map>
#include <vector>

#include "tools/soft-mlx5/fabric.h"
#include "tools/soft-mlx5/objects.h"

namespace soft_mlx5 {

// Pages of the device that software maps: the clock, UARs, device memory. The device has its own
// mapping, so that it can access pages that software has unmapped.
inline constexpr std::size_t kPage = 4096;
inline constexpr std::uint64_t kUarOffset = 1ULL << 40;  // mmap offset of the UAR pages

class Pages {
 public:
  static constexpr std::uint32_t kClock = 0;
  static constexpr std::uint32_t kClockInfo = 1;
  static constexpr std::uint32_t kFirstUar = 16;
  static constexpr std::uint32_t kUars = 2048;
  static constexpr std::uint32_t kFirstMemory = kFirstUar + kUars;
  static constexpr std::uint32_t kMemoryPages = 64;  // 256 KiB, as on a ConnectX-5
  static constexpr std::uint32_t kAll = kFirstMemory + kMemoryPages;

  void prepare();  // idempotent
  std::byte* at(std::uint32_t page) { return base_ + page * kPage; }
  // Maps the pages for software, from `page` on; on failure MAP_FAILED and errno.
  void* map(std::uint32_t page, std::size_t bytes, int protection) const;

  // The first of `count` free pages; 0: there are too few.
  std::uint32_t allocate_memory(std::uint32_t count);
  std::uint32_t allocate_uar();
  void release(std::uint32_t page, std::uint32_t count);

  // Cycles of the device's clock, 6.4 ns each.
  static std::uint64_t cycles();
  void show_clock();

 private:
  std::uint32_t allocate(std::uint32_t first, std::uint32_t end, std::uint32_t count);
  int file_ = -1;
  std::byte* base_ = nullptr;
  std::vector<bool> used_;
};

template <class T>
using Table = std::unordered_map<std::uint32_t, std::unique_ptr<T>>;

// Syndromes of completions.
enum Syndrome : std::uint8_t {
  kFine = 0,
  kLocalLength = 0x01,
  kLocalOperation = 0x02,
  kLocalProtection = 0x04,
  kFlushed = 0x05,
  kRemoteInvalid = 0x12,
  kRemoteAccess = 0x13,
  kRemoteOperation = 0x14,
  kRetriesExceeded = 0x15,
  kNotReadyExceeded = 0x16,
};

class Device {
 public:
  static Device& get();

  // Held by callers of the device; the engine yields to waiting callers.
  class CallLock {
   public:
    explicit CallLock(Device& device) : device_(device) {
      device_.waiting_.fetch_add(1, std::memory_order_relaxed);
      device_.lock_.lock();
      device_.waiting_.fetch_sub(1, std::memory_order_relaxed);
    }
    ~CallLock() { device_.lock_.unlock(); }
    CallLock(const CallLock&) = delete;
    CallLock& operator=(const CallLock&) = delete;

   private:
    Device& device_;
  };

  Context* open(int fd);
  void close(Context* context);

  // ---- objects (objects.cc) ----
  template <class T>
  T* add(Table<T>& table, Context* context) {
    auto made = std::make_unique<T>();
    made->handle = ++last_handle_;
    made->context = context;
    T* const object = made.get();
    table.emplace(object->handle, std::move(made));
    return object;
  }
  template <class T>
  static T* find(Table<T>& table, Context* context, std::uint32_t handle) {
    const auto found = table.find(handle);
    return found == table.end() || found->second->context != context ? nullptr
                                                                     : found->second.get();
  }
  Table<Pd> pds;
  Table<Mr> mrs;
  Table<Channel> channels;
  Table<Cq> cqs;
  Table<Srq> srqs;
  Table<Qp> qps;
  Table<Ah> ahs;
  Table<Dm> dms;
  Table<Uar> uars;
  int destroy(Pd* pd);
  int destroy(Mr* mr);
  int destroy(Cq* cq);
  int destroy(Srq* srq);
  int destroy(Qp* qp);
  int destroy(Dm* dm);
  int destroy(Uar* uar);

  // Numbers and keys are unique among all processes of a run. 0: none is left.
  std::uint32_t new_number();
  void give_number(std::uint32_t number, Qp* qp) { by_number_[number] = qp; }
  void free_number(std::uint32_t number) { by_number_.erase(number); }
  Qp* numbered(std::uint32_t number) {
    const auto found = by_number_.find(number);
    return found == by_number_.end() ? nullptr : found->second;
  }
  std::uint32_t new_key(Mr* mr);
  // The memory that `key` names for objects of `pd`; null: none, or not with this access.
  std::byte* resolve(std::uint32_t key, const Pd* pd, std::uint64_t address, std::uint64_t bytes,
                     unsigned access);

  Pages& pages() { return pages_; }
  Fabric& fabric() { return fabric_; }

  // Counts an event that software reads now; false: its object no longer exists.
  bool count_event(const Event& event);

  // ---- queues ----
  void reset(Qp& qp);        // removes everything that the device knows of it
  void enter_error(Qp& qp);  // flushes everything outstanding
  bool reset_stream(Qp& qp, unsigned stream);
  void queue(Qp& qp) {
    if (qp.queued) return;
    qp.queued = true;
    ready_.push_back(&qp);
  }

  // Runs one turn of the engine; returns whether it had work. (engine.cc)
  bool round();
  void start_engine();
  // Called by threads that wait for something: runs a turn of the engine if no other thread holds
  // the lock; returns whether it had work.
  bool help();

 private:
  Device() = default;
  void engine();
  bool ring_doorbells();
  void look_at_all_queues();
  bool work(Qp& qp);
  void take(Qp& qp, std::uint16_t produced);
  bool issue(Qp& qp, Entry& entry);
  bool may_start(const Qp& qp, const Entry& entry) const;
  void settle(Qp& qp, Entry& entry, const Reply& reply);
  void fail(Qp& qp, Entry& entry, std::uint8_t syndrome);
  void hold(Qp& qp, Entry& entry, std::int64_t ns);
  void retire(Qp& qp);
  void flush_receives(Qp& qp);
  void expire_timers();
  static bool is_reachable(const Qp& qp, const Wqe& wqe);
  bool gather(const Qp& qp, const Wqe& wqe, std::vector<std::byte>& payload);
  bool scatter(const Pd* pd, const std::vector<DataSegment>& segments, const std::byte* data,
               std::size_t bytes);

  Reply respond(const Request& request);
  Verdict respond_to(Qp& qp, const Request& request, Reply& reply);
  Verdict receive(Qp& qp, const Request& request);
  struct Receive {
    bool found = false;
    std::uint16_t index = 0;
    std::vector<DataSegment> segments;
  };
  Receive take_receive(Qp& qp);

  struct Completion {
    std::uint8_t code = 0;  // of the completion itself
    std::uint8_t opcode = 0;
    std::uint8_t syndrome = kFine;
    bool solicited = false;
    std::uint32_t qp = 0;
    std::uint32_t user_index = 0;
    std::uint16_t wqe = 0;
    std::uint32_t bytes = 0;
    std::uint32_t immediate = 0;  // in memory byte order
    std::uint32_t remote_qp = 0;
    const std::byte* inlined = nullptr;  // at most 32 bytes
    std::size_t inlined_bytes = 0;
  };
  void complete(Cq& cq, const Completion& completion);
  void complete_send(Qp& qp, const Entry& entry);
  void complete_receive(Qp& qp, std::uint16_t index, const Request& request, std::uint8_t syndrome);
  void check_armed(Cq& cq, bool solicited);
  void raise(const Object& object, std::uint32_t type, std::uint64_t element);

  std::mutex lock_;
  std::atomic<int> waiting_{0};
  bool engine_runs_ = false;
  std::atomic<std::int64_t> helped_ns_{0};  // when help() last ran a turn
  std::vector<std::unique_ptr<Context>> contexts_;
  std::uint32_t last_handle_ = 0;
  std::uint32_t last_number_ = 0x40;
  std::uint32_t last_key_ = 0x100;
  std::unordered_map<std::uint32_t, Qp*> by_number_;
  std::unordered_map<std::uint32_t, Mr*> by_key_;
  std::deque<Qp*> ready_;
  std::vector<Qp*> timed_;
  std::int64_t next_timer_ = INT64_MAX;
  std::int64_t next_look_ = 0;
  Pages pages_;
  Fabric fabric_;
};

}  // namespace soft_mlx5

#pragma once
// The uverbs ABI: the requests of libibverbs to the kernel, by write() and by ioctl(). Layouts are
// those of /usr/include/rdma. Each function returns 0 or an errno.

#include <cstddef>
#include <cstdint>
#include <cstring>

#include "tools/soft-mlx5/device.h"

// NOLINTBEGIN(readability-identifier-naming): the kernel's own names
struct ib_uverbs_ioctl_hdr;
struct ib_uverbs_modify_qp;
// NOLINTEND(readability-identifier-naming)

namespace soft_mlx5 {

// One command: its core part, its driver part, and the buffer for the answers to both.
struct Command {
  std::uint32_t number = 0;
  const std::byte* core = nullptr;
  std::size_t core_bytes = 0;
  const std::byte* driver = nullptr;  // null: directly after the core part
  std::size_t driver_bytes = 0;
  std::byte* answer = nullptr;
  std::size_t answer_bytes = 0;
  std::size_t driver_answer_at = 0;  // 0: directly after the core answer

  template <class T>
  T read() const {
    T value = {};
    std::memcpy(&value, core, core_bytes < sizeof value ? core_bytes : sizeof value);
    return value;
  }
  template <class T>
  T read_driver(std::size_t core_part) const {
    T value = {};
    const std::byte* at = driver;
    std::size_t bytes = driver_bytes;
    if (at == nullptr) {
      at = core + core_part;
      bytes = core_bytes > core_part ? core_bytes - core_part : 0;
    }
    std::memcpy(&value, at, bytes < sizeof value ? bytes : sizeof value);
    return value;
  }
  template <class T>
  void write(const T& value) const {
    put(0, &value, sizeof value);
  }
  template <class T>
  void write_driver(std::size_t core_part, const T& value) const {
    put(driver_answer_at != 0 ? driver_answer_at : core_part, &value, sizeof value);
  }

 private:
  void put(std::size_t at, const void* value, std::size_t bytes) const {
    if (answer == nullptr || at >= answer_bytes) return;
    std::memcpy(answer + at, value, bytes < answer_bytes - at ? bytes : answer_bytes - at);
  }
};

// Makes a channel of events: software reads from [0] what is sent to [1]. (preload.cc)
bool open_event_channel(int (&ends)[2]);

// commands.cc
int execute_write(Context& context, const void* command, std::size_t bytes);
// ioctl.cc
int execute_ioctl(Context& context, ib_uverbs_ioctl_hdr* command);

// Commands with a file of their own. query.cc:
int get_context(Device& device, Context& context, const Command& command);
int query_device(const Command& command, bool extended);
int query_port(const Command& command);
void query_hca_cap(const std::byte* in, std::size_t in_bytes, std::byte* out,
                   std::size_t out_bytes);
// create.cc
int create_cq(Device& device, Context& context, const Command& command, bool extended);
int create_srq(Device& device, Context& context, const Command& command);
int create_qp(Device& device, Context& context, const Command& command, bool extended);
int register_memory(Device& device, Context& context, const Command& command);
// modify.cc
int modify_qp(Device& device, Qp& qp, const ib_uverbs_modify_qp& change);
int query_qp(Qp& qp, const Command& command);

}  // namespace soft_mlx5

// Replacements of the libc functions that libibverbs and libmlx5 call. Calls on the device's files
// reach the device; all other calls go to the kernel unchanged.
#include <dlfcn.h>
#include <fcntl.h>
#include <infiniband/verbs.h>
#include <linux/netlink.h>
#include <rdma/mlx5-abi.h>
#include <rdma/rdma_user_ioctl_cmds.h>
#include <sched.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <cerrno>
#include <cstdarg>

#include "tools/soft-mlx5/bits.h"
#include "tools/soft-mlx5/commands.h"

namespace soft_mlx5 {

namespace {

constexpr const char* kDevice = "/dev/infiniband/uverbs0";

std::array<std::atomic<Context*>, 65536>& files() {
  static auto* const all = new std::array<std::atomic<Context*>, 65536>{};
  return *all;
}
// Files from which software reads events.
std::array<std::atomic<bool>, 65536>& event_files() {
  static auto* const all = new std::array<std::atomic<bool>, 65536>{};
  return *all;
}
std::atomic<int> open_files{0};
std::atomic<int> open_event_files{0};  // which may outlive the device's files

bool has_events(int fd) {
  if (open_event_files.load(std::memory_order_acquire) == 0) return false;
  return fd >= 0 && static_cast<std::size_t>(fd) < event_files().size() &&
         event_files()[static_cast<std::size_t>(fd)].load(std::memory_order_acquire);
}

Context* context_of(int fd) {
  if (open_files.load(std::memory_order_acquire) == 0) return nullptr;
  if (fd < 0 || static_cast<std::size_t>(fd) >= files().size()) return nullptr;
  return files()[static_cast<std::size_t>(fd)].load(std::memory_order_acquire);
}

bool is_device(const char* path) {
  return path != nullptr && std::strcmp(path, kDevice) == 0;
}

int open_device(int flags) {
  const int fd =
      static_cast<int>(::syscall(SYS_openat, AT_FDCWD, "/dev/null", O_RDWR | (flags & O_CLOEXEC)));
  if (fd < 0) return fd;
  if (static_cast<std::size_t>(fd) >= files().size()) die("more than 65536 files are open");
  Device& device = Device::get();
  const Device::CallLock lock(device);
  files()[static_cast<std::size_t>(fd)] = device.open(fd);
  open_files.fetch_add(1, std::memory_order_release);
  return fd;
}

int open_path(const char* path, int flags, unsigned mode) {
  if (is_device(path)) return open_device(flags);
  return static_cast<int>(::syscall(SYS_openat, AT_FDCWD, path, flags, mode));
}

bool has_mode(int flags) {
  return (flags & O_CREAT) != 0 || (flags & O_TMPFILE) == O_TMPFILE;
}

int failed(int error) {
  errno = error;
  return -1;
}

ssize_t read_event(int fd, void* to, std::size_t room) {
  while (true) {
    Event event;
    const long got = ::syscall(SYS_read, fd, &event, sizeof event);
    if (got != static_cast<long>(sizeof event)) return got;
    Device& device = Device::get();
    const Device::CallLock lock(device);
    if (!device.count_event(event)) continue;
    if (room < event.bytes) return failed(EINVAL);
    std::memcpy(to, &event, event.bytes);
    return event.bytes;
  }
}

void close_events(int fd) {
  event_files()[static_cast<std::size_t>(fd)] = false;
  open_event_files.fetch_sub(1);
  Device& device = Device::get();
  const Device::CallLock lock(device);
  std::erase_if(device.channels, [fd](const auto& entry) {
    if (entry.second->read_end != fd || entry.second->users > 0) return false;
    ::syscall(SYS_close, entry.second->write_end);
    return true;
  });
}

// mmap's offset: the command is in bits 8 to 15 of the page number, the index in the bits around
// it.
void* map_device(std::size_t bytes, int protection, std::uint64_t offset) {
  Device& device = Device::get();
  const Device::CallLock lock(device);
  Pages& pages = device.pages();
  const std::uint64_t page = offset / kPage;
  const std::uint64_t index = (page & 0xff) | (page >> 16 << 8);
  if (offset >= kUarOffset)
    return pages.map(static_cast<std::uint32_t>((offset - kUarOffset) / kPage), bytes, protection);
  switch (page >> 8 & 0xff) {
    case MLX5_IB_MMAP_CORE_CLOCK:
      return pages.map(Pages::kClock, bytes, protection);
    case MLX5_IB_MMAP_CLOCK_INFO:
      return pages.map(Pages::kClockInfo, bytes, protection);
    case MLX5_IB_MMAP_DEVICE_MEM:
      return pages.map(static_cast<std::uint32_t>(index), bytes, protection);
    default:
      errno = EINVAL;
      return MAP_FAILED;
  }
}

void* map_file(void* at, std::size_t bytes, int protection, int flags, int fd, off_t offset) {
  if (context_of(fd) != nullptr)
    return map_device(bytes, protection, static_cast<std::uint64_t>(offset));
  return reinterpret_cast<void*>(::syscall(SYS_mmap, at, bytes, protection, flags, fd, offset));
}

}  // namespace

bool open_event_channel(int (&ends)[2]) {
  if (::socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends) != 0) return false;
  if (static_cast<std::size_t>(ends[0]) >= event_files().size())
    die("more than 65536 files are open");
  event_files()[static_cast<std::size_t>(ends[0])] = true;
  open_event_files.fetch_add(1, std::memory_order_release);
  return true;
}

}  // namespace soft_mlx5

#define SOFT_MLX5_EXPORT extern "C" __attribute__((visibility("default")))

SOFT_MLX5_EXPORT int open(const char* path, int flags, ...) {
  unsigned mode = 0;
  if (soft_mlx5::has_mode(flags)) {
    va_list arguments;
    va_start(arguments, flags);
    mode = va_arg(arguments, unsigned);
    va_end(arguments);
  }
  return soft_mlx5::open_path(path, flags, mode);
}

SOFT_MLX5_EXPORT int open64(const char* path, int flags, ...) {
  unsigned mode = 0;
  if (soft_mlx5::has_mode(flags)) {
    va_list arguments;
    va_start(arguments, flags);
    mode = va_arg(arguments, unsigned);
    va_end(arguments);
  }
  return soft_mlx5::open_path(path, flags, mode);
}

SOFT_MLX5_EXPORT int stat(const char* path, struct stat* to) noexcept {
  if (soft_mlx5::is_device(path)) path = "/dev/null";
  return static_cast<int>(::syscall(SYS_newfstatat, AT_FDCWD, path, to, 0));
}

SOFT_MLX5_EXPORT int close(int fd) {
  if (soft_mlx5::Context* const context = soft_mlx5::context_of(fd); context != nullptr) {
    soft_mlx5::Device& device = soft_mlx5::Device::get();
    const soft_mlx5::Device::CallLock lock(device);
    soft_mlx5::files()[static_cast<std::size_t>(fd)] = nullptr;
    soft_mlx5::open_files.fetch_sub(1);
    device.close(context);
  } else if (soft_mlx5::has_events(fd)) {
    soft_mlx5::close_events(fd);
  }
  return static_cast<int>(::syscall(SYS_close, fd));
}

SOFT_MLX5_EXPORT ssize_t write(int fd, const void* bytes, size_t count) {
  soft_mlx5::Context* const context = soft_mlx5::context_of(fd);
  if (context == nullptr) return ::syscall(SYS_write, fd, bytes, count);
  const int wrong = soft_mlx5::execute_write(*context, bytes, count);
  return wrong == 0 ? static_cast<ssize_t>(count) : soft_mlx5::failed(wrong);
}

// Removes what drivers other than libmlx5 lack, if the run asks for it.
SOFT_MLX5_EXPORT ibv_context* ibv_open_device(ibv_device* device) {
  using Open = ibv_context* (*)(ibv_device*);
  static const auto real =
      reinterpret_cast<Open>(::dlvsym(RTLD_NEXT, "ibv_open_device", "IBVERBS_1.1"));
  if (real == nullptr) soft_mlx5::die("libibverbs has no ibv_open_device");
  ibv_context* const context = real(device);
  verbs_context* const extended = context != nullptr ? verbs_get_ctx(context) : nullptr;
  if (extended != nullptr && soft_mlx5::config().no_extended) {
    extended->create_qp_ex = nullptr;
    extended->create_cq_ex = nullptr;
  }
  return context;
}

SOFT_MLX5_EXPORT bool mlx5dv_is_supported(ibv_device*) {
  return !soft_mlx5::config().other_driver;
}

SOFT_MLX5_EXPORT ssize_t read(int fd, void* bytes, size_t count) {
  if (soft_mlx5::has_events(fd)) return soft_mlx5::read_event(fd, bytes, count);
  return ::syscall(SYS_read, fd, bytes, count);
}

SOFT_MLX5_EXPORT int ioctl(int fd, unsigned long request, ...) noexcept {
  va_list arguments;
  va_start(arguments, request);
  void* const argument = va_arg(arguments, void*);
  va_end(arguments);
  soft_mlx5::Context* const context = soft_mlx5::context_of(fd);
  if (context == nullptr) return static_cast<int>(::syscall(SYS_ioctl, fd, request, argument));
  if (request != RDMA_VERBS_IOCTL) return soft_mlx5::failed(ENOTTY);
  const int wrong = soft_mlx5::execute_ioctl(*context, static_cast<ib_uverbs_ioctl_hdr*>(argument));
  return wrong == 0 ? 0 : soft_mlx5::failed(wrong);
}

SOFT_MLX5_EXPORT void* mmap(void* at, size_t bytes, int protection, int flags, int fd,
                            off_t offset) noexcept {
  return soft_mlx5::map_file(at, bytes, protection, flags, fd, offset);
}

SOFT_MLX5_EXPORT void* mmap64(void* at, size_t bytes, int protection, int flags, int fd,
                              off64_t offset) noexcept {
  return soft_mlx5::map_file(at, bytes, protection, flags, fd, offset);
}

// Software that polls yields its core while nothing has come. Its call runs a turn of the engine,
// so that requests to the device do not wait until the engine's thread is scheduled.
SOFT_MLX5_EXPORT int sched_yield() noexcept {
  if (soft_mlx5::open_files.load(std::memory_order_acquire) > 0 && soft_mlx5::Device::get().help())
    return 0;
  return static_cast<int>(::syscall(SYS_sched_yield));
}

// If the kernel has RDMA, netlink would find the real devices.
SOFT_MLX5_EXPORT int socket(int domain, int type, int protocol) noexcept {
  if (domain == AF_NETLINK && protocol == NETLINK_RDMA) return soft_mlx5::failed(EPROTONOSUPPORT);
  return static_cast<int>(::syscall(SYS_socket, domain, type, protocol));
}

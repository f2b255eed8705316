#include "tools/redlock/client_io.h"

#include <poll.h>

#include <algorithm>
#include <thread>

namespace latchlab::bank {

namespace {

constexpr Duration kLongestBlock = seconds(1);
constexpr Duration kLookAgain = microseconds(2);  // between polls of a socket on a shared worker

bool is_ready(int socket, bool to_read, Duration wait) {
  pollfd polled = {socket, static_cast<short>(to_read ? POLLIN : POLLOUT), 0};
  const Duration some = std::clamp(wait, Duration{}, kLongestBlock);
  const timespec time = {some.ps / seconds(1).ps, some.ps % seconds(1).ps / 1000};
  return ::ppoll(&polled, 1, &time, nullptr) > 0;
}

}  // namespace

Time ThreadIo::now() const {
  const auto passed = std::chrono::steady_clock::now() - start_;
  return Time{} + nanoseconds(std::chrono::duration_cast<std::chrono::nanoseconds>(passed).count());
}

Task<void> ThreadIo::sleep(Duration length) {
  std::this_thread::sleep_for(std::chrono::nanoseconds(length.ps / 1000));
  co_return;
}

Task<bool> ThreadIo::ready(int socket, bool to_read, Time until) {
  for (;;) {
    const Time before = now();
    if (is_ready(socket, to_read, before < until ? time_until(until, before) : Duration{}))
      co_return true;
    if (before >= until) co_return false;
  }
}

Task<void> VerbsIo::sleep(Duration length) {
  co_await verbs_.sleep(length);
}

Task<bool> VerbsIo::ready(int socket, bool to_read, Time until) {
  while (!is_ready(socket, to_read, {})) {
    if (verbs_.now() >= until) co_return false;
    co_await verbs_.sleep(kLookAgain);
  }
  co_return true;
}

}  // namespace latchlab::bank

#include "backends/ibverbs/mailbox.h"

#include <fmt/core.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <utility>

namespace latchlab::ib {

Result<std::unique_ptr<Mailbox>> Mailbox::make(std::uint32_t threads) {
  auto made = std::unique_ptr<Mailbox>(new Mailbox(threads));
  made->bell_ = ::eventfd(0, EFD_NONBLOCK | EFD_CLOEXEC);
  if (made->bell_ < 0)
    return Error{fmt::format("no descriptor for the threads of a node: {}", std::strerror(errno)),
                 {}};
  return made;
}

Mailbox::~Mailbox() {
  if (bell_ >= 0) ::close(bell_);
}

void Mailbox::put(std::uint32_t box, Mail mail) {
  if (box >= boxes_.size()) return;
  Box& into = boxes_[box];
  {
    const std::lock_guard guard(into.mutex);
    into.mail.push_back(std::move(mail));
    into.any.store(true, std::memory_order_release);
  }
  if (box == memory_server()) ring();
}

void Mailbox::ring() {
  ::eventfd_write(bell_, 1);
}

std::vector<Mail> Mailbox::take(std::uint32_t box) {
  Box& from = boxes_[box];
  std::vector<Mail> mail;
  if (!from.any.load(std::memory_order_acquire)) return mail;
  // First: a frame that is put after this read signals again.
  eventfd_t rung = 0;
  if (box == memory_server()) ::eventfd_read(bell_, &rung);
  const std::lock_guard guard(from.mutex);
  mail.swap(from.mail);
  from.any.store(false, std::memory_order_release);
  return mail;
}

}  // namespace latchlab::ib

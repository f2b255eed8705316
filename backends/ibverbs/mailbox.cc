#include "backends/ibverbs/mailbox.h"

#include <fmt/core.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <utility>

namespace latchlab::ib {

Bell::~Bell() {
  if (descriptor_ >= 0) ::close(descriptor_);
}

Status Bell::make() {
  descriptor_ = ::eventfd(0, EFD_NONBLOCK | EFD_CLOEXEC);
  if (descriptor_ < 0)
    return Error{fmt::format("no descriptor for the threads of a node: {}", std::strerror(errno)),
                 {}};
  return fine();
}

void Bell::ring() {
  if (descriptor_ >= 0) ::eventfd_write(descriptor_, 1);
}

void Bell::hear() {
  eventfd_t rung = 0;
  if (descriptor_ >= 0) ::eventfd_read(descriptor_, &rung);
}

Result<std::unique_ptr<Mailbox>> Mailbox::make(std::uint32_t threads, bool all_sleep) {
  auto made = std::unique_ptr<Mailbox>(new Mailbox(threads));
  for (std::uint32_t i = all_sleep ? 0 : made->memory_server(); i < threads; ++i)
    if (Status bell = made->boxes_[i].bell.make(); !bell) return bell.error();
  return made;
}

void Mailbox::put(std::uint32_t box, Mail mail) {
  if (box >= boxes_.size()) return;
  Box& into = boxes_[box];
  {
    const std::lock_guard guard(into.mutex);
    into.mail.push_back(std::move(mail));
    into.any.store(true, std::memory_order_release);
  }
  into.bell.ring();
}

std::vector<Mail> Mailbox::take(std::uint32_t box) {
  Box& from = boxes_[box];
  std::vector<Mail> mail;
  if (!from.any.load(std::memory_order_acquire)) return mail;
  const std::lock_guard guard(from.mutex);
  mail.swap(from.mail);
  from.any.store(false, std::memory_order_release);
  return mail;
}

}  // namespace latchlab::ib

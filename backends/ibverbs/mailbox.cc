#include "backends/ibverbs/mailbox.h"

#include <fmt/core.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <utility>

namespace latchlab::ib {

Result<std::unique_ptr<Mailbox>> Mailbox::make(std::uint32_t threads, bool all_sleep) {
  auto made = std::unique_ptr<Mailbox>(new Mailbox(threads));
  for (std::uint32_t i = all_sleep ? 0 : made->memory_server(); i < threads; ++i) {
    made->boxes_[i].bell = ::eventfd(0, EFD_NONBLOCK | EFD_CLOEXEC);
    if (made->boxes_[i].bell < 0)
      return Error{fmt::format("no descriptor for the threads of a node: {}", std::strerror(errno)),
                   {}};
  }
  return made;
}

Mailbox::~Mailbox() {
  for (const Box& box : boxes_)
    if (box.bell >= 0) ::close(box.bell);
}

void Mailbox::put(std::uint32_t box, Mail mail) {
  if (box >= boxes_.size()) return;
  Box& into = boxes_[box];
  {
    const std::lock_guard guard(into.mutex);
    into.mail.push_back(std::move(mail));
    into.any.store(true, std::memory_order_release);
  }
  ring(box);
}

void Mailbox::ring(std::uint32_t box) {
  if (const int bell = boxes_[box].bell; bell >= 0) ::eventfd_write(bell, 1);
}

void Mailbox::hear(std::uint32_t box) {
  eventfd_t rung = 0;
  if (const int bell = boxes_[box].bell; bell >= 0) ::eventfd_read(bell, &rung);
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

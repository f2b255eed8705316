#include "core/run/forked.h"

#include <signal.h>
#include <sys/prctl.h>
#include <unistd.h>

#include <cerrno>
#include <cstddef>

namespace latchlab {

void become_child_of(int parent) {
  // The signals are blocked rather than ignored, because a backend's library may install handlers.
  sigset_t of_the_parent;
  sigemptyset(&of_the_parent);
  sigaddset(&of_the_parent, SIGINT);
  sigaddset(&of_the_parent, SIGTERM);
  ::sigprocmask(SIG_SETMASK, &of_the_parent, nullptr);
  ::prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (::getppid() != parent) ::_exit(1);  // the parent died before prctl took effect
}

void write_all(int descriptor, const std::string& text) {
  std::size_t at = 0;
  while (at < text.size()) {
    const ssize_t written = ::write(descriptor, text.data() + at, text.size() - at);
    if (written < 0 && errno == EINTR) continue;
    if (written <= 0) return;
    at += static_cast<std::size_t>(written);
  }
}

}  // namespace latchlab

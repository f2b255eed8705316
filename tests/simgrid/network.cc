#include "tests/simgrid/network.h"

#include <sys/wait.h>
#include <unistd.h>

namespace latchlab::simtest {

Numbers in_child(const std::function<Numbers()>& body) {
  int ends[2];
  if (::pipe(ends) != 0) return {};
  const pid_t child = ::fork();
  if (child == 0) {
    const Numbers numbers = body();
    const std::size_t bytes = numbers.size() * sizeof(std::int64_t);
    const bool told = ::write(ends[1], numbers.data(), bytes) == static_cast<ssize_t>(bytes);
    ::_exit(told && !testing::Test::HasFailure() ? 0 : 1);
  }
  ::close(ends[1]);
  Numbers numbers;
  std::int64_t number = 0;
  while (::read(ends[0], &number, sizeof number) == static_cast<ssize_t>(sizeof number))
    numbers.push_back(number);
  ::close(ends[0]);
  int status = 1;
  ::waitpid(child, &status, 0);
  return status == 0 ? numbers : Numbers{};
}

}  // namespace latchlab::simtest

#pragma once
// Plays a drawn scenario twice, each time in a process of its own: SimGrid has one engine per
// process.

#include <sys/wait.h>
#include <unistd.h>

#include <cstdio>
#include <string>
#include <type_traits>

#include "core/base/check.h"
#include "tests/protocols/random/play.h"

namespace latchlab::testing {

inline Played played_in_child(const Draw& draw, bool aloud = false) {
  static_assert(std::is_trivially_copyable_v<Tally>);
  int ends[2] = {-1, -1};
  LATCHLAB_CHECK(::pipe(ends) == 0, "no pipe");
  std::fflush(stdout);  // otherwise it is printed twice
  const pid_t child = ::fork();
  LATCHLAB_CHECK(child >= 0, "no fork");
  if (child == 0) {
    const Played played = Playing(draw).go(aloud);
    std::string bytes(reinterpret_cast<const char*>(&played.tally), sizeof(Tally));
    bytes += static_cast<char>(played.broken);
    bytes += played.how;
    const bool told = ::write(ends[1], bytes.data(), bytes.size()) == std::ssize(bytes);
    ::_exit(told ? 0 : 1);
  }
  ::close(ends[1]);
  std::string bytes;
  char part[4096];
  for (ssize_t got = 0; (got = ::read(ends[0], part, sizeof part)) > 0;)
    bytes.append(part, static_cast<std::size_t>(got));
  ::close(ends[0]);
  int status = 0;
  ::waitpid(child, &status, 0);
  Played played;
  if (status != 0 || bytes.size() <= sizeof(Tally))
    return {Promise::alive, fmt::format("the run ends with status {}", status), {}};
  bytes.copy(reinterpret_cast<char*>(&played.tally), sizeof(Tally));
  played.broken = static_cast<Promise>(bytes[sizeof(Tally)]);
  played.how = bytes.substr(sizeof(Tally) + 1);
  return played;
}

// `aloud`: prints what happened.
inline Played played_twice(const Draw& draw, bool aloud = false) {
  Played one = played_in_child(draw, aloud);
  if (one.broken != Promise::none) return one;
  if (played_in_child(draw).tally.hash == one.tally.hash) return one;
  one.broken = Promise::same_again;
  one.how = "two runs of this draw differ";
  return one;
}

}  // namespace latchlab::testing

#pragma once
// Divides the entries of a trace among clients: of n clients the c-th has entries c, c + n, c + 2n
// and so on, and starts again at the end of the trace. If there are more clients than entries, the
// c-th has only one entry: the (c modulo entries)-th.

#include <cstdint>
#include <vector>

#include "core/base/check.h"
#include "core/base/ids.h"

namespace latchlab {

// Consecutive clients.
struct ClientRange {
  std::uint32_t first = 0;
  std::uint32_t count = 1;

  constexpr bool contains(const ClientRange& other) const {
    return other.first >= first &&
           std::uint64_t{other.first} + other.count <= std::uint64_t{first} + count;
  }
};

class TraceTurns {
 public:
  // `here` are the clients of this process; `all` clients of the run share the trace.
  TraceTurns(const ClientRange& here, const ClientRange& all, std::uint64_t entries)
      : first_(here.first), all_(all), entries_(entries), next_(here.count) {
    LATCHLAB_CHECK(all.contains(here) && entries > 0, "turns of clients outside the run");
    for (std::uint32_t i = 0; i < here.count; ++i) next_[i] = start_of(ClientId{here.first + i});
  }

  std::uint64_t next(ClientId client) {
    std::uint64_t& at = next_[client.value - first_];
    const std::uint64_t taken = at;
    at = entries_ - taken > all_.count ? taken + all_.count : start_of(client);
    return taken;
  }

 private:
  std::uint64_t start_of(ClientId client) const { return (client.value - all_.first) % entries_; }

  std::uint32_t first_;
  ClientRange all_;
  std::uint64_t entries_;
  std::vector<std::uint64_t> next_;  // by client
};

}  // namespace latchlab

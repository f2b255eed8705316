#pragma once
// The held and waited-for ranges of one object in a server's CPU. No function here waits or answers
// a call: its caller does. Kinds of locks differ in which requests wait for which.
//
//  1. No two holders' ranges share a unit. All are exclusive.
//  2. A waiting request waits for a holder, or for a request that does.

#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

#include "core/protocols/common/served.h"
#include "core/protocols/lock.h"

namespace latchlab::range_server {

// The requests to a server whose CPU manages range locks, and their representation of ranges.

using served::Asker;

// Units first to last, both included: the end of the whole object would have no number.
struct Span {
  std::uint64_t first = 0;
  std::uint64_t last = ~0ULL;
  constexpr auto operator<=>(const Span&) const = default;
};

constexpr Span span_of(const Extent& extent) {
  if (extent.whole()) return {};
  return {extent.first, extent.first + (extent.count - 1)};
}
constexpr bool meet(const Span& a, const Span& b) {
  return a.first <= b.last && b.first <= a.last;
}

struct Asked {
  RemoteAddr entry;
  Asker who;
  Span span;
};

inline Request pack(served::RequestType type, const Asked& asked) {
  Request request;
  request.type = type;
  request.words = {asked.entry.packed(),
                   (std::uint64_t{asked.who.client.value} << 32U) | asked.who.number,
                   asked.span.first, asked.span.last};
  return request;
}

inline Asked unpack(const Request& request) {
  return {RemoteAddr::unpack(request.words[0]),
          {ClientId{static_cast<std::uint32_t>(request.words[1] >> 32U)},
           static_cast<std::uint32_t>(request.words[1])},
          {request.words[2], request.words[3]}};
}

class ObjectRanges {
 public:
  using Calls = std::vector<PendingCall>;

  virtual ~ObjectRanges() = default;
  // True: the request holds its range now. False: it waits, and its call is kept.
  virtual bool acquire(const Asked& asked, const PendingCall& call) = 0;
  // Releases the range. Adds to `granted` the calls of the requests that hold their ranges now, in
  // the order in which they are granted. No effect if `who` is no holder.
  virtual void release(const Asker& who, Calls& granted) = 0;
  // Removes a waiting request and returns its call; `granted` as above. None: it does not wait.
  virtual std::optional<PendingCall> withdraw(const Asker& who, Calls& granted) = 0;

  virtual bool holds(const Asker& who) const = 0;
  virtual std::uint64_t holders() const = 0;
  virtual std::uint64_t waiters() const = 0;
  // Steps of searches and changes in the structure since the last call.
  virtual std::uint64_t take_steps() = 0;

  bool empty() const { return holders() + waiters() == 0; }
};

}  // namespace latchlab::range_server

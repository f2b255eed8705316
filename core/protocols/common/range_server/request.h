#pragma once
// The requests to a server whose CPU manages range locks, and their representation of ranges.

#include <cstdint>

#include "core/protocols/common/served.h"
#include "core/protocols/lock.h"

namespace latchlab::range_server {

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

}  // namespace latchlab::range_server

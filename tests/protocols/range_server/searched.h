#pragma once
// Searches whose clients want ranges.

#include "tests/protocols/planted.h"
#include "tests/protocols/range_server/range_server.h"

namespace latchlab::range_server_tests {

inline explore::Campaign extents(explore::Campaign campaign, std::vector<Extent> extents) {
  campaign.base.extents = std::move(extents);
  return campaign;
}

}  // namespace latchlab::range_server_tests

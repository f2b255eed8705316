// Labels of paths.

#include "core/base/paths.h"

#include <gtest/gtest.h>

#include "core/protocols/registry.h"

namespace latchlab::testing {
namespace {

TEST(Paths, of_every_lock_begin_with_its_name) {
  std::size_t named = 0;
  for (const ProtocolEntry& entry : protocol_registry()) {
    const std::size_t own = paths::all(entry.info.name + ": ").size();
    EXPECT_GE(own, 8U) << entry.info.name;
    named += own;
  }
  EXPECT_EQ(paths::all().size(), named) << "a label begins with no lock's name";
}

}  // namespace
}  // namespace latchlab::testing

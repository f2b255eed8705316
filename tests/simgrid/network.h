#pragma once
// For tests that compare two simulated worlds: each runs in a child process of its own (SimGrid
// allows one engine per process) and returns numbers.

#include <gtest/gtest.h>

#include <cstdint>
#include <functional>
#include <vector>

namespace latchlab::simtest {

using Numbers = std::vector<std::int64_t>;

// The result of `body` in a child process; empty if it failed or reported a test failure there.
Numbers in_child(const std::function<Numbers()>& body);

}  // namespace latchlab::simtest

// Protocol::is_free: an entry does not look free while a client holds the lock, and looks free
// after all clients have released. If leases are not released, the entry cannot tell whether their
// readers still hold them.

#include "tests/protocols/promises.h"

namespace latchlab::testing {
namespace {

class FreeEntry : public ::testing::TestWithParam<std::string> {};

TEST_P(FreeEntry, is_seen_after_all_releases_and_never_during_a_hold) {
  expect_free_when_all_have_gone(crowd(GetParam()));
}

// Whether the first node of a list is held is in the node: the list's own tests look there.
std::vector<std::string> whose_entries_tell() {
  std::vector<std::string> names = remote_protocol_names();
  names.erase(std::remove(names.begin(), names.end(), "list_rdma"), names.end());
  return names;
}
INSTANTIATE_TEST_SUITE_P(all, FreeEntry, ::testing::ValuesIn(whose_entries_tell()),
                         [](const auto& made) { return made.param; });

// An entry whose first word depends on its address.
class SelfPointing final : public Protocol {
 public:
  Layout layout(const Shape& /*shape*/) const override { return {}; }
  std::unique_ptr<LockClient> make_client(const ClientEnv&) const override { return nullptr; }
  void initial_image(RemoteAddr entry, std::uint64_t first_word,
                     std::span<std::uint64_t> words) const override {
    if (first_word == 0) words[0] = entry.packed();
  }
  std::string decode(std::span<const std::uint64_t>) const override { return {}; }
};

TEST(FreeEntryOfAnyLock, by_default_is_the_initial_image_at_its_address) {
  const SelfPointing protocol;
  const RemoteAddr here{NodeId{1}, 4096};
  const std::vector<std::uint64_t> words = {here.packed()};
  EXPECT_TRUE(protocol.is_free(here, words));
  EXPECT_FALSE(protocol.is_free(here + 64, words));
}

}  // namespace
}  // namespace latchlab::testing

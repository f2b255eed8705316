// Nothing lands after an eviction has been answered. A server answers when its end of the client's
// QP is destroyed (MemoryServer::evict); the device must guarantee that nothing is in flight
// through the NIC to its memory by then. So a client streams WRITEs and FETCH_ADDs, and the test
// watches memory from the answer on. Each test makes many such evictions; --gtest_repeat makes
// more.

#include <atomic>
#include <optional>
#include <thread>

#include "core/verbs/batch.h"
#include "tests/hardware/pair.h"
#include "tests/hardware/worlds.h"
#include "tests/non_empty.h"

namespace latchlab::ib {
namespace {

constexpr int kEvictions = 40;
constexpr auto kWatched = std::chrono::milliseconds(5);  // after an eviction
constexpr auto kPatience = std::chrono::seconds(10);     // for events that must occur

// ---- two QPs ----

// Overwrites one range of the peer's memory again and again, so that it always changes.
class Stream {
 public:
  static constexpr std::uint32_t kDepth = 16;
  static constexpr std::uint32_t kWords = 512;  // in each WRITE: four packets or one

  Stream(End& end, std::uint64_t target, std::uint32_t key)
      : end_(end),
        target_(target),
        key_(key),
        words_(kDepth * kWords),
        registered_(must(Registration::make(*end.device, words_.data(), 8 * words_.size(), true))) {
  }

  // Until it is told to end, or a verb fails.
  void run() {
    for (std::uint32_t slot = 0; slot < kDepth; ++slot) post(slot);
    while (!over_) {
      Done done;
      if (end_.cq.poll({&done, 1}) == 0) continue;
      if (done.status != 0) return;
      if (!over_) post(static_cast<std::uint32_t>(done.id));
    }
  }
  void end() { over_ = true; }

 private:
  // Every second one is a FETCH_ADD to the word behind the range.
  void post(std::uint32_t slot) {
    const bool adds = slot % 2 == 1;
    std::uint64_t* const from = words_.data() + slot * kWords;
    WorkRequest request;
    request.kind = adds ? WorkRequest::Kind::faa : WorkRequest::Kind::write;
    request.signalled = true;
    request.id = slot;
    request.local = from;
    request.local_key = registered_.local_key();
    request.remote = target_ + (adds ? 8 * kWords : 0);
    request.remote_key = key_;
    request.operand = 1;
    if (!adds) {
      request.bytes = 8 * kWords;
      std::fill(from, from + kWords, ++number_);
    }
    ASSERT_EQ(end_.qp.post({&request, 1}), 0);
  }

  End& end_;
  std::uint64_t target_;
  std::uint32_t key_;
  std::vector<std::uint64_t> words_;
  Registration registered_;
  std::uint64_t number_ = 0;
  std::atomic<bool> over_ = false;
};

// The CPU's view, word by word, while the NIC may write.
std::vector<std::uint64_t> snapshot(const std::vector<std::uint64_t>& words) {
  std::vector<std::uint64_t> seen;
  for (const std::uint64_t& word : words) seen.push_back(__atomic_load_n(&word, __ATOMIC_ACQUIRE));
  return seen;
}

bool changes_within(const std::vector<std::uint64_t>& words, const std::vector<std::uint64_t>& then,
                    std::chrono::nanoseconds patience) {
  const auto end = std::chrono::steady_clock::now() + patience;
  while (std::chrono::steady_clock::now() < end) {
    if (snapshot(words) != then) return true;
    std::this_thread::sleep_for(std::chrono::microseconds(100));
  }
  return false;
}

class Evictions : public Errors {
 protected:
  // Ends a stream in the middle: by destroying the server's end, or, like an eviction that
  // answers too early, by nothing. Returns whether memory changed after that; none: the stream had
  // not begun to arrive.
  std::optional<bool> lands_afterwards(bool evicts) {
    std::vector<std::uint64_t> memory(Stream::kWords + 1);
    Registration registered =
        must(Registration::make(*there_->device, memory.data(), 8 * memory.size(), true));
    QpOptions options;
    options.depth = 2 * Stream::kDepth;
    connect(options, options);
    Stream stream(*here_, reinterpret_cast<std::uint64_t>(memory.data()), registered.remote_key());
    std::thread client([&] { stream.run(); });
    const auto patience = std::chrono::steady_clock::now() + kPatience;
    while (__atomic_load_n(memory.data(), __ATOMIC_ACQUIRE) < 100 &&
           std::chrono::steady_clock::now() < patience)
      std::this_thread::yield();
    if (evicts) there_->qp.drop();
    // From here on the client counts as evicted.
    const std::vector<std::uint64_t> then = snapshot(memory);
    const bool changed = changes_within(memory, then, evicts ? kWatched : kPatience);
    stream.end();
    client.join();
    here_->qp.drop();
    there_->qp.drop();
    for (Done done; here_->cq.poll({&done, 1}) > 0;) continue;
    return then[0] > 0 && then.back() > 0 ? std::optional(changed) : std::nullopt;
  }
};

TEST_F(Evictions, nothing_lands_after_a_qp_is_destroyed) {
  for (int i = 0; i < kEvictions; ++i) {
    const std::optional<bool> landed = lands_afterwards(true);
    ASSERT_TRUE(landed) << "eviction " << i << ": nothing arrived before it, so nothing was seen";
    ASSERT_FALSE(*landed) << "eviction " << i;
  }
}

TEST_F(Evictions, what_lands_after_an_early_answer_is_seen) {
  for (int i = 0; i < kEvictions; ++i) {
    const std::optional<bool> landed = lands_afterwards(false);
    ASSERT_TRUE(landed) << i;
    EXPECT_TRUE(*landed) << i;
  }
}

// ---- clients of a world ----

class EvictedClients : public Worlds, public ::testing::WithParamInterface<bool> {
 protected:
  void SetUp() override {
    Worlds::SetUp();
    if (IsSkipped()) return;
    IbverbsOptions options;
    options.software_atomics = GetParam();
    make(options);
  }
};
INSTANTIATE_TEST_SUITE_P(Memory, EvictedClients, ::testing::Bool(),
                         [](const auto& made) { return made.param ? "agents" : "rnics"; });

// Words that an evicted client writes; it adds to the next one.
constexpr std::uint64_t kStretch = 15;
constexpr std::uint64_t kOf = 8 * (kStretch + 1);

Task<void> stream_of(Verbs& verbs, std::uint64_t at, bool& refused) {
  for (std::uint64_t number = 1; !refused; ++number) {
    Batch batch(verbs);
    for (std::uint64_t i = 0; i < kStretch; ++i)
      batch.add(write_verb({kServer, at + 8 * i}, number));
    batch.add(faa_verb({kServer, at + 8 * kStretch}, 1));
    co_await batch.run();
    refused = batch.status() != VerbStatus::ok;
  }
}

TEST_P(EvictedClients, write_nothing_that_the_evicting_client_does_not_see_at_once) {
  constexpr std::uint32_t kVictims = 8;
  std::vector<std::unique_ptr<bool>> refused;
  for (std::uint32_t v = 0; v < kVictims; ++v) {
    Verbs& victim = add_client(kThere);
    refused.push_back(std::make_unique<bool>(false));
    spawn(victim, stream_of(victim, v * kOf, *refused.back()));
  }
  Verbs& judge = add_client();
  spawn(judge, [](Verbs& verbs) -> Task<void> {
    co_await verbs.sleep(milliseconds(5));
    for (std::uint32_t v = 0; v < kVictims; ++v) {
      co_await verbs.evict(ClientId{v});
      std::vector<std::uint64_t> then;
      for (int look = 0; look < 20; ++look) {
        const RemoteAddr from{kServer, v * kOf};
        const ReadWords read = co_await verbs.read_words(from, kOf);
        EXPECT_TRUE(read.ok());
        const std::vector<std::uint64_t> now(read.words().begin(), read.words().end());
        if (look == 0) then = now;
        EXPECT_EQ(now, then) << "victim " << v << ", look " << look;
        co_await verbs.sleep(microseconds(200));
      }
    }
  }(judge));
  run();
  for (const auto& each : non_empty(refused)) EXPECT_TRUE(*each);
}

}  // namespace
}  // namespace latchlab::ib

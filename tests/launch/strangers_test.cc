// Peers that are not members: they are refused, get the reason, and delay no member.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <future>

#include "core/launch/frame.h"
#include "tests/launch/fixture.h"

namespace latchlab::launch {
namespace {

using ::testing::AllOf;
using ::testing::EndsWith;
using ::testing::HasSubstr;

// A peer that has the token, and sends what a member never sends.
class RawPeer {
 public:
  explicit RawPeer(std::uint16_t port)
      : channel_(connect_to({"127.0.0.1", port}, within(kLong), {}).value(),
                 {SecureStream::Side::member, kToken}, kMaxFrameBytes) {}
  void say(const std::string& bytes) { channel_.send(std::make_shared<const std::string>(bytes)); }
  // The answer of the coordinator, until it closes the connection.
  std::string hear() {
    std::string heard;
    while (channel_.is_connected()) {
      channel_.receive();
      while (const auto frame = channel_.next()) {
        EXPECT_EQ(frame->kind, FrameKind::refused);
        EXPECT_EQ(frame->rank, 0U);
        EXPECT_EQ(frame->number, 0U);
        heard += frame->payload;
      }
      std::this_thread::sleep_for(milliseconds(1));
    }
    return heard;
  }

 private:
  Channel channel_;
};

class Strangers : public Launch {
 protected:
  // The coordinator's note about a peer that sends this; a valid member joins afterwards.
  std::string note_on(const std::string& said, std::string* heard = nullptr) {
    RawPeer peer(address().port);
    peer.say(said);
    std::promise<void> refused;
    start_thread([at = address(), told = refused.get_future().share()] {
      told.wait();
      const auto proper = Member::join(at, member_options());
      EXPECT_TRUE(proper.ok());
    });
    std::thread ear([&] {
      const std::string answer = peer.hear();
      if (heard != nullptr) *heard = answer;
    });
    const auto tick = [&, told = false]() mutable {
      if (!notes.empty() && !std::exchange(told, true)) refused.set_value();
      return fine();
    };
    EXPECT_TRUE(coordinator().gather(1, {within(kLong), {}, tick}).ok());
    // Every call serves admission; the peer leaves as soon as it has read.
    coordinator().dismiss();
    ear.join();
    return notes.empty() ? "nothing" : notes.front();
  }
};

TEST_F(Strangers, garbage_is_refused) {
  EXPECT_THAT(note_on("GET / HTTP/1.1\r\n\r\n"), HasSubstr("it is no latchlab node"));
}

TEST_F(Strangers, an_oversized_hello_is_refused_before_it_is_read) {
  std::string heard;
  EXPECT_THAT(note_on(std::string("\0\1\0\1\1", 5), &heard),
              HasSubstr("a frame of 65537 bytes, more than 65536"));
  EXPECT_THAT(heard, HasSubstr("65537"));
}

TEST_F(Strangers, another_kind_of_frame_is_refused) {
  EXPECT_THAT(note_on(*encode(FrameKind::broadcast, 0, 0, "hi")),
              HasSubstr("does not begin with a hello"));
}

TEST_F(Strangers, a_hello_of_another_program_is_refused) {
  EXPECT_THAT(note_on(*encode(FrameKind::hello, 0, 0, "[1, 2")), HasSubstr("no latchlab node"));
}

TEST_F(Strangers, a_damaged_hello_is_refused) {
  EXPECT_THAT(note_on(*encode(FrameKind::hello, 0, 0,
                              R"({"magic": "latchlab-node", "wire": 2, "pid": "x"})")),
              HasSubstr("damaged"));
}

TEST_F(Strangers, another_wire_version_is_refused_on_both_sides) {
  std::string heard;
  const std::string newer = R"({"magic": "latchlab-node", "wire": 99, "unheard": "of"})";
  EXPECT_THAT(note_on(*encode(FrameKind::hello, 0, 0, newer), &heard),
              HasSubstr("version 99 of the launch protocol"));
  EXPECT_THAT(heard, HasSubstr("install the same latchlab"));
}

std::string tower(std::size_t height) {
  return std::string(height, '[') + std::string(height, ']');
}

TEST_F(Strangers, a_deeply_nested_hello_is_refused_like_any_other) {
  const std::string deep = R"({"magic": "latchlab-node", "wire": )" + tower(30'000) + "}";
  EXPECT_THAT(note_on(*encode(FrameKind::hello, 0, 0, deep)),
              HasSubstr("it speaks an unknown version of the launch protocol"));
}

TEST_F(Strangers, a_hello_that_is_only_nesting_is_refused) {
  EXPECT_THAT(note_on(*encode(FrameKind::hello, 0, 0, tower(30'000))),
              HasSubstr("it is no latchlab node"));
}

TEST_F(Strangers, a_long_text_of_a_peer_is_truncated_in_messages) {
  Hello hello;
  // Two bytes each: the text must not end in half a character.
  for (int i = 0; i < 10'000; ++i) hello.program += "\u00e9";
  std::string heard;
  const std::string note = note_on(*encode(FrameKind::hello, 0, 0, write_hello(hello)), &heard);
  EXPECT_THAT(note, HasSubstr("install the same build"));
  EXPECT_LT(note.size(), 300U);
  EXPECT_THAT(heard, EndsWith("\u00e9..."));
}

TEST_F(Strangers, a_silent_peer_is_refused_and_delays_no_member) {
  options.hello_within = milliseconds(300);
  std::string heard;
  EXPECT_THAT(note_on("", &heard), HasSubstr("did not say who it is within 0.3 s"));
  EXPECT_THAT(heard, HasSubstr("did not say"));
}

TEST_F(Strangers, half_a_hello_is_handled_like_none) {
  options.hello_within = milliseconds(300);
  const std::string hello = *encode(FrameKind::hello, 0, 0, write_hello(Hello()));
  EXPECT_THAT(note_on(hello.substr(0, 20)), HasSubstr("did not say who it is"));
}

TEST_F(Strangers, many_silent_peers_do_not_keep_a_member_out) {
  std::vector<RawPeer> silent;
  for (int i = 0; i < 100; ++i) silent.emplace_back(address().port);
  start_members(1, [](Member&) {});
  const auto start = Clock::now();
  gather_all(1);
  EXPECT_LT(Clock::now() - start, options.hello_within);
}

// While this object exists, the process can open no more descriptors.
class NoDescriptors {
 public:
  NoDescriptors() {
    ::getrlimit(RLIMIT_NOFILE, &before_);
    const rlimit few = {std::min<rlim_t>(before_.rlim_cur, 512), before_.rlim_max};
    ::setrlimit(RLIMIT_NOFILE, &few);
    do all_.emplace_back(::dup(STDERR_FILENO));
    while (all_.back().is_open());
  }
  ~NoDescriptors() { ::setrlimit(RLIMIT_NOFILE, &before_); }
  NoDescriptors(const NoDescriptors&) = delete;
  NoDescriptors& operator=(const NoDescriptors&) = delete;

 private:
  rlimit before_ = {};
  std::vector<Descriptor> all_;
};

TEST_F(Strangers, a_process_without_descriptors_continues_with_its_members) {
  start_members(1, [](Member& member) { static_cast<void>(member.next_job(within(kLong))); });
  gather_all(1);
  const Descriptor stranger = connect_to(address(), within(kLong), {}).value();
  const NoDescriptors none;
  gather_all(1);
}

TEST_F(Strangers, a_process_that_has_descriptors_again_accepts_members) {
  const Address at = address();
  const Descriptor stranger = connect_to(at, within(kLong), {}).value();
  // Checked after the scope: a sanitizer needs descriptors itself.
  const auto gathered = [this] {
    const NoDescriptors none;
    return coordinator().gather(1, {within(milliseconds(20)), {}, {}});
  }();
  EXPECT_THAT(gathered.error().message,
              AllOf(HasSubstr("no more came in time"), HasSubstr("cannot take another member"),
                    HasSubstr("ulimit -n")));
  start_members(1, [](Member&) {});
  gather_all(1);
}

}  // namespace
}  // namespace latchlab::launch

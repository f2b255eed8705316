// What an attacker on the network sees and can do: listen, but change nothing; impersonate; replay.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <poll.h>
#include <sys/socket.h>

#include <array>

#include "tests/launch/fixture.h"

namespace latchlab::launch {
namespace {

using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Not;

void send_all(const Descriptor& to, std::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t sent = ::send(to.number(), bytes.data(), bytes.size(), MSG_NOSIGNAL);
    if (sent < 0 && errno != EAGAIN) return;
    if (sent > 0) bytes.remove_prefix(static_cast<std::size_t>(sent));
  }
}

// The bytes that have arrived; nullopt: the connection is closed.
std::optional<std::string> hear(const Descriptor& from) {
  std::string bytes(64 << 10, '\0');
  pollfd readable = {from.number(), POLLIN, 0};
  ::poll(&readable, 1, 10);
  const ssize_t got = ::recv(from.number(), bytes.data(), bytes.size(), 0);
  if (got == 0 || (got < 0 && errno != EAGAIN)) return std::nullopt;
  bytes.resize(got < 0 ? 0 : static_cast<std::size_t>(got));
  return bytes;
}

Descriptor wait_for_guest(const Descriptor& listener) {
  Descriptor guest;
  while (!guest.is_open()) guest = accept_next(listener).value();
  return guest;
}

class Wire : public Launch {
 protected:
  // Forwards one connection to the coordinator and records what it forwards.
  void pass_on(const Descriptor& listener, std::string& there, std::string& back) {
    const Descriptor member = wait_for_guest(listener);
    const Descriptor coordinator = connect_to(address(), within(kLong), {}).value();
    for (;;) {
      const auto said = hear(member);
      const auto answer = hear(coordinator);
      if (said) send_all(coordinator, *said), there += *said;
      if (answer) send_all(member, *answer), back += *answer;
      if (!said || !answer) return;
    }
  }

  // A member joins through the recording proxy and does a job.
  void overhear(std::string& there, std::string& back) {
    const Descriptor listener = listen_at({}).value();
    address();
    start_thread([&] { pass_on(listener, there, back); });
    start_thread([port = port_of(listener)] {
      MemberOptions mine = member_options();
      mine.host = "the-member's-host";
      auto member = Member::join({"127.0.0.1", port}, mine);
      ASSERT_TRUE(member.ok()) << member.error().message;
      do_jobs(member.value(), [](Member&, const Job&) { return "what I have found"; });
    });
    gather_all(1);
    EXPECT_THAT(blobs(run_job("what all are to do", {"what you are to do"})),
                ElementsAre("what I have found"));
    coordinator().dismiss();
    join_threads();
  }
};

TEST_F(Wire, a_listener_sees_neither_the_token_nor_the_run) {
  std::string there;
  std::string back;
  overhear(there, back);
  EXPECT_GT(there.size(), 300U);
  EXPECT_GT(back.size(), 300U);
  for (const std::string& wire : {there, back})
    for (const std::string& secret :
         {kToken, std::string("the-member's-host"), std::string("test 1"), std::string("magic"),
          std::string("what all"), std::string("what you"), std::string("what I")})
      EXPECT_THAT(wire, Not(HasSubstr(secret)));
}

TEST_F(Wire, a_replayed_member_is_refused) {
  std::string there;
  std::string back;
  overhear(there, back);
  const Descriptor stranger = connect_to(address(), within(kLong), {}).value();
  send_all(stranger, there);
  EXPECT_FALSE(coordinator().gather(1, {within(milliseconds(300)), {}, {}}).ok());
  EXPECT_THAT(notes, ElementsAre(HasSubstr("was refused")));
  EXPECT_FALSE(coordinator().is_present(0));
}

// A coordinator without the token that answers in some way.
class FalseCoordinator : public Wire {
 protected:
  using Answer = std::function<std::string(const std::string& said)>;
  std::string why_not_joined(const Answer& answer, std::string& learnt) {
    const Descriptor listener = listen_at({}).value();
    start_thread([&] {
      const Descriptor member = wait_for_guest(listener);
      while (const auto said = hear(member)) {
        learnt += *said;
        send_all(member, answer(*said));
      }
    });
    MemberOptions mine = member_options();
    mine.host = "the-member's-host";
    const auto joined = Member::join({"127.0.0.1", port_of(listener)}, mine);
    const std::string why = joined ? "it joined" : joined.error().message;
    join_threads();
    return why;
  }
};

TEST_F(FalseCoordinator, with_another_token_is_detected_and_learns_nothing) {
  SecureStream guess(SecureStream::Side::coordinator, "a token of others");
  std::string learnt;
  std::string heard;
  const auto answer = [&](const std::string& said) {
    guess.receive(said, heard);
    return guess.take();
  };
  EXPECT_THAT(why_not_joined(answer, learnt),
              AllOf(HasSubstr("cannot join the run"), HasSubstr("it has another token"),
                    HasSubstr("LATCHLAB_TOKEN")));
  EXPECT_EQ(heard, "");
  EXPECT_THAT(learnt, AllOf(Not(HasSubstr(kToken)), Not(HasSubstr("the-member's-host"))));
}

TEST_F(FalseCoordinator, that_welcomes_in_plain_text_is_detected_and_learns_nothing) {
  std::string learnt;
  const auto welcome = [](const std::string&) { return *encode(FrameKind::welcome, 0, 1); };
  EXPECT_THAT(why_not_joined(welcome, learnt), HasSubstr("does not speak TLS 1.3 with a token"));
  EXPECT_THAT(learnt, AllOf(Not(HasSubstr(kToken)), Not(HasSubstr("the-member's-host"))));
}

// Peers that never prove that they have the token.
class WithoutToken : public Wire {
 protected:
  // The coordinator's note about a peer that does this, while a valid member joins.
  std::string note_on(const std::function<void(Descriptor&)>& act) {
    start_thread([at = address(), act] {
      Descriptor stranger = connect_to(at, within(kLong), {}).value();
      act(stranger);
      while (stranger.is_open() && hear(stranger)) {
      }
    });
    start_members(1, [](Member& member) { EXPECT_FALSE(member.next_job().value().has_value()); });
    gather_all(1);
    while (notes.empty()) gather_all(1);
    coordinator().dismiss();
    join_threads();
    return notes.front();
  }
  std::string first_words() { return SecureStream(SecureStream::Side::member, kToken).take(); }
};

TEST_F(WithoutToken, plain_text_is_refused) {
  EXPECT_THAT(note_on([](Descriptor& stranger) {
                send_all(stranger,
                         *encode(FrameKind::hello, 0, 0, R"({"magic": "latchlab-node"})"));
              }),
              HasSubstr("does not speak TLS 1.3 with a token"));
}

TEST_F(WithoutToken, a_silent_peer_is_refused) {
  options.hello_within = milliseconds(300);
  EXPECT_THAT(note_on([](Descriptor&) {}), HasSubstr("did not say who it is within 0.3 s"));
}

TEST_F(WithoutToken, a_slow_peer_gets_no_extra_time) {
  options.hello_within = milliseconds(300);
  const std::string words = first_words();
  EXPECT_THAT(note_on([words](Descriptor& stranger) {
                for (const char& byte : words) {
                  send_all(stranger, {&byte, 1});
                  if (!hear(stranger)) return;
                }
              }),
              HasSubstr("did not say who it is within 0.3 s"));
}

TEST_F(WithoutToken, a_handshake_that_ends_in_the_middle_is_refused) {
  const std::string half = first_words().substr(0, 100);
  EXPECT_THAT(note_on([half](Descriptor& stranger) {
                send_all(stranger, half);
                stranger.reset();
              }),
              HasSubstr("was closed before it had said who it is"));
}

TEST_F(WithoutToken, a_handshake_that_stops_in_the_middle_is_refused) {
  options.hello_within = milliseconds(300);
  const std::string words = first_words();
  EXPECT_THAT(note_on([words](Descriptor& stranger) { send_all(stranger, words); }),
              HasSubstr("did not say who it is within 0.3 s"));
}

}  // namespace
}  // namespace latchlab::launch

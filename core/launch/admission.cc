#include "core/launch/admission.h"

#include <fmt/core.h>
#include <sys/resource.h>

#include <algorithm>
#include <utility>

namespace latchlab::launch {
namespace {

constexpr std::chrono::milliseconds kTimeToLeave{1000};
// If no connection can be accepted, the listening socket stays readable; it is polled again only
// later.
constexpr std::chrono::milliseconds kRest{200};

std::string seconds_text(std::chrono::milliseconds span) {
  return fmt::format("{:.1f} s", std::chrono::duration<double>(span).count());
}

// The text may contain a peer's data: keep whole UTF-8 characters, and limit the length.
std::string shortened(const std::string& text) {
  constexpr std::size_t kMost = 200;
  if (text.size() <= kMost) return text;
  std::size_t end = kMost;
  while (end > 0 && (static_cast<unsigned char>(text[end]) & 0xC0) == 0x80) --end;
  return text.substr(0, end) + "...";
}

// The other half is for members and for all other files of the process.
std::size_t half_of_descriptors() {
  rlimit limit = {};
  if (::getrlimit(RLIMIT_NOFILE, &limit) != 0) return Admission::kMaxStrangers;
  return static_cast<std::size_t>(limit.rlim_cur / 2);
}

}  // namespace

Admission::Admission(Descriptor listener, AdmissionRules rules)
    : listener_(std::move(listener)),
      rules_(std::move(rules)),
      most_strangers_(std::min(kMaxStrangers, half_of_descriptors())) {}

std::vector<int> Admission::descriptors() const {
  std::vector<int> all;
  if (takes_more()) all.push_back(listener_.number());
  for (const Stranger& stranger : strangers_) all.push_back(stranger.channel.descriptor());
  return all;
}

void Admission::serve(const Admit& admit) {
  take_new();
  for (Stranger& stranger : strangers_) hear(stranger, admit);
  std::erase_if(strangers_, [](const Stranger& stranger) { return stranger.gone; });
}

bool Admission::takes_more() const {
  return strangers_.size() < most_strangers_ && Clock::now() >= rests_until_;
}

void Admission::take_new() {
  while (takes_more()) {
    auto connection = accept_next(listener_);
    trouble_ = connection ? "" : connection.error().message;
    if (!connection) {
      rests_until_ = within(kRest);
      return;
    }
    if (!connection.value().is_open()) break;
    const std::string address = other_end(connection.value());
    SecureStream stream(SecureStream::Side::coordinator, rules_.token);
    strangers_.push_back({Channel(std::move(connection).value(), std::move(stream), kMaxHelloBytes),
                          address, within(rules_.hello_within)});
  }
}

void Admission::hear(Stranger& stranger, const Admit& admit) {
  stranger.channel.receive();
  if (stranger.leaving) {
    while (stranger.channel.next()) {
    }
    stranger.gone = !stranger.channel.is_connected() || Clock::now() >= stranger.until;
    return;
  }
  if (const auto frame = stranger.channel.next()) return hear_hello(stranger, *frame, admit);
  const std::string& distrust = stranger.channel.distrust();
  if (!distrust.empty()) return refuse(stranger, distrust);
  const std::string& broken = stranger.channel.broken();
  if (!broken.empty())
    return refuse(stranger, stranger.channel.is_connected()
                                ? broken + "; it is no latchlab node"
                                : broken + " before it had said who it is");
  if (Clock::now() >= stranger.until)
    refuse(stranger, fmt::format("it did not say who it is within {}; is it a latchlab node?",
                                 seconds_text(rules_.hello_within)));
}

void Admission::hear_hello(Stranger& stranger, const Frame& frame, const Admit& admit) {
  if (frame.kind != FrameKind::hello) return refuse(stranger, "it does not begin with a hello");
  const auto hello = read_hello(frame.payload);
  if (!hello) return refuse(stranger, hello.error().message);
  const Status known = examine(hello.value(), rules_.program);
  if (!known) return refuse(stranger, known.error().message);
  const Status admitted = admit(hello.value(), stranger.channel);
  if (!admitted) return refuse(stranger, admitted.error().message);
  stranger.gone = true;
}

void Admission::refuse(Stranger& stranger, const std::string& reason) {
  const std::string why = shortened(reason);
  last_refusal_ = fmt::format("the peer at {} was refused: {}", stranger.address, why);
  if (rules_.note) rules_.note(last_refusal_);
  stranger.channel.send(encode(FrameKind::refused, 0, 0, why));
  // Closing a connection with unread bytes would reset it, and the peer would not receive the
  // reason.
  stranger.channel.end_of_sending();
  stranger.leaving = true;
  stranger.until = within(kTimeToLeave);
  stranger.gone = !stranger.channel.is_connected();
}

}  // namespace latchlab::launch

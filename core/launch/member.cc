#include "core/launch/member.h"

#include <fmt/core.h>
#include <poll.h>
#include <unistd.h>

#include <utility>

#include "core/launch/frame.h"

namespace latchlab::launch {

Member::Member(Channel channel, const MemberOptions& options, std::string coordinator)
    : channel_(std::move(channel)), stop_(options.stop), coordinator_(std::move(coordinator)) {}

Result<Member> Member::join(const Address& coordinator, const MemberOptions& options) {
  Hello hello{options.program, options.host.empty() ? host_name() : options.host, ::getpid(),
              options.rank, options.facts};
  const std::string text = write_hello(hello);
  if (!fits(text, kMaxHelloBytes))
    return Error{fmt::format("what this node has to say of itself is too long: {} bytes, at most "
                             "{} may be sent",
                             text.size(), kMaxHelloBytes),
                 {}};
  const Deadline deadline = within(options.join_within);
  auto connection = connect_to(coordinator, deadline, options.stop);
  if (!connection) return connection.error();
  SecureStream stream(SecureStream::Side::member, options.token);
  Member member(Channel(std::move(connection).value(), std::move(stream), kMaxFrameBytes), options,
                coordinator.text());
  member.channel_.send(encode(FrameKind::hello, 0, 0, text));
  const Status welcome = member.be_welcomed(deadline);
  if (!welcome) return welcome.error();
  return member;
}

Status Member::be_welcomed(Deadline deadline) {
  Status heard = wait_until([this] { return size_ > 0; }, deadline, "it did not answer in time");
  if (heard) return heard;
  return Error{fmt::format("this node cannot join the run of the coordinator at {}: {}",
                           coordinator_, heard.error().message),
               {}};
}

template <class Done>
Status Member::wait_until(const Done& done, Deadline deadline, const char* what) {
  for (;;) {
    hear();
    if (done()) return fine();
    if (!channel_.is_connected() || !channel_.broken().empty()) return Error{why_gone(), {}};
    if (is_stopped(stop_)) return Error{"stopped", {}};
    if (Clock::now() >= deadline) return Error{what, {}};
    const int wanted = channel_.has_unsent() ? POLLIN | POLLOUT : POLLIN;
    pollfd watched = {channel_.descriptor(), static_cast<short>(wanted), 0};
    ::poll(&watched, 1, poll_timeout_ms(deadline));
  }
}

std::string Member::why_gone() const {
  if (!refused_.empty()) return refused_;
  if (size_ == 0 && !channel_.distrust().empty()) return channel_.distrust();
  if (size_ == 0 && channel_.is_connected())
    return channel_.broken() + "; is it a latchlab coordinator?";
  return fmt::format("the coordinator at {} is gone: {}", coordinator_, channel_.broken());
}

void Member::hear() {
  channel_.flush();
  channel_.receive();
  while (auto frame = channel_.next()) take(std::move(*frame));
}

void Member::take(Frame frame) {
  switch (frame.kind) {
    case FrameKind::refused:
      refused_ = size_ == 0 ? std::move(frame.payload)
                            : fmt::format("the coordinator at {} has given this node up: {}",
                                          coordinator_, frame.payload);
      return;
    case FrameKind::welcome:
      rank_ = frame.rank;
      size_ = frame.number;
      return;
    case FrameKind::job_common:
      job_.common = std::move(frame.payload);
      return;
    case FrameKind::job:
      return begin_job(std::move(frame));
    case FrameKind::dismissed:
      phase_ = Phase::dismissed;
      channel_.close("it has dismissed this node");
      return;
    default:
      // Ignored if idle: sent before the coordinator knew that this member had finished.
      if (phase_ == Phase::at_work || phase_ == Phase::offered) take_of_job(std::move(frame));
  }
}

void Member::begin_job(Frame frame) {
  job_.id = frame.number;
  job_.own = std::move(frame.payload);
  phase_ = Phase::offered;
  parts_.assign(size_, std::nullopt);
  parts_there_ = 0;
  exchange_ = 0;
  exchanges_fail_.clear();
  stop_requested_ = false;
}

void Member::take_of_job(Frame frame) {
  switch (frame.kind) {
    case FrameKind::part:
      return take_part(std::move(frame));
    case FrameKind::broadcast:
      events_.push_back({Event::Kind::broadcast, frame.rank, std::move(frame.payload)});
      return;
    case FrameKind::peer_lost:
      fail_exchanges(frame.payload);
      events_.push_back({Event::Kind::peer_lost, frame.rank, std::move(frame.payload)});
      return;
    case FrameKind::exchange_failed:
      return fail_exchanges(frame.payload);
    case FrameKind::stop:
      stop_requested_ = true;
      fail_exchanges("the run is being stopped");
      events_.push_back({Event::Kind::stop, 0, {}});
      return;
    default:
      channel_.close("it sent what only a member sends");
  }
}

void Member::take_part(Frame frame) {
  if (frame.number != exchange_ || frame.rank >= size_ || parts_[frame.rank])
    return channel_.close("it sent a part of an exchange out of turn");
  parts_[frame.rank] = std::move(frame.payload);
  ++parts_there_;
}

void Member::fail_exchanges(const std::string& why) {
  if (exchanges_fail_.empty()) exchanges_fail_ = why;
}

Result<std::optional<Job>> Member::next_job(Deadline deadline) {
  LATCHLAB_CHECK(phase_ != Phase::at_work, "a job is finished before the next one");
  const Status heard =
      wait_until([this] { return phase_ != Phase::idle; }, deadline, "no job came in time");
  if (!heard) return heard.error();
  if (phase_ == Phase::dismissed) return std::optional<Job>();
  phase_ = Phase::at_work;
  return std::optional<Job>(std::move(job_));
}

Result<std::vector<std::string>> Member::exchange(std::string_view mine, Deadline deadline) {
  return exchange_as(FrameKind::part, mine, deadline);
}

Result<std::vector<std::string>> Member::exchange_each(const std::vector<std::string>& each,
                                                       Deadline deadline) {
  LATCHLAB_CHECK(each.size() == size_, "a blob for each member");
  return exchange_as(FrameKind::slices, join_slices(each), deadline);
}

Result<std::vector<std::string>> Member::exchange_as(FrameKind kind, std::string_view mine,
                                                     Deadline deadline) {
  LATCHLAB_CHECK(phase_ == Phase::at_work, "exchanges belong to a job");
  if (!fits(mine))
    return Error{fmt::format("a blob of {} bytes is too long to exchange", mine.size()), {}};
  hear();
  if (!exchanges_fail_.empty()) return Error{exchanges_fail_, {}};
  channel_.send(encode(kind, rank_, exchange_, mine));
  // All parts precede the frame that makes later exchanges fail, even if both arrive together.
  const auto over = [this] { return parts_there_ == size_ || !exchanges_fail_.empty(); };
  const Status heard = wait_until(over, deadline, "others did not come to the exchange in time");
  if (!heard) fail_exchanges(heard.error().message);
  if (parts_there_ < size_) return Error{exchanges_fail_, {}};
  std::vector<std::string> all;
  for (auto& part : parts_) all.push_back(std::move(*part));
  parts_.assign(size_, std::nullopt);
  parts_there_ = 0;
  ++exchange_;
  return all;
}

void Member::broadcast(std::string_view blob) {
  LATCHLAB_CHECK(fits(blob), "a broadcast is short");
  if (phase_ != Phase::at_work) return;
  channel_.send(encode(FrameKind::broadcast, rank_, 0, blob));
}

std::vector<Event> Member::poll() {
  hear();
  if (!channel_.broken().empty() && !told_of_loss_) {
    told_of_loss_ = true;
    events_.push_back({Event::Kind::coordinator_lost, 0, why_gone()});
  }
  return std::exchange(events_, {});
}

Status Member::finish(std::string_view blob, Deadline deadline) {
  LATCHLAB_CHECK(phase_ == Phase::at_work, "a job is finished once");
  phase_ = Phase::idle;
  events_.clear();
  if (!fits(blob))
    return Error{fmt::format("a result of {} bytes is too long to send", blob.size()), {}};
  channel_.send(encode(FrameKind::finish, rank_, job_.id, blob));
  // The coordinator may already have read the result and dismissed this member.
  const auto taken = [this] {
    return !channel_.has_unsent() && refused_.empty() &&
           (channel_.is_connected() || phase_ == Phase::dismissed);
  };
  return wait_until(taken, deadline, "the coordinator did not take the result in time");
}

}  // namespace latchlab::launch

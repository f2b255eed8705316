#include "core/launch/coordinator.h"

#include <fmt/core.h>

#include <algorithm>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "core/launch/connections.h"
#include "core/launch/rendezvous.h"

namespace latchlab::launch {
namespace {

// Limit of queued events for a member that does not read; then it is lost, to bound the
// coordinator's memory.
constexpr std::size_t kMaxUnreadBytes = 256 << 20;

constexpr std::chrono::milliseconds kDismissWithin{2000};

Error not_gathered(const Connections& connections, std::uint32_t members, const std::string& why) {
  std::string text =
      fmt::format("{} of {} members are there: {}", connections.present(), members, why);
  for (const std::string& more :
       {connections.admission().trouble(), connections.admission().last_refusal()})
    if (!more.empty()) text += "; " + more;
  return {text, {}};
}

// One job of a coordinator, from its first frame to its last.
//
// Every frame of a job passes through this class, and each member receives them in the same order:
// the parts of an exchange and then any event that makes later exchanges fail (a loss, a request to
// stop, a member that has finished), or that event and no parts. So an exchange succeeds at all
// members that survive it or at none of them.
class JobRun {
 public:
  JobRun(Connections& connections, std::uint32_t id, const JobWatch& watch);
  Result<JobOutcome> run(const std::string& common, const std::vector<std::string>& each);

 private:
  Status begin(const std::string& common, const std::vector<std::string>& each);
  void hear(std::uint32_t rank, const Frame& frame);
  void take_part(std::uint32_t rank, const Frame& frame);
  void finish_exchange();
  void fail_exchanges(const std::string& why);
  void fail_without(std::uint32_t rank);  // the member has finished
  void relay(std::uint32_t from, const std::string& blob);
  void finish(std::uint32_t rank, const std::string& blob);
  void lost(std::uint32_t rank, const std::string& text);
  void ask_to_stop();
  void to_all_at_work(const Bytes& frame);
  bool is_at_work(std::uint32_t rank) const;
  bool is_over() const;

  Connections& connections_;
  std::uint32_t id_;
  const JobWatch& watch_;
  Connections::Events events_;
  Deadline deadline_;
  JobOutcome outcome_;
  // Parts of the current exchange, by sender: one for all or one for each member, ready to forward.
  std::vector<std::vector<Bytes>> parts_;
  std::uint32_t parts_there_ = 0;
  std::uint32_t exchange_ = 0;
  std::optional<std::uint32_t> first_finished_;
  bool exchanges_fail_ = false;
};

JobRun::JobRun(Connections& connections, std::uint32_t id, const JobWatch& watch)
    : connections_(connections), id_(id), watch_(watch), deadline_(watch.deadline) {
  events_.frame = [this](std::uint32_t rank, const Frame& frame) { hear(rank, frame); };
  events_.lost = [this](std::uint32_t rank, const std::string& text) { lost(rank, text); };
  outcome_.replies.resize(connections.size());
  for (std::uint32_t rank = 0; rank < connections.size(); ++rank)
    outcome_.replies[rank].rank = rank;
  parts_.resize(connections.size());
}

Result<JobOutcome> JobRun::run(const std::string& common, const std::vector<std::string>& each) {
  const Status begun = begin(common, each);
  if (!begun) return begun.error();
  while (!is_over() && Clock::now() < deadline_) {
    if (!outcome_.stopped && is_stopped(watch_.stop)) ask_to_stop();
    if (watch_.tick) watch_.tick();
    connections_.turn(deadline_, events_);
  }
  for (std::uint32_t rank = 0; rank < connections_.size(); ++rank)
    if (is_at_work(rank))
      connections_.lose(rank,
                        outcome_.stopped ? "it did not stop in time" : "it did not finish in time",
                        events_);
  return outcome_;
}

Status JobRun::begin(const std::string& common, const std::vector<std::string>& each) {
  for (std::uint32_t rank = 0; rank < connections_.size(); ++rank)
    if (!connections_.is_present(rank))
      return Error{fmt::format("member {} is missing; gather the members again", rank), {}};
  const bool all_fit = fits(common) && std::all_of(each.begin(), each.end(),
                                                   [](const auto& blob) { return fits(blob); });
  if (!all_fit)
    return Error{fmt::format("a job is longer than a frame can be ({} MiB)", kMaxFrameBytes >> 20),
                 {}};
  const Bytes for_all = encode(FrameKind::job_common, 0, id_, common);
  for (std::uint32_t rank = 0; rank < connections_.size(); ++rank) {
    connections_.send(rank, for_all);
    connections_.send(rank, encode(FrameKind::job, rank, id_, each.empty() ? "" : each[rank]));
  }
  return fine();
}

bool JobRun::is_at_work(std::uint32_t rank) const {
  const JobReply& reply = outcome_.replies[rank];
  return !reply.blob && reply.lost.empty();
}

bool JobRun::is_over() const {
  for (std::uint32_t rank = 0; rank < connections_.size(); ++rank)
    if (is_at_work(rank)) return false;
  return true;
}

void JobRun::to_all_at_work(const Bytes& frame) {
  for (std::uint32_t rank = 0; rank < connections_.size(); ++rank)
    if (is_at_work(rank)) connections_.send(rank, frame);
}

void JobRun::hear(std::uint32_t rank, const Frame& frame) {
  // The member has finished or replaced a lost one, so it must not send anything.
  if (!is_at_work(rank)) return connections_.lose(rank, "it spoke without a job", events_);
  switch (frame.kind) {
    case FrameKind::part:
    case FrameKind::slices:
      return take_part(rank, frame);
    case FrameKind::broadcast:
      return relay(rank, frame.payload);
    case FrameKind::finish:
      return finish(rank, frame.payload);
    default:
      return connections_.lose(rank, "it sent what only a coordinator sends", events_);
  }
}

void JobRun::take_part(std::uint32_t rank, const Frame& frame) {
  if (exchanges_fail_) return;  // it learns this from another frame
  if (frame.number != exchange_ || !parts_[rank].empty())
    return connections_.lose(rank, "it takes part in an exchange out of turn", events_);
  if (frame.kind == FrameKind::part) {
    parts_[rank] = {encode(FrameKind::part, rank, exchange_, frame.payload)};
  } else {
    const auto slices = cut_slices(frame.payload, connections_.size());
    if (!slices)
      return connections_.lose(rank, "what it gives is not one blob for each member", events_);
    for (const std::string_view slice : *slices)
      parts_[rank].push_back(encode(FrameKind::part, rank, exchange_, slice));
  }
  ++parts_there_;
  if (first_finished_) return fail_without(*first_finished_);
  if (parts_there_ == connections_.size()) finish_exchange();
}

void JobRun::finish_exchange() {
  for (const std::vector<Bytes>& part : parts_)
    for (std::uint32_t rank = 0; rank < connections_.size(); ++rank)
      if (is_at_work(rank)) connections_.send(rank, part[part.size() == 1 ? 0 : rank]);
  parts_.assign(connections_.size(), {});
  parts_there_ = 0;
  ++exchange_;
}

void JobRun::fail_exchanges(const std::string& why) {
  if (exchanges_fail_) return;
  exchanges_fail_ = true;
  parts_.assign(connections_.size(), {});
  to_all_at_work(encode(FrameKind::exchange_failed, 0, exchange_, why));
}

void JobRun::fail_without(std::uint32_t rank) {
  fail_exchanges(
      fmt::format("member {} on {} finished its job without an exchange that others wait for", rank,
                  connections_.peer(rank).host));
}

void JobRun::relay(std::uint32_t from, const std::string& blob) {
  const Bytes frame = encode(FrameKind::broadcast, from, 0, blob);
  for (std::uint32_t rank = 0; rank < connections_.size(); ++rank) {
    if (rank == from || !is_at_work(rank)) continue;
    if (connections_.unsent_bytes(rank) > kMaxUnreadBytes)
      connections_.lose(rank, "it does not take what it is sent", events_);
    else
      connections_.send(rank, frame);
  }
  if (watch_.heard) watch_.heard(from, blob);
}

void JobRun::finish(std::uint32_t rank, const std::string& blob) {
  outcome_.replies[rank].blob = blob;
  if (!first_finished_) first_finished_ = rank;
  if (parts_there_ > 0) fail_without(rank);
}

void JobRun::lost(std::uint32_t rank, const std::string& text) {
  if (!is_at_work(rank)) return;  // it has finished, or was not in this job
  outcome_.replies[rank].lost = text;
  exchanges_fail_ = true;  // peer_lost tells the members at work
  to_all_at_work(encode(FrameKind::peer_lost, rank, 0, text));
  if (watch_.lost) watch_.lost(rank, text);
}

void JobRun::ask_to_stop() {
  outcome_.stopped = true;
  exchanges_fail_ = true;  // the stop frame tells the members
  deadline_ = std::min(deadline_, within(watch_.stop_grace));
  to_all_at_work(encode(FrameKind::stop, 0, id_));
}

}  // namespace

bool JobOutcome::complete() const {
  return std::all_of(replies.begin(), replies.end(),
                     [](const JobReply& reply) { return reply.blob.has_value(); });
}

Coordinator::Coordinator(std::unique_ptr<Connections> connections)
    : connections_(std::move(connections)) {}
Coordinator::~Coordinator() = default;
Coordinator::Coordinator(Coordinator&&) noexcept = default;
Coordinator& Coordinator::operator=(Coordinator&&) noexcept = default;

Result<Coordinator> Coordinator::listen(const RendezvousOptions& options) {
  AdmissionRules rules{options.program, options.token, options.hello_within, options.note};
  if (rules.token.empty()) {
    auto token = random_token();
    if (!token) return token.error();
    rules.token = std::move(token).value();
  }
  auto listener = listen_at(options.at);
  if (!listener) return listener.error();
  return Coordinator(
      std::make_unique<Connections>(Admission(std::move(listener).value(), std::move(rules))));
}

std::uint16_t Coordinator::port() const {
  return connections_->admission().port();
}

const std::string& Coordinator::token() const {
  return connections_->admission().rules().token;
}

Status Coordinator::gather(std::uint32_t members, const GatherWatch& watch) {
  if (connections_->size() == 0) connections_->set_size(members);
  LATCHLAB_CHECK(members > 0 && connections_->size() == members, "the number of members is fixed");
  const auto& note = connections_->admission().rules().note;
  Connections::Events events;
  events.lost = [&](std::uint32_t, const std::string& text) {
    if (note) note(text);
  };
  events.frame = [&](std::uint32_t rank, const Frame&) {
    connections_->lose(rank, "it spoke before it had a job", events);
  };
  // At least one turn: a member that has died since the last job still occupies its seat.
  do {
    connections_->turn(connections_->present() == members ? Clock::now() : watch.deadline, events);
    if (connections_->present() == members) return fine();
    const Status alive = watch.tick ? watch.tick() : fine();
    if (!alive) return not_gathered(*connections_, members, alive.error().message);
    if (is_stopped(watch.stop)) return not_gathered(*connections_, members, "stopped");
  } while (Clock::now() < watch.deadline);
  return not_gathered(*connections_, members, "no more came in time");
}

Result<JobOutcome> Coordinator::run_job(const std::string& common,
                                        const std::vector<std::string>& each,
                                        const JobWatch& watch) {
  LATCHLAB_CHECK(connections_->size() > 0, "members are gathered before they get a job");
  LATCHLAB_CHECK(each.empty() || each.size() == connections_->size(),
                 "one blob for each member, or none");
  return JobRun(*connections_, jobs_++, watch).run(common, each);
}

std::vector<Peer> Coordinator::peers() const {
  std::vector<Peer> all;
  for (std::uint32_t rank = 0; rank < connections_->size(); ++rank)
    all.push_back(connections_->peer(rank));
  return all;
}

bool Coordinator::is_present(std::uint32_t rank) const {
  return connections_->is_present(rank);
}

void Coordinator::dismiss() {
  const Deadline deadline = within(kDismissWithin);
  const Bytes goodbye = encode(FrameKind::dismissed, 0, 0);
  for (std::uint32_t rank = 0; rank < connections_->size(); ++rank)
    connections_->send(rank, goodbye);
  // Wait until each member has closed its connection; closing first could reset it before the
  // member reads.
  Connections::Events deaf;
  deaf.frame = [](std::uint32_t, const Frame&) {};
  deaf.lost = [](std::uint32_t, const std::string&) {};
  while (connections_->present() > 0 && Clock::now() < deadline) connections_->turn(deadline, deaf);
  for (std::uint32_t rank = 0; rank < connections_->size(); ++rank) connections_->drop(rank);
}

}  // namespace latchlab::launch

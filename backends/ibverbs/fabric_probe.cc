#include "backends/ibverbs/fabric_probe.h"

#include <fmt/core.h>
#include <infiniband/verbs.h>

#include <algorithm>
#include <cstddef>
#include <cstring>
#include <thread>
#include <utility>

#include "backends/ibverbs/clock_offset.h"
#include "backends/ibverbs/native_atomics.h"
#include "backends/ibverbs/node_descriptor.h"

namespace latchlab::ib {

namespace {

constexpr std::uint32_t kDepthOfProbe = 4;  // a node has one outstanding request at a time
constexpr int kNoCompletion = -1;
// Added to the time of all tries, which covers known devices; then the verb counts as not ending.
constexpr std::int64_t kSlackNs = 5'000'000'000;
// A device may wait up to four times the timeout asked for.
constexpr std::int64_t kTimeoutsOfDevice = 8;
constexpr std::uint32_t kPollsAtATime = 1000;  // before the core is yielded
constexpr std::uint64_t kOdd = 0x9e37'79b9'7f4a'7c15;

// Precedes a node's descriptor (descriptors.h), which has the address of the memory.
struct Ends {
  std::array<QpAddress, 2> out, in;  // by line; of the node that sends them
};

const char* name_of(WorkRequest::Kind kind) {
  switch (kind) {
    case WorkRequest::Kind::read:
      return "READ";
    case WorkRequest::Kind::write:
      return "WRITE";
    default:
      return "FETCH_ADD";
  }
}

}  // namespace

Result<std::unique_ptr<FabricProbe>> FabricProbe::make(const DeviceChoice& choice, NodeId self,
                                                       std::uint32_t nodes,
                                                       const ProbeOptions& options) {
  auto device = Device::open(choice);
  if (!device) return device.error();
  auto made = std::unique_ptr<FabricProbe>(new FabricProbe(self, nodes, options));
  made->device_ = std::move(device).value();
  auto registered = Registration::make(*made->device_, made->area_.get(), sizeof(Area), true);
  if (!registered) return registered.error();
  made->registered_ = std::move(registered).value();
  auto cq = CompletionQueue::make(*made->device_, 2 * kDepthOfProbe);
  if (!cq) return cq.error();
  made->cq_ = std::move(cq).value();
  if (Status ready = made->make_ways(); !ready) return ready.error();
  return made;
}

Status FabricProbe::make_ways() {
  for (std::size_t i = 0; i < ways_.size(); ++i) {
    if (i + 1 == self_.value) continue;
    for (const Line line : {strict, patient}) {
      QpOptions options;
      options.depth = kDepthOfProbe;
      options.timeout = options_.timeout;
      options.retries = line == strict ? 0 : options_.retries;
      for (auto* ends : {&ways_[i].out, &ways_[i].in}) {
        auto qp = QueuePair::make(*device_, cq_, options);
        if (!qp) return qp.error();
        (*ends)[line] = std::move(qp).value();
      }
    }
  }
  return fine();
}

std::vector<std::string> FabricProbe::descriptors() const {
  std::vector<std::string> all;
  for (std::size_t i = 0; i < ways_.size(); ++i)
    all.push_back(i + 1 == self_.value ? "" : descriptor_for(ways_[i]));
  return all;
}

std::string FabricProbe::descriptor_for(const Way& way) const {
  Ends ends;
  for (const Line line : {strict, patient}) {
    ends.out[line] = way.out[line].address();
    ends.in[line] = way.in[line].address();
  }
  NodeDescriptor descriptor;
  descriptor.node = self_;
  descriptor.base = reinterpret_cast<std::uint64_t>(area_.get());
  descriptor.bytes = sizeof(Area);
  descriptor.key = registered_.remote_key();
  descriptor.infiniband = device_->facts().infiniband ? 1 : 0;
  descriptor.pkey = device_->path().pkey;
  if (device_->facts().atomics) descriptor.atomics = NativeAtomics::plain;
  return std::string(reinterpret_cast<const char*>(&ends), sizeof(ends)) +
         write_descriptor(descriptor);
}

void FabricProbe::connect(const std::vector<std::string>& descriptors) {
  for (std::uint32_t i = 0; i < ways_.size() && i < descriptors.size(); ++i)
    if (i + 1 != self_.value) connect_way(i, descriptors[i]);
}

void FabricProbe::connect_way(std::uint32_t index, const std::string& descriptor) {
  Way& way = ways_[index];
  const NodeId to{static_cast<std::uint16_t>(index + 1)};
  Ends theirs;
  if (descriptor.size() < sizeof(theirs)) {
    way.report.why = fmt::format("node {} has no port to try", to.value);
    return;
  }
  std::memcpy(&theirs, descriptor.data(), sizeof(theirs));
  const auto facts = read_descriptor(descriptor.substr(sizeof(theirs)), to);
  NodeDescriptor own;
  own.node = self_;
  own.infiniband = device_->facts().infiniband ? 1 : 0;
  own.pkey = device_->path().pkey;
  const Status fits = !facts ? Status(facts.error()) : check_fabric(own, facts.value());
  if (!fits) {
    way.report.why = fits.error().text();
    return;
  }
  way.remote = facts.value().base;
  way.remote_key = facts.value().key;
  way.has_atomics = device_->facts().atomics && facts.value().atomics != 0;
  way.packet_bytes = 128U << std::min(device_->mtu(), theirs.in[strict].mtu);
  way.connected = true;
  for (const Line line : {strict, patient}) {
    const Status out = way.out[line].connect(theirs.in[line]);
    const Status in = way.in[line].connect(theirs.out[line]);
    if (out && in) continue;
    way.report.end = WayReport::End::unreachable;
    way.report.why = "no connection: " + (out ? in : out).error().text();
    way.connected = false;
    return;
  }
}

WayReport FabricProbe::try_way(NodeId to) {
  Way& way = ways_.at(to.value - 1);
  WayReport& report = way.report;
  if (!way.connected) return report;
  constexpr std::array<Step, 5> kSteps = {
      Step{WorkRequest::Kind::write, 8}, Step{WorkRequest::Kind::read, 8},
      Step{WorkRequest::Kind::faa, 8}, Step{WorkRequest::Kind::write, 0},
      Step{WorkRequest::Kind::read, 0}};
  std::vector<std::int64_t> trips_ns;
  Line line = strict;
  counted_.reset();
  std::optional<WayReport::End> end;
  for (std::uint32_t i = 0; i < options_.tries && !end; ++i) {
    const std::uint64_t stamp = (self_.value * kOdd) ^ (to.value * kOdd << 8) ^ (i + 1);
    for (Step step : kSteps) {
      if (step.kind == WorkRequest::Kind::faa && !way.has_atomics) continue;
      if (step.bytes == 0) step.bytes = way.packet_bytes;
      if (end = take_step(way, line, step, stamp, trips_ns); end) break;
      ++report.verbs;
    }
  }
  using End = WayReport::End;
  report.end = end.value_or(report.lost > 0 ? End::lossy : End::fine);
  if (report.end == End::lossy)
    report.why = fmt::format("{} of {} verbs waited for a lost packet", report.lost, report.verbs);
  std::sort(trips_ns.begin(), trips_ns.end());
  if (!trips_ns.empty()) {
    report.min_ns = trips_ns.front();
    report.median_ns = trips_ns[trips_ns.size() / 2];
    report.max_ns = trips_ns.back();
  }
  return report;
}

std::optional<WayReport::End> FabricProbe::take_step(Way& way, Line& line, Step step,
                                                     std::uint64_t stamp,
                                                     std::vector<std::int64_t>& trips_ns) {
  WorkRequest request;
  request.kind = step.kind;
  request.signalled = true;
  request.bytes = step.bytes;
  request.operand = 1;
  const bool adds = step.kind == WorkRequest::Kind::faa;
  request.remote = way.remote + (adds ? offsetof(Area, counter) : offsetof(Area, shared));
  request.remote_key = way.remote_key;
  const bool writes = step.kind == WorkRequest::Kind::write;
  request.local = writes ? area_->sent.data() : area_->received.data();
  request.local_key = registered_.local_key();
  if (writes)
    for (std::size_t i = 0; i < area_->sent.size(); ++i) area_->sent[i] = stamp + kOdd * i;
  const std::int64_t began = monotonic_ns();
  int status = run(way.out[line], request);
  std::int64_t took = monotonic_ns() - began;
  const bool repeated = line == strict && status == IBV_WC_RETRY_EXC_ERR;
  if (repeated) {
    line = patient;
    counted_.reset();  // unknown whether the first try took effect
    status = run(way.out[line], request);
    took = monotonic_ns() - began;
  }
  if (status != IBV_WC_SUCCESS) {
    const std::string what = fmt::format("a {} of {} bytes", name_of(step.kind), step.bytes);
    way.report.why = status == kNoCompletion ? what + " does not end"
                     : status == IBV_WC_RETRY_EXC_ERR
                         ? what + " is not answered"
                         : fmt::format("{} ends as {}", what, name_of_status(status));
    return WayReport::End::unreachable;
  }
  if (repeated || (line == patient && took > timeout_ns())) ++way.report.lost;
  if (step.kind == WorkRequest::Kind::read && step.bytes == 8 && !repeated)
    trips_ns.push_back(took);
  if (brought_back(step, stamp)) return std::nullopt;
  way.report.why = fmt::format("a {} of {} bytes brought back what was not there",
                               name_of(step.kind), step.bytes);
  return WayReport::End::wrong_data;
}

bool FabricProbe::brought_back(Step step, std::uint64_t stamp) {
  if (step.kind == WorkRequest::Kind::write) return true;
  const auto& found = area_->received;
  if (step.kind == WorkRequest::Kind::faa) {
    const bool right = counted_.value_or(found[0]) == found[0];
    counted_ = found[0] + 1;
    return right;
  }
  for (std::size_t i = 0; i < step.bytes / 8; ++i)
    if (found[i] != stamp + kOdd * i) return false;
  return true;
}

int FabricProbe::run(QueuePair& qp, const WorkRequest& request) {
  area_->received.fill(0);
  if (qp.post({&request, 1}) != 0) return kNoCompletion;
  const std::int64_t until =
      monotonic_ns() + kSlackNs + (options_.retries + 1) * kTimeoutsOfDevice * timeout_ns();
  for (std::uint32_t polls = 1;; ++polls) {
    if (Done done; cq_.poll({&done, 1}) > 0) return done.status;
    if (polls % kPollsAtATime != 0) continue;
    if (monotonic_ns() > until) return kNoCompletion;
    std::this_thread::yield();
  }
}

}  // namespace latchlab::ib

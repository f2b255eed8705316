#include "models/measured/equations.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <optional>
#include <utility>

#include "core/verbs/message.h"
#include "models/measured/benchmarks.h"

namespace latchlab {
namespace {

constexpr double kNsPerSecond = 1e9;
constexpr double kPsInNs = 1000;
constexpr double kCell = 1.0 / 2048;  // of a histogram: the largest relative error of a percentile
constexpr double kUniformSigma = 1.7321;  // half-width / standard deviation
// The minimum of n sums of two uniform delays exceeds the smallest possible sum by this much over
// sqrt(n), in units of the range: E[min] = sqrt(pi / 2n) where P(sum < s) = s^2 / 2.
constexpr double kLeastOfMany = 1.2533;
constexpr double kStillGrowing = 1.05;   // growth of a rate with more clients
constexpr std::uint32_t kSmallest = 64;  // bytes that a port sends without extra time
// Bytes that operations add to their packets (InfiniBand, volume 1, chapter 9): an atomic's address
// and operands, and those of a masked CAS of 16 bytes.
constexpr int kAtomicEth = 28;
constexpr int kMasked16 = 12 + 4 * 16;
const std::vector<int>& sizes() {
  static const std::vector<int> all = {8, 64, 256, 1024, 4096};
  return all;
}

Sum operator+(Sum a, const Sum& b) {
  a.insert(a.end(), b.begin(), b.end());
  return a;
}

// Both ways of a verb that does not wait, and its client's work.
Sum trip(const std::string& way = "latency.one_way",
         const std::string& completion = "latency.completion") {
  return {{"latency.post", 1}, {way, 2}, {"latency.jitter", 1}, {completion, 1}};
}

using Values = std::vector<double>;
using Read = double (*)(const Measured::Repeat&);
double typical(const Measured::Repeat& repeat) {
  return repeat.typical;
}
double pace(const Measured::Repeat& repeat) {
  return repeat.pace;
}
double cycle(const Measured::Repeat& repeat) {
  return repeat.cycle;
}

double average(const Values& values) {
  double sum = 0;
  for (const double value : values) sum += value;
  return sum / static_cast<double>(values.size());
}

class Writer {
 public:
  Writer(const Measurements& measurements, const NicModel& packets)
      : measurements_(measurements), packets_(packets) {}

  // What the longer of a verb's two packets takes on the wire: its payload, `headers` of the
  // operation, and what each packet adds.
  double wire_bytes(int payload, int headers) const {
    const std::int64_t count = packets_of(payload, packets_.mtu);
    return static_cast<double>(payload + headers + count * packets_.packet_overhead);
  }
  // Whether the link carries hardly more verbs of so many bytes than were measured. Of a PCIe that
  // is slower than the link, `link_4096` tells less than the link carries.
  bool fills_link(const Values& measured, double bytes) const {
    constexpr double kClearly = 1.1;
    const Values link = values("link_4096", pace);
    const double byte = link.empty() ? 0 : average(link) / wire_bytes(4096, kReth);
    return average(measured) < kClearly * bytes * byte;
  }

  Values values(const std::string& label, Read read) const {
    Values values;
    const auto found = measurements_.find(label);
    if (found != measurements_.end())
      for (const Measured::Repeat& repeat : found->second.repeats) values.push_back(read(repeat));
    return values;
  }

  // Adds a latency; its spread determines the jitter.
  void latency(const std::string& label, Sum sum, std::vector<std::string> tells,
               bool spreads = false) {
    const Values measured = values(label, typical);
    if (measured.empty()) return;
    const double cell = average(measured) * kCell / kUniformSigma;
    add(label, label, measured, cell, std::move(sum), std::move(tells));
    if (!spreads) return;
    Values spread;
    double count = 0;
    for (const Measured::Repeat& repeat : measurements_.at(label).repeats) {
      spread.push_back(repeat.typical - repeat.least);
      count = repeat.acquisitions;
    }
    const double factor = 1 - kLeastOfMany / std::sqrt(std::max(4.0, count));
    add(label + " spread", label, spread, cell, {{"latency.jitter", factor}}, {"latency.jitter"});
  }

  // Adds the time per verb of a saturated station. It is saturated if more clients change nothing.
  // `bytes`: of its longer packet; 0: its packets cannot fill a link.
  void rate(const std::string& label, Sum sum, std::vector<std::string> tells, double bytes = 0) {
    const Values measured = values(label, pace);
    const Values fewer = values(label + kFewer, pace);
    if (measured.empty() || fewer.empty()) return;
    if (fills_link(measured, bytes)) {
      all_.unused.push_back(label + ": its packets fill the link");
      return;
    }
    const double growth = average(fewer) / average(measured);
    if (growth > kStillGrowing) {
      all_.unused.push_back(
          fmt::format("{}: with more clients the rate still grows, by {:.0f} %: it is theirs, and "
                      "not the NIC's "
                      "that they ask",
                      label, (growth - 1) * 100));
      return;
    }
    add(label, label, measured, 0, std::move(sum), std::move(tells));
  }

  void plain(const std::string& label, Read read, Sum sum, std::vector<std::string> tells) {
    const Values measured = values(label, read);
    if (!measured.empty()) add(label, label, measured, 0, std::move(sum), std::move(tells));
  }

  void add(std::string name, const std::string& label, Values measured, double resolution, Sum sum,
           std::vector<std::string> tells) {
    const Benchmark* const benchmark = benchmark_of(label);
    all_.all.push_back({std::move(name), benchmark != nullptr ? benchmark->name : label,
                        std::move(measured), resolution, std::move(sum), std::move(tells)});
  }

  // Beside what the model says, for a reader to see: no constant is fitted to it.
  void compared(const std::string& label, Read read, Sum sum) {
    plain(label, read, std::move(sum), {});
  }

  void unused(std::string why) { all_.unused.push_back(std::move(why)); }
  Equations take() { return std::move(all_); }

 private:
  const Measurements& measurements_;
  const NicModel& packets_;
  Equations all_;
};

// The growth of a latency with size is not fitted, because the model attributes it to the link
// alone; it is only shown beside the measurement.
std::vector<std::string> told(int bytes, const char* key) {
  if (bytes > static_cast<int>(kSmallest)) return {};
  return {key};
}

void write_latencies(Writer& to) {
  for (const int bytes : sizes()) {
    const double carried = std::max(bytes - static_cast<int>(kSmallest), 0);
    const Sum moved = carried > 0 ? Sum{{kLinkByte, carried}} : Sum{};
    to.latency(fmt::format("read_{}", bytes),
               trip() + Sum{{"responder.read", 1}, {"latency.read", 1}} + moved,
               told(bytes, "latency.read"), bytes == 8);
    to.latency(fmt::format("write_{}", bytes),
               trip() + Sum{{"responder.write", 1}, {"latency.write", 1}} + moved,
               told(bytes, "latency.write"), bytes == 8);
  }
  to.compared("behind_read", typical,
              trip() + Sum{{"responder.atomic_8", 8},
                           {"atomic.same_address", 8},
                           {"responder.read", 1},
                           {"latency.read", 1}});
  to.compared("beside_read", cycle, trip() + Sum{{"responder.read", 1}, {"latency.read", 1}});
  const Sum atomic = trip() + Sum{{"responder.atomic_8", 1}};
  const Sum wide =
      trip() +
      Sum{{"responder.atomic_16", 1}, {"atomic.same_address_16", 1}, {"latency.atomic_16", 1}};
  const Sum in_slot = {{"atomic.same_address", 1}};
  to.latency("cas", atomic + in_slot, {"latency.one_way"}, true);
  to.latency("cas_failed", atomic + Sum{{"atomic.same_address_failed", 1}}, {"latency.one_way"},
             true);
  to.latency("faa", atomic + in_slot, {"latency.one_way"}, true);
  to.latency("masked_cas_8", atomic + in_slot, {"latency.one_way"});
  to.latency("masked_faa_8", atomic + in_slot, {"latency.one_way"});
  to.latency("masked_cas_16", wide, {"latency.atomic_16"});
  to.latency("masked_faa_16", wide, {"latency.atomic_16"});
  to.plain("send", cycle, trip() + Sum{{"responder.send", 1}}, {"latency.one_way"});
  for (const char* ping : {"ping", "ping_again"})
    to.plain(ping, cycle,
             {{"latency.post", 2},
              {"latency.one_way", 2},
              {"latency.jitter", 1},
              {"latency.completion", 2},
              {"responder.send", 2},
              {"latency.receive", 2},
              {"local.handle_message", 2}},
             {"latency.receive"});
  to.latency(
      "loop_cas",
      trip("local.loopback_one_way") + Sum{{"responder.atomic_8", 1}, {"atomic.same_address", 1}},
      {"local.loopback_one_way"});
}

// The rates of CAS at `memory`, a prefix of labels, whose constants are `key` of a name.
void write_atomic_rates(Writer& to, const std::string& memory,
                        const std::function<std::string(const std::string&)>& key_of) {
  const struct {
    const char* label;
    const char* name;
    double bytes;
  } rates[] = {{"spread", "atomic_8", to.wire_bytes(0, kAtomicEth)},
               {"spread_16", "atomic_16", to.wire_bytes(0, kMasked16)},
               {"same", "same_address", 0},
               {"same_failed", "same_address_failed", 0},
               {"same_16", "same_address_16", 0}};
  for (const auto& [label, name, bytes] : rates)
    to.rate(memory + label, {{key_of(name), 1}}, {key_of(name)}, bytes);
}

void write_rates(Writer& to) {
  to.compared("same_read", pace, {{"responder.read", 1}});
  const auto rate = [&](const char* label, const char* key, double bytes) {
    to.rate(label, {{key, 1}}, {key}, bytes);
  };
  rate("read_rate", "responder.read", to.wire_bytes(0, kReth));
  rate("write_rate", "responder.write", to.wire_bytes(8, kReth));
  rate("send_rate", "responder.send", to.wire_bytes(sizeof(Message), 0));
  to.rate("loop_read", {{"responder.read", 1}, {"request.answer", 1}}, {"request.answer"});
  write_atomic_rates(to, "", [](const std::string& name) {
    return (name.starts_with("same") ? "atomic." : "responder.") + name;
  });
  for (const int bytes : {1024, 4096})
    to.rate(fmt::format("loop_{}", bytes), {{"pcie.per_verb", 2}, {kPcieByte, 2.0 * bytes}},
            {"pcie.per_verb", kPcieByte});
}

// Short WRITEs in loopback: in the model the slower of the two ends, however many there are.
void write_short_loopback(Writer& to) {
  const Values issued = to.values("issue", pace);
  const Values taken = to.values("write_rate", pace);
  if (issued.empty() || taken.empty()) return;
  const bool requester = average(issued) > average(taken);
  to.compared("loop_8", pace, {{requester ? "request.gap" : "responder.write", 1}});
}

// Long WRITEs are limited by the slower of link and PCIe; loopback crosses PCIe twice.
void write_link_rate(Writer& to) {
  const Values link = to.values("link_4096", pace);
  const Values looped = to.values("loop_4096", pace);
  constexpr double kSlower = 1.02;
  if (!link.empty() && !looped.empty() && average(link) < kSlower * average(looped) / 2)
    return to.unused("link_4096: PCIe is no faster than that, and may be what it tells of");
  to.rate("link_4096", {{kLinkByte, to.wire_bytes(4096, kReth)}}, {kLinkByte});
}

// One client node is the bottleneck only if it issues less than two servers take in, and less than
// its link carries.
void write_issue_rate(Writer& to) {
  const Values issued = to.values("issue", pace);
  const Values taken = to.values("write_rate", pace);
  if (issued.empty() || taken.empty()) return;
  constexpr double kClearly = 1.1;
  if (to.fills_link(issued, to.wire_bytes(8, kReth)))
    return to.unused("issue: its packets fill the link");
  if (average(issued) < kClearly * average(taken) / 2)
    return to.unused("issue: two servers take in no more than one client node issues");
  to.plain("issue", pace, {{"request.gap", 1}}, {"request.gap"});
}

// Two CPUs wait for nothing but the line only if it takes longer to come than an access does.
void write_line_transfer(Writer& to) {
  const Values turns = to.values("change", pace);
  const Values alone = to.values("load", typical);
  if (turns.empty() || alone.empty()) return;
  if (average(turns) < average(alone))
    return to.unused("change: an access takes longer than the line");
  to.plain("change", pace, {{"local.line_transfer", 1}}, {"local.line_transfer"});
}

// Like an idle READ, but for its completion.
void write_event(Writer& to) {
  to.latency(
      "event_read",
      trip("latency.one_way", kEventCompletion) + Sum{{"responder.read", 1}, {"latency.read", 1}},
      {kEventCompletion});
}

void write_cpu(Writer& to) {
  const Values one = to.values("posting_1", typical);
  const Values many = to.values("posting_33", typical);
  if (!one.empty() && one.size() == many.size()) {
    Values slope;
    for (std::size_t i = 0; i < one.size(); ++i) slope.push_back((many[i] - one[i]) / 32);
    const double cell = average(many) * kCell / kUniformSigma / 32;
    to.add("posting", "posting_33", slope, cell, {{"latency.post", 1}}, {"latency.post"});
  }
  to.plain("core", pace, {{"latency.post", 1}, {"latency.completion", 1}}, {"latency.completion"});
  to.plain("handling", pace,
           {{"latency.post", 1}, {"latency.completion", 2}, {"local.handle_message", 1}},
           {"local.handle_message"});
  to.latency("load", {{"local.cpu_access", 1}}, {"local.cpu_access"});
  write_line_transfer(to);
  to.latency("visit", {{"local.on_node", 1}}, {"local.on_node"});
  to.plain("call", pace, {{"server.call_service", 1}}, {"server.call_service"});
}

void write_device(Writer& to) {
  const auto key = [](const char* name) { return std::string("device_memory.") + name; };
  for (const char* verb : {"read", "write"})
    for (const int bytes : {8, 64})
      to.latency(fmt::format("device_{}_{}", verb, bytes),
                 trip() + Sum{{std::string("responder.") + verb, 1}, {key(verb), 1}}, {key(verb)});
  write_atomic_rates(to, "device_",
                     [](const std::string& name) { return "device_memory." + name; });
}

}  // namespace

Taken take_measurements(const Scenario& scenario, const StudyOutcome& outcome) {
  Taken taken;
  for (std::size_t i = 0; i < scenario.points.size(); ++i) {
    const Point& point = scenario.points[i];
    const PointOutcome& point_outcome = outcome.points[i];
    const std::string& label = point.protocol.label;
    if (!point_outcome.sound()) {
      const std::string why = point_outcome.message();
      taken.left_out.push_back(label + ": " + (why.empty() ? "not finished" : why));
      continue;
    }
    const double clients = point.platform.groups.front().clients();
    const double verbs = static_cast<double>(point.protocol.params.integer("outstanding"));
    Measured measured;
    for (const std::optional<RepeatOutcome>& repeat : point_outcome.repeats) {
      const RepeatMetrics& metrics = repeat->metrics;
      const auto timed = metrics.group_goodput.values.find("timed");
      if (timed == metrics.group_goodput.values.end() || timed->second <= 0 ||
          metrics.acquire.count() == 0)
        continue;
      Measured::Repeat& now = measured.repeats.emplace_back();
      now.typical = static_cast<double>(metrics.acquire.percentile(500'000)->ps) / kPsInNs;
      now.least = static_cast<double>(metrics.acquire.min()->ps) / kPsInNs;
      now.acquisitions = static_cast<double>(metrics.acquire.count());
      now.pace = kNsPerSecond / timed->second / verbs;
      now.cycle = kNsPerSecond / timed->second * clients;
      const auto others = metrics.group_goodput.values.find("others");
      if (others != metrics.group_goodput.values.end() && others->second > 0)
        now.others_cycle = kNsPerSecond / others->second * point.platform.groups.back().clients();
    }
    if (measured.repeats.empty())
      taken.left_out.push_back(label + ": nothing was completed");
    else
      taken.measurements[label] = std::move(measured);
  }
  return taken;
}

std::int64_t packets_of(std::int64_t payload, std::int64_t mtu) {
  return std::max<std::int64_t>((payload + mtu - 1) / mtu, 1);
}

Equations equations_of(const Measurements& measurements, const NicModel& packets) {
  Writer writer(measurements, packets);
  write_latencies(writer);
  write_rates(writer);
  write_short_loopback(writer);
  write_link_rate(writer);
  write_issue_rate(writer);
  write_cpu(writer);
  write_event(writer);
  write_device(writer);
  return writer.take();
}

}  // namespace latchlab

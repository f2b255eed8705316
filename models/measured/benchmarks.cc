#include "models/measured/benchmarks.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

namespace latchlab {
namespace {

constexpr std::uint32_t kMany = 80;   // clients per node that together saturate a server's NIC
constexpr std::uint32_t kMore = 130;  // for its message pipeline, or its device memory
constexpr std::uint32_t kSome = 16;   // for one of its addresses
constexpr std::uint32_t kLong = 10;   // spans: about a thousand cycles of one client

ProbePoint idle(std::string label, std::string probe) {
  ProbePoint point{std::move(label), std::move(probe)};
  point.cycles = kLong;
  return point;
}

ProbePoint on_device(ProbePoint point) {
  point.label = "device_" + point.label;
  point.device = true;
  return point;
}

// One point with three client nodes and one with two.
std::vector<ProbePoint> rate(const std::string& label, const std::string& probe,
                             std::uint32_t clients, std::uint32_t outstanding = 1) {
  std::vector<ProbePoint> points;
  for (const std::uint32_t nodes : {3u, 2u}) {
    ProbePoint point{label + (nodes < 3 ? kFewer : ""),
                     fmt::format("{}, outstanding: {}", probe, outstanding)};
    point.groups = {{nodes, clients}};
    point.outstanding = outstanding;
    points.push_back(std::move(point));
  }
  return points;
}

std::vector<ProbePoint> by_size(const std::string& verb) {
  std::vector<ProbePoint> points;
  for (const int bytes : {8, 64, 256, 1024, 4096})
    points.push_back(
        idle(fmt::format("{}_{}", verb, bytes),
             fmt::format("verb: {}, bytes: {}, addresses: 8, stride: 8192", verb, bytes)));
  return points;
}

std::vector<ProbePoint> joined_points(std::vector<std::vector<ProbePoint>> lists) {
  std::vector<ProbePoint> all;
  for (std::vector<ProbePoint>& list : lists)
    for (ProbePoint& point : list) all.push_back(std::move(point));
  return all;
}

std::vector<ProbePoint> by_stride() {
  std::vector<ProbePoint> points;
  for (const int stride : {64, 512, 1024, 2048, 4096}) {
    ProbePoint point{fmt::format("stride_{}", stride),
                     fmt::format("verb: cas, addresses: 64, stride: {}", stride)};
    point.groups = {{3, kMany}};
    points.push_back(std::move(point));
  }
  return points;
}

std::vector<ProbePoint> by_outstanding() {
  std::vector<ProbePoint> points;
  for (const std::uint32_t count : {1u, 4u, 48u}) {
    points.push_back(idle(fmt::format("outstanding_{}", count),
                          fmt::format("verb: read, addresses: 64, outstanding: {}", count)));
    points.back().outstanding = count;
  }
  return points;
}

std::vector<ProbePoint> by_qps() {
  std::vector<ProbePoint> points;
  for (const std::uint32_t clients : {80u, 160u, 320u, 640u}) {
    ProbePoint point{fmt::format("qps_{}", 3 * clients),
                     "verb: read, addresses: 4096, stride: 64, outstanding: 4"};
    point.groups = {{3, clients}};
    point.outstanding = 4;
    points.push_back(std::move(point));
  }
  return points;
}

ProbePoint messages(std::string label, std::string probe, std::vector<ProbeGroup> groups) {
  ProbePoint point{std::move(label), std::move(probe), std::move(groups)};
  point.probe += fmt::format(", receivers: {}", point.groups.back().clients);
  return point;
}

ProbePoint idle_messages(std::string label, std::string probe) {
  ProbePoint point = messages(std::move(label), std::move(probe), {{1, 1}, {1, 1}});
  point.cycles = kLong;
  return point;
}

ProbePoint of_one_core(ProbePoint point) {
  point.one_core = true;
  return point;
}

ProbePoint asleep(ProbePoint point) {
  point.by_event = true;
  return point;
}

ProbePoint window() {
  ProbePoint point{"window", "verb: cas, stride: 4096, apart: 8", {{1, 8}, {3, 64}}};
  point.cycles = 2 * kLong;
  return point;
}

ProbePoint beside() {
  ProbePoint point{
      "beside_read", "verb: read, stride: 4096, apart: 1, storm: true", {{1, 1}, {3, 64}}};
  point.cycles = 2 * kLong;
  return point;
}

ProbePoint to_two_servers() {
  ProbePoint point{"issue", "verb: write, addresses: 4096, outstanding: 4", {{1, kMany}}, 4, 2};
  return point;
}

ProbePoint looped(ProbePoint point) {
  point.loopback = true;
  return point;
}

// The point, and the same with fewer clients.
std::vector<ProbePoint> and_with_fewer(ProbePoint point, std::uint32_t fewer) {
  std::vector<ProbePoint> points = {point, std::move(point)};
  points.back().label += kFewer;
  points.back().groups.front().clients = fewer;
  return points;
}

// From one client node, with many clients and with fewer.
std::vector<ProbePoint> long_writes(const std::string& name, int bytes, bool loopback) {
  ProbePoint point{
      fmt::format("{}_{}", name, bytes),
      fmt::format("verb: write, bytes: {}, addresses: 64, stride: 4096, outstanding: 4", bytes),
      {{1, 32}},
      4};
  point.loopback = loopback;
  point.cycles = bytes < 1024 ? 2 : kLong;  // as many verbs
  return and_with_fewer(std::move(point), 24);
}

// READs to the own node: the RNIC serves each one, and takes in its answer.
std::vector<ProbePoint> looped_reads() {
  return and_with_fewer(looped({"loop_read",
                                "verb: read, addresses: 4096, stride: 64, outstanding: 4",
                                {{1, kMany}},
                                4}),
                        60);
}

std::vector<ProbePoint> detached(const std::vector<std::uint32_t>& counts) {
  std::vector<ProbePoint> points;
  for (const std::uint32_t count : counts) {
    points.push_back(of_one_core(
        idle(fmt::format("posting_{}", count),
             fmt::format("verb: write, detached: true, addresses: 64, outstanding: {}", count))));
    points.back().outstanding = count;
  }
  return points;
}

std::vector<ProbePoint> of_device() {
  std::vector<ProbePoint> points;
  for (ProbePoint& point : joined_points({
           {idle("read_8", "verb: read"), idle("read_64", "verb: read, bytes: 64"),
            idle("write_8", "verb: write"), idle("write_64", "verb: write, bytes: 64")},
           rate("spread", "verb: cas, addresses: 4096, stride: 8", kMore),
           rate("spread_16", "verb: masked_cas, bytes: 16, addresses: 2048, stride: 16", kMore),
           rate("same", "verb: cas, stride: 64", kSome),
           rate("same_failed", "verb: failing_cas, stride: 64", kSome),
           rate("same_16", "verb: masked_cas, bytes: 16, stride: 64", kSome),
       }))
    points.push_back(on_device(std::move(point)));
  return points;
}

std::vector<Benchmark> all_benchmarks() {
  const std::string spread = "addresses: 8192, stride: 8";
  const std::string spread_16 = "addresses: 4096, stride: 16";
  return {
      {"read_latency", "an idle READ, by size", {"latency.read"}, by_size("read")},
      {"write_latency", "an idle WRITE, by size", {"latency.write"}, by_size("write")},
      {"atomic_latency",
       "an idle CAS that matches, one that does not, and FETCH_ADD",
       {},
       {idle("cas", "verb: cas"), idle("cas_failed", "verb: failing_cas"),
        idle("faa", "verb: faa")}},
      {"masked_latency",
       "idle masked atomics of 8 and 16 bytes",
       {"latency.atomic_16", "atomic.masked"},
       {idle("masked_cas_8", "verb: masked_cas, bytes: 8"),
        idle("masked_faa_8", "verb: masked_faa, bytes: 8"),
        idle("masked_cas_16", "verb: masked_cas, bytes: 16"),
        idle("masked_faa_16", "verb: masked_faa, bytes: 16")}},
      {"send_latency",
       "an idle SEND, until it is acknowledged",
       {},
       {idle_messages("send", "verb: send")}},
      {"ping_pong",
       "two clients that send messages to each other, one at a time",
       {"latency.receive"},
       {idle_messages("ping", "verb: ping"), idle_messages("ping_again", "verb: ping")}},
      {"read_rate",
       "8-byte READs of many clients",
       {"responder.read", "latency.read", "device_memory.read", "qp.cache"},
       rate("read_rate", "verb: read, addresses: 4096, stride: 64", kMany, 4)},
      {"write_rate",
       "8-byte WRITEs of many clients",
       {"responder.write", "latency.write", "device_memory.write", "request.gap"},
       rate("write_rate", "verb: write, addresses: 4096, stride: 64", kMany, 4)},
      {"send_rate",
       "SENDs of many clients",
       {"responder.send"},
       {messages("send_rate", "verb: send", {{3, kMore}, {1, kMore}}),
        messages(std::string("send_rate") + kFewer, "verb: send", {{2, kMore}, {1, kMore}})}},
      {"spread_rate",
       "8-byte CAS of many clients, spread over 64 KiB",
       {"responder.atomic_8", "atomic.slots"},
       rate("spread", "verb: cas, " + spread, kMany)},
      {"spread_rate_16",
       "16-byte masked CAS of many clients, spread over 64 KiB",
       {"responder.atomic_16", "latency.atomic_16"},
       rate("spread_16", "verb: masked_cas, bytes: 16, " + spread_16, kMany)},
      {"same_address",
       "8-byte CAS on one address",
       {"atomic.same_address", "atomic.window", "atomic.slots"},
       rate("same", "verb: cas", kSome)},
      {"same_address_failed",
       "8-byte CAS on one address, none of which matches",
       {"atomic.same_address_failed"},
       rate("same_failed", "verb: failing_cas", kSome)},
      {"same_address_16",
       "16-byte masked CAS on one address",
       {"atomic.same_address_16", "latency.atomic_16"},
       rate("same_16", "verb: masked_cas, bytes: 16", kSome)},
      {"same_address_read",
       "8-byte READs of one address",
       {},
       rate("same_read", "verb: read", kMany, 4)},
      {"strides",
       "8-byte CAS of many clients on 64 addresses, by their distance",
       {"atomic.slots"},
       by_stride()},
      {"window",
       "8-byte CAS on distant addresses, while many clients use one address",
       {"atomic.window"},
       {window()}},
      {"beside", "READs of one client, while many clients use one address for CAS", {}, {beside()}},
      {"behind",
       "a READ behind eight CAS on one address, on one QP",
       {},
       {idle("behind_read", "verb: cas, outstanding: 8, read_last: true")}},
      {"answers",
       "8-byte READs of many clients to their own node",
       {"request.answer"},
       looped_reads()},
      {"issue_rate",
       "8-byte WRITEs of one client node to two servers",
       {"request.gap"},
       {to_two_servers()}},
      {"link_rate",
       "WRITEs of 256 B and 4 KiB of one client node",
       {"link.rate", "link.overhead"},
       joined_points({long_writes("link", 256, false), long_writes("link", 4096, false)})},
      {"outstanding",
       "READs of one client, by the number outstanding",
       {"qp.outstanding"},
       by_outstanding()},
      {"qps", "8-byte READs, by the number of QPs", {"qp.cache"}, by_qps(), true},
      {"posting",
       "WRITEs of one client, by the number posted one after the other",
       {"latency.post", "latency.completion"},
       detached({1, 33})},
      {"events",
       "an idle READ of a client that sleeps until its completion raises an event",
       {},
       {asleep(idle("event_read", "verb: read"))}},
      {"core",
       "WRITEs of many clients on one core",
       {"latency.completion", "latency.one_way"},
       {of_one_core({"core", "verb: write, addresses: 4096, stride: 64", {{1, kMany}}})}},
      {"handling",
       "messages that many clients on one core send, receive and answer",
       {"local.handle_message", "latency.receive"},
       {of_one_core(messages("handling", "verb: ping", {{3, 24}, {1, 24}}))}},
      {"loopback",
       "CAS of one client to its own node, and WRITEs of many, of 8 B to 4 KiB",
       {"local.loopback_one_way", "pcie.rate"},
       joined_points({{looped(idle("loop_cas", "verb: cas"))},
                      {looped({"loop_8",
                               "verb: write, addresses: 64, stride: 4096, outstanding: 4",
                               {{1, kMany}},
                               4})},
                      long_writes("loop", 1024, true),
                      long_writes("loop", 4096, true)})},
      {"local",
       "CPU accesses to registered memory, of one CPU and of two that change one word, and an "
       "access "
       "to the node's shared state",
       {"local.cpu_access", "local.line_transfer", "local.on_node"},
       {idle("load", "verb: load"), looped({"change", "verb: change", {{1, 2}}}),
        idle("visit", "verb: visit")}},
      {"calls",
       "calls of many clients to one core of a server",
       {"server.call_service"},
       {{"call", "verb: call", {{3, kSome}}}}},
      {"device_memory",
       "idle READs and WRITEs, and CAS of many clients, in the NIC's memory",
       {"device_memory.read", "device_memory.write", "device_memory.atomic_8",
        "device_memory.atomic_16", "device_memory.same_address",
        "device_memory.same_address_failed", "device_memory.same_address_16"},
       of_device()},
  };
}

}  // namespace

std::uint32_t ProbePoint::nodes() const {
  std::uint32_t all = loopback ? 0 : servers;
  for (const ProbeGroup& group : groups) all += group.nodes;
  return all;
}

const std::vector<Benchmark>& benchmarks() {
  static const std::vector<Benchmark> all = all_benchmarks();
  return all;
}

std::vector<std::string> benchmark_names() {
  std::vector<std::string> names;
  for (const Benchmark& benchmark : benchmarks()) names.push_back(benchmark.name);
  return names;
}

const Benchmark* benchmark_of(const std::string& label) {
  for (const Benchmark& benchmark : benchmarks())
    for (const ProbePoint& point : benchmark.points)
      if (point.label == label) return &benchmark;
  return nullptr;
}

std::vector<std::string> benchmarks_for(const std::string& constant) {
  // What every idle verb tells needs none of them.
  if (constant == "latency.jitter") return {"read_latency", "write_latency", "atomic_latency"};
  std::vector<std::string> names;
  for (const Benchmark& benchmark : benchmarks())
    if (std::count(benchmark.needed_for.begin(), benchmark.needed_for.end(), constant) > 0)
      names.push_back(benchmark.name);
  return names;
}

}  // namespace latchlab

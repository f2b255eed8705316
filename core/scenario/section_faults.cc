// faults: failures during a run.

#include <fmt/format.h>

#include "core/scenario/sections.h"

namespace latchlab {

using enum KeyKind;

namespace {

// The key of a fault's target.
Value<FaultSpec> whose(FaultTarget target) {
  return number<FaultSpec>(
      count,
      [target](const FaultSpec& fault) {
        const bool it_is = is_cpu_fault(fault.kind) && fault.target == target;
        return it_is ? number_of(fault.index) : std::nullopt;
      },
      [target](FaultSpec& fault, std::int64_t value) {
        fault.target = target;
        assign(fault.index, value);
      },
      "0");
}

// The value must be below `end`.
void check_below(const YamlNode& node, const std::string& path, const char* key,
                 std::uint32_t end) {
  static const ScenarioKey any = quantity(count, "0");
  ScenarioKey bounded = any;
  bounded.most = std::int64_t{end} - 1;
  if (const YamlNode* value = node.find(key)) read_number({bounded, *value, path_of(path, key)});
}

void check_target(const YamlNode& node, const std::string& path, const PlatformSpec& platform,
                  FaultSpec& fault) {
  const std::pair<const char*, std::uint32_t> targets[] = {{"client", platform.clients()},
                                                           {"client_node", platform.client_nodes},
                                                           {"server", platform.servers}};
  int given = 0;
  for (const auto& [key, end] : targets) {
    check_below(node, path, key, end);
    if (node.find(key)) ++given;
  }
  if (given == 1) return;
  const char* const wanted = fault.kind == FaultKind::drift
                                 ? "client_node: N or server: N"
                                 : "client: N, client_node: N or server: N";
  if (given > 0 || fault.per_second == 0)
    reject(node.place, "{} says {}; expected {}", path,
           given == 0 ? "not who it is about" : "twice who it is about", wanted);
  fault.target = FaultTarget::any_client;
}

void check_cpu_fault(const YamlNode& node, const std::string& path, const PlatformSpec& platform,
                     FaultSpec& fault) {
  if (fault.at.has_value() == (fault.per_second > 0))
    reject(node.place,
           path + " needs one of 'at: 30ms' and 'rate: 100' (so many a second on average)");
  check_target(node, path, platform, fault);
  if (fault.kind == FaultKind::drift && fault.jump.ps == 0 && !fault.drift_ppb)
    reject(node.place, path + " changes nothing; add 'jump: 10us' or 'drift: 200ppm'");
}

void check_link(const YamlNode& node, const std::string& path, const PlatformSpec& platform,
                const FaultSpec& fault) {
  if (!fault.to) return;
  const SourceLocation& place = node.find("to")->place;
  if (*fault.to == fault.node)
    reject(place, "{0}.node and {0}.to are the same node; a node reaches itself without any link",
           path);
  if (platform.rnic_of(*fault.to) == platform.rnic_of(fault.node))
    reject(place,
           "{0}.node and {0}.to are behind the same RNIC, and reach each other without any link",
           path);
}

// Only a server without clients can return, and it must be up when the fault begins.
void check_return(const YamlNode* list, std::size_t mine, const Point& point) {
  const FaultSpec& fault = point.faults[mine];
  const std::string path = fmt::format("faults.{}", mine);
  const PlatformSpec& platform = point.platform;
  const SourceLocation& place = list->items[mine].find("for")->place;
  const bool has_clients =
      fault.node >= platform.servers || (platform.colocated && fault.node < platform.client_nodes);
  if (has_clients)
    reject(place,
           "{0}.for: node {1} hosts clients, and only a server that hosts none comes back; leave "
           "out {0}.for, or let {0}.node be {2}",
           path, fault.node,
           platform.colocated ? std::string("a server without clients (platform.colocated)")
                              : fmt::format("below {} (servers come first)", platform.servers));
  if (point.run.guard != GuardMode::off)
    reject(place,
           "{0}.for and run.guard: the guard's words are lost with the server's memory; leave out "
           "{0}.for, or say guard: off",
           path);
  for (std::size_t i = 0; i < point.faults.size(); ++i) {
    const FaultSpec& other = point.faults[i];
    if (i == mine || other.kind != FaultKind::node_crash || other.node != fault.node) continue;
    const bool before = other.outage && *other.at + *other.outage < *fault.at;
    if (before || *other.at > *fault.at + *fault.outage) continue;
    reject(place,
           "{} and faults.{} crash server {} while it is down already; let one begin when it is "
           "back from the other",
           path, i, fault.node);
  }
}

}  // namespace

const Keys& fault_keys() {
  using Fault = FaultSpec;
  const char* const crashes = "client_crash process_crash";
  const char* const dated = "client_crash process_crash node_crash link_down slow_client drift";
  const char* const unrepeated = "skip_release client_crash process_crash node_crash link_down";
  const auto date = number(duration, &Fault::at, "0us", "3600s");
  const auto jump = number<Fault>(
      signed_duration,
      [](const Fault& fault) {
        return fault.kind == FaultKind::drift ? number_of(fault.jump) : std::nullopt;
      },
      [](Fault& fault, std::int64_t value) { fault.jump = {value}; }, "-3600s", "3600s");
  static const Keys keys = rows<Fault>({
      {"kind",
       words({"skip_release", "client_crash", "process_crash", "node_crash", "link_down", "pause",
              "slow_client", "drift"},
             &Fault::kind),
       "client_crash", "The kind of fault; each kind has its own keys.", kRequired},
      {"probability", number(ratio, &Fault::probability_ppb, "0", "1"), "0.1%",
       "The probability that a client does not release a lock that it holds.", kRequired,
       "skip_release"},
      {"commits", number(boolean, &Fault::commits), "false",
       "false: a transaction that does not release its locks has failed, and counts as an abort; "
       "true: it has committed before.",
       "skip_release"},
      {"client", whose(FaultTarget::client), "0",
       "The client, from 0, below the number of clients.", kRequired, "slow_client"},
      {"client", whose(FaultTarget::client), "0",
       "The client, from 0. A pause with `at` needs one of client, client_node and server.",
       "pause"},
      {"client_node", whose(FaultTarget::client_node), "0",
       "pause: all clients of this client node, from 0; drift: the clock of this node.",
       "pause drift"},
      {"server", whose(FaultTarget::server), "0",
       "pause: the CPU of this server, from 0; drift: the clock of this server.", "pause drift"},
      {"at", date, "30ms", "Time since the start of the run.", kRequired, dated},
      {"at", date, "30ms", "Time since the start of the run; in place of `rate`.", "pause"},
      {"rate", number(count, &Fault::per_second, "1", "1M"), "100",
       "Pauses per second on average, at random times; without `client`, `client_node` and "
       "`server` each pauses a random client.",
       "pause"},
      {"rate", said<Fault>(count), "100", "Faults per second on average.", kNullable | kUnsupported,
       unrepeated},
      {"client", number(count, &Fault::client, "0", "", Form::plain), "0",
       "The client, from 0, below the number of clients.", crashes},
      {"node", number(count, &Fault::node, "0", "", Form::plain), "0",
       "The node, from 0: servers first, then client nodes.", kRequired, "node_crash link_down"},
      {"to", number(count, &Fault::to, "0", "", Form::plain), "1",
       "Only the path to this node is down; without this key: the node's port.", "link_down"},
      {"for", number(duration, &Fault::outage, "1ns", "3600s"), "5ms",
       "How long the node or link is down; without this key: for ever. Only a server that hosts no "
       "clients can come back, with its memory as at the start.",
       "node_crash link_down"},
      {"length", number(duration, &Fault::length, "1ps", "3600s"), "1ms",
       "How long the CPU does nothing.", kRequired, "pause"},
      {"factor", number(ratio, &Fault::factor_ppb, "1", "10000", Form::quoted), "4",
       "The client's CPU time is multiplied by this.", kRequired, "slow_client"},
      {"jump", jump, "-10us", "The clock jumps forward by this; negative: backward.", "drift"},
      {"drift", number(signed_ratio, &Fault::drift_ppb, "-10%", "10%", Form::ppm), "200ppm",
       "From then on the clock runs fast by this; negative: slow.", "drift"},
  });
  return keys;
}

const std::string& name_of(FaultKind kind) {
  return find_key(fault_keys(), "kind").choices[static_cast<std::size_t>(kind)];
}

void check_faults(const YamlNode* list, Point& point) {
  bool skips = false;
  for (std::size_t i = 0; i < point.faults.size(); ++i) {
    FaultSpec& fault = point.faults[i];
    const YamlNode& node = list->items[i];
    const std::string path = fmt::format("faults.{}", i);
    if (is_cpu_fault(fault.kind)) {
      check_cpu_fault(node, path, point.platform, fault);
      continue;
    }
    check_below(node, path, "client", point.platform.clients());
    for (const char* key : {"node", "to"}) check_below(node, path, key, point.platform.nodes());
    check_link(node, path, point.platform, fault);
    if (fault.kind == FaultKind::node_crash && fault.outage) check_return(list, i, point);
    if (fault.kind == FaultKind::skip_release && std::exchange(skips, true))
      reject(node.place, "faults holds skip_release twice; give it one probability");
  }
}

}  // namespace latchlab

#include "core/scenario/nic_constants.h"

#include <fmt/format.h>

#include <algorithm>

#include "core/scenario/fields.h"
#include "core/scenario/quantities.h"

namespace latchlab {
namespace {

constexpr std::int64_t kWholePpb = 1'000'000'000;
constexpr std::int64_t kMostCount = 65'536;

std::vector<RatePoint> read_curve(const YamlNode& value, const std::string& path) {
  static const ScenarioKey most_qps = quantity(KeyKind::count, "1", "100M", Form::plain);
  const auto refuse = [&](const YamlNode& at, const std::string& problem) {
    reject(at.place, path + problem +
                         "; expected points [QPs, relative rate] such as [[450, 1], [3000, 0.5]]");
  };
  if (!value.is_sequence()) refuse(value, fmt::format(" holds {}", kind_name(value)));
  std::vector<RatePoint> curve;
  for (const YamlNode& item : value.items) {
    if (!item.is_sequence() || item.items.size() != 2)
      refuse(item, " has an entry that is not a pair");
    const RatePoint point{read_number({most_qps, item.items[0], path}),
                          read_number({rate_share(), item.items[1], path})};
    if (curve.empty() && point.rate_ppb != kWholePpb) refuse(item, " does not begin at rate 1");
    if (!curve.empty() && point.qps <= curve.back().qps) refuse(item, " does not ascend in QPs");
    curve.push_back(point);
  }
  return curve;
}

YamlNode write_curve(const std::vector<RatePoint>& curve) {
  static const ScenarioKey qps = quantity(KeyKind::count, "", "", Form::plain);
  YamlNode list = yaml_sequence();
  for (const RatePoint& point : curve) {
    YamlNode pair = yaml_sequence();
    pair.items = {write_number(qps, point.qps), write_number(rate_share(), point.rate_ppb)};
    list.items.push_back(std::move(pair));
  }
  return list;
}

using Curve = std::vector<RatePoint> NicModel::*;

Value<NicModel> curve_value(Curve field) {
  return value_of<NicModel>(
      {.kind = KeyKind::curve},
      [field](const Given& given, NicModel& nic) {
        nic.*field = read_curve(given.node, given.path);
      },
      [field](const ScenarioKey&, const NicModel& nic) { return write_curve(nic.*field); });
}

ScenarioKey key_of(const NicConstant& constant) {
  static constexpr KeyKind kinds[] = {KeyKind::duration, KeyKind::count, KeyKind::bit_rate,
                                      KeyKind::bytes};
  static const char* const examples[] = {"300ns", "1", "100Gbps", "0B", "[[450, 1], [3000, 0.5]]"};
  const auto unit = static_cast<std::size_t>(constant.unit);
  const auto made = [&](auto field) {
    const std::string min = constant.unit == NicUnit::count ? format_count(constant.min)
                            : constant.unit == NicUnit::bit_rate && constant.min > 0 ? "1bps"
                                                                                     : "";
    if constexpr (std::is_same_v<decltype(field), Curve>)
      return curve_value(field).key;
    else
      return number(kinds[unit], field, min.c_str()).key;
  };
  ScenarioKey key = std::visit(made, constant.field);
  key.path = "platform.nic." + constant.key();
  key.example = examples[unit];
  key.says = constant.says;
  if (constant.unit == NicUnit::time) key.most = seconds(100).ps;
  if (constant.unit == NicUnit::count) key.most = kMostCount;
  return key;
}

}  // namespace

const ScenarioKey& rate_share() {
  static const ScenarioKey key = quantity(KeyKind::ratio, "1000ppb", "1", Form::decimal);
  return key;
}

const std::vector<NicConstant>& nic_constants() {
  using Nic = NicModel;
  static std::vector<NicConstant> table = {
      {"link", "rate", "Bandwidth of a port, after coding.", &Nic::link_bits_per_s,
       NicUnit::bit_rate, 1},
      {"latency", "post", "The client's CPU and doorbell, until the RNIC has the request.",
       &Nic::post},
      {"latency", "one_way",
       "From RNIC to RNIC through one switch; what a route has beyond one switch is added.",
       &Nic::one_way},
      {"latency", "completion",
       "From the reply at the RNIC until the client's CPU sees the completion.", &Nic::completion},
      {"latency", "jitter",
       "Each leg takes up to this much longer, uniform and seeded, so that closed loops do not "
       "lock in phase.",
       &Nic::jitter},
      {"latency", "read",
       "Extra time at the responder until a READ's data is there (PCIe); occupies nothing.",
       &Nic::read},
      {"latency", "write", "Extra time at the responder until a WRITE is placed; occupies nothing.",
       &Nic::write},
      {"latency", "atomic_16",
       "Extra time of a 16-byte atomic after its hold, wherever the memory is.", &Nic::atomic_16},
      {"request", "gap", "Time per verb at the requester's RNIC: its issue rate is 1 / gap.",
       &Nic::request_gap},
      {"responder", "read", "Time per READ in the inbound pipeline: its rate is 1 / this.",
       &Nic::serve_read},
      {"responder", "write", "Time per WRITE in the inbound pipeline.", &Nic::serve_write},
      {"responder", "send", "Time per SEND in the inbound pipeline.", &Nic::serve_send},
      {"responder", "atomic_8", "Time per 8-byte atomic in the inbound pipeline.",
       &Nic::serve_atomic_8},
      {"responder", "atomic_16", "Time per 16-byte atomic in the inbound pipeline.",
       &Nic::serve_atomic_16},
      {"atomic", "slots",
       "Slots that atomics take turns in, chosen by address bits 3 and up; a power of two.",
       &Nic::slots, NicUnit::count, 1},
      {"atomic", "same_address",
       "How long an 8-byte atomic that writes holds its slot: atomics on one address run at 1 / "
       "this.",
       &Nic::hold_8},
      {"atomic", "same_address_failed", "The same of an 8-byte CAS that does not match.",
       &Nic::hold_8_failed},
      {"atomic", "same_address_16", "The same of a 16-byte atomic.", &Nic::hold_16},
      {"atomic", "window",
       "Atomics that are admitted to the slots at once; later ones wait in one queue, whatever "
       "their address.",
       &Nic::window, NicUnit::count, 1},
      {"atomic", "slots_16", "Slots that a 16-byte atomic takes: 1, or 2 (one per 8 bytes).",
       &Nic::slots_16, NicUnit::count, 1},
      {"atomic", "read_hold",
       "A READ waits for its slot and holds it this long; 0: READs bypass the slots.",
       &Nic::read_hold},
      {"atomic", "masked", "Widest masked atomic: 0B (none), 8B or 16B.", &Nic::masked_bytes,
       NicUnit::bytes},
      {"qp", "outstanding", "READs and atomics in flight on one QP.", &Nic::outstanding,
       NicUnit::count, 1},
      {"qp", "cache",
       "Share of its rates at which a NIC runs, by the QPs in use, linear between the points; "
       "empty: no loss.",
       &Nic::qp_cache, NicUnit::curve},
      {"dc", "connect", "Time for a DC initiator to turn to another target.", &Nic::dc_connect},
      {"dc", "reset", "Time to bring a DC initiator back after an error.", &Nic::dc_reset},
      {"rnr", "timer",
       "Pause before a message is sent again to a receiver that had no RECV posted.",
       &Nic::rnr_timer},
      {"rnr", "retries", "Retries before such a message fails.", &Nic::rnr_retries, NicUnit::count,
       0},
      {"timeout", "ack", "Time without an answer before a verb is sent again.", &Nic::ack_timeout},
      {"timeout", "retries", "Retries before the peer counts as gone.", &Nic::ack_retries,
       NicUnit::count, 0},
      {"local", "loopback_one_way", "One way of a verb to the own node's memory.",
       &Nic::loopback_one_way},
      {"local", "intra_node_message", "One way of a SEND between two clients of one node.",
       &Nic::intra_node_message},
      {"local", "on_node", "One visit to the state that the clients of a node share.",
       &Nic::on_node},
      {"local", "cpu_access", "A CPU load, store or atomic on registered memory.",
       &Nic::cpu_access},
      {"server", "cores", "Cores of a server that answer calls.", &Nic::server_cores,
       NicUnit::count, 1},
      {"server", "call_service",
       "CPU time of a server per call, besides what the protocol's handler takes.",
       &Nic::call_service},
      {"device_memory", "size", "Memory on the NIC, for locks.memory: device; 0B: none.",
       &Nic::device_bytes, NicUnit::bytes},
      {"device_memory", "read", "There, in place of latency.read.", &Nic::device_read},
      {"device_memory", "write", "There, in place of latency.write.", &Nic::device_write},
      {"device_memory", "atomic_8", "There, in place of responder.atomic_8.",
       &Nic::device_serve_atomic_8},
      {"device_memory", "atomic_16", "There, in place of responder.atomic_16.",
       &Nic::device_serve_atomic_16},
      {"device_memory", "same_address", "There, in place of atomic.same_address.",
       &Nic::device_hold_8},
      {"device_memory", "same_address_failed", "There, in place of atomic.same_address_failed.",
       &Nic::device_hold_8_failed},
      {"device_memory", "same_address_16", "There, in place of atomic.same_address_16.",
       &Nic::device_hold_16},
      {"host_cache", "bytes",
       "How much of a node's memory its CPU's cache holds for verbs; 0B: no model of it.",
       &Nic::host_cache_bytes, NicUnit::bytes},
      {"host_cache", "miss",
       "A verb on memory outside of the cache takes this much longer, an atomic holds its slot "
       "longer.",
       &Nic::host_cache_miss},
      {"pcie", "rate",
       "Usable bandwidth between NIC and host memory; loopback crosses twice. 0bps: no limit.",
       &Nic::pcie_bits_per_s, NicUnit::bit_rate},
      {"pcie", "per_verb", "Time per crossing, besides the bytes.", &Nic::pcie_per_verb},
  };
  static const bool done = [] {
    for (NicConstant& constant : table) constant.as_key = key_of(constant);
    return true;
  }();
  static_cast<void>(done);
  return table;
}

const NicConstant* find_nic_constant(const std::string& key) {
  const auto& table = nic_constants();
  const auto found = std::find_if(table.begin(), table.end(),
                                  [&](const NicConstant& c) { return c.key() == key; });
  return found == table.end() ? nullptr : &*found;
}

std::vector<std::string> nic_sections() {
  std::vector<std::string> sections;
  for (const NicConstant& constant : nic_constants())
    if (sections.empty() || sections.back() != constant.section)
      sections.push_back(constant.section);
  return sections;
}

std::vector<std::string> nic_keys(const std::string& section) {
  std::vector<std::string> names;
  for (const NicConstant& constant : nic_constants())
    if (section.empty() || constant.section == section)
      names.push_back(section.empty() ? constant.key() : constant.name);
  return names;
}

const std::vector<std::string>& status_names() {
  static const std::vector<std::string> names = {"published", "fitted", "assumed"};
  return names;
}

const std::string& name_of(ConstantStatus status) {
  return status_names()[static_cast<std::size_t>(status)];
}

}  // namespace latchlab

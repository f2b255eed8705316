#include "core/scenario/nic_constants.h"

#include <fmt/format.h>

#include <algorithm>

#include "core/scenario/fields.h"
#include "core/scenario/quantities.h"

namespace latchlab {
namespace {

constexpr std::int64_t kMostCount = 65'536;
constexpr std::int64_t kMostRatio = 100 * kWholePpb;

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

const char* example_of(KeyKind kind) {
  return kind == KeyKind::duration   ? "300ns"
         : kind == KeyKind::count    ? "1"
         : kind == KeyKind::bit_rate ? "100Gbps"
         : kind == KeyKind::bytes    ? "0B"
         : kind == KeyKind::ratio    ? "1.5"
                                     : "[[450, 1], [3000, 0.5]]";
}

}  // namespace

NicConstant::NicConstant(const std::string& dotted, Field in, const char* says, KeyKind kind,
                         const char* min)
    : section(dotted.substr(0, dotted.find('.'))),
      name(dotted.substr(dotted.find('.') + 1)),
      field(in) {
  const auto made = [&](auto member) {
    if constexpr (std::is_same_v<decltype(member), Curve>)
      return curve_value(member).key;
    else
      return number(kind, member, min, "", kind == KeyKind::ratio ? Form::decimal : Form::usual)
          .key;
  };
  as_key = std::visit(made, field);
  as_key.path = "platform.nic." + dotted;
  as_key.example = example_of(kind);
  as_key.says = says;
  if (kind == KeyKind::duration) as_key.most = seconds(100).ps;
  if (kind == KeyKind::count) as_key.most = kMostCount;
  if (kind == KeyKind::ratio) as_key.most = kMostRatio;
}

const ScenarioKey& rate_share() {
  static const ScenarioKey key = quantity(KeyKind::ratio, "1000ppb", "1", Form::decimal);
  return key;
}

const std::vector<NicConstant>& nic_constants() {
  using Nic = NicModel;
  using enum KeyKind;
  static const std::vector<NicConstant> table = {
      {"link.rate", &Nic::link_bits_per_s, "Bandwidth of a port, after coding.", bit_rate, "1bps"},
      {"latency.post", &Nic::post,
       "The client's CPU and doorbell, until the RNIC has the request."},
      {"latency.one_way", &Nic::one_way,
       "From RNIC to RNIC through one switch; what a route has beyond one switch is added."},
      {"latency.completion", &Nic::completion,
       "From the reply at the RNIC until the client's CPU sees the completion."},
      {"latency.jitter", &Nic::jitter,
       "Each leg takes up to this much longer, uniform and seeded, so that closed loops do not "
       "lock in phase."},
      {"latency.read", &Nic::read,
       "Extra time at the responder until a READ's data is there (PCIe); occupies nothing."},
      {"latency.write", &Nic::write,
       "Extra time at the responder until a WRITE is placed; occupies nothing."},
      {"latency.atomic_16", &Nic::atomic_16,
       "Extra time of a 16-byte atomic after its hold, wherever the memory is."},
      {"latency.receive", &Nic::receive,
       "Extra time at the receiver's RNIC until a message and its completion are in memory: the "
       "RECV is fetched first. Occupies nothing."},
      {"request.gap", &Nic::request_gap,
       "Time per verb at the requester's RNIC: its issue rate is 1 / gap."},
      {"responder.read", &Nic::serve_read,
       "Time per READ in the inbound pipeline: its rate is 1 / this."},
      {"responder.write", &Nic::serve_write, "Time per WRITE in the inbound pipeline."},
      {"responder.send", &Nic::serve_send, "Time per SEND in the inbound pipeline."},
      {"responder.atomic_8", &Nic::serve_atomic_8,
       "Time per 8-byte atomic in the inbound pipeline."},
      {"responder.atomic_16", &Nic::serve_atomic_16,
       "Time per 16-byte atomic in the inbound pipeline."},
      {"atomic.slots", &Nic::slots,
       "Slots that atomics take turns in, chosen by address bits 3 and up; a power of two.", count,
       "1"},
      {"atomic.same_address", &Nic::hold_8,
       "How long an 8-byte atomic that writes holds its slot: atomics on one address run at 1 / "
       "this."},
      {"atomic.same_address_failed", &Nic::hold_8_failed,
       "The same of an 8-byte CAS that does not match."},
      {"atomic.same_address_16", &Nic::hold_16, "The same of a 16-byte atomic."},
      {"atomic.window", &Nic::window,
       "Atomics that are admitted to the slots at once; later ones wait in one queue, whatever "
       "their address.",
       count, "1"},
      {"atomic.slots_16", &Nic::slots_16,
       "Slots that a 16-byte atomic takes: 1, or 2 (one per 8 bytes).", count, "1"},
      {"atomic.read_hold", &Nic::read_hold,
       "A READ waits for its slot and holds it this long; 0: READs bypass the slots."},
      {"atomic.masked", &Nic::masked_bytes, "Widest masked atomic: 0B (none), 8B or 16B.", bytes},
      {"qp.outstanding", &Nic::outstanding, "READs and atomics in flight on one QP.", count, "1"},
      {"qp.cache", &Nic::qp_cache,
       "Share of its rates at which a NIC runs, by the QPs in use, linear between the points; "
       "empty: no loss.",
       curve},
      {"dc.connect", &Nic::dc_connect, "Time for a DC initiator to turn to another target."},
      {"dc.reset", &Nic::dc_reset, "Time to bring a DC initiator back after an error."},
      {"rnr.timer", &Nic::rnr_timer,
       "Pause before a message is sent again to a receiver that had no RECV posted."},
      {"rnr.retries", &Nic::rnr_retries, "Retries before such a message fails.", count, "0"},
      {"timeout.ack", &Nic::ack_timeout, "Time without an answer before a verb is sent again."},
      {"timeout.retries", &Nic::ack_retries, "Retries before the peer counts as gone.", count, "0"},
      {"local.loopback_one_way", &Nic::loopback_one_way,
       "One way of a verb to the own node's memory."},
      {"local.intra_node_message", &Nic::intra_node_message,
       "One way of a SEND between two clients of one node."},
      {"local.on_node", &Nic::on_node, "One visit to the state that the clients of a node share."},
      {"local.cpu_access", &Nic::cpu_access, "A CPU load, store or atomic on registered memory."},
      {"local.handle_message", &Nic::handle_message,
       "CPU time to take a message that has come: poll, look at it, post its RECV again."},
      {"local.shared_core", &Nic::shared_core_ppb,
       "With platform.core_sharing: threads, CPU work on a core whose other hardware thread is at "
       "work takes so many times as long.",
       ratio, "1"},
      {"server.cores", &Nic::server_cores, "Cores of a server that answer calls.", count, "1"},
      {"server.call_service", &Nic::call_service,
       "CPU time of a server per call, besides what the protocol's handler takes."},
      {"device_memory.size", &Nic::device_bytes,
       "Memory on the NIC, for locks.memory: device; 0B: none.", bytes},
      {"device_memory.read", &Nic::device_read, "There, in place of latency.read."},
      {"device_memory.write", &Nic::device_write, "There, in place of latency.write."},
      {"device_memory.atomic_8", &Nic::device_serve_atomic_8,
       "There, in place of responder.atomic_8."},
      {"device_memory.atomic_16", &Nic::device_serve_atomic_16,
       "There, in place of responder.atomic_16."},
      {"device_memory.same_address", &Nic::device_hold_8,
       "There, in place of atomic.same_address."},
      {"device_memory.same_address_failed", &Nic::device_hold_8_failed,
       "There, in place of atomic.same_address_failed."},
      {"device_memory.same_address_16", &Nic::device_hold_16,
       "There, in place of atomic.same_address_16."},
      {"host_cache.bytes", &Nic::host_cache_bytes,
       "How much of a node's memory its CPU's cache holds for verbs; 0B: no model of it.", bytes},
      {"host_cache.miss", &Nic::host_cache_miss,
       "A verb on memory outside of the cache takes this much longer, an atomic holds its slot "
       "longer."},
      {"pcie.rate", &Nic::pcie_bits_per_s,
       "Usable bandwidth between NIC and host memory; loopback crosses twice. 0bps: no limit.",
       bit_rate},
      {"pcie.per_verb", &Nic::pcie_per_verb, "Time per crossing, besides the bytes."},
  };
  return table;
}

const NicConstant* find_nic_constant(const std::string& key) {
  const auto& table = nic_constants();
  const auto found = std::find_if(table.begin(), table.end(),
                                  [&](const NicConstant& c) { return c.key() == key; });
  return found == table.end() ? nullptr : &*found;
}

std::int64_t number_in(const NicModel& nic, const NicConstant& constant) {
  if (const auto* curve = std::get_if<Curve>(&constant.field))
    return (nic.*(*curve)).empty() ? rate_share().most : (nic.*(*curve)).back().rate_ppb;
  if (const auto* time = std::get_if<Duration NicModel::*>(&constant.field))
    return (nic.*(*time)).ps;
  return nic.*std::get<std::int64_t NicModel::*>(constant.field);
}

void set_number(NicModel& nic, const NicConstant& constant, const YamlNode& bound) {
  if (const auto* curve = std::get_if<Curve>(&constant.field)) {
    if (!(nic.*(*curve)).empty())
      (nic.*(*curve)).back().rate_ppb = read_number({rate_share(), bound, constant.key()});
  } else {
    constant.as_key.read({constant.as_key, bound, constant.key()}, &nic);
  }
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

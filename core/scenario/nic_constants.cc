#include "core/scenario/nic_constants.h"

#include <fmt/format.h>

#include <algorithm>

#include "core/scenario/fields.h"
#include "core/scenario/quantities.h"

namespace latchlab {
namespace {

constexpr std::int64_t kMostCount = 65'536;
constexpr std::int64_t kMostRatio = 100 * kWholePpb;
constexpr std::int64_t kMostPacket = 65'536;  // bytes

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
  as_key.example = kind == KeyKind::bytes && *min != '\0' ? min : example_of(kind);
  as_key.says = says;
  if (kind == KeyKind::duration) as_key.most = seconds(100).ps;
  if (kind == KeyKind::count) as_key.most = kMostCount;
  if (kind == KeyKind::ratio) as_key.most = kMostRatio;
  if (kind == KeyKind::bytes && section == "link") as_key.most = kMostPacket;
}

const ScenarioKey& rate_share() {
  static const ScenarioKey key = quantity(KeyKind::ratio, "1000ppb", "1", Form::decimal);
  return key;
}

const std::vector<NicConstant>& nic_constants() {
  using Nic = NicModel;
  using enum KeyKind;
  static const std::vector<NicConstant> table = {
      {"link.rate", &Nic::link_bits_per_s, "Bandwidth of a port, after coding.", bit_rate,
       "100kbps"},
      {"link.overhead", &Nic::packet_overhead,
       "Bytes of each packet on the wire beside its payload and what the operation adds (RETH 16, "
       "AtomicETH 28, AETH 4 and so on). InfiniBand: LRH 8, BTH 12, ICRC 4, VCRC 2. RoCE v2: "
       "Ethernet 14, IPv4 20, UDP 8, BTH 12, ICRC 4, FCS 4, preamble and gap 20.",
       bytes},
      {"link.mtu", &Nic::mtu, "Largest payload of a packet (path MTU).", bytes, "256B"},
      {"latency.post", &Nic::post,
       "Time of the client's CPU and the doorbell, until the RNIC has the request."},
      {"latency.one_way", &Nic::one_way,
       "From RNIC to RNIC through one switch; further switches of a route add to it."},
      {"latency.completion", &Nic::completion,
       "From the reply at the RNIC until the client's CPU sees the completion."},
      {"latency.jitter", &Nic::jitter,
       "Each one-way trip takes longer by at most this, uniform and seeded, so that closed loops "
       "do not synchronise."},
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
      {"request.answer", &Nic::request_answer,
       "Time per answer to a READ or an atomic in the inbound pipeline of the requester's RNIC, "
       "which it shares with what other nodes ask of that RNIC."},
      {"responder.read", &Nic::serve_read,
       "Time per READ in the inbound pipeline: its rate is 1 / this."},
      {"responder.write", &Nic::serve_write, "Time per WRITE in the inbound pipeline."},
      {"responder.send", &Nic::serve_send, "Time per SEND in the inbound pipeline."},
      {"responder.atomic_8", &Nic::serve_atomic_8,
       "Time per 8-byte atomic in the inbound pipeline."},
      {"responder.atomic_16", &Nic::serve_atomic_16,
       "Time per 16-byte atomic in the inbound pipeline."},
      {"atomic.slots", &Nic::slots,
       "Number of slots, each of which executes atomics one at a time; selected by address bits 3 "
       "and up; a power of two.",
       count, "1"},
      {"atomic.same_address", &Nic::hold_8,
       "How long an 8-byte atomic that writes holds its slot: atomics on one address run at 1 / "
       "this."},
      {"atomic.same_address_failed", &Nic::hold_8_failed,
       "How long an 8-byte CAS that does not match holds its slot."},
      {"atomic.same_address_16", &Nic::hold_16, "How long a 16-byte atomic holds its slots."},
      {"atomic.window", &Nic::window,
       "How many atomics are admitted to the slots at once; further ones wait in one queue, "
       "whatever their address.",
       count, "1"},
      {"atomic.slots_16", &Nic::slots_16,
       "Slots that a 16-byte atomic takes: 1, or 2 (one per 8 bytes).", count, "1"},
      {"atomic.read_hold", &Nic::read_hold,
       "A READ waits for its slot and holds it this long; 0: READs bypass the slots."},
      {"atomic.masked", &Nic::masked_bytes, "Widest masked atomic: 0B (none), 8B or 16B.", bytes},
      {"qp.outstanding", &Nic::outstanding, "READs and atomics in flight on one QP.", count, "1"},
      {"qp.cache", &Nic::qp_cache,
       "Share of the NIC's rates that is left for a number of QPs in use, linear between the "
       "points; empty: no loss.",
       curve},
      {"dc.connect", &Nic::dc_connect, "Time for a DC initiator to connect to another target."},
      {"dc.reset", &Nic::dc_reset, "Time to bring a DC initiator back after an error."},
      {"rnr.timer", &Nic::rnr_timer,
       "Pause before a message to a receiver without a posted RECV is sent again."},
      {"rnr.retries", &Nic::rnr_retries, "Retries before such a message fails.", count, "0"},
      {"timeout.ack", &Nic::ack_timeout, "Time without an answer before a verb is sent again."},
      {"timeout.retries", &Nic::ack_retries, "Retries before the peer is treated as failed.", count,
       "0"},
      {"timeout.selective", &Nic::selective,
       "What is sent again after a loss. 0: the lost packet and all that its QP has sent after it "
       "(go-back-N); 1: what was lost (selective repeat).",
       count, "0"},
      {"local.loopback_one_way", &Nic::loopback_one_way,
       "One-way latency of a verb to memory of the same node."},
      {"local.intra_node_message", &Nic::intra_node_message,
       "One-way latency of a SEND between two clients of one node."},
      {"local.on_node", &Nic::on_node,
       "Time of one access to the state that the clients of a node share; accesses for one lock "
       "wait "
       "for each other."},
      {"local.cpu_access", &Nic::cpu_access,
       "Time of a CPU load, store or atomic on registered memory, if the core's cache holds the "
       "line."},
      {"local.line_transfer", &Nic::line_transfer,
       "Extra time of such an access if another core or an RNIC has changed the line since; those "
       "to one line wait for each other."},
      {"local.handle_message", &Nic::handle_message,
       "CPU time to receive a message: poll, inspect it, post its RECV again."},
      {"local.shared_core", &Nic::shared_core_ppb,
       "With platform.core_sharing: threads: how many times as long CPU work takes while the "
       "core's other hardware thread works.",
       ratio, "1"},
      {"server.cores", &Nic::server_cores, "Cores of a server that answer calls.", count, "1"},
      {"server.call_service", &Nic::call_service,
       "CPU time of a server per call, in addition to that of the protocol's handler."},
      {"device_memory.size", &Nic::device_bytes,
       "Memory on the NIC, for locks.memory: device; 0B: none.", bytes},
      {"device_memory.read", &Nic::device_read, "latency.read in device memory."},
      {"device_memory.write", &Nic::device_write, "latency.write in device memory."},
      {"device_memory.atomic_8", &Nic::device_serve_atomic_8,
       "responder.atomic_8 in device memory."},
      {"device_memory.atomic_16", &Nic::device_serve_atomic_16,
       "responder.atomic_16 in device memory."},
      {"device_memory.same_address", &Nic::device_hold_8, "atomic.same_address in device memory."},
      {"device_memory.same_address_failed", &Nic::device_hold_8_failed,
       "atomic.same_address_failed in device memory."},
      {"device_memory.same_address_16", &Nic::device_hold_16,
       "atomic.same_address_16 in device memory."},
      {"host_cache.bytes", &Nic::host_cache_bytes,
       "How much memory a node's CPU cache holds for verbs; 0B: the cache is not modelled.", bytes},
      {"host_cache.miss", &Nic::host_cache_miss,
       "Time by which a verb on memory outside of the cache takes longer, and an atomic holds its "
       "slot longer."},
      {"pcie.rate", &Nic::pcie_bits_per_s,
       "Usable bandwidth between NIC and host memory; loopback uses it twice. 0bps: no limit.",
       bit_rate},
      {"pcie.per_verb", &Nic::pcie_per_verb,
       "Time per crossing, in addition to that of the bytes."},
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

// The cases of a campaign.

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "core/protocols/registry.h"
#include "tools/explore/campaign.h"

namespace latchlab::explore {

namespace {

constexpr std::uint32_t kMostAssignments = 10'000;

// All texts of `length` letters X and S, in order.
std::vector<std::string> words_of(std::uint32_t length, bool shared) {
  std::vector<std::string> words = {""};
  for (std::uint32_t i = 0; i < length; ++i) {
    std::vector<std::string> longer;
    for (const std::string& word : words) {
      longer.push_back(word + "X");
      if (shared) longer.push_back(word + "S");
    }
    words = std::move(longer);
  }
  return words;
}

Case placed(const Campaign& campaign, std::uint32_t nodes) {
  Case setup = campaign.base;
  setup.client_nodes = nodes;
  setup.clients_per_node = campaign.clients / nodes;
  if (setup.colocated) setup.servers = std::max(setup.servers, nodes);
  return setup;
}

// Unknown protocols and parameters are rejected elsewhere.
Limits limits_of(const Case& setup) {
  const ProtocolEntry* entry = find_protocol(setup.protocol);
  return entry != nullptr && params_of(setup, *entry) ? make_protocol(setup)->limits() : Limits{};
}

// Whether the order of the clients does not matter.
bool symmetric(const Campaign& campaign, std::uint32_t nodes) {
  const Case setup = placed(campaign, nodes);
  return setup.exchangeable() && limits_of(setup).clients_alike;
}

// All choices of `clients` words; if their order does not matter, `from` advances.
void assign(const std::vector<std::string>& words, std::size_t from, bool ordered,
            std::uint32_t clients, std::vector<std::string>& chosen,
            std::vector<std::vector<std::string>>& all) {
  if (chosen.size() == clients) {
    all.push_back(chosen);
    return;
  }
  for (std::size_t i = from; i < words.size(); ++i) {
    chosen.push_back(words[i]);
    assign(words, ordered ? 0 : i, ordered, clients, chosen, all);
    chosen.pop_back();
  }
}

std::vector<std::vector<std::string>> assignments(const Campaign& campaign, std::uint32_t nodes,
                                                  bool shared) {
  std::vector<std::vector<std::string>> all;
  if (!campaign.base.modes.empty()) return {campaign.base.modes};
  if (campaign.readers) {
    std::vector<std::string> modes;
    for (std::uint32_t i = 0; i < campaign.clients; ++i)
      modes.emplace_back(campaign.base.operations,
                         i < campaign.clients - *campaign.readers ? 'X' : 'S');
    all.push_back(std::move(modes));
    return all;
  }
  std::vector<std::string> chosen;
  assign(words_of(campaign.base.operations, shared), 0, !symmetric(campaign, nodes),
         campaign.clients, chosen, all);
  return all;
}

// The numbers of client nodes, largest first.
std::vector<std::uint32_t> nodes_of(const Campaign& campaign) {
  if (campaign.nodes > 0) return {campaign.nodes};
  if (campaign.placement == Placement::together) return {1};
  if (campaign.placement == Placement::both && limits_of(campaign.base).max_nodes == 1) return {1};
  if (campaign.placement == Placement::spread || campaign.clients == 1) return {campaign.clients};
  return {campaign.clients, 1};
}

// All assignments of slow, exact and fast clocks.
std::vector<std::vector<std::int64_t>> clocks_of(const Campaign& campaign, std::uint32_t nodes) {
  if (campaign.drift_ppm == 0) return {campaign.base.time.drift_ppm};
  std::vector<std::vector<std::int64_t>> all = {{}};
  for (std::uint32_t i = 0; i < nodes; ++i) {
    std::vector<std::vector<std::int64_t>> longer;
    for (const std::vector<std::int64_t>& clocks : all) {
      for (const std::int64_t drift : {-campaign.drift_ppm, std::int64_t{0}, campaign.drift_ppm}) {
        longer.push_back(clocks);
        longer.back().push_back(drift);
      }
    }
    all = std::move(longer);
  }
  return all;
}

// Rejects cases that an untimed search could not tell from a broken lock.
Status check_clock(const Case& setup, RestsOnTime rests) {
  if (setup.timed() || rests == RestsOnTime::nothing) return fine();
  const char* const how =
      "give --latencies, such as '--latencies 1us --hold 2us', and with --set lengths of the lock "
      "that suit them (docs/verification.md has examples)";
  if (rests == RestsOnTime::exclusion)
    return Error{fmt::format("clients of {} exclude each other by lengths of time, and no time "
                             "passes in this search: {}",
                             setup.protocol, how),
                 {}};
  if (setup.crashes == 0 && setup.pauses == 0) return fine();
  return Error{fmt::format("what a client of {} leaves behind when it dies or stands still "
                           "expires by time, and no time passes in this search: {}",
                           setup.protocol, how),
               {}};
}

}  // namespace

std::string describe(const Case& setup) {
  std::string text;
  for (std::uint32_t i = 0; i < setup.clients(); ++i) {
    if (i > 0) text += ' ';
    for (std::uint32_t k = 0; k < setup.operations; ++k) text += setup.letter(i, k);
  }
  if (setup.clients() > 1) {
    if (setup.client_nodes == 1) text += ", one node for all";
    if (setup.clients_per_node == 1) text += ", a node each";
    if (setup.client_nodes > 1 && setup.clients_per_node > 1)
      text += fmt::format(", {} on each of {} nodes", setup.clients_per_node, setup.client_nodes);
  }
  if (setup.held > 1)
    text += fmt::format(", {} held{}", setup.held, setup.sorted ? "" : ", as asked");
  if (setup.servers > 1) text += fmt::format(", {} servers", setup.servers);
  if (setup.colocated) text += ", colocated";
  if (!setup.time.drift_ppm.empty()) text += ", clocks";
  for (const std::int64_t drift : setup.time.drift_ppm) text += fmt::format(" {:+}", drift);
  return text + (setup.time.drift_ppm.empty() ? "" : " ppm");
}

// The assignments are multisets, or lists if order matters, of `clients` out of 2^operations words.
// They are counted before they are made.
Status check_campaign(const Campaign& campaign) {
  if (campaign.nodes > 0 && campaign.clients % campaign.nodes != 0)
    return Error{fmt::format("{} clients cannot be spread evenly over {} nodes", campaign.clients,
                             campaign.nodes),
                 {}};
  const std::uint32_t most_nodes = nodes_of(campaign).front();
  const Case base = placed(campaign, most_nodes);
  if (const Status known = check_case(base); !known) return known.error();
  const RestsOnTime rests = make_protocol(base)->limits().rests_on_time;
  if (const Status known = check_clock(base, rests); !known) return known.error();
  if (campaign.readers.value_or(0) > campaign.clients)
    return Error{
        fmt::format("--readers {}: there are {} clients", *campaign.readers, campaign.clients), {}};
  if (!base.modes.empty() && base.modes.size() != campaign.clients)
    return Error{fmt::format("--modes has {} texts, and there are {} clients", base.modes.size(),
                             campaign.clients),
                 {}};
  for (const std::string& modes : base.modes)
    if (modes.size() != base.operations)
      return Error{fmt::format("--modes: '{}' has {} letters, and each client has {} operations",
                               modes, modes.size(), base.operations),
                   {}};
  double cases = 1;
  if (find_protocol(base.protocol)->info.shared_mode && base.modes.empty() && !campaign.readers) {
    const double words = std::uint64_t{1} << std::min(base.operations, 40U);
    const bool ordered = !symmetric(campaign, most_nodes);
    for (std::uint32_t i = 0; i < campaign.clients; ++i)
      cases *= ordered ? words : (words + i) / (i + 1);
  }
  if (campaign.drift_ppm > 0 && campaign.placement != Placement::together)
    for (std::uint32_t i = 0; i < campaign.clients; ++i) cases *= 3;
  if (cases <= kMostAssignments) return fine();
  return Error{fmt::format("{} clients with {} operations each have more than {} assignments of "
                           "readers and writers{}; name some with --readers or --modes",
                           campaign.clients, base.operations, kMostAssignments,
                           campaign.drift_ppm > 0 ? ", and of slow and fast clocks" : ""),
               {}};
}

std::vector<Case> cases_of(const Campaign& campaign) {
  const ProtocolEntry* entry = find_protocol(campaign.base.protocol);
  LATCHLAB_CHECK(entry != nullptr, "a campaign is about a protocol that there is");
  std::vector<Case> cases;
  for (const std::uint32_t nodes : nodes_of(campaign)) {
    for (const auto& modes : assignments(campaign, nodes, entry->info.shared_mode)) {
      for (std::vector<std::int64_t>& clocks : clocks_of(campaign, nodes)) {
        Case setup = placed(campaign, nodes);
        setup.modes = modes;
        setup.time.drift_ppm = std::move(clocks);
        cases.push_back(std::move(setup));
      }
    }
  }
  return cases;
}

}  // namespace latchlab::explore

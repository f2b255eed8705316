// The facts that the nodes of a fleet have sent (node.cc).

#include <fmt/core.h>

#include <optional>
#include <set>

#include "backends/ibverbs/cores.h"
#include "core/base/json.h"
#include "tools/latchlab/hardware/binding.h"
#include "tools/latchlab/hardware/fleet.h"

namespace latchlab::tool {

namespace {
Json told_by(const launch::Peer& peer) {
  return parse_json(peer.facts);
}
std::string text_at(const Json& facts, const char* key) {
  const bool there = facts.is_object() && facts.contains(key) && facts[key].is_string();
  return there ? facts[key].get<std::string>() : std::string();
}

NativeAtomics atomics_in(const Json& facts) {
  NativeAtomics told;
  if (facts.is_object() && facts.contains("atomics") && facts["atomics"].is_number_unsigned())
    told.kinds = facts["atomics"].get<std::uint32_t>();
  told.lacking = text_at(facts, "lacking");
  return told;
}

}  // namespace

NativeAtomics Fleet::atomics() const {
  std::optional<NativeAtomics> all;
  for (const launch::Peer& peer : coordinator_->peers()) {
    const NativeAtomics its = atomics_in(told_by(peer));
    all = all ? common(*all, its) : its;
  }
  if (!all) return {};
  return by_dc() ? all->by_dc() : *all;
}

Status Fleet::able() const {
  for (const launch::Peer& peer : coordinator_->peers())
    if (const std::string trouble = text_at(told_by(peer), "trouble"); !trouble.empty())
      return Error{fmt::format("node {} on {}: {}", peer.rank + 1, peer.host, trouble), {}};
  return fine();
}

std::string Fleet::describe() const {
  std::set<std::string> kinds;
  for (const launch::Peer& peer : coordinator_->peers()) {
    const Json facts = told_by(peer);
    const std::string firmware = text_at(facts, "firmware");
    const std::string native = atomics_in(facts).text();
    kinds.insert(fmt::format("{} (firmware {}, Linux {}{})", text_at(facts, "device"),
                             firmware.empty() ? "none" : firmware, text_at(facts, "kernel"),
                             native.empty() ? "" : ", " + native));
  }
  std::string all = "ibverbs";
  for (const std::string& kind : kinds) all += (all.size() == 7 ? " on " : ", ") + kind;
  if (by_dc()) all += "; verbs by DC";
  return all;
}

std::vector<std::string> Fleet::software() const {
  std::set<std::string> all;
  for (const launch::Peer& peer : coordinator_->peers()) {
    const Json facts = told_by(peer);
    if (const std::string is = text_at(facts, "software"); !is.empty())
      all.insert(text_at(facts, "device") + " is " + is);
  }
  return {all.begin(), all.end()};
}

std::string Fleet::no_own_memory() const {
  for (const launch::Peer& peer : coordinator_->peers())
    if (const Json facts = told_by(peer); !facts.is_object() || facts.value("own_memory", 0U) == 0)
      return fmt::format("{} of node {} has no memory of its own (max_dm_size is 0)",
                         text_at(facts, "device"), peer.rank + 1);
  return {};
}

void Fleet::tell_cores() const {
  std::vector<NodeCores> nodes;
  for (const launch::Peer& peer : coordinator_->peers()) {
    const Json facts = told_by(peer);
    nodes.push_back({peer.rank + 1, peer.host, text_at(facts, "machine"),
                     ib::parse_cores(text_at(facts, "cores")), text_at(facts, "bound_by")});
  }
  const std::size_t proxies = arguments_.hardware.agents ? 1 : 0;
  const CoreAdvice advice = advise_on_cores(nodes, arguments_.hardware.workers + proxies);
  if (!arguments_.quiet)
    for (const std::string& note : advice.notes) fmt::print(stderr, "latchlab: {}\n", note);
  for (const std::string& warning : advice.warnings)
    fmt::print(stderr, "latchlab: warning: {}\n", warning);
}

}  // namespace latchlab::tool

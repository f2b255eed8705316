#include "core/protocols/list_rdma/list_rdma.h"

#include "core/protocols/common/entry.h"
#include "core/protocols/list_rdma/client.h"

namespace latchlab {
namespace {

using list_rdma::Link;
using list_rdma::Options;

class List final : public ProtocolOf<Options, list_rdma::Client> {
 public:
  using ProtocolOf::ProtocolOf;

  Layout layout(const Shape& shape) const override {
    return {.entry_bytes = 8,
            .server_bytes = list_rdma::kNodeBytes * options_.nodes * shape.clients};
  }
  Limits limits() const override {
    return {.max_clients = list_rdma::kMostNodes / options_.nodes,
            .held_at_once = options_.nodes,
            .abortable = true,
            .clients_alike = true};
  }
  // The mark of the first node is in the node, not in the entry.
  bool is_free(RemoteAddr /*entry*/, std::span<const std::uint64_t> words) const override {
    return !Link::of(words[0]).marked;
  }
  std::string decode(std::span<const std::uint64_t> words) const override {
    const Link head = Link::of(words[0]);
    if (head.next.null()) return "empty";
    const std::uint32_t node = head.next.index - 1;
    return (head.marked ? "alone: client " : "first: client ") +
           std::to_string(node / options_.nodes) + " node " +
           std::to_string(node % options_.nodes) + " generation " +
           std::to_string(head.next.generation);
  }
};

}  // namespace

ProtocolEntry list_rdma_entry() {
  return make_entry<List>(
      {.name = "list_rdma",
       .summary = "lock-free sorted list of held ranges, changed by remote atomics",
       .source = "CITRON (FAST'23) Table 1, its LLD; Kogan, Dice and Issa (EuroSys'20)",
       .ranges = true,
       .fairness = "none",
       .handover = "by chance: the first range linked into the list",
       .costs = {.free_exclusive = {{4, 0, 0, 4}, {1, 0, 0, 2}},
                 .exclusive_after_exclusive = {{5, 0, 0, 4, true}, {2, 0, 0, 4}}},
       .params =
           {{"nodes", &Options::nodes, 1, 64,
             "list nodes of each client on each server: for ranges that it holds, and for ranges "
             "released recently (assumed)"},
            {"generation_bits", &Options::generation_bits, 0, list_rdma::kGenerationBits,
             "bits of a node's generation, in the node and in links to it; 0: plain pointers"},
            {"fast_path", &Options::fast_path,
             "the only node of a list is stored in the head with a mark, and its release removes "
             "it from there (EuroSys'20)"},
            {"first_look", &Options::first_look, "read|cas",
             "how an acquisition begins: READ the head, as the list on CPUs does, or try by CAS "
             "whether the list is empty"},
            {"pause", &Options::pause, Duration{}, milliseconds(1),
             "pause between READs of a conflicting node (EuroSys'20: as short as possible)"}},
       .profiles = {{"repaired", "CITRON (FAST'23) Table 1, with generations"},
                    {"plain_pointers",
                     "CITRON (FAST'23) Table 1: CPU atomics replaced by verbs, no other change",
                     {{"generation_bits", 0}}}},
       .printed = {"generation_bits=0"},
       .small_model = {{"nodes", 2}}});
}

}  // namespace latchlab

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
            .abortable = true};
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
       .summary = "a sorted linked list of the ranges that are held, without locks, by atomics",
       .source = "CITRON (FAST'23) Table 1, its LLD; Kogan, Dice and Issa (EuroSys'20)",
       .ranges = true,
       .fairness = "none",
       .handover = "by chance: who is in the list first",
       .costs = {.free_x = {{4, 0, 0, 4}, {1, 0, 0, 2}},
                 .x_after_x = {{5, 0, 0, 4, true}, {2, 0, 0, 4}}},
       .params =
           {{"nodes", &Options::nodes, 1, 64,
             "nodes of each client on each server: ranges that it holds at once, and those that it "
             "has released lately (assumed)"},
            {"generation_bits", &Options::generation_bits, 0, list_rdma::kGenerationBits,
             "bits of a node's generation in links to it and in it; 0: plain pointers"},
            {"fast_path", &Options::fast_path,
             "a node that is alone is in the head with a mark, and taken out of it by its release "
             "(EuroSys'20)"},
            {"first_look", &Options::first_look, "read|cas",
             "READ the head first, as the list by CPU does, or try whether it is empty by CAS"},
            {"pause", &Options::pause, Duration{}, milliseconds(1),
             "between READs of a node that is in the way (EuroSys'20: as short as can be)"}},
       .profiles = {{"repaired", "CITRON (FAST'23) Table 1, with generations"},
                    {"plain_pointers",
                     "CITRON (FAST'23) Table 1: atomics replaced by verbs, and nothing else",
                     {{"generation_bits", 0}}}},
       .small_model = {{"nodes", 2}}});
}

}  // namespace latchlab

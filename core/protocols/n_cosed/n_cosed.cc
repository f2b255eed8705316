// Assembles N-CoSED from its parts. n_cosed.h describes the lock.

#include "core/protocols/n_cosed/n_cosed.h"

#include <algorithm>

#include "core/protocols/common/entry.h"
#include "core/protocols/message_names.h"
#include "core/protocols/n_cosed/client.h"

namespace latchlab {
namespace {

using NCosedOptions = n_cosed::Options;

class NCosed final : public ProtocolOf<NCosedOptions, n_cosed::Client>, public MessageNames {
 public:
  using ProtocolOf::ProtocolOf;
  Layout layout(const Shape& shape) const override {
    const std::uint32_t others = std::max(shape.clients, 2U) - 1;
    return {.client_endpoint = {.recvs = 2 * others * options_.max_held}};
  }
  // The count has room for the readers beyond shared_limit, one for each client.
  Limits limits() const override {
    return {
        .max_clients = (1ULL << 31) - 1, .held_at_once = options_.max_held, .clients_alike = true};
  }
  std::vector<Capability> needs() const override {
    std::vector<Capability> needed = {Capability::reliable_messages, Capability::calls};
    if (options_.timeout.ps > 0) needed.push_back(Capability::timing);
    return needed;
  }
  std::unique_ptr<ServerPart> make_server(const ServerEnv& /*env*/) const override {
    return n_cosed::make_home(options_);
  }
  bool is_free(RemoteAddr /*entry*/, std::span<const std::uint64_t> words) const override {
    const auto word = n_cosed::Word::unpack(words[0]);
    return word.tail == 0 && (word.readers == 0 || !options_.home_reset);
  }
  std::string_view message_name(std::uint64_t type) const override {
    return name_in({"AskShared", "AskExclusive", "Grant", "Release"}, type);
  }
  std::string_view request_name(std::uint64_t type) const override {
    return name_in({"Released", "Await"}, type);
  }
  std::string decode(std::span<const std::uint64_t> words) const override {
    const auto word = n_cosed::Word::unpack(words[0]);
    std::string text = "free";
    if (word.tail != 0) text = "tail=client " + std::to_string(n_cosed::client_of(word.tail).value);
    if (word.tail == 0 && word.readers != 0) text = "tail=none";
    if (word.readers != 0) text += " readers=" + std::to_string(word.readers);
    return text;
  }
};

}  // namespace

ProtocolEntry n_cosed_entry() {
  return make_entry<NCosed>(
      {.name = "n_cosed",
       .summary =
           "queue of writers with readers behind each, by CAS and FAA; handed over by messages",
       .source = "Narravula et al. (CCGrid'07), reconstructed after DSLR (SIGMOD'18) 2.2.2 and 6.1",
       .shared_mode = true,
       .fairness = "first come, first served in the queue",
       .handover = "messages to the next writer and the readers behind it",
       .costs = {.free_exclusive = {{1, 0, 0, 2}, {1, 0, 0, 2}},
                 .exclusive_after_exclusive = {{2, 1, 0, 1}, {0, 1, 0, 2}},
                 .free_shared = {{1, 0, 0, 2}, {0, 0, 1, 2}},
                 .shared_after_exclusive = {{1, 1, 0, 5}, {2, 1, 0, 6}},
                 .exclusive_after_shared = {{2, 0, 1, 2}, {0, 0, 1, 2}}},
       .params = {{"home_reset", &NCosedOptions::home_reset,
                   "the home node frees the word when all readers have released (code of DSLR's "
                   "authors: yes)"},
                  {"shared_limit", &NCosedOptions::shared_limit, 0, 1LL << 31,
                   "after so many readers without a writer or an idle lock, a reader acquires as a "
                   "writer; 0: never, as in the sources, and the count overflows (assumed: half of "
                   "its range)"},
                  {"max_held", &NCosedOptions::max_held, 1, 1024,
                   "how many locks one client may hold or wait for at once; two RECVs for each of "
                   "them and each other client (assumed)"},
                  {"timeout", &NCosedOptions::timeout, Duration{}, seconds(10),
                   "time after which a writer that is not yet in the queue gives up; 0: never "
                   "(DSLR 6.1: for all baselines, varied, in retries)"},
                  {"backoff_first", &NCosedOptions::backoff_first, Duration{}, seconds(1),
                   "bound of the pause after the first timeout, R (DSLR A.3)"},
                  {"backoff_bound", &NCosedOptions::backoff_bound, Duration{}, seconds(10),
                   "bound of all pauses, L (DSLR A.3)"}},
       .profiles = {{"reconstructed", "Narravula et al. (CCGrid'07), as later papers describe it"},
                    {"dslr_paper",
                     "DSLR (SIGMOD'18) 6.1, its N-CoSED baseline (timeout assumed: DSLR's own)",
                     {{"timeout", milliseconds(20)}}}},
       .small_model = {{"shared_limit", 2}, {"max_held", 1}},
       .claims =
           [](const NCosedOptions& options) {
             Claims claims = never_recovers();
             if (options.timeout.ps > 0) claims.ways_within = slowest(options.timeout, 4);
             return claims;
           },
       .longest_timeout = [](const NCosedOptions& options) { return options.timeout; },
       .contradiction =
           [](const NCosedOptions& options) {
             return backoff_order_contradiction(options.backoff_first, options.backoff_bound);
           }});
}

}  // namespace latchlab

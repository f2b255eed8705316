#pragma once
// The implementation of sherman and of sherman_nh (their headers describe it): a lock that nodes
// take by CAS, under a queue of each node's clients. The two differ in their options, in whether
// the lock is handed over within a node, and in the prefix of their path labels.

#include <bit>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "core/protocols/common/entry.h"
#include "core/protocols/common/local_queue.h"
#include "core/protocols/common/masks.h"
#include "core/protocols/common/planted.h"
#include "core/verbs/verbs.h"

namespace latchlab::sherman {

// The global lock of sherman and sherman_nh: a number of 16 or 64 bits, 0 when it is free. The
// atomics that take or free a 16-bit lock leave the rest of its word unchanged; a freeing WRITE
// does not.
enum class Width : std::uint8_t { bits16, bits64 };
enum class UnlockBy : std::uint8_t { write, faa };

class Word {
 public:
  Word(Width width, RemoteAddr entry)
      : at_(PartOfWord(entry).word),
        mask_(width == Width::bits64 ? ~0ULL : field_mask(PartOfWord(entry).shift, kNarrow)) {}

  Verb take(NodeId owner) const {
    if (!narrow()) return cas_verb(at_, 0, owner.value);
    const std::uint64_t compared = PLANTED(sherman_compares_its_neighbours) ? ~0ULL : mask_;
    const std::uint64_t written = PLANTED(sherman_takes_over_its_neighbours) ? ~0ULL : mask_;
    return masked_cas_verb(at_, 8, {}, {compared}, {in_place(owner.value)}, {written});
  }
  Verb free(NodeId owner, UnlockBy by) const {
    if (by == UnlockBy::write || PLANTED(sherman_frees_its_neighbours)) return write_verb(at_, 0);
    if (PLANTED(sherman_frees_by_a_short_write) && shift() == 0) {
      Verb write = write_verb(at_, 0);
      write.bytes = kNarrow / 8;
      return write;
    }
    const std::uint64_t less = ~std::uint64_t{owner.value} + 1;
    if (!narrow()) return faa_verb(at_, less);
    const std::uint64_t top = PLANTED(sherman_carries_into_its_neighbours)
                                  ? 0
                                  : field_top(static_cast<unsigned>(shift()), kNarrow);
    return masked_faa_verb(at_, 8, {in_place(less)}, {top});
  }
  // The lock's owner in a word that a try to take it returned; 0: the try succeeded.
  std::uint64_t owner(std::uint64_t word) const { return (word & mask_) >> shift(); }

 private:
  static constexpr unsigned kNarrow = 16;
  bool narrow() const { return mask_ != ~0ULL; }
  int shift() const { return std::countr_zero(mask_); }
  std::uint64_t in_place(std::uint64_t value) const { return value << shift() & mask_; }

  RemoteAddr at_;
  std::uint64_t mask_;
};

// Decodes an entry that has its word for itself.
inline std::string decode(std::uint64_t entry) {
  return entry == 0 ? "free" : "held by node " + std::to_string(entry);
}

struct Options {
  Width lock_width = Width::bits16;
  UnlockBy unlock_by = UnlockBy::write;
  bool packed = false;
  bool unlock_posted = false;
  bool write_with_unlock = true;
  Duration retry_pause;
  bool local_queue = true;
  std::uint64_t max_handovers = 8;
};

// The traits of the two locks.
struct Sherman {
  static constexpr char kPrefix[] = "sherman: ";
  static constexpr bool kHandsOver = true;
};
struct ShermanNh {
  static constexpr char kPrefix[] = "sherman_nh: ";
  static constexpr bool kHandsOver = false;
};

struct Neighbours final : NodePart {
  LocalQueues queues;
};

template <class Lock>
class Client final : public LockClient {
 public:
  Client(const Options& options, const ClientEnv& env)
      : options_(options),
        verbs_(*env.verbs),
        peers_(*env.peers),
        neighbours_(static_cast<Neighbours*>(env.node)),
        my_turn_(env.client_words) {}

  Task<AcquireResult> acquire(Want want, AcquireOptions options) override;
  Task<ReleaseResult> release(Grant grant) override { return leave(grant, std::nullopt); }
  Task<ReleaseResult> write_and_release(Verb last, Grant grant) override {
    return leave(grant, last);
  }
  bool frees_with_a_write() const override { return options_.write_with_unlock; }

 private:
  Task<HandoverWord> queue_up(LockId lock);
  Task<bool> take(RemoteAddr entry);  // for the node; false: the server fails
  // `last`, if any, is a WRITE that lands before the next client holds the lock.
  Task<ReleaseResult> leave(Grant grant, std::optional<Verb> last);
  Task<bool> hand_over(LockId lock, const std::optional<Verb>& last);  // false: free the entry
  Task<void> free(RemoteAddr entry, const std::optional<Verb>& last);
  Task<void> step_down(LockId lock);  // the next waiting client of the node leads

  const Options& options_;  // the protocol's, which outlives its clients
  Verbs& verbs_;
  const Peers& peers_;
  Neighbours* neighbours_;  // null: no local queue
  RemoteAddr my_turn_;
};

template <class LockOptions, class Lock>
class NodeLock final : public ProtocolOf<LockOptions, Client<Lock>> {
 public:
  using ProtocolOf<LockOptions, Client<Lock>>::ProtocolOf;
  Layout layout(const Shape& /*shape*/) const override {
    const std::uint64_t bytes = this->options_.packed ? 2 : 8;
    return {.entry_bytes = bytes,
            .entry_align = bytes,
            .client_bytes = this->options_.local_queue ? 8U : 0U};
  }
  Limits limits() const override { return {.clients_alike = true}; }
  std::vector<Capability> needs() const override {
    std::vector<Capability> needed;
    if (this->options_.lock_width == Width::bits16) needed = {Capability::masked_atomics_8};
    if (this->options_.local_queue)
      needed.insert(needed.end(), {Capability::node_state, Capability::local_words});
    return needed;
  }
  std::unique_ptr<NodePart> make_node(const NodeEnv& /*env*/) const override {
    if (!this->options_.local_queue) return nullptr;
    return std::make_unique<Neighbours>();
  }
  std::string decode(std::span<const std::uint64_t> words) const override {
    return sherman::decode(words[0]);
  }
};

inline std::string packed_contradiction(const Options& options) {
  if (options.packed && options.lock_width != Width::bits16)
    return "packed: true is for lock_width: 16bit, four locks in 8 bytes, and lock_width is 64bit";
  if (options.packed && options.unlock_by == UnlockBy::write)
    return "packed: true needs unlock_by: faa: a WRITE is of 8 bytes, and would free three "
           "neighbours as well";
  return {};
}

// What both descriptions share: all except name, summary, source, fairness, handover and profiles.
template <class LockOptions>
Description<LockOptions> describe() {
  Description<LockOptions> lock;
  lock.costs = {.free_exclusive = {{1, 0, 0, 2}, {1, 0, 0, 2}},
                .exclusive_after_exclusive = {{2, 0, 0, 2, true}, {1, 0, 0, 2}}};
  lock.params = {
      {"lock_width", &LockOptions::lock_width, "16bit|64bit",
       "width of a lock: 16 bits, by masked CAS (present in the authors' code), or 8 bytes (what "
       "their code runs)"},
      {"unlock_by", &LockOptions::unlock_by, "write|faa",
       "verb that frees the global lock: WRITE (code), or FAA (ours)"},
      {"packed", &LockOptions::packed,
       "an entry is only the 16 bits: with locks.stride: null, four share 8 bytes; needs FAA"},
      {"unlock_posted", &LockOptions::unlock_posted,
       "release does not wait for that verb (code: unless a write-back is posted with it)"},
      {"write_with_unlock", &LockOptions::write_with_unlock,
       "the last WRITE of a section is posted with that verb, with one doorbell (Sherman: yes)"},
      {"retry_pause", &LockOptions::retry_pause, Duration{}, milliseconds(10),
       "pause between two CAS (code: none)"}};
  lock.contradiction = [](const LockOptions& options) { return packed_contradiction(options); };
  return lock;
}

}  // namespace latchlab::sherman

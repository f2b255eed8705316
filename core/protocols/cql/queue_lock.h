#pragma once
// What all locks that are a CQL queue share: the entry and the parameters. Owners of places are
// clients or nodes: see client.h.

#include <algorithm>
#include <string>
#include <vector>

#include "core/protocols/common/entry.h"
#include "core/protocols/cql/client.h"
#include "core/protocols/message_names.h"

namespace latchlab::cql {

// `LockOptions` are cql::Options, and perhaps more.
template <class LockOptions, class LockClient>
class QueueLock : public ProtocolOf<LockOptions, LockClient>, public MessageNames {
 public:
  using ProtocolOf<LockOptions, LockClient>::ProtocolOf;
  std::vector<Capability> needs() const override {
    const Options& options = this->options_;
    const bool lossy = is_datagram(options.transport());
    std::vector<Capability> needed = {lossy ? Capability::datagrams : Capability::reliable_messages,
                                      Capability::node_state, Capability::local_words,
                                      Capability::membership};
    if (options.evict_dead) needed.push_back(Capability::evict);
    if (options.timeout.ps > 0) needed.push_back(Capability::timing);
    return needed;
  }
  void initial_image(RemoteAddr /*entry*/, std::uint64_t first_word,
                     std::span<std::uint64_t> words) const override {
    const Format any(2, this->options_.version_bits);
    std::fill(words.begin(), words.end(), any.initial());
    if (first_word == 0) words[0] = 0;
  }
  bool is_free(RemoteAddr /*entry*/, std::span<const std::uint64_t> words) const override {
    const Header header = format(words).unpack(words[0]);
    return header.size == 0 && header.writers == 0 && header.reset == 0;
  }
  std::string_view message_name(std::uint64_t type) const override {
    return name_in({"Notify", "Reset", "Acknowledge", "Returned", "Cleared", "Left"}, type);
  }
  std::string decode(std::span<const std::uint64_t> words) const override {
    const Header header = format(words).unpack(words[0]);
    std::string text = "free";
    if (header.size != 0)
      text = std::to_string(header.size) + " in the queue, " + std::to_string(header.writers) +
             " of them to write";
    if (header.reset != 0) text += ", reset by client " + std::to_string(header.resetter());
    text += "; head=" + std::to_string(header.head) + " queue=[";
    for (std::size_t i = 1; i < words.size(); ++i) text += (i > 1 ? " " : "") + described(words[i]);
    return text + "]";
  }

 protected:
  // For so many owners.
  Layout queue_layout(std::uint32_t owners, const Shape& shape) const {
    const Options& options = this->options_;
    const Format format = format_of(options, owners);
    // A notification, an answer from each node, and messages left over from earlier resets.
    const std::uint32_t for_client = 2 * shape.client_nodes + 16;
    return {.entry_bytes = format.bytes(),
            .node_bytes = format.queue_bytes(),
            .node_lock_bytes = 8,
            .client_endpoint = {.recvs = for_client, .transport = options.transport()},
            .node_endpoint = {.recvs = 2 * shape.clients + 16, .transport = options.transport()}};
  }
  std::uint32_t max_owners() const {
    const Options& options = this->options_;
    const Format given(std::max(options.capacity, 2U), options.version_bits);
    return options.capacity != 0 ? given.most_places() : kMaxCapacity;
  }

 private:
  Format format(std::span<const std::uint64_t> words) const {
    const auto capacity = static_cast<std::uint32_t>(words.size()) - 1;
    return {std::max(capacity, 2U), this->options_.version_bits};
  }
  std::string described(std::uint64_t word) const {
    const Format any(2, this->options_.version_bits);
    if (word == any.initial()) return "-";
    const Entry entry = Format::unpack_entry(word);
    return (entry.writes ? "X" : "S") + std::to_string(entry.owner) + "v" +
           std::to_string(entry.version) +
           (entry.time == 0 ? "" : "t" + std::to_string(entry.time));
  }
};

template <class Of>
Params<Of> queue_params() {
  return {
      {"capacity", &Of::capacity, 0, kMaxCapacity,
       "places in the queue; 0: as many as there can be requests in it, at least two (DecLock "
       "4.4)"},
      {"version_bits", &Of::version_bits, 1, 16,
       "bits of a place's version; -1 means unwritten, and resets the lock (DecLock 6.1)"},
      {"timeout", &Of::timeout, Duration{}, seconds(60),
       "time after which a waiting client resets the lock; 0: never (DecLock 4.4: no value; code "
       "of its authors: 50 ms with its coordinator, which is off by default, and never without "
       "it)"},
      {"timeout_step", &Of::timeout_step, Duration{}, seconds(1),
       "added to a client's `timeout` for each node with a lower number, servers first (code of "
       "DecLock's authors: 1 ms)"},
      {"messages", &Of::messages, "rc|ud",
       "transport of messages (DecLock 4.6: RC; code of its authors: UD)"},
      {"next_entry_first", &Of::next_entry_first,
       "a reader that releases uses its successor's place if that is valid, and locates all "
       "writers only otherwise (code of DecLock's authors)"},
      {"header_reset", &Of::header_reset, "cas|write",
       "verb that ends a reset (DecLock 4.4: WRITE; code of its authors: CAS)"},
      {"notification_count", &Of::notification_count, "acquisition|sending|release",
       "which reset count a notification carries: that of the acquisition that ends; that at the "
       "time of sending (DecLock 4.4, as we read it); or that at the start of the release (code of "
       "its authors)"},
      {"overflow", &Of::overflow, "size|version|acquisition",
       "what shows that the queue is too short: its size at a release; a place overwritten with a "
       "later version (DecLock 4.4); or its size at an acquisition (code of its authors)"},
      {"evict_dead", &Of::evict_dead,
       "a reset cuts off queue members that have died before it frees the lock (DecLock does not "
       "say)"},
      {"reset_pause", &Of::reset_pause, Duration{}, seconds(1),
       "pause between READs while waiting for the end of a reset (assumed)"},
      {"resend", &Of::resend, nanoseconds(100), seconds(10),
       "time after which a reset repeats a request that has not been answered; rc: after `timeout` "
       "if that is longer (assumed)"}};
}

}  // namespace latchlab::cql

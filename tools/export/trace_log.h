#pragma once
// What happened in a window of simulated time, as events of Chrome's trace format: slices that
// begin and end on a thread, instants, arrows between threads, counters. A "process" is a node, a
// "thread" one of its actors; ids are ours, and no process of this machine is meant.

#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/base/time.h"

namespace latchlab::exporting {

struct Track {
  std::uint32_t pid = 0;
  std::uint32_t tid = 0;
  constexpr auto operator<=>(const Track&) const = default;
};

// The inside of a JSON object, written key by key. Texts are taken as they are: names of ours; what
// a protocol says is told by `said`.
class Args {
 public:
  Args() = default;
  explicit Args(std::string text) : text_(std::move(text)) {}
  Args& text(std::string_view key, std::string_view value);
  Args& said(std::string_view key, std::string_view value);
  Args& number(std::string_view key, std::uint64_t value);
  Args& hex(std::string_view key, std::uint64_t value);
  Args& flag(std::string_view key, bool value);
  Args& date(std::string_view key, Time value);  // in us, as `ts`
  Args& add(const Args& more);
  std::string str() const { return text_; }

 private:
  Args& add(std::string_view key, std::string_view value);
  std::string text_;
};

// Microseconds, exact: "20000.000123".
std::string microseconds_text(std::int64_t ps);

class TraceLog {
 public:
  // Slices of one track are begun and ended in order, each within the one begun before it.
  void begin(Track track, Time at, std::string name, std::string args = {});
  void end(Track track, Time at, std::string args = {});
  void instant(Track track, Time at, std::string name, std::string args = {});
  void instant_of_process(std::uint32_t pid, Time at, std::string name, std::string args = {});
  // An arrow from the slice open on one track to the slice open on another, by `id`.
  void arrow_starts(Track track, Time at, std::uint64_t id);
  void arrow_ends(Track track, Time at, std::uint64_t id);
  void count(std::uint32_t pid, Time at, std::string name, std::uint64_t value);

  // Names show in the viewer; lower ranks stand higher. Only what has events is written.
  void name_process(std::uint32_t pid, std::string name, std::int64_t rank);
  void name_track(Track track, std::string name, std::int64_t rank);

  std::size_t size() const { return events_.size(); }
  // The whole file: an object whose first line holds `other_data` (a JSON object), then one event
  // a line, by date.
  std::string chrome_json(const std::string& other_data) const;

 private:
  struct Event {
    Time at;
    Track track;
    char phase;  // as in the format: B E i s f C
    std::uint64_t id;
    std::string name;
    std::string args;
  };
  struct Name {
    std::string text;
    std::int64_t rank;
  };
  void write_names(std::string& out) const;
  static void write_event(const Event& event, std::string& out);

  std::vector<Event> events_;
  std::map<std::uint32_t, Name> processes_;
  std::map<Track, Name> tracks_;
};

}  // namespace latchlab::exporting

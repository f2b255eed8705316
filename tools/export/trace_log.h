#pragma once
// A window of simulated time as events of Chrome's trace format: slices that begin and end on a
// thread, instants, arrows between threads, counters. A "process" of the format is a node and a
// "thread" is an actor of that node; their ids are not operating-system ids.

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

// The members of a JSON object, without its braces. text() does not escape its value and is for
// Latchlab's own names; said() escapes and is for texts of a protocol.
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
  // Slices of one track nest: a slice ends before the slices begun earlier that are still open.
  void begin(Track track, Time at, std::string name, std::string args = {});
  void end(Track track, Time at, std::string args = {});
  void instant(Track track, Time at, std::string name, std::string args = {});
  void instant_of_process(std::uint32_t pid, Time at, std::string name, std::string args = {});
  // An arrow from the open slice of one track to the open slice of another; `id` matches its ends.
  void arrow_starts(Track track, Time at, std::uint64_t id);
  void arrow_ends(Track track, Time at, std::uint64_t id);
  void count(std::uint32_t pid, Time at, std::string name, std::uint64_t value);

  // Names for the viewer, which shows lower ranks first. Tracks without events are not written.
  void name_process(std::uint32_t pid, std::string name, std::int64_t rank);
  void name_track(Track track, std::string name, std::int64_t rank);

  std::size_t size() const { return events_.size(); }
  // The whole file: a JSON object with `other_data` (also a JSON object) on the first line, then
  // one event per line in order of time.
  std::string chrome_json(const std::string& other_data) const;

 private:
  struct Event {
    Time at;
    Track track;
    char phase;  // "ph" of the format: B E i s f C
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

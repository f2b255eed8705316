#include "tools/export/trace_log.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <set>

#include "core/base/json.h"

namespace latchlab::exporting {

namespace {

constexpr std::int64_t kPsPerUs = 1'000'000;
constexpr std::uint64_t kOfProcess = 1;  // Event::id of an instant that belongs to no thread

}  // namespace

std::string microseconds_text(std::int64_t ps) {
  std::string text = fmt::format("{}.{:06}", ps / kPsPerUs, ps % kPsPerUs);
  text.erase(text.find_last_not_of('0') + 1);
  if (text.back() == '.') text.pop_back();
  return text;
}

// ---- arguments ----

Args& Args::add(std::string_view key, std::string_view value) {
  text_ += fmt::format("{}\"{}\":{}", text_.empty() ? "" : ",", key, value);
  return *this;
}
Args& Args::text(std::string_view key, std::string_view value) {
  return add(key, fmt::format("\"{}\"", value));
}
Args& Args::said(std::string_view key, std::string_view value) {
  return add(key, dump_json(Json(value)));
}
Args& Args::add(const Args& more) {
  if (!text_.empty() && !more.text_.empty()) text_ += ",";
  text_ += more.text_;
  return *this;
}
Args& Args::number(std::string_view key, std::uint64_t value) {
  return add(key, std::to_string(value));
}
// As text, because a viewer's numbers are doubles.
Args& Args::hex(std::string_view key, std::uint64_t value) {
  return add(key, fmt::format("\"{:#x}\"", value));
}
Args& Args::flag(std::string_view key, bool value) {
  return add(key, value ? "true" : "false");
}
Args& Args::date(std::string_view key, Time value) {
  return add(key, microseconds_text(value.ps));
}

// ---- events ----

void TraceLog::begin(Track track, Time at, std::string name, std::string args) {
  events_.push_back({at, track, 'B', 0, std::move(name), std::move(args)});
}
void TraceLog::end(Track track, Time at, std::string args) {
  events_.push_back({at, track, 'E', 0, {}, std::move(args)});
}
void TraceLog::instant(Track track, Time at, std::string name, std::string args) {
  events_.push_back({at, track, 'i', 0, std::move(name), std::move(args)});
}
void TraceLog::instant_of_process(std::uint32_t pid, Time at, std::string name, std::string args) {
  events_.push_back({at, {pid, pid}, 'i', kOfProcess, std::move(name), std::move(args)});
}
void TraceLog::arrow_starts(Track track, Time at, std::uint64_t id) {
  events_.push_back({at, track, 's', id, "message", {}});
}
void TraceLog::arrow_ends(Track track, Time at, std::uint64_t id) {
  events_.push_back({at, track, 'f', id, "message", {}});
}
void TraceLog::count(std::uint32_t pid, Time at, std::string name, std::uint64_t value) {
  events_.push_back(
      {at, {pid, pid}, 'C', 0, std::move(name), Args().number("clients", value).str()});
}

void TraceLog::name_process(std::uint32_t pid, std::string name, std::int64_t rank) {
  processes_[pid] = {std::move(name), rank};
}
void TraceLog::name_track(Track track, std::string name, std::int64_t rank) {
  tracks_[track] = {std::move(name), rank};
}

// ---- the file ----

void TraceLog::write_names(std::string& out) const {
  std::set<std::uint32_t> pids;
  std::set<Track> tracks;
  for (const Event& event : events_) {
    pids.insert(event.track.pid);
    tracks.insert(event.track);
  }
  const auto add = [&out](const char* what, Track track, const Name& name) {
    fmt::format_to(std::back_inserter(out),
                   "{{\"ph\":\"M\",\"name\":\"{0}_name\",\"pid\":{1},\"tid\":{2},"
                   "\"args\":{{\"name\":\"{3}\"}}}},\n"
                   "{{\"ph\":\"M\",\"name\":\"{0}_sort_index\",\"pid\":{1},\"tid\":{2},"
                   "\"args\":{{\"sort_index\":{4}}}}},\n",
                   what, track.pid, track.tid, name.text, name.rank);
  };
  for (const auto& [pid, name] : processes_)
    if (pids.count(pid) > 0) add("process", {pid, pid}, name);
  for (const auto& [track, name] : tracks_)
    if (tracks.count(track) > 0) add("thread", track, name);
}

void TraceLog::write_event(const Event& event, std::string& out) {
  const auto to = std::back_inserter(out);
  fmt::format_to(to, "{{\"ph\":\"{}\",\"ts\":{},\"pid\":{},\"tid\":{}", event.phase,
                 microseconds_text(event.at.ps), event.track.pid, event.track.tid);
  if (event.phase != 'E') fmt::format_to(to, ",\"cat\":\"lock\",\"name\":\"{}\"", event.name);
  if (event.phase == 'i') out += event.id == kOfProcess ? ",\"s\":\"p\"" : ",\"s\":\"t\"";
  if (event.phase == 's' || event.phase == 'f') fmt::format_to(to, ",\"id\":{}", event.id);
  if (event.phase == 'f') out += ",\"bp\":\"e\"";
  if (!event.args.empty()) fmt::format_to(to, ",\"args\":{{{}}}", event.args);
  out += "}";
}

std::string TraceLog::chrome_json(const std::string& other_data) const {
  std::vector<const Event*> ordered;
  for (const Event& event : events_) ordered.push_back(&event);
  std::sort(ordered.begin(), ordered.end(), [](const Event* a, const Event* b) {
    return std::pair(a->at, a) < std::pair(b->at, b);
  });
  std::string out = "{\"displayTimeUnit\":\"ns\",\"otherData\":" + other_data + ",\n";
  out += "\"traceEvents\":[\n";
  write_names(out);
  for (const Event* event : ordered) {
    write_event(*event, out);
    out += ",\n";
  }
  if (out[out.size() - 2] == ',') out.erase(out.size() - 2, 1);
  return out + "]}\n";
}

}  // namespace latchlab::exporting

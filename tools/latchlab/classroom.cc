// Builds the pages of lessons. A lesson has a text below scenarios/teaching and, beside it, either
// a scenario to run or counterexamples.

#include "tools/latchlab/classroom.h"

#include <fmt/core.h>

#include <algorithm>
#include <filesystem>
#include <optional>
#include <sstream>
#include <utility>

#include "core/run/files.h"
#include "core/scenario/suggestions.h"
#include "core/scenario/text_file.h"
#include "tools/explore/game.h"
#include "tools/explore/trace.h"
#include "tools/latchlab/run.h"
#include "tools/latchlab/stored_runs.h"
#include "tools/report/report.h"

namespace latchlab::tool {

namespace {

namespace fs = std::filesystem;

struct LessonFile {
  std::string name;    // "02-retry-storm"
  std::string folder;  // the folder of its text
  std::string title;   // "02 The retry storm"
  std::string text;
  std::string play;    // points whose traces are animated; empty: the first
  std::string window;  // of those traces
  bool game = false;   // has a game with the planted lock
};

// The value of "<!-- KEY: VALUE -->" in the text; empty: no such comment.
std::string comment_in(const std::string& text, const std::string& key) {
  const std::string mark = "<!-- " + key + ":";
  const std::size_t at = text.find(mark);
  if (at == std::string::npos) return {};
  const std::size_t from = text.find_first_not_of(' ', at + mark.size());
  const std::size_t end = text.find("-->", at);
  if (from == std::string::npos || end == std::string::npos || from >= end) return {};
  std::string value = text.substr(from, end - from);
  value.erase(value.find_last_not_of(" \n") + 1);
  return value;
}

// Removes the comments, which are settings for this program.
std::string without_comments(std::string text) {
  for (std::size_t at = text.find("<!--"); at != std::string::npos; at = text.find("<!--")) {
    const std::size_t end = text.find("-->", at);
    if (end == std::string::npos) break;
    text.erase(at, end + 3 - at);
  }
  return text;
}

Result<std::vector<LessonFile>> lesson_files(const DataDirs& data) {
  std::vector<LessonFile> lessons;
  for (const std::string& dir : data.dirs) {
    std::error_code none;
    for (const auto& entry : fs::directory_iterator(fs::path(dir) / "scenarios/teaching", none)) {
      const std::string name = entry.path().stem().string();
      if (entry.path().extension() != ".md" || name.find_first_of("0123456789") != 0) continue;
      if (std::any_of(lessons.begin(), lessons.end(),
                      [&](const LessonFile& each) { return each.name == name; }))
        continue;
      auto text = read_text_file(entry.path().string());
      if (!text) return text.error();
      LessonFile lesson{name, entry.path().parent_path().string(), name, {}, {}, {}, false};
      lesson.play = comment_in(text.value(), "play");
      lesson.window = comment_in(text.value(), "window");
      lesson.game = text.value().find("<!-- game -->") != std::string::npos;
      lesson.text = without_comments(std::move(text).value());
      if (lesson.text.starts_with("# "))
        lesson.title = lesson.text.substr(2, lesson.text.find('\n') - 2);
      lessons.push_back(std::move(lesson));
    }
  }
  if (lessons.empty()) return Error{"there are no lessons below scenarios/teaching", {}};
  std::sort(lessons.begin(), lessons.end(),
            [](const LessonFile& a, const LessonFile& b) { return a.name < b.name; });
  return lessons;
}

// "2", "02" and "02-retry-storm" name the same lesson.
const LessonFile* find_lesson(const std::vector<LessonFile>& lessons, const std::string& wanted) {
  for (const LessonFile& each : lessons) {
    const std::string number = each.name.substr(0, each.name.find('-'));
    if (wanted == each.name || wanted == number || "0" + wanted == number) return &each;
  }
  return nullptr;
}

std::string page_of(const LessonFile& lesson) {
  return lesson.name + ".html";
}

// The counterexamples of explore beside the text: NAME.*.trace.json.
Result<std::vector<std::pair<std::string, std::string>>> replays_of(const LessonFile& lesson) {
  std::vector<std::string> files;
  for (const auto& entry : fs::directory_iterator(lesson.folder)) {
    const std::string file = entry.path().filename().string();
    if (file.starts_with(lesson.name + ".") && file.ends_with(".trace.json")) files.push_back(file);
  }
  std::sort(files.begin(), files.end());
  std::vector<std::pair<std::string, std::string>> replays;
  for (const std::string& file : files) {
    const std::string path = lesson.folder + "/" + file;
    const auto text = read_text_file(path);
    if (!text) return text.error();
    const auto trace = explore::parse_trace(text.value(), path);
    if (!trace) return trace.error();
    explore::Played played = explore::replay_json(trace.value());
    if (!played.fits)
      return Error{"it does not end as it says; record it again with latchlab explore", path};
    const std::size_t from = lesson.name.size() + 1;
    replays.emplace_back(file.substr(from, file.size() - from - std::string(".trace.json").size()),
                         std::move(played.text));
  }
  return replays;
}

// Runs the lesson's scenario, if it has one. Returns the run's exit code.
int run_lesson(const LessonFile& lesson, const ClassroomArguments& arguments,
               const std::string& directory) {
  RunArguments wanted;
  wanted.input.scenario = "teaching/" + lesson.name;
  wanted.input.data = arguments.data;
  wanted.out = directory;
  wanted.jobs = arguments.jobs;
  wanted.quiet = true;
  wanted.trace.wanted = true;
  wanted.trace.points = lesson.play.empty() ? "0" : lesson.play;
  wanted.trace.window = lesson.window;
  return run(wanted);
}

// Writes the page and returns the exit code.
int make_page(const LessonFile& lesson, const std::vector<LessonFile>& site,
              const ClassroomArguments& arguments) {
  const std::string directory = arguments.out + "/runs/" + lesson.name;
  fmt::print(stderr, "{} ...\n", lesson.title);
  Lesson page{lesson.title, lesson.text, {}, {}};
  if (!site.empty()) {
    page.links.emplace_back("index.html", "All lessons");
    for (std::size_t i = 0; i < site.size(); ++i) {
      if (site[i].name != lesson.name) continue;
      if (i > 0) page.links.emplace_back(page_of(site[i - 1]), "Before: " + site[i - 1].title);
      if (i + 1 < site.size())
        page.links.emplace_back(page_of(site[i + 1]), "Next: " + site[i + 1].title);
    }
  }
  auto replays = replays_of(lesson);
  if (!replays) return complain(replays.error());
  page.replays = std::move(replays).value();
  if (lesson.game) {
    auto game = explore::game_json(explore::planted_game());
    if (!game) return complain(game.error(), kCannot);
    page.game = std::move(game).value();
  }
  std::vector<StoredRun> runs;
  if (fs::exists(lesson.folder + "/" + lesson.name + ".yaml")) {
    std::error_code gone;
    fs::remove_all(directory, gone);  // results for an earlier page; a new run takes seconds
    // Some lessons show incorrect locks. Their runs end with code 1 and still have results.
    if (const int code = run_lesson(lesson, arguments, directory); code > kBroken) return code;
    auto loaded = load_runs({directory}, arguments.data);
    if (!loaded) return complain(loaded.error());
    runs = std::move(loaded).value();
  }
  std::vector<ReportPart> parts;
  for (const StoredRun& run : runs) parts.push_back(part_of(run));
  const std::string path = arguments.out + "/" + page_of(lesson);
  if (const Status written = write_lesson(path, page, parts); !written)
    return complain(written.error(), kCannot);
  fmt::print("{}\n", path);
  return kFine;
}

// The text between "## HEADING" and the next one.
std::string chapter(const std::string& text, const std::string& heading) {
  const std::string mark = "\n## " + heading + "\n";
  const std::size_t at = text.find(mark);
  if (at == std::string::npos) return {};
  const std::size_t from = at + mark.size();
  const std::size_t end = text.find("\n## ", from);
  return text.substr(from, end == std::string::npos ? end : end - from);
}

// A page with text only.
Status write_text(const std::string& path, const std::string& title, const std::string& text,
                  std::vector<std::pair<std::string, std::string>> links) {
  return write_lesson(path, Lesson{title, text, std::move(links), {}}, {});
}

int make_site(const std::vector<LessonFile>& lessons, const ClassroomArguments& arguments) {
  std::string sheet = "Answer on paper first. Draw curves with both axes named.\n";
  std::string key = "What each lesson's run finds, and why.\n";
  std::vector<std::pair<std::string, std::string>> links;
  for (const LessonFile& lesson : lessons) {
    links.emplace_back(page_of(lesson), lesson.title);
    sheet += fmt::format("\n### {}\n\n{}\n\n{}\n", lesson.title, chapter(lesson.text, "Look at"),
                         chapter(lesson.text, "Question"));
    key += fmt::format("\n### {}\n\n{}\n\n{}\n", lesson.title, chapter(lesson.text, "Answer"),
                       chapter(lesson.text, "Next"));
  }
  links.emplace_back("worksheet.html", "Worksheet, to print");
  links.emplace_back("key.html", "Key, for teachers");
  const std::pair<std::string, std::string> back{"index.html", "All lessons"};
  for (const LessonFile& lesson : lessons)
    if (const int code = make_page(lesson, lessons, arguments); code != kFine) return code;
  const std::string out = arguments.out + "/";
  for (const Status& written :
       {write_text(out + "index.html", "Lessons on contention",
                   "Each lesson asks one question, of about ten minutes. Think, draw, then look.\n",
                   links),
        write_text(out + "worksheet.html", "Worksheet", sheet, {back}),
        write_text(out + "key.html", "Key", key, {back})})
    if (!written) return complain(written.error(), kCannot);
  fmt::print("Site: {}index.html\n", out);
  return kFine;
}

}  // namespace

int classroom(const ClassroomArguments& arguments) {
  const auto lessons = lesson_files(data_dirs(arguments.data));
  if (!lessons) return complain(lessons.error());
  std::error_code failed;
  if (arguments.all || !arguments.lesson.empty()) fs::create_directories(arguments.out, failed);
  if (failed) return complain({"cannot be made: " + failed.message(), arguments.out}, kCannot);
  std::optional<DirectoryLock> lock;  // held while runs in the directory are replaced
  if (arguments.all || !arguments.lesson.empty()) {
    auto taken = DirectoryLock::take(arguments.out);
    if (!taken) return complain(taken.error());
    lock.emplace(std::move(taken).value());
  }
  if (arguments.all) return make_site(lessons.value(), arguments);
  if (arguments.lesson.empty()) {
    for (const LessonFile& each : lessons.value()) fmt::print("{}\n", each.title);
    fmt::print("\nlatchlab classroom 1 makes the first one's page; --all those of all.\n");
    return kFine;
  }
  const LessonFile* const lesson = find_lesson(lessons.value(), arguments.lesson);
  if (lesson != nullptr) return make_page(*lesson, {}, arguments);
  std::vector<std::string> known;
  for (const LessonFile& each : lessons.value()) known.push_back(each.name);
  return complain(
      {fmt::format("there is no lesson '{}'; known: {}", arguments.lesson, joined(known)), {}});
}

}  // namespace latchlab::tool

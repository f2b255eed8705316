// Assembles the page from its files, which are compiled into the program.

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/base/fingerprint.h"
#include "core/run/files.h"
#include "tools/report/document.h"
#include "tools/report/embedded.h"
#include "tools/report/report.h"

namespace latchlab::tool {

namespace {

std::string page_text(std::string_view file) {
  return std::string(embedded(report_page(), file));
}

// All scripts in one function scope; the last one draws the page.
std::string scripts() {
  std::string text = "(() => {\n'use strict';\n";
  for (const char* file :
       {"dom.js",          "words.js",    "study.js",    "frame.js",     "lines.js",
        "bars.js",         "figures.js",  "timeline.js", "tables.js",    "comparison.js",
        "selftest.js",     "sections.js", "notes.js",    "paper.js",     "scene_trace.js",
        "scene_replay.js", "look.js",     "stage.js",    "animation.js", "game.js",
        "lesson.js",       "page.js"})
    text += page_text(file);
  return text + "})();\n";
}

std::string content_of(std::string_view marker, const std::string& document,
                       const std::string& nonce) {
  if (marker == "nonce") return nonce;
  if (marker == "style") return page_text("page.css");
  if (marker == "data") return document;
  if (marker == "d3") return std::string(report_d3().front().text);
  return scripts();
}

// The nonce of the scripts that may run. It is a hash of the data, so that the data can hardly
// contain it.
std::string nonce_of(const std::string& document) {
  Fingerprint print;
  for (const char c : document) print.add(static_cast<unsigned char>(c));
  return print.text();
}

// The text of a file; empty: no such file.
std::string stored_text(const std::string& path) {
  std::ifstream stream(path, std::ios::binary);
  std::ostringstream all;
  all << stream.rdbuf();
  return all.str();
}

// The first traces of a run in the order of its points, limited by the size of a page.
std::vector<std::string> stored_traces(const std::string& directory) {
  namespace fs = std::filesystem;
  constexpr std::size_t kMostBytes = 8'000'000;
  std::vector<std::string> files;
  std::error_code none;
  for (const auto& entry : fs::directory_iterator(directory + "/traces", none))
    if (entry.path().extension() == ".json") files.push_back(entry.path().string());
  std::sort(files.begin(), files.end());
  std::vector<std::string> texts;
  std::size_t bytes = 0;
  for (const std::string& file : files) {
    std::string text = stored_text(file);
    bytes += text.size();
    if (bytes > kMostBytes) break;
    texts.push_back(std::move(text));
  }
  return texts;
}

// Replaces each {{marker}} of the template.
std::string page_with(const std::string& document) {
  const std::string nonce = nonce_of(document);
  std::string_view rest = embedded(report_page(), "page.html");
  std::string page;
  for (std::size_t at = rest.find("{{"); at != rest.npos; at = rest.find("{{")) {
    const std::size_t end = rest.find("}}", at);
    page += rest.substr(0, at);
    page += content_of(rest.substr(at + 2, end - at - 2), document, nonce);
    rest.remove_prefix(end + 2);
  }
  page += rest;
  return page;
}

}  // namespace

std::string report_html(const std::vector<ReportPart>& parts) {
  return page_with(report_document(parts));
}

std::string run_name(const std::string& directory) {
  namespace fs = std::filesystem;
  const fs::path path = fs::absolute(directory).lexically_normal();
  return (path.has_filename() ? path : path.parent_path()).filename().string();
}

ReportPart part_of(const std::string& directory, const Scenario& scenario,
                   const StudyOutcome& outcome, const RunManifest& manifest) {
  return {.name = run_name(directory),
          .scenario = scenario,
          .outcome = outcome,
          .manifest = manifest,
          .timing = stored_text(directory + "/timing.json"),
          .search = stored_text(directory + "/find.json"),
          .traces = stored_traces(directory)};
}

Status write_report(const std::string& path, const std::vector<ReportPart>& parts) {
  return write_atomically(path, report_html(parts));
}

Status write_replay(const std::string& path, const std::string& name, const std::string& told) {
  return write_atomically(path, page_with(replay_document(name, told)));
}

Status write_lesson(const std::string& path, const Lesson& lesson,
                    const std::vector<ReportPart>& parts) {
  return write_atomically(path, page_with(lesson_document(lesson, parts)));
}

Status write_paper(const std::string& path, const Paper& paper,
                   const std::vector<std::string>& parts) {
  return write_atomically(path, page_with(paper_document(paper, parts)));
}

}  // namespace latchlab::tool

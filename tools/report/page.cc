// Puts the page together from its files, which are part of the program.

#include <filesystem>
#include <string>
#include <string_view>

#include "core/base/fingerprint.h"
#include "core/runner/files.h"
#include "tools/report/document.h"
#include "tools/report/report.h"

// NAME and NAMEEnd: the bytes of a file, read by the assembler.
#define EMBED(name, path)                                             \
  asm(".pushsection .rodata\n" #name ": .incbin \"" path "\"\n" #name \
      "End: .byte 0\n"                                                \
      ".popsection\n");                                               \
  extern "C" __attribute__((visibility("hidden"))) const char name[]; \
  extern "C" __attribute__((visibility("hidden"))) const char name##End[]
#define PAGE_FILE(name) LATCHLAB_SOURCE_DIR "/tools/report/page/" name

EMBED(kPageHtml, PAGE_FILE("page.html"));
EMBED(kPageCss, PAGE_FILE("page.css"));
EMBED(kPageD3, LATCHLAB_D3);
EMBED(kPageDom, PAGE_FILE("dom.js"));
EMBED(kPageWords, PAGE_FILE("words.js"));
EMBED(kPageStudy, PAGE_FILE("study.js"));
EMBED(kPageFrame, PAGE_FILE("frame.js"));
EMBED(kPageLines, PAGE_FILE("lines.js"));
EMBED(kPageBars, PAGE_FILE("bars.js"));
EMBED(kPageFigures, PAGE_FILE("figures.js"));
EMBED(kPageTables, PAGE_FILE("tables.js"));
EMBED(kPageSections, PAGE_FILE("sections.js"));
EMBED(kPageSelftest, PAGE_FILE("selftest.js"));

namespace latchlab::tool {

namespace {

#define TEXT_OF(name) std::string_view(name, static_cast<std::size_t>(name##End - (name)))

// All scripts in one scope of their own; the last one draws the page.
std::string scripts() {
  std::string text = "(() => {\n'use strict';\n";
  for (const std::string_view each :
       {TEXT_OF(kPageDom), TEXT_OF(kPageWords), TEXT_OF(kPageStudy), TEXT_OF(kPageFrame),
        TEXT_OF(kPageLines), TEXT_OF(kPageBars), TEXT_OF(kPageFigures), TEXT_OF(kPageTables),
        TEXT_OF(kPageSelftest), TEXT_OF(kPageSections)})
    text += each;
  return text + "})();\n";
}

std::string content_of(std::string_view marker, const std::string& document,
                       const std::string& nonce) {
  if (marker == "nonce") return nonce;
  if (marker == "style") return std::string(TEXT_OF(kPageCss));
  if (marker == "data") return document;
  if (marker == "d3") return std::string(TEXT_OF(kPageD3));
  return scripts();
}

// What names the scripts that may run. It depends on all of the data, so that the data cannot well
// contain it.
std::string nonce_of(const std::string& document) {
  Fingerprint print;
  for (const char c : document) print.add(static_cast<unsigned char>(c));
  return print.text();
}

}  // namespace

// The template says {{marker}} where something goes.
std::string report_html(const std::vector<ReportPart>& parts) {
  const std::string document = report_document(parts);
  const std::string nonce = nonce_of(document);
  std::string_view rest = TEXT_OF(kPageHtml);
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

std::string run_name(const std::string& directory) {
  namespace fs = std::filesystem;
  const fs::path path = fs::absolute(directory).lexically_normal();
  return (path.has_filename() ? path : path.parent_path()).filename().string();
}

Status write_report(const std::string& path, const std::vector<ReportPart>& parts) {
  return write_atomically(path, report_html(parts));
}

}  // namespace latchlab::tool

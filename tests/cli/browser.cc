#include "tests/cli/browser.h"

#include <cstdlib>
#include <sstream>
#include <utility>

namespace latchlab::cli_test {

namespace fs = std::filesystem;

namespace {

// The text inside the first element that starts so, with entities as characters.
std::string text_inside(const std::string& document, const std::string& start) {
  const std::size_t at = document.find(start);
  if (at == document.npos) return {};
  const std::size_t from = at + start.size();
  std::string text = document.substr(from, document.find('<', from) - from);
  for (const auto& [entity, character] :
       {std::pair("&lt;", "<"), std::pair("&gt;", ">"), std::pair("&amp;", "&")})
    for (std::size_t i = text.find(entity); i != text.npos; i = text.find(entity, i + 1))
      text.replace(i, std::string(entity).size(), character);
  return text;
}

std::string lines_with(const std::string& text, const std::string& word) {
  std::istringstream lines(text);
  std::string all;
  for (std::string line; std::getline(lines, line);)
    if (line.find(word) != line.npos) all += line + "\n";
  return all;
}

}  // namespace

std::string find_browser() {
  const char* path = std::getenv("PATH");
  std::istringstream folders(path != nullptr ? path : "");
  std::error_code error;
  for (std::string folder; std::getline(folders, folder, ':');)
    for (const char* name : {"chromium", "chromium-browser"})
      if (fs::is_regular_file(fs::path(folder) / name, error)) return fs::path(folder) / name;
  return {};
}

Seen Browser::look_at(const std::string& page) {
  const Finished finished =
      start_program({find_browser(), "--headless", "--no-sandbox", "--disable-gpu",
                     "--disable-quic", "--no-first-run", "--disable-background-networking",
                     "--disable-component-update", "--disable-sync", "--disable-dev-shm-usage",
                     "--user-data-dir=" + path("browser"), "--virtual-time-budget=20000",
                     "--enable-logging=stderr", "--dump-dom", "file://" + path(page) + "#selftest"})
          .wait();
  const std::string facts = text_inside(finished.out, "<pre id=\"selftest\">");
  return {Json::parse(facts, nullptr, false), finished.out, lines_with(finished.err, ":CONSOLE")};
}

}  // namespace latchlab::cli_test

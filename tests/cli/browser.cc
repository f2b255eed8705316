#include "tests/cli/browser.h"

#include <fmt/format.h>

#include <cstdlib>
#include <sstream>
#include <utility>

#include "tests/paths.h"

namespace latchlab::cli_test {

namespace fs = std::filesystem;

namespace {

std::string lines_with(const std::string& text, const std::string& word) {
  std::istringstream lines(text);
  std::string all;
  for (std::string line; std::getline(lines, line);)
    if (line.find(word) != line.npos) all += line + "\n";
  return all;
}

}  // namespace

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

std::string find_browser() {
  const char* path = std::getenv("PATH");
  std::istringstream folders(path != nullptr ? path : "");
  std::error_code error;
  for (std::string folder; std::getline(folders, folder, ':');)
    for (const char* name : {"chromium", "chromium-browser"})
      if (fs::is_regular_file(fs::path(folder) / name, error)) return fs::path(folder) / name;
  return {};
}

Finished Browser::browse(std::vector<std::string> words, const std::string& address) {
  std::vector<std::string> all = {find_browser(),
                                  "--headless",
                                  "--no-sandbox",
                                  "--disable-gpu",
                                  "--disable-quic",
                                  "--no-first-run",
                                  "--disable-background-networking",
                                  "--disable-component-update",
                                  "--disable-sync",
                                  "--disable-dev-shm-usage",
                                  "--user-data-dir=" + path("browser"),
                                  "--virtual-time-budget=20000"};
  all.insert(all.end(), words.begin(), words.end());
  all.push_back("file://" + path(address));
  return start_program(all).wait();
}

Seen Browser::look_at(const std::string& page) {
  const Finished finished = browse({"--enable-logging=stderr", "--dump-dom"}, page + "#selftest");
  const std::string facts = text_inside(finished.out, "<pre id=\"selftest\">");
  return {parse_json(facts), finished.out, lines_with(finished.err, ":CONSOLE")};
}

Json Browser::facts_at(int width, const std::string& page) {
  write("frame.html", fmt::format(R"(<body style="margin: 0">
<iframe style="border: 0; width: {}px; height: 900px" src="{}#selftest"></iframe><script>
setInterval(() => {{
  const facts = document.querySelector('iframe').contentDocument.getElementById('selftest');
  if (facts && !document.getElementById('selftest')) document.body.append(facts.cloneNode(true));
}}, 50);
</script></body>)",
                                  width, page));
  const Finished finished = browse({"--window-size=2000,1000", "--allow-file-access-from-files",
                                    "--disable-web-security", "--dump-dom"},
                                   "frame.html");
  return parse_json(text_inside(finished.out, "<pre id=\"selftest\">"));
}

std::string Browser::printed(const std::string& page) {
  browse({"--no-pdf-header-footer", "--print-to-pdf=" + path("page.pdf")}, page);
  return start_program({"/usr/bin/python3",
                        std::string(LATCHLAB_SOURCE_DIR) + "/tests/cli/pdf_text.py", "page.pdf"})
      .wait()
      .out;
}

}  // namespace latchlab::cli_test

#pragma once
// Examines a page with headless Chromium, where it is installed.

#include <string>

#include "tests/cli/program.h"

namespace latchlab::cli_test {

inline constexpr const char* kNoBrowser =
    "no browser to look at the page with: install the Debian package chromium";

std::string find_browser();  // path of the program; empty: not installed

// The text of the first element whose opening tag ends with the given text; entities are decoded.
std::string text_inside(const std::string& document, const std::string& start);

// The result of the self-test of a page: its contents as JSON, and the messages of the browser.
struct Seen {
  Json facts;            // null: the page did not reach its self-test
  std::string document;  // the DOM after scripts have run
  std::string console;   // messages and exceptions, one per line
};

class Browser : public Command {
 protected:
  Seen look_at(const std::string& page);
  // The contents of the page in a window of this width in pixels, which may be narrower than the
  // minimum of a browser.
  Json facts_at(int width, const std::string& page);
  // The texts on the printed page, one per line, each with its horizontal position; texts beyond
  // the sheet are left out. Empty: printing failed.
  std::string printed(const std::string& page);

 private:
  Finished browse(std::vector<std::string> words, const std::string& address);
};

}  // namespace latchlab::cli_test

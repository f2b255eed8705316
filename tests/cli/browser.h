#pragma once
// Looks at a page with headless Chromium, where there is one.

#include <string>

#include "tests/cli/program.h"

namespace latchlab::cli_test {

inline constexpr const char* kNoBrowser =
    "no browser to look at the page with: install the Debian package chromium";

std::string find_browser();  // the program; empty: there is none

// The text inside the first element of a page whose tag ends so, with entities as characters.
std::string text_inside(const std::string& document, const std::string& start);

// A page with its self-test: what it is made of, as JSON, and what the browser complained of.
struct Seen {
  Json facts;            // null: the page did not get as far as its self-test
  std::string document;  // as it stands once scripts have run
  std::string console;   // messages and exceptions, one a line
};

class Browser : public Command {
 protected:
  Seen look_at(const std::string& page);
  // What the page is made of in a window of so many pixels, which may be narrower than a browser's.
  Json facts_at(int width, const std::string& page);
  // What is on paper, a line for each text, with its horizontal place; those beyond the sheet are
  // left out. Empty: it could not be printed.
  std::string printed(const std::string& page);

 private:
  Finished browse(std::vector<std::string> words, const std::string& address);
};

}  // namespace latchlab::cli_test

#pragma once
// Commands that people may type to run the same again.

#include <string>

#include "tools/latchlab/commands.h"

namespace latchlab::tool {

// One word of a command for a shell: in apostrophes where it has characters that a shell would
// read.
std::string shell_word(const std::string& text);
// The same, in apostrophes whatever it is.
std::string quoted_word(const std::string& text);

// What to append to a command so that it runs on the same hardware, or nothing for a simulation.
std::string backend_options(const RunArguments& arguments);

// The options that decide what a run finds.
std::string run_options(const RunArguments& arguments);

// What to type to run the same again, should an invariant of ours break.
std::string command_line(const RunArguments& arguments);

// What to type to run what is left.
std::string resume_command(const RunArguments& arguments, const std::string& directory);

}  // namespace latchlab::tool

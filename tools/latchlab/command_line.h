#pragma once
// Command lines that repeat or resume a run.

#include <string>

#include "tools/latchlab/run.h"

namespace latchlab::tool {

// A word of a shell command, in single quotes if it has characters that a shell interprets.
std::string shell_word(const std::string& text);
// A word of a shell command, always in single quotes.
std::string quoted_word(const std::string& text);

// Options that select the same hardware; empty for a simulation.
std::string backend_options(const RunArguments& arguments);

// The options that affect a run's results.
std::string run_options(const RunArguments& arguments);

// The command that repeats the run, shown when a CHECK fails.
std::string command_line(const RunArguments& arguments);

// The command that runs the remaining repeats.
std::string resume_command(const RunArguments& arguments, const std::string& directory);

}  // namespace latchlab::tool

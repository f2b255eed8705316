#pragma once
// Runs one repeat in a child process; the outcome arrives through a pipe.

#include <string>

#include "core/base/result.h"
#include "core/run/repeat.h"

namespace latchlab {

class ChildRepeat {
 public:
  // Forks. The child runs the repeat, writes its outcome to the pipe and exits.
  static Result<ChildRepeat> start(const Point& point, const ProtocolEntry& entry,
                                   std::uint32_t repeat, const BackendFactory& make_backend,
                                   const TraceHookFactory& make_hook = {});

  int descriptor() const { return read_end_; }
  // Reads the available bytes without blocking; true when the child has closed its end.
  bool drain();
  // Reaps the child and parses its outcome; the outcome is `failed` if the child died.
  RepeatOutcome finish();
  void kill();

 private:
  ChildRepeat(int pid, int read_end) : pid_(pid), read_end_(read_end) {}
  int pid_;
  int read_end_;
  std::string received_;
};

// To be called in such a child: it dies when it has used so much time of the CPU.
void end_this_process_after(unsigned seconds);

std::string serialise_outcome(const RepeatOutcome& outcome);
Result<RepeatOutcome> parse_outcome(const std::string& text);

}  // namespace latchlab

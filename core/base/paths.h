#pragma once
// Named paths in the code, and whether a run has taken them. The value of an exhaustive search
// depends on the rare paths that it reached, so it must be able to list those that it did not
// reach.
//
//   if (late) LATCHLAB_PATH("dslr: a late release goes ahead");
//
// A label is known from the start of the program, whether or not it is executed, if the object file
// that contains it is linked. Several uses of one label are one path. Passing a label only sets a
// flag in static storage, so that it may be used in pure functions. Recording is off initially, and
// then costs one branch. Threads may share only the flags.

#include <atomic>
#include <cstddef>
#include <string_view>
#include <vector>

namespace latchlab::paths {

struct PathState {
  std::string_view label;  // valid as long as the program runs
  bool reached = false;
};

void record(bool on);
void forget();  // resets `reached` for all paths
// The path with this label, if there is one, was taken in another process.
void reached_elsewhere(std::string_view label);
// All labels that begin with `prefix`, sorted.
std::vector<PathState> all(std::string_view prefix = {});

namespace detail {

inline bool recording = false;

template <std::size_t size>
struct Label {
  char text[size] = {};
  consteval Label(const char (&from)[size]) {
    for (std::size_t i = 0; i < size; ++i) text[i] = from[i];
  }
  constexpr std::string_view view() const { return {text, size - 1}; }
};

// One label's flag, linked in the list of all labels.
class Path {
 public:
  explicit Path(std::string_view label);
  void reach() { reached_.store(true, std::memory_order_relaxed); }
  void forget() { reached_.store(false, std::memory_order_relaxed); }
  PathState state() const { return {label_, reached_.load(std::memory_order_relaxed)}; }
  Path* next() const { return next_; }

 private:
  std::string_view label_;
  std::atomic<bool> reached_ = false;
  Path* next_;
};

// Using `path` in compiled code makes the compiler define it, so that it registers at start-up.
template <Label label>
struct Known {
  static inline Path path{label.view()};
};

template <Label label>
inline void pass() {
  if (recording) [[unlikely]]
    Known<label>::path.reach();
}

template <Label first, Label second>
consteval auto joined() {
  char text[sizeof(first.text) + sizeof(second.text) - 1] = {};
  for (std::size_t i = 0; i + 1 < sizeof(first.text); ++i) text[i] = first.text[i];
  for (std::size_t i = 0; i < sizeof(second.text); ++i)
    text[sizeof(first.text) - 1 + i] = second.text[i];
  return Label(text);
}

}  // namespace detail
}  // namespace latchlab::paths

#define LATCHLAB_PATH(label) ::latchlab::paths::detail::pass<label>()
// For code that several locks share: the label begins with `prefix`, a constant array.
#define LATCHLAB_PATH_OF(prefix, label) \
  ::latchlab::paths::detail::pass<::latchlab::paths::detail::joined<prefix, label>()>()

#pragma once
// Planted bugs. PLANTED(name) is false at compile time in shipped objects. Tests compile locks a
// second time with LATCHLAB_PLANTED_BUGS, where it compares the name with the bug that a test has
// activated, so that each safety check is shown to fail when the protocol is broken. A name begins
// with its lock's name. tests/tidy checks that every bug has a test, and every test a bug.

#include <string_view>

#ifdef LATCHLAB_PLANTED_BUGS
namespace latchlab::planted {
inline std::string_view active;  // empty: none
}  // namespace latchlab::planted
#define PLANTED(name) (::latchlab::planted::active == #name)
#else
#define PLANTED(name) false
#endif

#pragma once
// Planted bugs: PLANTED(name) is false at compile time in shipped objects. Tests compile locks once
// more with LATCHLAB_PLANTED_BUGS, where it asks for the bug that a test has made active, so that
// each safety check can be seen to fail when the protocol is broken. A name begins with its lock's;
// that every bug has a test, and every test a bug, is a rule of tests/tidy.

#include <string_view>

#ifdef LATCHLAB_PLANTED_BUGS
namespace latchlab::planted {
inline std::string_view active;  // empty: none
}  // namespace latchlab::planted
#define PLANTED(name) (::latchlab::planted::active == #name)
#else
#define PLANTED(name) false
#endif

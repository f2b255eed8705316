#pragma once
// Locks in a shared library: the description that a plug-in gives of itself before any of its code
// is used. One file of the plug-in holds, at namespace level,
//
//   LATCHLAB_PLUGIN(latchlab::my_lock_entry)   // several makers: with commas
//
// and is built by latchlab_add_plugin of find_package(Latchlab), which also selects the headers. A
// latchlab that was built from other headers, or by another compiler, refuses the plug-in, since
// the two could disagree on the layout of classes.

#include <cstddef>
#include <cstdint>

#include "core/protocols/lock.h"

namespace latchlab {

using ProtocolMaker = ProtocolEntry (*)();

// Plain data, read by a latchlab of any version: fields are only added, at the end, and `abi` is
// incremented then.
struct PluginDescription {
  std::uint32_t abi = 0;           // kPluginAbi
  const char* version = nullptr;   // of Latchlab
  const char* seam = nullptr;      // a hash over the headers that both sides include
  const char* compiler = nullptr;  // its family: "gcc" or "clang"
  const char* library = nullptr;   // the standard library's ABI, and sanitizers
  const ProtocolMaker* makers = nullptr;
  std::size_t maker_count = 0;
};

inline constexpr std::uint32_t kPluginAbi = 1;
inline constexpr const char* kPluginSymbol = "latchlab_plugin";

#if defined(__clang__)
#define LATCHLAB_COMPILER "clang"
#else
#define LATCHLAB_COMPILER "gcc"
#endif

#if defined(_GLIBCXX_DEBUG)
#define LATCHLAB_LIBRARY_NAME "libstdc++ with _GLIBCXX_DEBUG"
#elif defined(_GLIBCXX_USE_CXX11_ABI) && _GLIBCXX_USE_CXX11_ABI
#define LATCHLAB_LIBRARY_NAME "libstdc++"
#elif defined(__GLIBCXX__)
#define LATCHLAB_LIBRARY_NAME "libstdc++ with the strings of C++98"
#else
#define LATCHLAB_LIBRARY_NAME "another standard library"
#endif

#if defined(__SANITIZE_ADDRESS__)
#define LATCHLAB_LIBRARY LATCHLAB_LIBRARY_NAME ", address sanitizer"
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
#define LATCHLAB_LIBRARY LATCHLAB_LIBRARY_NAME ", address sanitizer"
#endif
#endif
#ifndef LATCHLAB_LIBRARY
#define LATCHLAB_LIBRARY LATCHLAB_LIBRARY_NAME
#endif

// The description of this build.
#define LATCHLAB_PLUGIN_BUILD \
  ::latchlab::kPluginAbi, LATCHLAB_VERSION, LATCHLAB_SEAM, LATCHLAB_COMPILER, LATCHLAB_LIBRARY

}  // namespace latchlab

#define LATCHLAB_PLUGIN(...)                                                    \
  namespace {                                                                   \
  constexpr ::latchlab::ProtocolMaker latchlab_plugin_makers[] = {__VA_ARGS__}; \
  }                                                                             \
  extern "C" const ::latchlab::PluginDescription latchlab_plugin;               \
  const ::latchlab::PluginDescription latchlab_plugin = {                       \
      LATCHLAB_PLUGIN_BUILD, latchlab_plugin_makers,                            \
      sizeof latchlab_plugin_makers / sizeof latchlab_plugin_makers[0]};

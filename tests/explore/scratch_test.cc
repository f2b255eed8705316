#include <gtest/gtest.h>
#include <cstdio>
#include <cstdlib>
#include <chrono>
#include "tools/explore/search.h"
namespace latchlab::explore {
TEST(Scratch, run) {
  Case c;
  const auto env = [](const char* n, const char* d) { const char* v = std::getenv(n); return std::string(v ? v : d); };
  c.protocol = env("P", "cas"); c.profile = env("PROFILE", "");
  c.client_nodes = std::stoul(env("N", "2")); c.operations = std::stoul(env("K", "1"));
  c.crashes = std::stoul(env("C", "0")); c.timeouts = std::stoul(env("T", "4"));
  c.reduce = env("R", "1") == "1";
  std::string m = env("M", "");
  for (std::size_t i = 0; i < m.size();) { std::size_t j = m.find(',', i); if (j == m.npos) j = m.size(); c.modes.push_back(m.substr(i, j - i)); i = j + 1; }
  std::string s = env("SETS", "");
  for (std::size_t i = 0; i < s.size();) { std::size_t j = s.find(',', i); if (j == s.npos) j = s.size(); c.sets.push_back(s.substr(i, j - i)); i = j + 1; }
  SearchBounds b; b.states = std::stoull(env("S", "0")); b.milliseconds = std::stoull(env("MS", "60000"));
  auto t0 = std::chrono::steady_clock::now();
  SearchResult r = search(c, b);
  double sec = std::chrono::duration<double>(std::chrono::steady_clock::now() - t0).count();
  std::printf("exhausted %d (%s) states %llu transitions %llu terminals %llu mem %.1f MB, %.2f s, %.2f us/transition\n", r.exhausted, r.cut.c_str(), (unsigned long long)r.states, (unsigned long long)r.transitions, (unsigned long long)r.terminals, r.memory_bytes/1e6, sec, 1e6*sec/r.transitions);
  for (auto& t : r.terminal) std::printf("  terminal: %s\n", t.c_str());
  for (auto& f : r.findings) std::printf("  FOUND %s: %s (%zu moves)\n", name_of(f.wrong), f.text.c_str(), f.path.size());
}
}
#include "tools/explore/choosers.h"
namespace latchlab::explore {
TEST(Scratch, sizes) {
  Case c; c.protocol = std::getenv("P") ? std::getenv("P") : "cas"; c.client_nodes = 3;
  const ProtocolEntry* entry = find_protocol(c.protocol);
  auto protocol = entry->make(params_of(c, *entry).value());
  explorer::SearchSupport support;
  Universe u(c, *protocol, support);
  for (std::size_t i = 0; i < support.arenas.count(); ++i) {
    const auto* w = reinterpret_cast<const std::uint64_t*>(&support.arenas[i]);
    std::size_t used = support.arenas[i].used_bytes(), nz = 0;
    for (std::size_t g = 0; g < used / 64; ++g) { bool any = false; for (int k = 0; k < 8; ++k) any |= w[g*8+k] != 0; nz += any; }
    std::printf("arena %zu used %zu nonzero granules %zu (%zu B)\n", i, used, nz, nz * 64);
  }
}
}
#include "tools/explore/walk.h"
namespace latchlab::explore {
TEST(Scratch, walk) {
  Case c;
  const auto env = [](const char* n, const char* d) { const char* v = std::getenv(n); return std::string(v ? v : d); };
  c.protocol = env("P", "cas"); c.profile = env("PROFILE", "");
  c.client_nodes = std::stoul(env("N", "2")); c.operations = std::stoul(env("K", "1"));
  c.crashes = std::stoul(env("C", "0")); c.timeouts = std::stoul(env("T", "4"));
  std::string m = env("M", "");
  for (std::size_t i = 0; i < m.size();) { std::size_t j = m.find(',', i); if (j == m.npos) j = m.size(); c.modes.push_back(m.substr(i, j - i)); i = j + 1; }
  std::string s = env("SETS", "");
  for (std::size_t i = 0; i < s.size();) { std::size_t j = s.find(',', i); if (j == s.npos) j = s.size(); c.sets.push_back(s.substr(i, j - i)); i = j + 1; }
  WalkBounds b; b.walks = std::stoull(env("W", "10000")); b.seed = std::stoull(env("SEED", "1"));
  auto t0 = std::chrono::steady_clock::now();
  WalkResult r = walk(c, env("ST", "random") == "pct" ? Strategy::pct : Strategy::random, b);
  double sec = std::chrono::duration<double>(std::chrono::steady_clock::now() - t0).count();
  std::printf("walks %llu steps %llu unfinished %llu in %.2f s\n", (unsigned long long)r.walks, (unsigned long long)r.steps, (unsigned long long)r.unfinished, sec);
  if (r.finding) std::printf("  FOUND %s: %s (%zu moves)\n", name_of(r.finding->wrong), r.finding->text.c_str(), r.finding->path.size());
}
}

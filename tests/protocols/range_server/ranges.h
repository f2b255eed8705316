#pragma once
// Ranges for data structures and for servers that keep them: drawn at random, and checked unit by
// unit.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>
#include <set>
#include <vector>

#include "core/base/random.h"
#include "core/protocols/common/range_server/holders.h"

namespace latchlab::range_server {

inline Asker client(std::uint32_t number) {
  return {ClientId{number}, 1};
}
inline Held held(std::uint64_t first, std::uint64_t last, std::uint32_t by) {
  return {{first, last}, client(by)};
}

// Ranges of up to `widest` units below `units`; one in 32 is the whole object, one in 32 ends with
// it.
inline Span some_span(Rng& rng, std::uint64_t units, std::uint64_t widest) {
  const std::uint64_t first = rng.below(units);
  const std::uint64_t kind = rng.below(32);
  if (kind == 0) return {};
  if (kind == 1) return {first, ~0ULL};
  return {first, first + rng.below(widest)};
}

// By definition: whether a unit is in both, for spans that begin below 400.
inline bool share_a_unit(const Span& a, const Span& b) {
  for (std::uint64_t unit = 0; unit < 400; ++unit)
    if (a.first <= unit && unit <= a.last && b.first <= unit && unit <= b.last) return true;
  return false;
}

// Compares a structure of disjoint ranges with a plain list of them.
template <class Structure, class Look>
void expect_holds_what_a_list_does(std::uint64_t seed, std::uint64_t rounds, std::uint64_t widest,
                                   Look look) {
  Rng rng(seed);
  Structure structure;
  std::map<Asker, Span> there;
  for (std::uint32_t round = 1; round <= rounds; ++round) {
    if (rng.below(100) < 45 && !there.empty()) {
      auto any = there.begin();
      std::advance(any, static_cast<std::ptrdiff_t>(rng.below(there.size())));
      ASSERT_TRUE(structure.erase({any->second, any->first}));
      ASSERT_FALSE(structure.erase({any->second, any->first})) << "it is gone";
      there.erase(any);
    } else {
      const Held wanted{some_span(rng, 300, widest), client(round)};
      std::set<Asker> in_the_way;
      for (const auto& [who, span] : there)
        if (share_a_unit(span, wanted.span)) in_the_way.insert(who);
      const std::optional<Asker> holder = structure.try_insert(wanted);
      ASSERT_EQ(holder.has_value(), !in_the_way.empty()) << "round " << round;
      if (holder) {
        ASSERT_EQ(in_the_way.count(*holder), 1U) << "round " << round;
      }
      if (!holder) there[wanted.who] = wanted.span;
    }
    ASSERT_GT(structure.take_steps(), 0U);
    look(structure, there);
  }
}

}  // namespace latchlab::range_server

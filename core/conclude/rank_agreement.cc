#include <algorithm>
#include <utility>

#include "core/conclude/study_comparison.h"
#include "core/measure/statistics.h"

namespace latchlab {
namespace {

struct Contender {
  std::string lock;
  const PointOutcome* a;
  const PointOutcome* b;
  double mean_a = 0, mean_b = 0;
};

int decidedly_ahead(const PointOutcome& x, const PointOutcome& y) {
  const auto compared = compare(x, y, kGoodput);
  return compared ? compared->ahead : 0;
}

// Ties are ordered by name.
void rank(std::vector<Contender> all, double Contender::*mean, const PointOutcome* Contender::*of,
          std::vector<std::string>& locks, std::vector<bool>& decided) {
  std::sort(all.begin(), all.end(), [mean](const Contender& x, const Contender& y) {
    return std::pair(-(x.*mean), x.lock) < std::pair(-(y.*mean), y.lock);
  });
  for (std::size_t i = 0; i < all.size(); ++i) {
    locks.push_back(all[i].lock);
    if (i > 0) decided.push_back(decidedly_ahead(*(all[i - 1].*of), *(all[i].*of)) > 0);
  }
}

struct RankedPlace {
  std::string where, emulated;
  std::vector<Contender> contenders;
};

RankAgreement agreement(const RankedPlace& place) {
  const std::vector<Contender>& all = place.contenders;
  RankAgreement made;
  made.where = place.where;
  made.emulated = place.emulated;
  rank(all, &Contender::mean_a, &Contender::a, made.a, made.decided_a);
  rank(all, &Contender::mean_b, &Contender::b, made.b, made.decided_b);
  int agree = 0, pairs = 0;
  for (std::size_t i = 0; i < all.size(); ++i)
    for (std::size_t j = i + 1; j < all.size(); ++j) {
      const Contender &x = all[i], &y = all[j];
      const double in_both = (x.mean_a - y.mean_a) * (x.mean_b - y.mean_b);
      agree += in_both > 0 ? 1 : in_both < 0 ? -1 : 0;
      ++pairs;
      const int before = decidedly_ahead(*x.a, *y.a), after = decidedly_ahead(*x.b, *y.b);
      if (before * after >= 0) continue;
      made.changed.emplace_back(before > 0 ? x.lock : y.lock, before > 0 ? y.lock : x.lock);
    }
  made.tau = static_cast<double>(agree) / pairs;
  return made;
}

}  // namespace

std::vector<RankAgreement> rank_agreements(const StoredStudy& a, const StoredStudy& b,
                                           const std::vector<PointPair>& pairs) {
  std::vector<RankedPlace> places;
  for (const PointPair& pair : pairs) {
    if (!pair.unsound.empty()) continue;
    const PointOutcome &of_a = a.outcome.points[pair.a], &of_b = b.outcome.points[pair.b];
    const auto mean_a = mean(values_of(of_a, kGoodput)), mean_b = mean(values_of(of_b, kGoodput));
    if (!mean_a || !mean_b) continue;
    auto place = std::find_if(places.begin(), places.end(), [&](const RankedPlace& each) {
      return each.where == pair.where && each.emulated == pair.emulated;
    });
    if (place == places.end()) place = places.insert(place, {pair.where, pair.emulated, {}});
    place->contenders.push_back({pair.lock, &of_a, &of_b, *mean_a, *mean_b});
  }
  std::vector<RankAgreement> all;
  for (const RankedPlace& place : places)
    if (place.contenders.size() > 1) all.push_back(agreement(place));
  return all;
}

}  // namespace latchlab

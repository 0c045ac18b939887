// SPDX-License-Identifier: MIT
#include "guard/sequential/looks.h"

#include <cmath>

namespace aaco {

std::vector<Look> plan_looks(int64_t most_pairs, double level, double equivalence_level, int64_t batch) {
  std::vector<Look> looks;
  const auto whole = [&](double pairs) { return (static_cast<int64_t>(std::ceil(pairs)) + batch - 1) / batch * batch; };
  int64_t pairs = whole(static_cast<double>(kFewestPairs));
  for (int64_t before = 0; before < most_pairs;) {
    // A last look of a few pairs more would cost its share of the level and tell little.
    const int64_t next = whole(static_cast<double>(pairs) * kLookGrowth);
    pairs = next > most_pairs ? most_pairs : pairs;
    const double share = static_cast<double>(pairs - before) / static_cast<double>(most_pairs);
    looks.push_back({pairs, level * share, equivalence_level * share});
    before = pairs;
    pairs = next;
  }
  return looks;
}

Result<LooksEnd> look_until_decided(std::span<const Look> looks, const std::function<Result<bool>(int64_t)>& measure,
                                    const std::function<Result<bool>(const Look&)>& decide) {
  LooksEnd end;
  for (const Look& look : looks) {
    AACO_ASSIGN(const bool measured, measure(look.pairs));
    if (!measured) {
      end.out_of_time = true;
      return end;
    }
    end.pairs = look.pairs;
    ++end.looks;
    AACO_ASSIGN(end.decided, decide(look));
    if (end.decided) {
      return end;
    }
  }
  return end;
}

}  // namespace aaco

// SPDX-License-Identifier: MIT
// Did one of several things become slower? Two lists of samples, paired by name; each pair is judged as two runs are
// (compare.h).
//
// One pair is judged as `aaco diff` judges it. With N > 1 pairs that have an interval, one or more of them is called
// regressed or improved wrongly with a probability of CompareOptions::level at most: Holm's procedure over both
// one-sided tests of each, 2N hypotheses. The interval of a pair is that of the level at which it was tested.
// Equivalence is shown pair by pair (two one-sided tests at 5 % each).
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/json/json_fwd.h"
#include "verdict/compare.h"
#include "verdict/named_sample.h"

namespace aaco {

struct PairComparison {
  std::string configuration;  // the name of both
  Comparison comparison;
  Verdict alone = Verdict::kInvalid;  // what it would be called if it were the only pair
};

// What judging many pairs at once asks of the one that has the fewest degrees of freedom.
struct PairCorrection {
  int64_t pairs = 0;             // with an interval
  double level = kVerdictLevel;  // of all of them together
  double widening = 1;           // width of an interval by that of the same pair alone
  int64_t processes = 0;         // a side
  int64_t processes_needed = 0;  // a side, with which it would be as narrow as alone with `processes`
  // The largest of the pairs': a change below it may go unseen in one of them.
  double minimum_detectable = 0;
};

struct PairComparisons {
  std::vector<PairComparison> pairs;
  std::vector<std::string> unpaired;         // names that only one side has
  bool allow_unpaired = false;               // they were expected: the exit code does not tell
  std::optional<PairCorrection> correction;  // none of fewer than two pairs with an interval
};

// Pure. Samples of both sides with the same name are a pair whatever else differs: the comparison names that. Of two
// of the same name on one side the first counts. What neither side measured is no pair. A pair whose sides did not
// train alike is invalid.
PairComparisons compare_pairs(const std::vector<NamedSample>& baseline, const std::vector<NamedSample>& test,
                              const CompareOptions& options);

// 1 where one regressed; else 4 where one is inconclusive or invalid, where a name stands on one side only (unless
// CompareOptions::allow_different), or where nothing could be paired; else 0.
int exit_code_of(const PairComparisons& comparisons, bool allow_inconclusive);

void to_json(Json& json, const PairComparisons& comparisons);

}  // namespace aaco

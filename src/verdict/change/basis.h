// SPDX-License-Identifier: MIT
// What a comparison rests on, the values of both sides, and what the statistics say of them: Student's t, or ranks
// where a process is odd or pairs lie far out.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "base/statistics.h"
#include "verdict/change/log_change.h"

namespace aaco {

// The values of one side that are compared.
struct Basis {
  std::vector<double> values;
  std::vector<double> sampling_errors;
  std::vector<size_t> odd;  // indices

  std::vector<double> without_odd() const;
};

// What the statistics say of the basis, whichever they are.
struct Finding {
  double ratio = 1;
  Interval interval;
  Interval within;  // decides equivalence
  double p_slower = 1;
  double p_faster = 1;
  double confidence_slower = 0;
  double confidence_faster = 0;
  double confidence_equivalent = 0;
};

// Of a wrong answer, on either side.
struct SideLevels {
  double change = 0;
  double equivalence = 0;
};
Finding finding_of(const LogChange& change, const SideLevels& levels);

// By ranks, where there are values enough; else Student's interval, reaching to what the medians say.
Finding by_ranks(const Basis& baseline, const Basis& test, const LogChange& change, bool paired,
                 const SideLevels& levels);

// ln(test / baseline) of each pair.
std::vector<double> pair_differences(const Basis& baseline, const Basis& test);

// Of pairs some of which lie far out, by Student's t and by signed ranks, each at half the level of a change: whichever
// is sure of one. Ranks alone would not see that few processes became much slower, and Student's t alone would wait for
// ever. So equivalence needs both. `change`: Student's; made that of the ranks, with which forecasts go on.
Finding by_signed_ranks(const Basis& baseline, const Basis& test, const SideLevels& levels, LogChange& change);

// Whether the pairs are enough for signed ranks at this level of a change.
bool are_enough_pairs(size_t pairs, double level);

// ln of the ratio of medians; paired: median of the logarithms of ratios.
double median_log_ratio(const Basis& baseline, const Basis& test, bool paired);

// Processes a side with which a finding by ranks would be decided, more than there are: the interval that decided
// nothing narrows with the square root of their number. Where there are too few for ranks, as many as those need. None
// where the change lies too near to what drift or the minimum effect explain, or no number of processes is enough.
std::optional<int64_t> processes_for_ranks(const Basis& baseline, const Basis& test, const Finding& finding,
                                           const LogChange& change, bool paired, double level);

}  // namespace aaco

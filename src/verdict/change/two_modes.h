// SPDX-License-Identifier: MIT
// Latencies that fall into two modes, as with two code paths, two clocks or two places of memory. The median of such a
// process is in one mode or the other, whichever holds more than half: from 48 to 52 % it jumps by the whole distance,
// where the mean changes by 4 % of it. Two modes are recognised by process_quantiles, and named; what is compared then
// is the mean of what lies between the 1st and the 99th percentile, which moves as the shares and places do.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "verdict/change/process_sample.h"

namespace aaco {

struct TwoModes {
  double fast_ns = 0;  // median of each
  double slow_ns = 0;
  double slow_share = 0;               // of the iterations of all processes
  std::vector<double> process_shares;  // slow, of each process
};

// None where the iterations are not known, where latencies have one mode, where less than 5 % lie in one of them, or
// where one process alone has the second.
std::optional<TwoModes> two_modes(std::span<const ProcessSample> processes);

// "1.00 ms and 1.50 ms (48 % of the iterations)".
std::string modes_text(const TwoModes& modes);

// Mean of a process between its 1st and 99th percentile.
double trimmed_mean_ns(const ProcessSample& process);
// Standard error that its iterations give the logarithm of it, if they are independent; 0 of none.
double trimmed_mean_error(const ProcessSample& process);

}  // namespace aaco

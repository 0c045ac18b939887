// SPDX-License-Identifier: MIT
// From the terms of a change to a class of the bottleneck taxonomy and what to do next. One ordered table of rules; the
// first that applies gives the answer and is named in it.
#pragma once

#include <string>

#include "verdict/attribute.h"
#include "verdict/compare.h"

namespace aaco {

struct Cause {
  BottleneckClass suspected_cause = BottleneckClass::kUnknown;
  std::string reason;  // one sentence of evidence
  std::string rule;    // id of the rule
  std::string recommendation;
};

// A term or signal explains a change when it is at least this share of it.
inline constexpr double kExplainingShare = 0.5;
// Executions shorter than this are small: their number, not their work, is what costs
// (RunFacts::microkernel_ns, unless a run sets another).
inline constexpr double kSmallKernelNs = 10'000;

Cause suspect_cause(const Comparison& comparison, const Attribution& attribution, const RunSample& baseline,
                    const RunSample& test);

}  // namespace aaco

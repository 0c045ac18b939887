// SPDX-License-Identifier: MIT
// What to do about an offender: a table of rules, the first that applies gives the recommendation. To add one: a line
// in the table of rules.cpp, before the more general ones.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "analysis/model_run/rates.h"
#include "analysis/model_run/results.h"

namespace aaco {

// Why time is lost, as the finder knows it.
enum class OffenderCause : uint8_t {
  kNone,  // of nodes and groups of a run: the node itself
  // Of runs.
  kDispatch,
  kContention,
  kQuota,
  kThrottling,
  kFusion,
  kFallback,
  kHostCopies,  // between host and device
  kDenormals,
  // Of traces.
  kOperator,
  kHostOperator,
  kKernel,
  kElementwiseRuns,
  kSmallKernels,
  kLateHost,
  kHostWaits,
  kCopy,
  kCopyWithin,  // the device
  kCommunication,
  kStreams,
  kPattern,
};

// An offender with what the rules look at beside it.
struct OffenderCase {
  Offender offender;
  std::string op_type;  // of nodes and groups; of a trace's operators their family
  OffenderCause cause = OffenderCause::kNone;
  RoofBound roof = RoofBound::kUnknown;  // that holds it back
  std::optional<double> roof_fraction;   // roof time over time: how near it is to the roof that bounds it
  double threads = 1;
  bool on_gpu = false;    // the run's nodes are launched on a device
  bool crowded = false;   // threads were kept off the processors for much of its time
  std::string precision;  // executed
};

struct Rule {
  const char* id;
  bool (*applies)(const OffenderCase&);
  const char* recommendation;
  const char* source;  // where the advice is from
};

std::span<const Rule> rules();

// Sets rule and recommendation. The last rule applies to everything.
void apply_rules(OffenderCase& offender);

// At most ten, the largest stake first, those whose stake is unknown behind the others; each with its recommendation:
// its own, or that of the rules.
std::vector<Offender> rank_offenders(std::vector<OffenderCase> cases);

}  // namespace aaco

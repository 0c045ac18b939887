// SPDX-License-Identifier: MIT
// What to do about an offender: a table of rules, the first that applies gives the recommendation. To add one: a line
// in the table of rules.cpp, before the more general ones.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "analysis/model_run/results.h"

namespace aaco {

// An offender with what the rules look at beside it.
struct OffenderCase {
  Offender offender;
  std::string op_type;  // of nodes and groups; of a trace's operators their family
  // "" for nodes and groups of a run; else "dispatch", "contention", "quota", "throttling", "fusion", "fallback",
  // "denormals". Of a trace: "operator", "host operator", "kernel", "runs", "small kernels", "host", "waits", "copy",
  // "copy within", "communication", "streams", "pattern".
  std::string cause;
  std::optional<double> roof_fraction;  // roof time over time: how near it is to the roof that bounds it
  double threads = 1;
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

// At most ten, the largest stake first, each with its recommendation: its own, or that of the rules.
std::vector<Offender> rank_offenders(std::vector<OffenderCase> cases);

}  // namespace aaco

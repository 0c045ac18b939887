// SPDX-License-Identifier: MIT
// What to do about an offender: a table of rules, the first that applies gives the recommendation. To add one: a line
// in the table of rules.cpp, before the more general ones.
#pragma once

#include <span>
#include <string>

#include "analysis/results.h"

namespace aaco {

// An offender with what the rules look at beside it.
struct OffenderCase {
  Offender offender;
  std::string op_type;  // of nodes and groups
  std::string cause;    // "" for nodes and groups; else "dispatch", "contention", "throttling", "fusion", "fallback"
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

}  // namespace aaco

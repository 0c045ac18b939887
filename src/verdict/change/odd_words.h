// SPDX-License-Identifier: MIT
// Processes that are far from the others of their side, as a verdict names them.
#pragma once

#include <string>
#include <vector>

#include "verdict/change/basis.h"
#include "verdict/identity/value_kind.h"

namespace aaco {

// A sentence for each odd process of a side, with values as they were given. `name`: "baseline", "test".
std::vector<std::string> odd_warnings(const Basis& side, const std::string& name, ValueKind kind);

// "process 2 of the baseline and processes 0, 4 of the test"; "" where none is odd.
std::string named_odd(const Basis& baseline, const Basis& test);

}  // namespace aaco

// SPDX-License-Identifier: MIT
// The patterns. To add one: a file of its own with a function of that name, a line here, a row in docs/advice.md, and
// the traces that it fires on in tests/traces/advice.txt.
#pragma once

#include <vector>

#include "analysis/timeline/advice/advice_input.h"

namespace aaco {

#define AACO_PATTERNS(X)   \
  X(input_preparation)     \
  X(host_work)             \
  X(launch_bound)          \
  X(decode_launch_bound)   \
  X(synchronising_reads)   \
  X(device_allocation)     \
  X(module_loading)        \
  X(compilation)           \
  X(first_use)             \
  X(unfused_attention)     \
  X(single_precision)      \
  X(layout_copies)         \
  X(small_optimizer_steps) \
  X(pageable_copies)       \
  X(small_collectives)     \
  X(late_ranks)

// Each looks at all ranks and devices, and gives only what is worth a line.
#define AACO_DECLARE(name) std::vector<TraceFinding> name(const AdviceInput& input);
AACO_PATTERNS(AACO_DECLARE)
#undef AACO_DECLARE

// Of all patterns, by what each could save at most.
std::vector<TraceFinding> find_patterns(const AdviceInput& input);

}  // namespace aaco

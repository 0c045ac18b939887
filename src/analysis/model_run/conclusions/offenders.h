// SPDX-License-Identifier: MIT
// What to do next: the nodes, groups and overheads of which fixing could save most.
#pragma once

#include <string_view>
#include <vector>

#include "analysis/model_run/context.h"

namespace aaco {

// A stake's basis that begins so goes on with the reason; the stake is then an upper bound that says nothing.
inline constexpr std::string_view kUnknownStake = "unknown: ";

// At most ten, ranked by stake. The stake of a node or group is its time above the least time that the roofs allow;
// where no roof is known it is its whole time, and says "upper bound". It is unknown where threads were kept off the
// processors for a quarter of the time or more, and where a cost adds up to more than the latency. Each group of
// kernels is named once: as the group, or as the one node that has more than half of its stake. Without device activity
// on a GPU no device time is at stake.
std::vector<Offender> find_offenders(const Context& context);

}  // namespace aaco

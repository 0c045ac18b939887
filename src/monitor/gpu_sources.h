// SPDX-License-Identifier: MIT
// Each GPU from one collector: two of them read AMD's, from the amdgpu driver's files and by the library amd-smi.
#pragma once

#include <vector>

#include "monitor/collector_keeper.h"

namespace aaco {

// Takes the rows and totals of a device out of all readings but one: the first that reads something of it, or, where
// none does, the first that knows it. A reading that leaves devices of its rows to another says so in `why`.
void keep_one_source(std::vector<CollectorReading>& readings);

}  // namespace aaco

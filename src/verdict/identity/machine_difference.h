// SPDX-License-Identifier: MIT
// Were both sides measured on machines of one kind? The ratio of two machines tells of the machines, not of what ran on
// them. A machine is
//
//   processor   its name, and family, model and stepping: one name covers several generations in a cloud
//   size        cores; memory, where it differs by more than a tenth (kernels keep back some)
//   device      of a run on a GPU: the kinds of GPU that the lockbox lists, how they are partitioned
//
// Another kernel, microcode, governor, driver, clock or power limit on the same machine is a cause and stays in the
// lockbox's differences (environment_diff.h); so do GPUs beside a run on the CPU.
#pragma once

#include <string>
#include <vector>

#include "verdict/run_sample.h"

namespace aaco {

// Pure. Facts that one side lacks, or could not find out, are not compared.
std::vector<ConfigurationDifference> machine_differences(const RunSample& baseline, const RunSample& test);

// False where a side has a lockbox that does not name its processor.
bool machine_recorded(const RunSample& sample);

}  // namespace aaco

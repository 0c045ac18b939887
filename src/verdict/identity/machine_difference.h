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

#include "base/json/json_fwd.h"
#include "verdict/identity/work_facts.h"

namespace aaco {

// Pure. Facts that one side lacks, or could not find out, are not compared.
// Of two lockboxes; `on_gpu`: both sides ran on GPUs.
std::vector<ConfigurationDifference> machine_differences(const Json& baseline, const Json& test, bool on_gpu);

// False for a lockbox that does not name its processor.
bool names_machine(const Json& lockbox);

}  // namespace aaco

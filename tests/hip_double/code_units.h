// SPDX-License-Identifier: MIT
// All that the HIP module is asked to compute when its kernels run as machine code: every case of every operation, the
// probes, the workloads at their sizes for tests, the steps of a small training. New cases, workloads and versions of
// the training are among them by themselves.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "device/backends/module_backend.h"

namespace aaco {

struct CodeUnit {
  std::string group;  // cases, own_convolutions, probes, workloads, training
  std::string name;
  std::function<Result<void>(ModuleBackend& backend)> run;  // errors: what is wrong, or the device's
};

// `seed`: of the inputs of the cases. `all`: also what takes long, the gates of each version of the training.
std::vector<CodeUnit> code_units(uint64_t seed, bool all);
// The cases of convolutions, for a process that is not to use a vendor's library for them (AACO_CONV_LIBRARY=0).
std::vector<CodeUnit> units_of_own_convolutions(uint64_t seed);

}  // namespace aaco

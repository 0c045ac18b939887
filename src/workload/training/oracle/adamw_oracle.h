// SPDX-License-Identifier: MIT
// AdamW (Loshchilov & Hutter, ICLR 2019) in fp64, for loss curves that a device's must follow.
#pragma once

#include <cstdint>
#include <vector>

#include "base/result.h"
#include "workload/training/oracle/llama_oracle.h"

namespace aaco {

// Every parameter decays, by 1 - rate * weight_decay a step.
struct OracleAdamW {
  double rate = 1e-3;
  double beta1 = 0.9;
  double beta2 = 0.999;
  double epsilon = 1e-8;  // added to the root of the corrected second moment
  double weight_decay = 0;
};

// Empty before the first step.
struct OracleMoments {
  int64_t step = 0;  // done so far
  std::vector<std::vector<double>> first;
  std::vector<std::vector<double>> second;
};

// One step, which may have settings of its own. Errors: kBug, where gradients or moments are not of the parameters'
// sizes.
Result<void> oracle_adamw_step(const OracleAdamW& settings, const std::vector<std::vector<double>>& gradients,
                               std::vector<OracleTensor>& parameters, OracleMoments& moments);

}  // namespace aaco

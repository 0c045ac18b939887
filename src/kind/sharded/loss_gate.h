// SPDX-License-Identifier: MIT
// Losses of several ranks against those of one process.
#pragma once

#include <string>
#include <vector>

#include "kind/training/document/training_run_document.h"

namespace aaco {

// The mean loss over ranks of each step that all ranks have finished.
std::vector<double> mean_losses(const std::vector<const std::vector<double>*>& ranks);

// Passes where every step's mean over ranks is within `bound` of the loss of one process. Fails where a loss is NaN,
// where the numbers of steps differ, and where there is no step.
TrainingGate loss_gate(const std::string& name, const std::vector<const std::vector<double>*>& ranks,
                       const std::vector<double>& alone, double bound);

}  // namespace aaco

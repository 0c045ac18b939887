// SPDX-License-Identifier: MIT
// What must hold of a training before any speed is said, and the kernels that ran for it.
#pragma once

#include <vector>

#include "kind/training/document/training_gate.h"
#include "report/report_model.h"

namespace aaco::report {

size_t passed_gates(const std::vector<TrainingGate>& gates);
Badge gates_badge(const std::vector<TrainingGate>& gates);
Section gates_section(const std::vector<TrainingGate>& gates);

}  // namespace aaco::report

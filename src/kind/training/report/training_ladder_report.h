// SPDX-License-Identifier: MIT
// What the versions of a training are beside each other.
#pragma once

#include "kind/training/document/training_ladder.h"
#include "report/report_model.h"

namespace aaco::report {

Report build_training_ladder_report(const TrainingLadder& ladder);

}  // namespace aaco::report

// SPDX-License-Identifier: MIT
// A training run as a side of a comparison.
#pragma once

#include "kind/training/document/training_run_document.h"
#include "verdict/named_sample.h"

namespace aaco {

// Gives a training's sample what must be equal on both sides: version, dispatch, sizes, data, precision, types, device,
// losses. A run whose gates did not all pass counts as failed, so that it is not compared.
void describe_training(const TrainingRunDocument& document, NamedSample& named);

}  // namespace aaco

// SPDX-License-Identifier: MIT
// A training run as a side of a comparison.
#pragma once

#include <string>

#include "analysis/documents/training_run_document.h"
#include "verdict/run_sample.h"

namespace aaco {

// Gives the sample of a training's recording what must be equal on both sides: version, dispatch, sizes, data,
// precision, types, device. A run whose gates did not all pass counts as failed, so that it is not compared.
void describe_training(const TrainingRunDocument& document, RunSample& sample);

// Losses that lie further apart are not those of one training. Of the same batches and weights they differ by rounding
// alone, which is below 0.4 % (2^-8) in an operation with bf16.
inline constexpr double kLossTolerance = 0.01;

// Why two runs of the same configuration did not train alike: the mean losses of the steps that both have; empty where
// they did, or where their configurations differ, which compare() says.
std::string loss_difference(const TrainingRunDocument& baseline, const TrainingRunDocument& test);

}  // namespace aaco

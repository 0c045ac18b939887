// SPDX-License-Identifier: MIT
// A sample of a session that may hold several, and how a baseline file keeps it.
#pragma once

#include <string>
#include <vector>

#include "base/json/json_fwd.h"
#include "base/result.h"
#include "verdict/run_sample.h"

namespace aaco {

struct NamedSample {
  std::string name;  // "hetero_kernels, 8 streams, dispatch single, sync per_iteration"; "" of a session that has one
  RunSample sample;
  std::vector<double> losses;  // of the first process's steps, where it is a training
};

// Of something that was measured to its end: the median of each process.
NamedSample measured_sample(std::string name, const std::string& created_utc, std::vector<double> process_medians_ns);

// Losses that lie further apart are not those of one training. Of the same batches and weights they differ by rounding
// alone, which is below 0.4 % (2^-8) in an operation with bf16.
inline constexpr double kLossTolerance = 0.01;

// Why two samples of the same configuration did not train alike: the mean losses of the steps that both have. Empty
// where they did, and where their configurations differ, which compare() says.
std::string loss_difference(const NamedSample& baseline, const NamedSample& test);

// Makes the test invalid where both did not train alike: their speeds compare nothing.
void expect_same_training(const NamedSample& baseline, NamedSample& test);

// The sample's members, with a name and losses where there are some.
void to_json(Json& json, const NamedSample& value);

// Errors: as of parse_run_sample.
Result<NamedSample> parse_named_sample(const Json& json, const std::string& source);

}  // namespace aaco

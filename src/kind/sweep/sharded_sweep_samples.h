// SPDX-License-Identifier: MIT
// What a comparison takes of a session of `aaco overlap sweep`: each change.
#pragma once

#include <string>
#include <vector>

#include "kind/sweep/sharded_sweep.h"
#include "verdict/named_sample.h"

namespace aaco {

// Pure. Another configuration file, other overrides or devices are differences of configuration.
std::vector<NamedSample> samples_of(const ShardedSweep& sweep);

// Errors: as of read_sharded_sweep.
Result<std::vector<NamedSample>> sharded_sweep_samples(const Json& document, const std::string& source);

}  // namespace aaco

// SPDX-License-Identifier: MIT
// How long the sequences are whose lengths an input holds.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "model/tensor.h"

namespace aaco {

struct SequenceLength {
  int64_t steps = 0;
  std::string input;
};

// Steps of the input whose name `name` has without its word for length (speech_lengths: speech), else of the first with
// an axis of steps: one named so, the one open axis that is not the batch, or the one behind the leading one. None
// where no other input has two axes.
std::optional<SequenceLength> sequence_length(const std::string& name, const std::vector<PortInfo>& ports,
                                              const std::map<std::string, std::vector<int64_t>>& dims);

}  // namespace aaco

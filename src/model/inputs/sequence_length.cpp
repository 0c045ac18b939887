// SPDX-License-Identifier: MIT
#include "model/inputs/sequence_length.h"

#include <algorithm>

#include "model/input_names.h"

namespace aaco {

namespace {

// The name up to its word for length: "speech" of speech_lengths, "x" of xlens.
std::string stem_of(const std::string& name) {
  std::string stem;
  for (const std::string& word : words_of(name)) {
    if (!names_length(word)) {
      stem += word;
      continue;
    }
    for (const char* ending : {"lengths", "length", "lens", "len"}) {
      if (word.ends_with(ending)) {
        return stem + word.substr(0, word.size() - std::string(ending).size());
      }
    }
  }
  return stem;
}

std::string joined(const std::string& name) {
  std::string text;
  for (const std::string& word : words_of(name)) {
    text += word;
  }
  return text;
}

// A single axis holds nothing of the kind, since leading axes are batches.
size_t axis_of_steps(const PortInfo& port) {
  for (size_t axis = port.dims.size(); axis-- > 0;) {
    if (port.dims[axis] < 0 && names_steps(port.dim_names[axis])) {
      return axis;
    }
  }
  size_t open = 0;
  size_t last = 1;
  for (size_t axis = 1; axis < port.dims.size(); ++axis) {
    if (port.dims[axis] < 0) {
      ++open;
      last = axis;
    }
  }
  return open == 1 ? last : 1;
}

}  // namespace

std::optional<SequenceLength> sequence_length(const std::string& name, const std::vector<PortInfo>& ports,
                                              const std::map<std::string, std::vector<int64_t>>& dims) {
  const std::string stem = stem_of(name);
  const PortInfo* best = nullptr;
  for (const PortInfo& port : ports) {
    const auto known = dims.find(port.name);
    if (known == dims.end() || known->second.size() < 2 || port.dims.size() != known->second.size() ||
        names_length(port.name)) {
      continue;
    }
    const std::string other = joined(port.name);
    const bool partner = !stem.empty() && (other.starts_with(stem) || stem.starts_with(other));
    if (partner) {
      best = &port;
      break;
    }
    best = best == nullptr ? &port : best;
  }
  if (best == nullptr) {
    return std::nullopt;
  }
  return SequenceLength{dims.at(best->name)[axis_of_steps(*best)], best->name};
}

}  // namespace aaco

// SPDX-License-Identifier: MIT
#include "model/inputs/batch_dimensions.h"

#include <algorithm>
#include <cctype>

#include "model/input_names.h"
#include "model/inputs/dimension_expression.h"
#include "model/inputs/missing_inputs.h"

namespace aaco {

namespace {

std::string lower(const std::string& text) {
  std::string result = text;
  std::ranges::transform(result, result.begin(), [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  return result;
}

bool names_batch(const std::string& name) {
  const std::string text = lower(name);
  return text == "batch" || text == "batch_size" || text == "bs";
}

// num_samples, image_batch: what a batch is made of.
bool says_batch(const std::string& name) {
  const std::string text = lower(name);
  return text == "n" || text == "b" || text == "bsz" || text.find("batch") != std::string::npos ||
         text.find("sample") != std::string::npos || text.find("example") != std::string::npos ||
         text.find("image") != std::string::npos || text.find("instance") != std::string::npos;
}

}  // namespace

BatchDimensions::BatchDimensions(const std::vector<PortInfo>& ports)
    : n_is_batch_(std::ranges::none_of(
          ports, [](const PortInfo& port) { return std::ranges::any_of(port.dim_names, names_batch); })) {
  std::set<std::string> leading;
  for (const PortInfo& port : ports) {
    for (size_t axis = 0; axis < port.dim_names.size(); ++axis) {
      const std::string& name = port.dim_names[axis];
      if (port.dims[axis] >= 0 || !is_dimension_name(name)) {
        continue;
      }
      if (axis > 0) {
        others_.insert(name);
      } else if (!says_batch(name) && !is_generated_name(name)) {
        leading.insert(name);
      }
    }
  }
  leading_names_differ_ = leading.size() > 1;
}

bool BatchDimensions::has_name(const std::string& name) const {
  return names_batch(name) || (n_is_batch_ && name == "N");
}

bool BatchDimensions::leads(const std::string& name) const {
  if (!is_dimension_name(name) || is_generated_name(name)) {
    return true;
  }
  if (others_.contains(name) || !names_in_expression(name, {}).empty()) {
    return false;
  }
  return says_batch(name) || (!leading_names_differ_ && !names_count(name));
}

bool BatchDimensions::has(const PortInfo& port, size_t axis) const {
  const auto named = [&](const std::string& name) { return has_name(name); };
  return named(port.dim_names[axis]) ||
         (axis == 0 && std::ranges::none_of(port.dim_names, named) && leads(port.dim_names[0]));
}

}  // namespace aaco

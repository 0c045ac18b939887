// SPDX-License-Identifier: MIT
#include "record/shapes_text.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

namespace aaco {

std::string shapes_text(const std::map<std::string, std::vector<int64_t>>& shapes) {
  std::vector<std::string> texts;
  for (const auto& [name, sizes] : shapes) {
    texts.push_back(sizes.empty() ? name + "=scalar" : fmt::format("{}={}", name, fmt::join(sizes, "x")));
  }
  return fmt::format("{}", fmt::join(texts, ", "));
}

}  // namespace aaco

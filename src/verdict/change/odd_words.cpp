// SPDX-License-Identifier: MIT
#include "verdict/change/odd_words.h"

#include <algorithm>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <utility>

namespace aaco {

std::vector<std::string> odd_warnings(const Basis& side, const std::string& name, ValueKind kind) {
  const auto text = [&](double value) { return value_text(kind, as_given(kind, value)); };
  std::vector<std::string> warnings;
  for (const size_t i : side.odd) {
    const std::vector<double> rest = side.without_odd();
    auto [low, high] = std::ranges::minmax(rest);
    if (as_given(kind, low) > as_given(kind, high)) {
      std::swap(low, high);
    }
    warnings.push_back(
        fmt::format("process {} of the {} is odd: {}, the others {} to {}; ranks are compared, which it moves little",
                    i, name, text(side.values[i]), text(low), text(high)));
  }
  return warnings;
}

std::string named_odd(const Basis& baseline, const Basis& test) {
  std::vector<std::string> names;
  for (const auto& [side, name] : {std::pair{&baseline, "baseline"}, std::pair{&test, "test"}}) {
    if (!side->odd.empty()) {
      names.push_back(
          fmt::format("process{} {} of the {}", side->odd.size() > 1 ? "es" : "", fmt::join(side->odd, ", "), name));
    }
  }
  return fmt::format("{}", fmt::join(names, " and "));
}

}  // namespace aaco

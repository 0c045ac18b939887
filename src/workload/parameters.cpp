// SPDX-License-Identifier: MIT
#include "workload/parameters.h"

#include <array>
#include <fmt/format.h>
#include <fmt/ranges.h>

#include "base/text/number_text.h"

namespace aaco {

namespace {

template <class T>
Result<T> number(const std::string& name, const std::string& text, T low, T high) {
  const std::optional<T> value = number_of_text<T>(text);
  if (!value || *value < low || *value > high) {
    return Error{ErrorKind::kUsage, fmt::format("--param {}={}: not a number from {} to {}", name, text, low, high),
                 "aaco queue list --verbose shows every parameter"};
  }
  return *value;
}

bool is_number(const std::string& text) { return number_of_text<int64_t>(text) || number_of_text<double>(text); }

}  // namespace

Result<Parameters> Parameters::make(std::span<const Parameter> declared,
                                    const std::map<std::string, std::string>& given, std::string_view workload) {
  Parameters parameters;
  for (const Parameter& parameter : declared) {
    parameters.values_[parameter.name] = parameter.default_value;
  }
  for (const auto& [name, value] : given) {
    const auto position = parameters.values_.find(name);
    if (position == parameters.values_.end()) {
      std::vector<std::string> names;
      for (const auto& [known, unused] : parameters.values_) {
        names.push_back(known);
      }
      return Error{ErrorKind::kUsage, fmt::format("--param {}: {} has no such parameter", name, workload),
                   fmt::format("it has: {}", fmt::join(names, ", "))};
    }
    if (is_number(position->second) && !is_number(value)) {  // its range is known where it is read
      return Error{ErrorKind::kUsage, fmt::format("--param {}={}: not a number", name, value),
                   "aaco queue list --verbose shows every parameter"};
    }
    position->second = value;
  }
  return parameters;
}

Result<std::string> Parameters::value_of(const std::string& name) const {
  const auto position = values_.find(name);
  if (position == values_.end()) {
    return Error{ErrorKind::kBug, "a workload asks for its parameter " + name + ", which it does not declare", ""};
  }
  return position->second;
}

Result<int64_t> Parameters::integer(const std::string& name, int64_t low, int64_t high) const {
  AACO_ASSIGN(const std::string text, value_of(name));
  return number<int64_t>(name, text, low, high);
}

Result<double> Parameters::real(const std::string& name, double low, double high) const {
  AACO_ASSIGN(const std::string text, value_of(name));
  return number<double>(name, text, low, high);
}

Result<size_t> Parameters::choice(const std::string& name, std::span<const char* const> words) const {
  AACO_ASSIGN(const std::string text, value_of(name));
  for (size_t i = 0; i < words.size(); ++i) {
    if (text == words[i]) {
      return i;
    }
  }
  return Error{ErrorKind::kUsage, fmt::format("--param {}={}: not one of {}", name, text, fmt::join(words, ", ")),
               "aaco queue list --verbose shows every parameter"};
}

Result<Precision> Parameters::precision() const {
  static constexpr std::array<const char*, 4> kWords{"fp32", "tf32", "bf16", "fp16"};
  static constexpr std::array<Precision, 4> kPrecisions{{{Dtype::kF32, MathMode::kF32},
                                                         {Dtype::kF32, MathMode::kTf32},
                                                         {Dtype::kBf16, MathMode::kF32},
                                                         {Dtype::kF16, MathMode::kF32}}};
  AACO_ASSIGN(const size_t word, choice("dtype", kWords));
  return kPrecisions[word];
}

}  // namespace aaco

// SPDX-License-Identifier: MIT
// A formula over names: numbers, + - * /, brackets, min(a, b), max(a, b), floor(a), ceil(a). A name is what a profiler
// calls a counter, as it is or, where it holds more than letters, digits and ". _ : $ [ ]", in braces.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace aaco {

class Expression {
 public:
  // Errors: kUsage, with the byte at which the text is no formula.
  static Result<Expression> parse(std::string_view text);

  std::span<const std::string> names() const { return names_; }  // each once
  // From here on values are looked up at these places, one for each name, and not in the order of the names.
  void number_names(std::span<const size_t> places);
  // With the values of the names. Not finite where it divides by zero.
  double value(std::span<const double> of_names) const;

 private:
  friend class ExpressionParser;

  enum class Step : uint8_t { kNumber, kName, kAdd, kSubtract, kMultiply, kDivide, kMin, kMax, kFloor, kCeil };
  struct Instruction {
    Step step;
    double number = 0;
    size_t name = 0;
  };

  static constexpr size_t kDeepest = 64;  // values that wait for their operator

  std::vector<std::string> names_;
  std::vector<Instruction> steps_;  // operands before their operator
};

}  // namespace aaco

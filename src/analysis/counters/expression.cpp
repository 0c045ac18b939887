// SPDX-License-Identifier: MIT
#include "analysis/counters/expression.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <fmt/format.h>
#include <optional>
#include <utility>

namespace aaco {

// By recursive descent, straight into postfix order: value() then needs no tree, and its stack has a known bound.
class ExpressionParser {
 public:
  explicit ExpressionParser(std::string_view text) : text_(text) {}

  Result<Expression> parse() {
    const bool whole = sum() && next() == '\0' && at_ == text_.size();
    if (!whole) {
      return Error{ErrorKind::kUsage, fmt::format("no formula from byte {} on: {}", at_, text_),
                   "numbers, names, + - * /, brackets, min, max, floor, ceil"};
    }
    return std::move(expression_);
  }

 private:
  using Step = Expression::Step;

  char next() {
    while (at_ < text_.size() && text_[at_] == ' ') {
      ++at_;
    }
    return at_ < text_.size() ? text_[at_] : '\0';
  }

  bool take(char wanted) {
    const bool there = next() == wanted;
    at_ += there ? 1 : 0;
    return there;
  }

  bool push(Expression::Instruction instruction) {
    expression_.steps_.push_back(instruction);
    return ++waiting_ <= Expression::kDeepest;
  }

  bool apply(Step step, size_t operands) {
    expression_.steps_.push_back({step});
    waiting_ -= operands - 1;
    return true;
  }

  // Brackets within brackets are limited too: the parser's own stack must not run out on a formula from a file.
  bool sum() {
    if (++depth_ > Expression::kDeepest || !product()) {
      return false;
    }
    for (char sign = next(); sign == '+' || sign == '-'; sign = next()) {
      ++at_;
      if (!product() || !apply(sign == '+' ? Step::kAdd : Step::kSubtract, 2)) {
        return false;
      }
    }
    --depth_;
    return true;
  }

  bool product() {
    if (!operand()) {
      return false;
    }
    for (char sign = next(); sign == '*' || sign == '/'; sign = next()) {
      ++at_;
      if (!operand() || !apply(sign == '*' ? Step::kMultiply : Step::kDivide, 2)) {
        return false;
      }
    }
    return true;
  }

  bool operand() {
    const char first = next();
    if (first == '(') {
      ++at_;
      return sum() && take(')');
    }
    if (first == '{') {  // a name with spaces or signs in it
      const size_t end = text_.find('}', at_);
      return end != std::string_view::npos && name(std::exchange(at_, end + 1) + 1, end);
    }
    return first >= '0' && first <= '9' ? number() : call_or_name();
  }

  bool number() {
    double value = 0;
    const auto [end, error] = std::from_chars(text_.data() + at_, text_.data() + text_.size(), value);
    at_ = static_cast<size_t>(end - text_.data());
    return error == std::errc() && push({Step::kNumber, value});
  }

  bool call_or_name() {
    const size_t start = at_;
    // Names of counters hold more than letters and digits: "TCC_HIT[0]", "smsp__inst_executed.sum".
    const auto ends = [](char letter) {
      const bool word =
          (letter >= 'a' && letter <= 'z') || (letter >= 'A' && letter <= 'Z') || (letter >= '0' && letter <= '9');
      return !word && std::string_view("._:$[]").find(letter) == std::string_view::npos;
    };
    at_ = static_cast<size_t>(std::find_if(text_.begin() + static_cast<std::ptrdiff_t>(at_), text_.end(), ends) -
                              text_.begin());
    const std::string_view word = text_.substr(start, at_ - start);
    return next() == '(' ? call(word) : name(start, start + word.size());
  }

  bool call(std::string_view function) {
    static constexpr std::pair<std::string_view, std::pair<Step, size_t>> kFunctions[] = {
        {"min", {Step::kMin, 2}}, {"max", {Step::kMax, 2}}, {"floor", {Step::kFloor, 1}}, {"ceil", {Step::kCeil, 1}}};
    const auto* position = std::find_if(std::begin(kFunctions), std::end(kFunctions),
                                        [&](const auto& known) { return known.first == function; });
    if (position == std::end(kFunctions) || !take('(') || !sum()) {
      return false;
    }
    const auto [step, operands] = position->second;
    if (operands == 2 && (!take(',') || !sum())) {
      return false;
    }
    return take(')') && apply(step, operands);
  }

  bool name(size_t start, size_t end) {
    const std::string_view word = text_.substr(start, end - start);
    std::vector<std::string>& names = expression_.names_;
    const auto position = std::find(names.begin(), names.end(), word);
    const auto index = static_cast<size_t>(position - names.begin());
    if (position == names.end()) {
      names.emplace_back(word);
    }
    return !word.empty() && push({Step::kName, 0, index});
  }

  std::string_view text_;
  size_t at_ = 0;
  size_t depth_ = 0;
  size_t waiting_ = 0;
  Expression expression_;
};

Result<Expression> Expression::parse(std::string_view text) { return ExpressionParser(text).parse(); }

void Expression::number_names(std::span<const size_t> places) {
  for (Instruction& instruction : steps_) {
    instruction.name = instruction.step == Step::kName ? places[instruction.name] : 0;
  }
}

double Expression::value(std::span<const double> of_names) const {
  std::array<double, kDeepest + 1> stack{};
  size_t top = 0;  // values on it
  const auto two = [&](auto operation) {
    --top;
    stack[top - 1] = operation(stack[top - 1], stack[top]);
  };
  for (const Instruction& instruction : steps_) {
    switch (instruction.step) {
      case Step::kNumber:
        stack[top++] = instruction.number;
        break;
      case Step::kName:
        stack[top++] = of_names[instruction.name];
        break;
      case Step::kAdd:
        two([](double a, double b) { return a + b; });
        break;
      case Step::kSubtract:
        two([](double a, double b) { return a - b; });
        break;
      case Step::kMultiply:
        two([](double a, double b) { return a * b; });
        break;
      case Step::kDivide:
        two([](double a, double b) { return a / b; });
        break;
      case Step::kMin:
        two([](double a, double b) { return std::min(a, b); });
        break;
      case Step::kMax:
        two([](double a, double b) { return std::max(a, b); });
        break;
      case Step::kFloor:
        stack[top - 1] = std::floor(stack[top - 1]);
        break;
      case Step::kCeil:
        stack[top - 1] = std::ceil(stack[top - 1]);
        break;
    }
  }
  return stack[0];
}

}  // namespace aaco

// SPDX-License-Identifier: MIT
#include <fmt/format.h>
#include <utility>

#include "base/text/number_text.h"
#include "monitor/alerts/alert_rule.h"
#include "observe/host_files.h"

namespace aaco {

namespace {

constexpr std::string_view kNameCharacters = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_:";
constexpr std::string_view kForm = "write METRIC > NUMBER, METRIC{label=\"value\"} < NUMBER, or absent(METRIC)";
// The longer ones first.
constexpr AlertComparison kComparisons[] = {AlertComparison::kAtLeast, AlertComparison::kAtMost,
                                            AlertComparison::kEqual,   AlertComparison::kNotEqual,
                                            AlertComparison::kAbove,   AlertComparison::kBelow};

// Takes an expression off the front of a text.
class ExpressionReader {
 public:
  explicit ExpressionReader(std::string_view text) : rest_(trimmed(text)) {}

  bool take(std::string_view word) {
    rest_ = trimmed(rest_);
    const bool is_there = rest_.starts_with(word);
    rest_.remove_prefix(is_there ? word.size() : 0);
    return is_there;
  }

  Result<std::string> name(const char* what) {
    rest_ = trimmed(rest_);
    const size_t end = std::min(rest_.find_first_not_of(kNameCharacters), rest_.size());
    const std::string_view name = rest_.substr(0, end);
    if (name.empty() || (name.front() >= '0' && name.front() <= '9')) {
      return failure(fmt::format("there is no name of a {}", what));
    }
    rest_.remove_prefix(end);
    return std::string(name);
  }

  Result<std::string> quoted() {
    if (!take("\"")) {
      return failure("a label's value stands in double quotes");
    }
    std::string value;
    while (!rest_.empty() && rest_.front() != '"') {
      const bool escape = rest_.front() == '\\' && rest_.size() > 1;
      value += escape ? (rest_[1] == 'n' ? '\n' : rest_[1]) : rest_.front();
      rest_.remove_prefix(escape ? 2 : 1);
    }
    return take("\"") ? Result<std::string>(value) : failure("a quote has no end");
  }

  Result<AlertExpression> selector() {
    AlertExpression expression;
    AACO_ASSIGN(expression.metric, name("metric"));
    if (!take("{")) {
      return expression;
    }
    while (!take("}")) {
      LabelMatcher matcher;
      AACO_ASSIGN(matcher.name, name("label"));
      if (take("=~") || take("!~")) {
        return failure("patterns of labels (=~, !~) are for Prometheus alone");
      }
      matcher.equal = !take("!=");
      if (matcher.equal && !take("=")) {
        return failure("a label is followed by = or !=");
      }
      AACO_ASSIGN(matcher.value, quoted());
      expression.matchers.push_back(std::move(matcher));
      if (!take(",") && !trimmed(rest_).starts_with("}")) {
        return failure("labels are separated by commas and end with }");
      }
    }
    return expression;
  }

  Result<AlertExpression> expression() {
    if (take("absent(")) {
      AACO_ASSIGN(AlertExpression expression, selector());
      expression.absent = true;
      return take(")") ? end(std::move(expression)) : failure("absent( has no )");
    }
    AACO_ASSIGN(AlertExpression expression, selector());
    for (const AlertComparison comparison : kComparisons) {
      if (take(word_of(comparison))) {
        expression.comparison = comparison;
        const std::string_view number = trimmed(std::exchange(rest_, {}));
        const std::optional<double> threshold = number_of_text<double>(number);
        if (!threshold) {
          return failure(fmt::format("'{}' is no number", number));
        }
        expression.threshold = *threshold;
        return expression;
      }
    }
    return failure(trimmed(rest_).empty() ? "a metric alone is no condition"
                                          : fmt::format("'{}' is no comparison with a number", trimmed(rest_)));
  }

 private:
  static Error failure(const std::string& what) { return {ErrorKind::kUsage, what, std::string(kForm)}; }
  Result<AlertExpression> end(AlertExpression expression) {
    return trimmed(rest_).empty() ? Result<AlertExpression>(std::move(expression))
                                  : failure(fmt::format("'{}' is too much", trimmed(rest_)));
  }

  std::string_view rest_;
};

}  // namespace

Result<AlertExpression> parse_alert_expression(std::string_view text) { return ExpressionReader(text).expression(); }

}  // namespace aaco

// SPDX-License-Identifier: MIT
#include "model/inputs/dimension_expression.h"

#include <algorithm>
#include <cctype>
#include <charconv>
#include <cmath>
#include <string_view>

namespace aaco {

namespace {

constexpr int kDeepest = 32;
constexpr double kLargest = 0x1p53;  // whole numbers up to here are exact

bool starts_name(char c) { return std::isalpha(static_cast<unsigned char>(c)) != 0 || c == '_'; }
bool continues_name(char c) {
  return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_' || c == '.' || c == ':';
}

// Recursive descent; evaluates in double because exporters write floor(h/2 + 1/2).
class Parser {
 public:
  Parser(std::string_view text, const SizeOfName& size_of) : text_(text), size_of_(size_of) {}

  // None where the text is no expression; NaN where it is one without a value.
  std::optional<double> whole() {
    const auto value = sum();
    skip_spaces();
    return at_ == text_.size() ? value : std::nullopt;
  }
  bool has_operator() const { return has_operator_; }
  bool is_doubtful() const { return doubtful_; }
  const std::set<std::string>& names() const { return names_; }

 private:
  void skip_spaces() {
    while (at_ < text_.size() && text_[at_] == ' ') {
      ++at_;
    }
  }

  bool take(std::string_view word) {
    skip_spaces();
    if (!text_.substr(at_).starts_with(word)) {
      return false;
    }
    at_ += word.size();
    return true;
  }

  // Between two names and without spaces, a hyphen or slash may belong to one name.
  void note_operator(size_t from) {
    has_operator_ = true;
    const bool tight = from > 0 && continues_name(text_[from - 1]) && at_ < text_.size() && starts_name(text_[at_]);
    doubtful_ = doubtful_ || (tight && at_ == from + 1 && (text_[from] == '-' || text_[from] == '/'));
  }

  std::optional<double> sum() {
    auto left = product();
    while (left) {
      skip_spaces();
      const size_t from = at_;
      const bool plus = take("+");
      if (!plus && !take("-")) {
        break;
      }
      note_operator(from);
      const auto right = product();
      left = right ? std::optional(plus ? *left + *right : *left - *right) : std::nullopt;
    }
    return left;
  }

  std::optional<double> product() {
    auto left = primary();
    while (left) {
      skip_spaces();
      const size_t from = at_;
      const bool times = take("*");
      const bool floored = !times && take("//");
      const bool over = !times && !floored && take("/");
      if (!times && !floored && !over && !take("%")) {
        break;
      }
      note_operator(from);
      const auto right = primary();
      if (!right) {
        return std::nullopt;
      }
      const double quotient = *right == 0 ? NAN : *left / *right;
      left = times     ? *left * *right
             : over    ? quotient
             : floored ? std::floor(quotient)
                       : *left - *right * std::floor(quotient);
    }
    return left;
  }

  std::optional<double> primary() {
    if (++depth_ > kDeepest) {
      return std::nullopt;
    }
    const auto value = take("(") ? closed(sum()) : name_or_number();
    --depth_;
    return value;
  }

  std::optional<double> closed(std::optional<double> value) { return take(")") ? value : std::nullopt; }

  std::optional<double> name_or_number() {
    skip_spaces();
    const size_t from = at_;
    if (at_ < text_.size() && std::isdigit(static_cast<unsigned char>(text_[at_])) != 0) {
      double number = 0;
      const auto [end, problem] = std::from_chars(text_.data() + at_, text_.data() + text_.size(), number);
      at_ = static_cast<size_t>(end - text_.data());
      return problem == std::errc() ? std::optional(number) : std::nullopt;
    }
    if (at_ == text_.size() || !starts_name(text_[at_])) {
      return std::nullopt;
    }
    while (at_ < text_.size() && continues_name(text_[at_])) {
      ++at_;
    }
    const std::string name(text_.substr(from, at_ - from));
    if (at_ < text_.size() && text_[at_] == '(') {
      ++at_;
      return closed(call(name));
    }
    names_.insert(name);
    const auto size = size_of_(name);
    return size ? static_cast<double>(*size) : NAN;
  }

  std::optional<double> call(std::string function) {
    std::ranges::transform(function, function.begin(),
                           [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
    has_operator_ = true;
    auto value = sum();
    if (function == "floor" || function == "ceil" || function == "ceiling") {
      return value ? std::optional(function == "floor" ? std::floor(*value) : std::ceil(*value)) : std::nullopt;
    }
    if (function != "min" && function != "max") {
      return std::nullopt;
    }
    while (value && take(",")) {
      const auto next = sum();
      const bool unknown = next && (std::isnan(*next) || std::isnan(*value));
      value = !next ? std::nullopt
                    : std::optional(unknown             ? NAN
                                    : function == "min" ? std::min(*value, *next)
                                                        : std::max(*value, *next));
    }
    return value;
  }

  std::string_view text_;
  const SizeOfName& size_of_;
  size_t at_ = 0;
  int depth_ = 0;
  bool has_operator_ = false;
  bool doubtful_ = false;
  std::set<std::string> names_;
};

}  // namespace

std::set<std::string> names_in_expression(const std::string& text, const std::set<std::string>& plain_names) {
  const SizeOfName unknown = [](const std::string&) { return std::nullopt; };
  Parser parser(text, unknown);
  if (!parser.whole() || !parser.has_operator()) {
    return {};
  }
  const bool all_plain =
      std::ranges::all_of(parser.names(), [&](const std::string& name) { return plain_names.contains(name); });
  return parser.is_doubtful() && !all_plain ? std::set<std::string>() : parser.names();
}

std::optional<int64_t> evaluate_expression(const std::string& text, const SizeOfName& size_of) {
  const auto value = Parser(text, size_of).whole();
  if (!value || !(*value >= 0 && *value <= kLargest)) {
    return std::nullopt;
  }
  return static_cast<int64_t>(std::floor(*value));
}

}  // namespace aaco

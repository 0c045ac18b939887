// SPDX-License-Identifier: MIT
#include "guard/subject/given_value.h"

#include <array>
#include <cmath>
#include <fmt/format.h>
#include <optional>
#include <string_view>
#include <utility>

#include "base/text/characters.h"
#include "base/text/number_text.h"

namespace aaco {

namespace {

constexpr const char* kFlagHint =
    "for example --value latency=12.3ms, --rate images=812, or several: latency=12.3ms,12.5ms,12.4ms";

// Nanoseconds of "12.3ms"; none where the text is no duration with a unit.
std::optional<double> time_ns(std::string_view text) {
  constexpr std::array<std::pair<std::string_view, double>, 4> kUnits{
      {{"ns", 1}, {"us", 1e3}, {"ms", 1e6}, {"s", 1e9}}};
  for (const auto& [unit, ns] : kUnits) {
    if (text.ends_with(unit)) {
      const auto number = number_of_text<double>(text.substr(0, text.size() - unit.size()));
      if (number) {
        return *number * ns;
      }
    }
  }
  return std::nullopt;
}

// "" where it can have been measured.
std::string value_problem(std::string_view word, const std::optional<double>& number, bool is_rate) {
  if (!number) {
    return fmt::format("'{}' is no {}", printable(word),
                       is_rate ? "number" : "number, alone or with one of the units ns, us, ms, s");
  }
  if (!std::isfinite(*number)) {
    return fmt::format("'{}' is not finite", printable(word));
  }
  return *number > 0 ? "" : fmt::format("'{}' is not above zero: changes are compared as ratios", printable(word));
}

}  // namespace

bool is_of_figure(const std::string& asked, const std::string& figure, const std::string& name) {
  return figure == asked || (name == asked && (figure == kValueFigure || figure == kRateFigure));
}

Result<GivenValue> parse_given_value(const std::string& text, bool higher_is_better) {
  const auto error = [&](const std::string& why) {
    return Error{ErrorKind::kUsage,
                 fmt::format("{} {}: {}", higher_is_better ? "--rate" : "--value", printable(text), why), kFlagHint};
  };
  const size_t equals = text.find('=');
  if (equals == 0 || equals == std::string::npos) {
    return error("not NAME=NUMBER");
  }
  GivenValue given;
  given.name = text.substr(0, equals);
  given.higher_is_better = higher_is_better;
  std::string_view rest = std::string_view(text).substr(equals + 1);
  for (bool more = true; more;) {
    const size_t comma = rest.find(',');
    const std::string_view word = rest.substr(0, comma);
    more = comma != std::string_view::npos;
    rest = more ? rest.substr(comma + 1) : "";
    const std::optional<double> ns = higher_is_better ? std::nullopt : time_ns(word);
    const std::optional<double> number = ns ? ns : number_of_text<double>(word);
    const std::string unit = ns ? "ns" : "";
    if (const std::string why = value_problem(word, number, higher_is_better); !why.empty()) {
      return error(why);
    }
    if (!given.values.empty() && unit != given.unit) {
      return error("durations and numbers without a unit are mixed");
    }
    given.unit = unit;
    given.values.push_back(*number);
  }
  return given;
}

}  // namespace aaco

// SPDX-License-Identifier: MIT
#include "engine/until_rule.h"

#include <algorithm>
#include <cmath>
#include <iterator>

#include "base/statistics.h"

namespace aaco {

namespace {

// How far the farther end of the interval lies from the value, as a share of it.
std::optional<double> reach_of(const Estimate& estimate) {
  if (!estimate.interval || !(estimate.value > 0)) {
    return std::nullopt;
  }
  return std::max(estimate.interval->high / estimate.value - 1, 1 - estimate.interval->low / estimate.value);
}

}  // namespace

void UntilRule::add(std::optional<double> figure, double elapsed_s) {
  ++processes_;
  longest_s_ = std::max(longest_s_, elapsed_s - elapsed_s_);
  elapsed_s_ = elapsed_s;
  if (figure) {
    figures_.push_back(*figure);
  }
}

std::optional<double> UntilRule::reach() const {
  const auto estimate = estimate_over_processes(figures_);
  return estimate ? reach_of(*estimate) : std::nullopt;
}

bool UntilRule::is_over() const {
  return facts().reached || processes_ >= kMostUntilProcesses ||
         (processes_ > 0 && elapsed_s_ + longest_s_ > request_.limit_s);
}

// The processes that the spread so far asks for (a normal's quantile in Student's place), or the time, whichever is
// nearer to its end.
double UntilRule::progress() const {
  std::vector<double> logarithms;
  std::ranges::transform(figures_, std::back_inserter(logarithms), [](double figure) { return std::log(figure); });
  const double needed =
      std::pow(1.96 * standard_deviation(logarithms).value_or(0) / std::log1p(request_.target), 2) + 2;
  const double by_count = static_cast<double>(processes_) /
                          std::max({needed, static_cast<double>(fewest_), static_cast<double>(processes_ + 1)});
  return std::min(1.0, std::max(by_count, elapsed_s_ / request_.limit_s));
}

UntilFacts UntilRule::facts() const {
  const std::optional<double> reach_now = reach();
  return {.target = request_.target,
          .limit_s = request_.limit_s,
          .processes = processes_,
          .reach = reach_now,
          .reached = processes_ >= fewest_ && reach_now && *reach_now <= request_.target};
}

}  // namespace aaco

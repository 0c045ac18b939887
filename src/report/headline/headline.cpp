// SPDX-License-Identifier: MIT
#include "report/headline/headline.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <fmt/format.h>

#include "base/format.h"
#include "base/text/characters.h"

namespace aaco::report {

namespace {

constexpr size_t kCells = 60;  // of a bar of characters
constexpr const char* kNothingMissing = "complete";
constexpr size_t kLongestLine = 120;  // characters
constexpr std::array kMarks = {"█", "▓", "▒", "░", "·", "-", "=", "+"};

std::vector<TimeBar::Part> drawn_parts(const TimeBar& bar) {
  std::vector<TimeBar::Part> parts = bar.parts;
  std::erase_if(parts, [](const TimeBar::Part& part) { return !(part.ns > 0); });
  return parts;
}

// Each part ends where its share of the whole ends, so that rounding never adds up.
std::string cells_of(const std::vector<TimeBar::Part>& parts, double whole_ns) {
  std::string text;
  double reached_ns = 0;
  size_t drawn = 0;
  for (size_t i = 0; i < parts.size(); ++i) {
    reached_ns += parts[i].ns;
    const auto until = static_cast<size_t>(std::llround(reached_ns / whole_ns * kCells));
    for (; drawn < std::min(until, kCells); ++drawn) {
      text += kMarks[i % kMarks.size()];
    }
  }
  return text;
}

std::string legend_of(const TimeBar::Part& part, double whole_ns) {
  const double share = part.ns / whole_ns;
  return fmt::format("{} {}", part.name, share < 0.001 ? "< 0.1 %" : format_percent(share));
}

}  // namespace

double TimeBar::whole_ns() const {
  double sum_ns = 0;
  for (const Part& part : parts) {
    sum_ns += std::max(part.ns, 0.0);
  }
  return sum_ns;
}

void set_quality(const std::vector<std::pair<std::string, Tone>>& doubts, Headline& headline) {
  if (doubts.empty()) {
    headline.quality = kNothingMissing;
    headline.quality_tone = Tone::kGood;
    return;
  }
  const auto gravest =
      std::max_element(doubts.begin(), doubts.end(), [](const auto& a, const auto& b) { return a.second < b.second; });
  headline.quality = gravest->first;
  headline.quality_tone = gravest->second;
  if (doubts.size() > 1) {
    headline.quality += fmt::format(" (and {} below)", counted(doubts.size() - 1, "more remark", "more remarks"));
  }
}

std::vector<std::string> bar_legend(const TimeBar& bar) {
  std::vector<std::string> legend;
  for (const TimeBar::Part& part : drawn_parts(bar)) {
    legend.push_back(legend_of(part, bar.whole_ns()));
  }
  return legend;
}

std::vector<std::string> headline_lines(const Headline& headline) {
  std::vector<std::string> lines;
  if (headline.empty()) {
    return lines;
  }
  lines.push_back(printable(headline.figure));
  if (const std::vector<TimeBar::Part> parts = drawn_parts(headline.budget); !parts.empty()) {
    lines.push_back("  " + cells_of(parts, headline.budget.whole_ns()));
    std::string legend;
    for (size_t i = 0; i < parts.size(); ++i) {
      legend += fmt::format("  {} {}", kMarks[i % kMarks.size()], legend_of(parts[i], headline.budget.whole_ns()));
    }
    lines.push_back(printable(legend));
  }
  for (size_t i = 0; i < std::min(Headline::kMostFindings, headline.findings.size()); ++i) {
    lines.push_back(shorten(fmt::format("  {}. {}", i + 1, printable(headline.findings[i])), kLongestLine));
  }
  lines.push_back("  quality: " + printable(headline.quality));
  return lines;
}

}  // namespace aaco::report

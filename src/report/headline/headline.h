// SPDX-License-Identifier: MIT
// What a reader wants first of any report, in at most six lines: the answer, where the time went, what to do about it,
// and how far to trust it. Each kind fills one; every sink draws it before all else.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "report/headline/tone.h"

namespace aaco::report {

// A whole in its parts, drawn as one bar.
struct TimeBar {
  struct Part {
    std::string name;
    double ns = 0;
    int colour = 0;  // of the palette (plot/chart.h)
  };
  std::vector<Part> parts;

  double whole_ns() const;
};

// NOLINTBEGIN(readability-redundant-member-init): GCC wants them where members are initialised by name
struct Headline {
  static constexpr size_t kMostFindings = 2;

  std::string figure = {};                 // with its interval; empty: the report has no headline
  TimeBar budget = {};                     // without parts where no budget is known
  std::vector<std::string> findings = {};  // each with what it could save
  std::string quality = {};                // "complete", or what is missing
  Tone quality_tone = Tone::kNeutral;

  bool empty() const { return figure.empty(); }
};
// NOLINTEND(readability-redundant-member-init)

// What is missing, the gravest first: the first sentence, and how many others there are below. "complete" of none.
void set_quality(const std::vector<std::pair<std::string, Tone>>& doubts, Headline& headline);

// As a terminal shows it: a bar of characters above its legend.
std::vector<std::string> headline_lines(const Headline& headline);

// "computation 11.1 %" of each part that is not nothing.
std::vector<std::string> bar_legend(const TimeBar& bar);

}  // namespace aaco::report

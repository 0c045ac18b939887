// SPDX-License-Identifier: MIT
#include "report/pair_comparison_report.h"

#include <algorithm>
#include <fmt/format.h>
#include <string>
#include <utility>
#include <vector>

#include "report/comparison/comparison_headline.h"
#include "report/values.h"

namespace aaco::report {

namespace {

Tone tone_of(Verdict verdict) {
  switch (verdict) {
    case Verdict::kRegressed:
      return Tone::kBad;
    case Verdict::kImproved:
      return Tone::kGood;
    case Verdict::kInconclusive:
    case Verdict::kInvalid:
      return Tone::kWarning;
    case Verdict::kEquivalent:
      break;
  }
  return Tone::kNeutral;
}

Cell change_cell(const Comparison& comparison) {
  if (!comparison.ratio) {
    return {};
  }
  const auto percent = [](double ratio) { return (ratio - 1) * 100; };
  Number change{.value = percent(*comparison.ratio), .unit = "%"};
  if (comparison.interval) {
    change.interval = Interval{percent(comparison.interval->low), percent(comparison.interval->high)};
  }
  return {.number = std::move(change)};
}

// What judging many pairs at once means, and what it would take.
Paragraph correction_text(const PairCorrection& correction) {
  const bool too_few = correction.minimum_detectable > 1;
  std::string text = fmt::format(
      "{}{} comparisons: that one or more is called regressed or improved wrongly has a probability of {:.3g} % at "
      "most. "
      "With {} processes a side an interval is up to {:.2f} times as wide for it; {} a side make it as narrow as that "
      "of "
      "one comparison alone. A change of less than {:.3g} % may go unseen in one of them.",
      too_few ? "too few processes for their spread: " : "", correction.pairs, 100 * correction.level,
      correction.processes, correction.widening, correction.processes_needed, 100 * correction.minimum_detectable);
  return {.text = std::move(text), .tone = too_few ? Tone::kWarning : Tone::kNeutral};
}

// What a side does not tell is told once: it is the same in all pairs.
void add_not_recorded(const PairComparisons& comparisons, Section& reasons) {
  std::vector<std::string> told;
  for (const PairComparison& pair : comparisons.pairs) {
    for (const std::string& sentence : pair.comparison.not_recorded) {
      if (std::ranges::find(told, sentence) == told.end()) {
        told.push_back(sentence);
        reasons.blocks.push_back(Paragraph{.text = sentence});
      }
    }
  }
}

void add_unpaired(const PairComparisons& comparisons, Section& reasons) {
  for (const std::string& unpaired : comparisons.unpaired) {
    reasons.blocks.push_back(Paragraph{.text = unpaired});
  }
  if (const size_t count = comparisons.unpaired.size(); count > 0 && !comparisons.allow_unpaired) {
    reasons.blocks.push_back(Paragraph{
        .text = fmt::format("incomplete: {} configuration{} on one side only: measure both sides alike, or accept it "
                            "with --allow-different",
                            count, count == 1 ? " stands" : "s stand"),
        .tone = Tone::kWarning});
  }
}

}  // namespace

Report build_pair_comparison_report(const PairComparisons& comparisons, const std::string& what) {
  Report report{.title = "What became slower?", .headline = pairs_headline(comparisons, what)};
  TableBlock verdicts{.id = "verdicts",
                      .columns = {{"configuration"}, {"verdict"}, {what + " [interval]", true}, {"confidence", true}},
                      .sortable = true};
  Section reasons{.id = "reasons", .title = "Why"};
  for (const auto& [configuration, comparison, alone] : comparisons.pairs) {
    verdicts.rows.push_back(
        {text_cell(configuration), text_cell(verdict_name(comparison.verdict), tone_of(comparison.verdict)),
         change_cell(comparison),
         comparison.interval ? text_cell(fmt::format("{:.5g} %", 100 * comparison.interval_confidence)) : Cell()});
    reasons.blocks.push_back(Paragraph{.text = fmt::format("{}: {}", configuration, comparison.reason)});
    Bullets warnings;
    for (const std::string& warning : comparison.warnings) {
      warnings.items.push_back("warning: " + warning);
    }
    if (!warnings.items.empty()) {
      reasons.blocks.push_back(std::move(warnings));
    }
  }
  const auto is_other_work = [](const PairComparison& pair) {
    return pair.comparison.verdict == Verdict::kInvalid &&
           (!pair.comparison.configuration_differences.empty() || !pair.comparison.machine_differences.empty());
  };
  if (std::ranges::any_of(comparisons.pairs, is_other_work)) {
    reasons.blocks.push_back(Paragraph{.text = "--allow-different compares what differs all the same"});
  }
  add_not_recorded(comparisons, reasons);
  if (comparisons.correction) {
    reasons.blocks.push_back(correction_text(*comparisons.correction));
  }
  add_unpaired(comparisons, reasons);
  report.sections.push_back({.id = "verdicts", .title = "Verdicts", .blocks = {std::move(verdicts)}});
  report.sections.push_back(std::move(reasons));
  return report;
}

}  // namespace aaco::report

// SPDX-License-Identifier: MIT
#include "report/queue/queue_comparison_report.h"

#include <fmt/format.h>
#include <utility>

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

}  // namespace

Report build_queue_comparison_report(const QueueComparisons& comparisons) {
  Report report{.title = "Did a workload become slower?"};
  TableBlock verdicts{
      .id = "verdicts", .columns = {{"configuration"}, {"verdict"}, {"time per unit [98 %]", true}}, .sortable = true};
  Section reasons{.id = "reasons", .title = "Why"};
  for (const auto& [configuration, comparison] : comparisons.pairs) {
    verdicts.rows.push_back({text_cell(configuration),
                             text_cell(verdict_name(comparison.verdict), tone_of(comparison.verdict)),
                             change_cell(comparison)});
    reasons.blocks.push_back(Paragraph{.text = fmt::format("{}: {}", configuration, comparison.reason)});
    Bullets warnings;
    for (const std::string& warning : comparison.warnings) {
      warnings.items.push_back("warning: " + warning);
    }
    if (!warnings.items.empty()) {
      reasons.blocks.push_back(std::move(warnings));
    }
  }
  for (const std::string& unpaired : comparisons.unpaired) {
    reasons.blocks.push_back(Paragraph{.text = unpaired});
  }
  report.sections.push_back({.id = "verdicts", .title = "Verdicts", .blocks = {std::move(verdicts)}});
  report.sections.push_back(std::move(reasons));
  return report;
}

}  // namespace aaco::report

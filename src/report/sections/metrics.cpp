// SPDX-License-Identifier: MIT
#include "report/sections/estimates.h"
#include "report/sections/sections.h"
#include "report/values.h"

namespace aaco::report {

namespace {

Tone tone_of_quality(const Quality& quality) {
  return quality.kind == QualityKind::kSuspect ? Tone::kBad : Tone::kNeutral;
}

}  // namespace

Section metrics_section(const Input& input) {
  Section section{"metrics", "Metrics", {}, {}};
  TableBlock known{.id = "metrics-known",
                   .columns = {{"metric"}, {"value [95 % interval]", true}, {"quality"}},
                   .note = "Unfold a name for its formula, what it needs, and what it does not tell."};
  TableBlock missing = known;
  missing.id = "metrics-missing";
  missing.columns = {{"metric"}, {"why"}};
  missing.note.clear();
  for (const MetricRow& metric : metric_rows(all_metrics(), input.analysis.metrics)) {
    const Quality& quality = metric.figure.quality;
    Cell words = text_cell(quality_text(quality), tone_of_quality(quality));
    if (metric.figure.value) {
      known.rows.push_back({metric_title_cell(metric), metric_cell(metric), std::move(words)});
    } else {
      missing.rows.push_back({metric_title_cell(metric), std::move(words)});
    }
  }
  if (known.rows.empty()) {
    section.blocks.push_back(Paragraph{"No data: no metric could be computed from what was recorded.", Tone::kWarning});
  } else {
    section.blocks.push_back(std::move(known));
  }
  if (!missing.rows.empty()) {
    const std::string title = "Metrics without data: " + std::to_string(missing.rows.size());
    section.blocks.push_back(FoldedBlocks{title, {std::move(missing)}});
  }
  return section;
}

}  // namespace aaco::report

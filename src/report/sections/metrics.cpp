// SPDX-License-Identifier: MIT
#include "report/sections/sections.h"
#include "report/values.h"

namespace aaco::report {

namespace {

Tone tone_of_quality(const Quality& quality) {
  return quality.kind == QualityKind::kSuspect ? Tone::kBad : Tone::kNeutral;
}

std::vector<Cell> metric_row(const MetricValue& metric) {
  const MetricInfo* info = find_metric(metric.id);
  const std::string_view unit = info != nullptr ? info->unit : "1";
  Cell name = text_cell(info != nullptr ? info->title : metric.id);
  if (info != nullptr) {
    name.notes = {std::string("Formula: ") + info->formula, std::string("Needs: ") + info->needs,
                  std::string("Does not tell: ") + info->not_told};
  }
  return {name, optional_cell(metric.value, unit),
          text_cell(metric.interval ? format_interval(*metric.interval, unit) : ""),
          text_cell(quality_text(metric.quality), tone_of_quality(metric.quality))};
}

}  // namespace

Section metrics_section(const Input& input) {
  Section section{"metrics", "Metrics", {}, {}};
  TableBlock known{.id = "metrics-known",
                   .columns = {{"metric"}, {"value", true}, {"95 % interval"}, {"quality"}},
                   .note = "Unfold a name for its formula, what it needs, and what it does not tell."};
  TableBlock missing = known;
  missing.id = "metrics-missing";
  missing.columns = {{"metric"}, {"why"}};
  missing.note.clear();
  for (const MetricValue& metric : input.analysis.metrics) {
    std::vector<Cell> row = metric_row(metric);
    if (metric.value) {
      known.rows.push_back(std::move(row));
    } else {
      missing.rows.push_back({std::move(row[0]), std::move(row[3])});
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

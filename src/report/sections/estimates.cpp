// SPDX-License-Identifier: MIT
#include "report/sections/estimates.h"

#include <utility>

#include "report/values.h"

namespace aaco::report {

namespace {

Tone tone_of(QualityKind kind) {
  return kind == QualityKind::kMeasured                                   ? Tone::kNeutral
         : kind == QualityKind::kInvalid || kind == QualityKind::kSuspect ? Tone::kBad
                                                                          : Tone::kWarning;
}

// Titles of figures of one quality, in order.
using Reasons = std::vector<std::pair<std::string, std::string>>;

void add_reason(const MetricRow& row, Reasons& reasons) {
  if (row.figure.quality.note.empty()) {
    return;
  }
  const std::string text = quality_text(row.figure.quality);
  if (reasons.empty() || reasons.back().first != text) {
    reasons.emplace_back(text, row.title);
  } else {
    reasons.back().second += "; " + row.title;
  }
}

}  // namespace

Cell metric_cell(const MetricRow& row) {
  const MetricValue& figure = row.figure;
  return figure.value ? interval_cell(*figure.value, figure.interval, row.unit)
                      : missing_cell(quality_kind_name(figure.quality.kind));
}

Cell metric_title_cell(const MetricRow& row) {
  Cell cell = text_cell(row.title);
  cell.notes = {std::string("Formula: ") + row.info->formula, std::string("Needs: ") + row.info->needs,
                std::string("Does not tell: ") + row.info->not_told};
  return cell;
}

KeyFigure key_figure(std::span<const MetricRow> rows, std::string_view id, const char* label) {
  const MetricRow* const metric_row = find_row(rows, id);
  if (metric_row == nullptr) {
    return {label == nullptr ? std::string(id) : label, missing_cell("no data"), "", Tone::kWarning};
  }
  const MetricRow& row = *metric_row;
  const MetricValue& figure = row.figure;
  const std::string title = label == nullptr ? row.title : label;
  if (!figure.value) {
    return {title, metric_cell(row), figure.quality.note, Tone::kWarning};
  }
  const std::string detail = !is_plain(figure.quality) ? quality_text(figure.quality)
                             : figure.interval         ? "95 % " + format_interval(*figure.interval, row.unit)
                                                       : row.info->formula;
  const bool suspect = figure.quality.kind == QualityKind::kSuspect;
  return {title, metric_cell(row), detail, suspect ? Tone::kBad : Tone::kNeutral};
}

std::vector<Block> metric_blocks(const std::string& id, std::span<const MetricRow> rows, const std::string& note) {
  TableBlock table{.id = id, .columns = {{"figure"}, {"value [95 % interval]", true}, {"quality"}}, .note = note};
  Reasons reasons;
  for (const MetricRow& row : rows) {
    const QualityKind kind = row.figure.quality.kind;
    table.rows.push_back({metric_title_cell(row), metric_cell(row), text_cell(quality_kind_name(kind), tone_of(kind))});
    add_reason(row, reasons);
  }
  std::vector<Block> blocks{std::move(table)};
  Bullets why{.title = "Why"};
  for (const auto& [reason, titles] : reasons) {
    why.items.push_back(titles + ": " + reason);
  }
  if (!why.items.empty()) {
    blocks.emplace_back(std::move(why));
  }
  return blocks;
}

std::vector<MetricRow> rows_of(std::span<const MetricRow> rows, std::initializer_list<std::string_view> ids) {
  std::vector<MetricRow> matches;
  for (const std::string_view id : ids) {
    if (const MetricRow* row = find_row(rows, id)) {
      matches.push_back(*row);
    }
  }
  return matches;
}

}  // namespace aaco::report

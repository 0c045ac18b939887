// SPDX-License-Identifier: MIT
// The LLM plane: what a user waits for. Only where prefill or decode iterations exist.
#include <map>

#include "base/format.h"
#include "base/statistics.h"
#include "report/sections/latency_plots.h"
#include "report/sections/sections.h"
#include "report/values.h"

namespace aaco::report {

namespace {

KeyFigure figure_of(const Analysis& analysis, const char* id, const char* label) {
  const MetricValue* metric = analysis.metric(id);
  if (metric == nullptr) {
    return {label, "no data", ""};
  }
  if (!metric->value) {
    return {label, "no data", quality_text(metric->quality)};
  }
  const MetricInfo* info = find_metric(id);
  const std::string_view unit = info != nullptr ? info->unit : "1";
  return {label, format_in_unit(*metric->value, unit),
          metric->interval ? "95 % " + format_interval(*metric->interval, unit) : quality_text(metric->quality)};
}

plot::Chart decode_chart(const Recording& recording) {
  plot::Chart chart{.id = "decode-by-token",
                    .title = "Decode latency by position",
                    .caption = "A rise along the sequence is the price of a growing cache.",
                    .x = {.title = "index of the generated token", .whole_numbers = true},
                    .y = {.title = "latency of the step", .quantity = plot::Quantity::kDuration, .unit = "ns"},
                    .height = 260,
                    .no_data = "no decode step carries its token's index"};
  plot::Series steps{.name = "decode step", .mark = plot::Mark::kPoints, .colour = plot::kMuted};
  std::map<int64_t, std::vector<double>> by_token;
  for (const IterationRow& row : recording.iterations) {
    if (row.phase == phase::kDecode && row.token_idx) {
      steps.x.push_back(static_cast<double>(*row.token_idx));
      steps.y.push_back(static_cast<double>(row.t_end_ns - row.t_start_ns));
      by_token[*row.token_idx].push_back(steps.y.back());
    }
  }
  plot::Series medians{.name = "median of each position", .mark = plot::Mark::kLine, .colour = 0};
  for (const auto& [token, values] : by_token) {
    medians.x.push_back(static_cast<double>(token));
    medians.y.push_back(*median(values));
  }
  chart.y.max = outlier_limit(steps.y);
  chart.series = {std::move(steps), std::move(medians)};
  return chart;
}

}  // namespace

std::optional<Section> llm_section(const Input& input) {
  const LatencySummary* prefill = input.analysis.latency(phase::kPrefill);
  const LatencySummary* decode = input.analysis.latency(phase::kDecode);
  if (prefill == nullptr && decode == nullptr) {
    return std::nullopt;
  }
  Section section{"tokens", "Tokens", {}, {}};
  const RunFacts& facts = input.recording.facts;
  section.blocks.push_back(Paragraph{"Prompt of " + format_count(facts.prompt_tokens) + " tokens, " +
                                     format_count(facts.generated_tokens) + " generated, with a key-value cache."});
  section.blocks.push_back(KeyFigures{{figure_of(input.analysis, "ttft", "time to first token"),
                                       figure_of(input.analysis, "itl_p50", "between tokens, p50"),
                                       figure_of(input.analysis, "itl_p95", "between tokens, p95"),
                                       figure_of(input.analysis, "itl_p99", "between tokens, p99"),
                                       figure_of(input.analysis, "prefill_tokens_per_s", "prefill"),
                                       figure_of(input.analysis, "decode_tokens_per_s", "decode")}});
  TableBlock table{
      .id = "token-latencies",
      .columns = {{"phase"}, {"iterations", true}, {"median, 95 % interval", true}, {"p95", true}, {"p99", true}}};
  for (const LatencySummary* one : {prefill, decode}) {
    if (one != nullptr) {
      table.rows.push_back({text_cell(one->phase), count_cell(one->iterations),
                            interval_cell(one->p50_ns.value, one->p50_ns.interval, "ns"), duration_cell(one->p95_ns),
                            duration_cell(one->p99_ns)});
    }
  }
  section.blocks.push_back(std::move(table));
  section.blocks.push_back(ChartBlock{decode_chart(input.recording)});
  return section;
}

}  // namespace aaco::report

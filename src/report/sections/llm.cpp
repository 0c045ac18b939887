// SPDX-License-Identifier: MIT
// The LLM plane: what a user waits for. Only where prefill or decode iterations exist.
#include <map>

#include "base/format.h"
#include "base/statistics.h"
#include "report/sections/estimates.h"
#include "report/sections/latency_plots.h"
#include "report/sections/sections.h"
#include "report/values.h"

namespace aaco::report {

namespace {

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
    if (row.phase == IterationPhase::kDecode && row.token_idx) {
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
  const LatencySummary* prefill = input.analysis.latency(IterationPhase::kPrefill);
  const LatencySummary* decode = input.analysis.latency(IterationPhase::kDecode);
  if (prefill == nullptr && decode == nullptr) {
    return std::nullopt;
  }
  Section section{"tokens", "Tokens", {}, {}};
  const RunFacts& facts = input.recording.facts;
  section.blocks.push_back(Paragraph{"Prompt of " + format_count(facts.prompt_tokens) + " tokens, " +
                                     format_count(facts.generated_tokens) + " generated, with a key-value cache."});
  const std::vector<MetricRow> metrics = metric_rows(all_metrics(), input.analysis.metrics);
  section.blocks.push_back(KeyFigures{
      {key_figure(metrics, "ttft", "time to first token"), key_figure(metrics, "itl_p50", "between tokens, p50"),
       key_figure(metrics, "itl_p95", "between tokens, p95"), key_figure(metrics, "itl_p99", "between tokens, p99"),
       key_figure(metrics, "prefill_tokens_per_s", "prefill"), key_figure(metrics, "decode_tokens_per_s", "decode")}});
  TableBlock table{
      .id = "token-latencies",
      .columns = {{"phase"}, {"iterations", true}, {"median, 95 % interval", true}, {"p95", true}, {"p99", true}}};
  for (const LatencySummary* summary : {prefill, decode}) {
    if (summary != nullptr) {
      table.rows.push_back({text_cell(word_of(summary->phase)), count_cell(summary->iterations),
                            interval_cell(summary->p50_ns.value, summary->p50_ns.interval, "ns"),
                            duration_cell(summary->p95_ns), duration_cell(summary->p99_ns)});
    }
  }
  section.blocks.push_back(std::move(table));
  section.blocks.push_back(ChartBlock{decode_chart(input.recording)});
  return section;
}

}  // namespace aaco::report

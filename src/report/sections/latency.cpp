// SPDX-License-Identifier: MIT

#include "base/format.h"
#include "report/sections/latency_plots.h"
#include "report/sections/sections.h"
#include "report/values.h"

namespace aaco::report {

namespace {

Cell quantile_cell(const std::optional<double>& value, const std::optional<Interval>& interval) {
  if (!value) {
    return missing_cell("no data");
  }
  return interval_cell(*value, interval, "ns");
}

}  // namespace

TableBlock latency_table(const std::vector<LatencySummary>& latencies) {
  TableBlock table{.id = "latencies",
                   .columns = {{"phase"},
                               {"iterations", true},
                               {"median", true},
                               {"p90", true},
                               {"p95", true},
                               {"p99", true},
                               {"least", true},
                               {"most", true}},
                   .note =
                       "Median over processes of each process's median, its interval from those medians. Other "
                       "quantiles are over all iterations; their 95 % intervals are over processes too, from how far "
                       "the processes' own quantiles lie apart, where three have iterations enough."};
  for (const LatencySummary& summary : latencies) {
    Cell iterations = count_cell(summary.iterations);
    iterations.detail =
        "in " + std::to_string(summary.processes) + (summary.processes == 1 ? " process" : " processes");
    table.rows.push_back(
        {text_cell(word_of(summary.phase)), iterations, quantile_cell(summary.p50_ns.value, summary.p50_ns.interval),
         quantile_cell(summary.p90_ns, summary.p90_interval_ns), quantile_cell(summary.p95_ns, summary.p95_interval_ns),
         quantile_cell(summary.p99_ns, summary.p99_interval_ns), duration_cell(summary.min_ns),
         duration_cell(summary.max_ns)});
  }
  return table;
}

std::optional<Section> latency_section(const Input& input) {
  Section section{"latency", "Latency", {}, {}};
  std::vector<LatencySummary> latencies;
  for (const LatencySummary& summary : input.analysis.latencies) {
    if (summary.phase != IterationPhase::kPrefill && summary.phase != IterationPhase::kDecode) {
      latencies.push_back(summary);
    }
  }
  const bool tokens_only = latencies.empty() && !input.analysis.latencies.empty();
  if (tokens_only) {
    return std::nullopt;
  }
  if (latencies.empty()) {
    section.blocks.push_back(Paragraph{"No data: no measured iteration was recorded.", Tone::kWarning});
  } else {
    section.blocks.push_back(latency_table(latencies));
  }
  const LatencySummary* measured = input.analysis.latency(IterationPhase::kMeasure);
  if (measured == nullptr) {
    section.blocks.push_back(ChartBlock{latency_series(input.recording)});
    return section;
  }
  for (plot::Chart& chart : latency_charts(input.recording, *measured)) {
    section.blocks.push_back(ChartBlock{std::move(chart)});
  }
  return section;
}

}  // namespace aaco::report

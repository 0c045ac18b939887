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
  for (const LatencySummary& one : latencies) {
    Cell iterations = count_cell(one.iterations);
    iterations.detail = "in " + std::to_string(one.processes) + (one.processes == 1 ? " process" : " processes");
    table.rows.push_back(
        {text_cell(one.phase), iterations, quantile_cell(one.p50_ns.value, one.p50_ns.interval),
         quantile_cell(one.p90_ns, one.p90_interval_ns), quantile_cell(one.p95_ns, one.p95_interval_ns),
         quantile_cell(one.p99_ns, one.p99_interval_ns), duration_cell(one.min_ns), duration_cell(one.max_ns)});
  }
  return table;
}

}  // namespace

std::optional<Section> latency_section(const Input& input) {
  Section section{"latency", "Latency", {}, {}};
  std::vector<LatencySummary> latencies;
  for (const LatencySummary& one : input.analysis.latencies) {
    if (one.phase != phase::kPrefill && one.phase != phase::kDecode) {
      latencies.push_back(one);
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
  const LatencySummary* measured = input.analysis.latency(phase::kMeasure);
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

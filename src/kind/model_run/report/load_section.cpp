// SPDX-License-Identifier: MIT
#include "kind/model_run/report/load_section.h"

#include <algorithm>
#include <fmt/format.h>

#include "analysis/model_run/load/request_load.h"
#include "base/format.h"
#include "report/sections/estimates.h"
#include "report/values.h"

namespace aaco::report {

namespace {

std::string limits_of(const LoadFacts& load) {
  std::string text;
  const auto add = [&](const char* what, const std::optional<double>& limit_ms) {
    if (limit_ms) {
      text +=
          fmt::format("{}{} within {}", text.empty() ? "; good: " : ", ", what, format_duration_ns(*limit_ms * 1e6));
    }
  };
  add("first token", load.ttft_ms);
  add("time per output token", load.tpot_ms);
  add("the whole request", load.e2el_ms);
  return text;
}

std::string title_of(const LoadFacts& load) {
  return fmt::format("Under load: {:g} requests a second, {}{}", load.rate_per_s,
                     load.arrivals == Arrivals::kPoisson ? "Poisson arrivals" : "at equal gaps", limits_of(load));
}

plot::Chart queue_chart(const RunLoad& load) {
  plot::Chart chart{
      .id = "load-queue",
      .title = "Requests waiting over time",
      .caption = "A line that keeps rising: arrivals are faster than the model serves.",
      .x = {.title = "time since a process's first request",
            .quantity = plot::Quantity::kDuration,
            .unit = "ns",
            .min = 0},
      .y = {.title = "requests that have arrived and not begun", .from_zero = true, .whole_numbers = true},
      .height = 260,
      .no_data = "no request waited"};
  constexpr int kColours = 6;
  int colour = 0;
  for (const auto& [process, requests] : requests_by_process(load.requests)) {
    plot::Series series{
        .name = fmt::format("process {}", process), .mark = plot::Mark::kLine, .colour = colour++ % kColours};
    int64_t before = 0;
    for (const QueuePoint& point : queue_over_time(requests)) {  // steps: each length holds until the next point
      const auto time_ns = static_cast<double>(point.time_ns);
      series.x.insert(series.x.end(), {time_ns, time_ns});
      series.y.insert(series.y.end(), {static_cast<double>(before), static_cast<double>(point.waiting)});
      before = point.waiting;
    }
    chart.series.push_back(std::move(series));
  }
  return chart;
}

// Shares in percent; where there is no figure the reason.
Cell value_cell(const MetricRow& row) {
  if (!row.figure.value) {
    return missing_cell(row.figure.quality.note.empty() ? std::string("no data") : row.figure.quality.note);
  }
  const std::string_view id = row.figure.id;
  return id == "load_busy" || id == "load_good_share"
             ? percent_cell(row.figure.value, row.figure.interval, std::string())
             : metric_cell(row);
}

// "resnet50 on cpu, batch 1, under load: saturated, ..." or the latency from the arrival; goodput where it was asked.
std::string figure_of(const RunFacts& facts, const RunLoad& load) {
  std::string text = fmt::format("{} on {}, batch {}, at {:g} requests a second: ", facts.model_name, facts.backend,
                                 facts.batch, load.load.rate_per_s);
  const std::vector<MetricRow> rows = load_rows(load);
  const auto add = [&](std::string_view id, const char* words) {
    const MetricRow* const row = find_row(rows, id);
    if (row != nullptr && row->figure.value) {
      text += words + format_with_interval(*row->figure.value, row->figure.interval, row->unit);
    }
  };
  if (saturation_of(load).empty()) {
    add("load_latency_p50", "latency from the arrival median ");
  } else {
    add("load_throughput", "saturated, served ");
  }
  add("load_goodput", ", goodput ");
  return text;
}

}  // namespace

void put_load(const RunFacts& facts, const RunLoad& load, Headline& headline) {
  headline.figure = figure_of(facts, load);
  if (const std::string saturated = saturation_of(load); !saturated.empty()) {
    headline.quality = saturated;
    headline.quality_tone = Tone::kBad;
  }
}

TableBlock load_table(const RunLoad& load) {
  TableBlock table{.id = "load", .title = title_of(load.load), .columns = {{"figure"}, {"value", true}}};
  for (const MetricRow& row : load_rows(load)) {
    const std::string_view id = row.figure.id;
    const bool is_of_tokens = id.starts_with("load_ttft") || id.starts_with("load_tpot");
    const bool is_of_limits = id == "load_goodput" || id == "load_good_share";
    if ((load.has_tokens || !is_of_tokens) && (load.load.has_limits() || !is_of_limits)) {
      table.rows.push_back({text_cell(row.title), value_cell(row)});
    }
  }
  table.note = saturation_of(load);
  return table;
}

Section load_section(const RunLoad& load) {
  Section section{"load", "Under load", {}, {}};
  if (const std::string saturated = saturation_of(load); !saturated.empty()) {
    section.blocks.push_back(Paragraph{saturated, Tone::kBad});
  }
  section.blocks.push_back(KeyFigures{{key_figure(load_rows(load), "load_throughput", "served"),
                                       key_figure(load_rows(load), "load_latency_p50", "latency, p50"),
                                       key_figure(load_rows(load), "load_latency_p99", "latency, p99"),
                                       key_figure(load_rows(load), "load_queue_mean", "waiting"),
                                       key_figure(load_rows(load), "load_goodput", "goodput")}});
  section.blocks.push_back(load_table(load));
  section.blocks.push_back(ChartBlock{queue_chart(load)});
  return section;
}

}  // namespace aaco::report

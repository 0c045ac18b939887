// SPDX-License-Identifier: MIT
#include "kind/copy/copy_metrics.h"

#include <utility>

namespace aaco {

const char* why_no_ideal_share(const CopyFigures& figures) {
  return figures.no_ideal_share.empty() ? "nothing could be saved" : figures.no_ideal_share.c_str();
}

const char* why_no_copy_time(const CopyFigures& figures) {
  return figures.records ? "there is no record of a copy of that size" : "nothing was recorded";
}

namespace {

constexpr const char* kNoTimes = "no process measured it";
constexpr const char* kNeedsProcess = "a measured process";

MetricValue time_of(const CopyFigures& figures, CopyVariant variant) {
  return figure_or(figures.times_ns[static_cast<size_t>(variant)], kNoTimes);
}

MetricValue percent_or(const std::optional<double>& share, const char* why) {
  return figure_or(share ? std::optional(100 * *share) : std::nullopt, why);
}

constexpr SubjectMetric<CopyFigures> kCopyMetrics[] = {
    {{"products_time", "products alone", "ns", "median over processes of each process's median round", kNeedsProcess,
      "how rounds differ"},
     [](const CopyFigures& figures) { return time_of(figures, CopyVariant::kProducts); }},
    {{"copy_time", "copy alone", "ns", "median over processes of each process's median round", kNeedsProcess,
      "how rounds differ"},
     [](const CopyFigures& figures) { return time_of(figures, CopyVariant::kCopy); }},
    {{"serial_time", "one after the other", "ns", "median over processes of each process's median round", kNeedsProcess,
      "how rounds differ"},
     [](const CopyFigures& figures) { return time_of(figures, CopyVariant::kSerial); }},
    {{"overlapped_time", "beside each other", "ns", "median over processes of each process's median round",
      kNeedsProcess, "how rounds differ"},
     [](const CopyFigures& figures) { return time_of(figures, CopyVariant::kOverlapped); }},
    {{"saved_time", "saved", "ns", "serial less overlapped, mean over processes", kNeedsProcess,
      "what another size would save"},
     [](const CopyFigures& figures) {
       MetricValue saved = figure_or(figures.saved_ns, kNoTimes);
       if (saved.value && !figures.implausible.empty()) {
         saved.quality = {QualityKind::kSuspect, figures.implausible};
       }
       return saved;
     }},
    {{"saved_share", "saved, of the serial time", "%", "saved / serial", kNeedsProcess, "what another size would save"},
     [](const CopyFigures& figures) { return percent_or(figures.saved_share, kNoTimes); }},
    {{"ideal_time", "ideal", "ns", "the longer of products and copy, each alone", kNeedsProcess,
      "what both cost each other"},
     [](const CopyFigures& figures) { return figure_or(figures.ideal_ns, kNoTimes); }},
    {{"ideal_share", "saved, of what could be", "%", "saved / (serial - ideal)", kNeedsProcess,
      "what both cost each other"},
     [](const CopyFigures& figures) { return percent_or(figures.ideal_share, why_no_ideal_share(figures)); }},
    {{"copy_hidden", "copies beside products", "%", "of the copies' recorded time, the share beside products",
      "rounds under the device's collector", "rounds without the collector"},
     [](const CopyFigures& figures) {
       return percent_or(figures.records ? figures.records->hidden : std::nullopt, why_no_copy_time(figures));
     }},
};

}  // namespace

std::vector<MetricRow> copy_metrics(const CopyDocument& document) {
  std::vector<MetricRow> rows;
  for (const CopyFigures& figures : document.directions) {
    const std::string direction = word_of(figures.direction);
    for (MetricRow& row : metric_rows(kCopyMetrics, figures)) {
      row.figure.id = direction + "." + row.figure.id;
      row.title = direction + ", " + row.title;
      rows.push_back(std::move(row));
    }
  }
  return rows;
}

}  // namespace aaco

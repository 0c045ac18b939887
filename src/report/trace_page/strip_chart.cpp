// SPDX-License-Identifier: MIT
#include <fmt/format.h>
#include <string>

#include "analysis/timeline/strip/activity_strip.h"
#include "base/text/characters.h"
#include "report/trace/values.h"
#include "report/trace_page/trace_charts.h"

namespace aaco::report {

namespace {

constexpr size_t kLongestLabel = 30;
// By Activity.
constexpr int kColoursOf[kActivities] = {0, 1, 2, 4, 3, plot::kMuted};

std::string caption_of(const ActivityStrips& strips) {
  std::string text =
      fmt::format("Each of {} parts of the time has the colour of what took most of it.", ActivityStrips::kParts);
  if (strips.own_starts) {
    text += " The recordings lie far apart: each begins at its own start.";
  }
  if (strips.devices.size() < strips.devices_in_all) {
    text += fmt::format(" The first {} of {} devices.", strips.devices.size(), strips.devices_in_all);
  }
  return text;
}

}  // namespace

Charts strip_charts(const EventTable& events, const TraceSummary&) {
  const ActivityStrips strips = activity_strips(events);
  plot::Chart chart{.id = "timeline",
                    .title = "What each device did over time",
                    .caption = caption_of(strips),
                    .x = {.title = "time since the first start", .quantity = plot::Quantity::kDuration, .unit = "ns"}};
  for (const ActivityStrip& strip : strips.devices) {
    chart.y.categories.push_back(
        shorten(of_rank(device_name(strip.device), events, strip.recording, strip.rank), kLongestLabel));
  }
  for (size_t activity = 0; activity < kActivities; ++activity) {
    const char* const name = word_of(static_cast<Activity>(activity));
    plot::Series series{.name = name, .mark = plot::Mark::kSpans, .colour = kColoursOf[activity]};
    for (size_t row = 0; row < strips.devices.size(); ++row) {
      for (const ActivitySpan& span : strips.devices[row].spans) {
        if (span.activity == static_cast<Activity>(activity)) {
          series.start.push_back(static_cast<double>(span.start_ns));
          series.x.push_back(static_cast<double>(span.end_ns));
          series.y.push_back(static_cast<double>(row));
          series.labels.push_back(fmt::format("{}: {}", name, duration_text(span.end_ns - span.start_ns)));
        }
      }
    }
    if (!series.x.empty()) {
      chart.series.push_back(std::move(series));
    }
  }
  return chart.series.empty() ? Charts() : Charts{std::move(chart)};
}

}  // namespace aaco::report

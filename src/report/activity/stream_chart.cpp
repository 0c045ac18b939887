// SPDX-License-Identifier: MIT
#include "report/activity/stream_chart.h"

#include <algorithm>
#include <fmt/format.h>
#include <map>
#include <tuple>
#include <utility>
#include <vector>

#include "analysis/timeline/device_work.h"
#include "analysis/timeline/lookup/launch_index.h"
#include "base/format.h"
#include "base/text/characters.h"
#include "report/names/kernel_names.h"
#include "report/trace/values.h"
#include "report/values.h"

namespace aaco::report {

namespace {

constexpr size_t kMostSpans = 1'500;
constexpr size_t kMostStreams = 64;
constexpr size_t kLongestRow = 36;  // characters
constexpr int kColoursOf[kWorkClasses] = {0, 1, 2};

using Stream = std::tuple<int64_t, int64_t, int64_t>;  // rank, device, stream: the order of the rows

std::vector<DeviceSlice> slices_of_first_recording(const EventTable& events) {
  const LaunchIndex launches(events);
  std::vector<DeviceSlice> slices;
  uint32_t recording = UINT32_MAX;
  const std::vector<DeviceWork> works = device_work(events, launches);
  for (const DeviceWork& work : works) {
    recording = work.slices.empty() ? recording : std::min(recording, work.recording);
  }
  for (const DeviceWork& work : works) {
    if (work.recording == recording) {
      slices.insert(slices.end(), work.slices.begin(), work.slices.end());
    }
  }
  std::stable_sort(slices.begin(), slices.end(), [&](const DeviceSlice& a, const DeviceSlice& b) {
    return events.start_ns[a.event] < events.start_ns[b.event];
  });
  return slices;
}

Stream stream_of(const EventTable& events, const DeviceSlice& slice) {
  const Track& track = events.tracks[events.track[slice.event]];
  return {track.rank, track.device, track.stream};
}

std::string row_name(const EventTable& events, const DeviceSlice& slice) {
  const Track& track = events.tracks[events.track[slice.event]];
  const std::string stream = track.stream == kNoId ? "" : fmt::format(", stream {}", track.stream);
  return shorten(of_rank(device_name(track.device), events, track.recording, track.rank) + stream, kLongestRow);
}

}  // namespace

plot::Chart stream_chart(const EventTable& events, std::string title) {
  plot::Chart chart{.id = "streams-timeline",
                    .title = std::move(title),
                    .caption = "A row for each stream, a span for each kernel, copy or memory set; gaps are idle.",
                    .x = {.title = "time since the first start", .quantity = plot::Quantity::kDuration, .unit = "ns"},
                    .no_data = "nothing was recorded on a device"};
  const std::vector<DeviceSlice> all = slices_of_first_recording(events);
  const size_t shown = std::min(all.size(), kMostSpans);
  const auto first = all.begin() + static_cast<std::ptrdiff_t>((all.size() - shown) / 2);
  const std::vector<DeviceSlice> slices(first, first + static_cast<std::ptrdiff_t>(shown));
  if (slices.empty()) {
    return chart;
  }
  if (slices.size() < all.size()) {
    chart.caption += fmt::format(" The middle {} of {} records.", format_count(static_cast<int64_t>(slices.size())),
                                 format_count(static_cast<int64_t>(all.size())));
  }
  if (events.recordings.size() > 1) {
    chart.caption += fmt::format(" The first of {} recordings.", events.recordings.size());
  }
  std::map<Stream, double> rows;
  for (const DeviceSlice& slice : slices) {
    rows.try_emplace(stream_of(events, slice), 0);
  }
  if (rows.size() > kMostStreams) {
    chart.caption += fmt::format(" The first {} of {} streams.", kMostStreams, rows.size());
  }
  double next = 0;
  for (auto& [stream, row] : rows) {
    row = next++;
  }
  chart.y.categories.resize(std::min(rows.size(), kMostStreams));
  const int64_t start_ns = events.start_ns[slices.front().event];
  for (size_t work = 0; work < kWorkClasses; ++work) {
    const auto work_class = static_cast<WorkClass>(work);
    plot::Series series{
        .name = word_of(work_class), .mark = plot::Mark::kSpans, .colour = kColoursOf[work], .cuts_names = true};
    for (const DeviceSlice& slice : slices) {
      const double row = rows[stream_of(events, slice)];
      if (slice.work != work_class || row >= static_cast<double>(kMostStreams)) {
        continue;
      }
      std::string& name = chart.y.categories[static_cast<size_t>(row)];
      name = name.empty() ? row_name(events, slice) : name;
      const Span span = span_of(events, slice);
      series.start.push_back(static_cast<double>(span.start_ns - start_ns));
      series.x.push_back(static_cast<double>(span.end_ns - start_ns));
      series.y.push_back(row);
      series.labels.push_back(fmt::format("{}: {}", short_kernel_name(events.strings[events.name[slice.event]]),
                                          duration_text(span.end_ns - span.start_ns)));
    }
    if (!series.x.empty()) {
      chart.series.push_back(std::move(series));
    }
  }
  return chart;
}

}  // namespace aaco::report

// SPDX-License-Identifier: MIT
#include "analysis/timeline/advice/long_idle.h"

#include <algorithm>
#include <array>
#include <map>
#include <tuple>

namespace aaco {

namespace {

constexpr int64_t kMostTimesTheIdle = 4;

bool compiles(std::string_view name) {
  static constexpr std::array<std::string_view, 7> kMarks = {
      "cudagraphnode.record",    "_dynamo/convert_frame", "_dynamo/symbolic_convert", "_inductor/codecache",
      "_inductor/async_compile", "triton/compiler/",      "triton/runtime/autotuner"};
  return std::any_of(kMarks.begin(), kMarks.end(), [&](std::string_view mark) { return has_mark(name, mark); });
}

EventRow outermost_frame(const EventTable& events, const LongIdle& idle, bool (*is_it)(std::string_view name)) {
  for (const EventRow event : idle.covering) {
    if (events.kind[event] != EventKind::kHostCall && is_it(events.strings[events.name[event]]) &&
        is_of_the_idle(events, event, idle.idle.span)) {
      return event;
    }
  }
  return kNoEvent;
}

bool is_of_the_host(EventKind kind) {
  return kind == EventKind::kHostOp || kind == EventKind::kHostCall || kind == EventKind::kHostRange;
}

std::vector<LongIdle> long_idles_of(const EventTable& events, const DeviceSummary& device) {
  std::vector<LongIdle> all;
  std::map<uint32_t, std::vector<size_t>> of_track;  // by time, for so they are held, and without overlap
  for (const LongHeldIdle& idle : device.idle.held_long) {
    of_track[events.track[idle.call]].push_back(all.size());
    all.push_back({idle, {}});
  }
  if (all.empty()) {
    return all;
  }
  for (size_t i = 0; i < events.size(); ++i) {
    const auto row = static_cast<EventRow>(i);
    if (events.shape[i] != EventShape::kSlice || events.duration_ns[i] < kLongIdle_ns / 2 ||
        !is_of_the_host(events.kind[i])) {
      continue;
    }
    const auto position = of_track.find(events.track[i]);
    if (position == of_track.end()) {
      continue;
    }
    auto next = std::partition_point(position->second.begin(), position->second.end(),
                                     [&](size_t index) { return all[index].idle.span.end_ns <= events.start_ns[row]; });
    for (; next != position->second.end() && all[*next].idle.span.start_ns < events.end_ns(row); ++next) {
      if (overlap_ns(events, row, all[*next].idle.span) >= all[*next].idle.length_ns() / 2) {
        all[*next].covering.push_back(row);
      }
    }
  }
  for (LongIdle& long_idle : all) {
    std::sort(long_idle.covering.begin(), long_idle.covering.end(), [&](EventRow a, EventRow b) {
      return std::tuple(events.duration_ns[b], a) < std::tuple(events.duration_ns[a], b);
    });
  }
  return all;
}

}  // namespace

int64_t overlap_ns(const EventTable& events, EventRow event, const Span& span) {
  return std::max<int64_t>(
      0, std::min(events.end_ns(event), span.end_ns) - std::max(events.start_ns[event], span.start_ns));
}

bool is_of_the_idle(const EventTable& events, EventRow event, const Span& span) {
  return events.duration_ns[event] / kMostTimesTheIdle <= overlap_ns(events, event, span);
}

bool prepares_input(std::string_view name) {
  static constexpr std::array<std::string_view, 16> kMarks = {
      "dataloader",  "preprocess",     "image_processing", "feature_extraction",  "tokeniz",        "collate",
      "__getitem__", "torchvision/tr", "transforms/",      "scipy/ndimage",       "albumentations", "librosa",
      "cv2",         "pil/image",      "decode_jpeg",      "datasets/arrow_data",
  };
  // What turns a model's output into text or pictures is not input.
  return !has_mark(name, "postprocess") && !has_mark(name, "detokeniz") && !has_mark(name, "batch_decode") &&
         std::any_of(kMarks.begin(), kMarks.end(), [&](std::string_view mark) { return has_mark(name, mark); });
}

EventRow preparing_frame(const EventTable& events, const LongIdle& idle) {
  return outermost_frame(events, idle, prepares_input);
}

EventRow compiling_frame(const EventTable& events, const LongIdle& idle) {
  return outermost_frame(events, idle, compiles);
}

bool launches_kernel(std::string_view call) {
  return call.find("Launch") != std::string_view::npos && call.find("GraphLaunch") == std::string_view::npos;
}

std::vector<std::vector<LongIdle>> find_long_idles(const EventTable& events, const TraceSummary& summary) {
  std::vector<std::vector<LongIdle>> all;
  for (const DeviceSummary& device : summary.devices) {
    all.push_back(long_idles_of(events, device));
  }
  return all;
}

}  // namespace aaco

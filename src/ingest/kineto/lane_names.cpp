// SPDX-License-Identifier: MIT
#include "ingest/kineto/lane_names.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <span>
#include <string>

namespace aaco {

namespace {

std::string lower(std::string_view text) {
  std::string result(text);
  std::transform(result.begin(), result.end(), result.begin(),
                 [](char c) { return static_cast<char>(c >= 'A' && c <= 'Z' ? c - 'A' + 'a' : c); });
  return result;
}

// The number that `text` begins with, which is cut off; kNoId where it begins with none.
int64_t take_number(std::string_view& text) {
  int64_t number = kNoId;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc() || number < 0) {
    return kNoId;
  }
  text.remove_prefix(static_cast<size_t>(end - text.data()));
  return number;
}

struct NamedLane {
  std::string_view name;
  LaneRole role;
};

// Threads of "/device:TPU:0" and its like (XLA's profiler, xplane_schema.cc).
constexpr NamedLane kXlaLanes[] = {
    {"XLA Ops", LaneRole::kOps},
    {"Async XLA Ops", LaneRole::kAsyncOps},
    {"XLA Async Ops", LaneRole::kAsyncOps},
    {"XLA Modules", LaneRole::kDeviceRanges},
    {"Steps", LaneRole::kDeviceRanges},
    {"Non-XLA Ops", LaneRole::kDeviceRanges},
    {"Framework Ops", LaneRole::kDeviceRanges},
    {"Framework Name Scope", LaneRole::kDeviceRanges},
    {"TensorFlow Ops", LaneRole::kDeviceRanges},
    {"TensorFlow Name Scope", LaneRole::kDeviceRanges},
    {"XLA TraceMe", LaneRole::kDeviceRanges},
    {"Source code", LaneRole::kDeviceRanges},
    {"Source Code", LaneRole::kDeviceRanges},
    {"Launch Stats", LaneRole::kDerived},
};

LaneRole role_among(std::span<const NamedLane> lanes, std::string_view name) {
  const auto position =
      std::find_if(lanes.begin(), lanes.end(), [&](const NamedLane& lane) { return lane.name == name; });
  return position == lanes.end() ? LaneRole::kUnknown : position->role;
}

// "Stream #118(MemcpyD2H,Compute)", "Stream 3", "stream:7"
int64_t stream_number(std::string_view name) {
  for (const std::string_view begin : {"Stream #", "Stream ", "stream:"}) {
    if (name.starts_with(begin)) {
      std::string_view rest = name.substr(begin.size());
      return take_number(rest);
    }
  }
  return kNoId;
}

// The lanes of "/device:GPU:0", which XLA's profiler and TensorFlow's timelines write; `rest` follows the number.
LaneName lane_of_device(int64_t device, std::string_view rest, std::string_view thread) {
  constexpr std::string_view kOneStream = "/stream:";
  if (rest.starts_with(kOneStream)) {
    const int64_t stream = stream_number(rest.substr(1));
    return {stream == kNoId ? LaneRole::kAllStreams : LaneRole::kStream, device, stream};
  }
  if (rest.starts_with("/memcpy")) {
    return {LaneRole::kAllStreams, device, kNoId};
  }
  if (rest.find("Compute") != std::string_view::npos || rest.find("Tensors") != std::string_view::npos) {
    return {LaneRole::kHostRanges, kNoId, kNoId};  // TensorFlow's executor, which hands operators to the device
  }
  const int64_t stream = stream_number(thread);
  const LaneRole role = stream != kNoId ? LaneRole::kStream : role_among(kXlaLanes, thread);
  return {role, device, stream};
}

// Processes of Ascend's profiler (trace_view.json).
LaneName lane_of_ascend(std::string_view process, std::string_view thread) {
  constexpr NamedLane kProcesses[] = {
      {"CANN", LaneRole::kHostCalls}, {"AscendCL", LaneRole::kHostCalls}, {"Overlap Analysis", LaneRole::kDerived}};
  if (process.starts_with("Ascend Hardware")) {
    return {LaneRole::kStream, kNoId, stream_number(thread)};
  }
  if (process == "Communication" || process == "HCCL") {
    return {thread.find("Plane") == std::string_view::npos ? LaneRole::kCollectives : LaneRole::kDeviceRanges, kNoId,
            kNoId};
  }
  return {role_among(kProcesses, process), kNoId, kNoId};
}

}  // namespace

LaneName lane_of_names(std::string_view process, std::string_view thread) {
  constexpr std::array<std::string_view, 5> kDevices = {
      "/device:GPU:", "/device:TPU:", "/device:XPU:", "/device:gpu:", "/gpu:"};
  for (const std::string_view begin : kDevices) {
    if (const size_t at = process.find(begin); at != std::string_view::npos) {
      std::string_view rest = process.substr(at + begin.size());
      if (const int64_t device = take_number(rest); device != kNoId) {
        return lane_of_device(device, rest, thread);
      }
    }
  }
  if (process.starts_with("/host:")) {
    return {LaneRole::kHostRanges, kNoId, kNoId};
  }
  if (process == "CPU functions") {
    return {LaneRole::kHostOps, kNoId, kNoId};
  }
  if (process == "CUDA functions" || process == "HIP functions" || process == "XPU functions") {
    return {LaneRole::kStream, take_number(thread), kNoId, true};
  }
  return lane_of_ascend(process, thread);
}

bool is_like_a_device(std::string_view name) {
  constexpr std::array<std::string_view, 12> kWords = {"gpu",  "npu", "tpu", "xpu",    "hpu",    "mlu",
                                                       "cuda", "hip", "dcu", "ascend", "device", "stream"};
  const std::string text = lower(name);
  const auto is_letter = [](char c) { return c >= 'a' && c <= 'z'; };
  for (size_t first = 0; first < text.size();) {
    size_t end = first;
    while (end < text.size() && is_letter(text[end])) {
      ++end;
    }
    if (std::find(kWords.begin(), kWords.end(), std::string_view(text).substr(first, end - first)) != kWords.end()) {
      return true;
    }
    first = end + 1;
  }
  return false;
}

EventKind kind_on_stream(std::string_view name, std::string_view task_type) {
  const std::string text = lower(name);
  const std::string task = lower(task_type);
  const auto has = [](std::string_view where, std::string_view word) { return where.find(word) != where.npos; };
  constexpr std::array<std::string_view, 6> kWaits = {"event_wait",    "event_record", "notify_wait",
                                                      "notify_record", "place_holder", "capture_wait"};
  if (std::any_of(kWaits.begin(), kWaits.end(), [&](auto word) { return text == word || task == word; })) {
    return EventKind::kDeviceSync;
  }
  if (has(text, "memset")) {
    return EventKind::kSet;
  }
  return text.starts_with("memcpy") || has(task, "memcpy") || has(task, "sdma") ? EventKind::kCopy : EventKind::kKernel;
}

}  // namespace aaco

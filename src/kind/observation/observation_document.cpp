// SPDX-License-Identifier: MIT
#include "kind/observation/observation_document.h"

#include <algorithm>

#include "base/json/json.h"
#include "kind/observation/host_figures.h"

namespace aaco {

AACO_JSON_FIELDS(GraphWork, named, outside, unseen, ambiguous, captures, unwatched_captures, compiled_captures,
                 modules_ns, operators_ns)
AACO_JSON_FIELDS(ObservationGap, from_ns, until_ns)
AACO_JSON_FIELDS(RecordedSpan, start_ns, end_ns, steps, step_kernels, left_out)
AACO_JSON_FIELDS(ProcessRecording, pid, parent_pid, program, state, note, from_ns, last_flush_ns, other_since_ns,
                 events, lost, dropped, beyond_limit, collector_ns, flush_ns, cost_ns, ranges, ranges_ns, open_ranges,
                 nvtx_libraries, graph_work, gaps, rank, spans)

namespace {

AACO_JSON_FIELDS(ObservationDocument, version, bundle, created_utc, command, pid, exit_code, signal, interrupted,
                 interrupt_signal, from_ns, to_ns, user_seconds, system_seconds, peak_memory_bytes, whole_graphs,
                 budget_ppm, duration_s, limit_bytes, limit_reached, stopped_ns, journal_bytes, wants_device_plane,
                 has_device_plane, no_device_reason, injection, chained_injection, chained_nvtx, attached_by, outlived,
                 thread_stops, stopped_thread_ns, is_recovered, host, processes, inner_sessions, problems,
                 unrecorded_planes)

}  // namespace

uint64_t ObservationDocument::events() const {
  uint64_t sum = 0;
  for (const ProcessRecording& process : processes) {
    sum += process.events;
  }
  return sum;
}

uint64_t ObservationDocument::missing() const {
  uint64_t sum = 0;
  for (const ProcessRecording& process : processes) {
    sum += process.lost + process.dropped + process.beyond_limit;
  }
  return sum;
}

std::optional<double> ObservationDocument::collector_ns_per_event() const {
  double ns = 0;
  double count = 0;
  for (const ProcessRecording& process : processes) {
    if (process.collector_ns.value_or(0) == 0) {  // it ended before it was told; earlier versions stored a zero
      continue;
    }
    ns += static_cast<double>(*process.collector_ns);
    count += static_cast<double>(process.events + process.lost + process.beyond_limit);
  }
  return count > 0 ? std::optional(ns / count) : std::nullopt;
}

std::optional<double> ObservationDocument::bytes_per_event() const {
  const uint64_t count = events();
  return count > 0 ? std::optional(static_cast<double>(journal_bytes) / static_cast<double>(count)) : std::nullopt;
}

std::optional<double> ObservationDocument::ns_per_range() const {
  uint64_t ranges = 0;
  uint64_t ns = 0;
  for (const ProcessRecording& process : processes) {
    ranges += process.ranges;
    ns += process.ranges_ns;
  }
  return ranges > 0 ? std::optional(static_cast<double>(ns) / static_cast<double>(ranges)) : std::nullopt;
}

bool ObservationDocument::has_pauses() const {
  return std::any_of(processes.begin(), processes.end(),
                     [](const ProcessRecording& process) { return !process.spans.empty(); });
}

Json observation_json(const ObservationDocument& document) {
  Json json;
  to_json(json, document);
  json["events"] = document.events();
  json["collector_ns_per_event"] = document.collector_ns_per_event();
  json["bytes_per_event"] = document.bytes_per_event();
  json["ns_per_range"] = document.ns_per_range();
  return json;
}

Result<ObservationDocument> read_observation(const Json& json, std::string_view source) {
  if (!json.is_object() || !json.contains("command") || !json.contains("processes")) {
    return Error{ErrorKind::kUsage, std::string(source) + ": not what aaco observe wrote",
                 "the file is damaged: observe the program again"};
  }
  try {
    ObservationDocument document;
    from_json(json, document);
    if (!json.contains("wants_device_plane")) {  // earlier versions meant that by the other word
      document.wants_device_plane = document.has_device_plane;
    }
    return document;
  } catch (const Json::exception& exception) {
    return Error{ErrorKind::kUsage, std::string(source) + ": " + json_problem(exception),
                 "the file is damaged: observe the program again"};
  }
}

}  // namespace aaco

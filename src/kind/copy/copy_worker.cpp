// SPDX-License-Identifier: MIT
#include "kind/copy/copy_worker.h"

#include <algorithm>
#include <fmt/format.h>
#include <functional>

#include "analysis/timeline/lookup/event_arguments.h"
#include "base/json/json.h"
#include "base/statistics.h"
#include "device/backend.h"
#include "engine/activity/stream_numbers.h"
#include "engine/device_state.h"
#include "engine/orchestrator.h"
#include "engine/worker_role.h"
#include "kind/copy/copy_document.h"
#include "kind/copy/copy_programs.h"
#include "record/device/activity_table.h"
#include "record/device/device_rows.h"
#include "record/intervals.h"

namespace aaco {

namespace {

constexpr int64_t kRecordedRounds = 10;
constexpr int32_t kCopyStream = 1;

using Dispatchers = std::vector<std::unique_ptr<Dispatcher>>;

Result<Dispatchers> dispatchers_of(const PreparedCopy& prepared) {
  Dispatchers dispatchers;
  for (const Program& program : prepared.programs) {
    AACO_ASSIGN(dispatchers.emplace_back(), make_dispatcher(DispatchMode::kSingle, program, prepared.target));
  }
  return dispatchers;
}

// One after the other on the device's own clock, from before the first to behind the last of its work.
Result<double> time_once(const PreparedCopy& prepared, Dispatcher& dispatcher, Event& from, Event& to,
                         const std::function<void()>& meanwhile) {
  Stream& first = *prepared.target.streams.front();
  first.record(from);
  AACO_TRY(dispatcher.enqueue());
  first.record(to);
  meanwhile();
  AACO_TRY(synchronize(prepared.target));
  return prepared.device->elapsed_ns(from, to);
}

struct MeasuredVariants {
  CopyTimes times{};
  CopyStates states;
};

// The variants take turns, and each round begins with another one.
Result<MeasuredVariants> measure(const PreparedCopy& prepared, const CopyRequest& request) {
  AACO_ASSIGN(const Dispatchers dispatchers, dispatchers_of(prepared));
  AACO_ASSIGN(const auto from, prepared.device->make_event(true));
  AACO_ASSIGN(const auto to, prepared.device->make_event(true));
  std::array<std::vector<double>, kCopyVariants> times;
  std::array<std::vector<double>, kCopyVariants> clocks;
  std::array<std::vector<double>, kCopyVariants> powers;
  DeviceStateReader reader(prepared.device->properties());
  for (int64_t round = 0; round < request.warmup + request.rounds; ++round) {
    AACO_TRY(check_interrupt());
    for (size_t i = 0; i < kCopyVariants; ++i) {
      const size_t variant = (static_cast<size_t>(round) + i) % kCopyVariants;
      DeviceState state;
      AACO_ASSIGN(const double ns,
                  time_once(prepared, *dispatchers[variant], *from, *to, [&] { state = reader.read(); }));
      if (round < request.warmup) {
        continue;
      }
      times[variant].push_back(ns);
      if (state.clock_mhz) {
        clocks[variant].push_back(*state.clock_mhz);
      }
      if (state.power_w) {
        powers[variant].push_back(*state.power_w);
      }
    }
  }
  MeasuredVariants measured;
  for (size_t i = 0; i < kCopyVariants; ++i) {
    measured.times[i] = median(times[i]).value_or(0);
    measured.states[i] = {median(clocks[i]), median(powers[i])};
  }
  return measured;
}

// On a CPU the thread of the copy's stream copies. A vendor's record of a copy does not tell its engine; a copy that
// has none, but a kernel on its stream, was that kernel's.
std::string engine_of(const CopyRequest& request, int64_t copies, const std::string& kernel) {
  if (request.device.starts_with("cpu")) {
    return "a thread of the host";
  }
  if (copies > 0) {
    return "unknown: the records name the copy and not its engine";
  }
  return kernel.empty() ? "unknown: there is no record of a copy" : "a kernel: " + kernel;
}

// What a stream's records are, sorted by what they say of the copies.
struct SortedRecords {
  std::vector<Span> copies;    // of the size that was asked for
  std::vector<Span> products;  // kernels of the other stream
  std::string copy_kernel;     // of the copy's stream
  int64_t other_bytes = 0;
};

SortedRecords sort_records(const EventTable& events, const PreparedCopy& prepared, int64_t copy_bytes) {
  const auto streams = stream_numbers(events, prepared.target);
  SortedRecords sorted;
  for (size_t i = 0; i < events.size(); ++i) {
    const Span span{events.start_ns[i], events.end_ns(i)};
    if (events.kind[i] == EventKind::kCopy) {
      const int64_t bytes = integer_argument(events, i, device_row::kBytes).value_or(0);
      if (bytes == copy_bytes) {
        sorted.copies.push_back(span);
      } else {
        sorted.other_bytes += bytes;
      }
    } else if (events.kind[i] == EventKind::kKernel && streams[events.track[i]] == kCopyStream) {
      sorted.copy_kernel = events.strings[events.name[i]];
    } else if (events.kind[i] == EventKind::kKernel) {
      sorted.products.push_back(span);
    }
  }
  return sorted;
}

CopyRecords records_of(const SortedRecords& sorted, const CopyRequest& request) {
  CopyRecords records;
  records.rounds = kRecordedRounds;
  records.copies = static_cast<int64_t>(sorted.copies.size());
  records.other_bytes = sorted.other_bytes;
  std::vector<double> durations;
  std::transform(sorted.copies.begin(), sorted.copies.end(), std::back_inserter(durations),
                 [](const Span& span) { return static_cast<double>(span.end_ns - span.start_ns); });
  records.copy_ns = median(durations);
  const SpanSet copies = union_of(sorted.copies);
  const auto copying = static_cast<double>(length_ns(copies));
  if (copying > 0) {
    records.hidden = static_cast<double>(length_ns(intersect(copies, union_of(sorted.products)))) / copying;
  }
  records.engine = engine_of(request, records.copies, sorted.copy_kernel);
  return records;
}

Result<CopyRecords> record(const PreparedCopy& prepared, const CopyRequest& request, ActivityCollector& collector,
                           ActivityTable& sink) {
  AACO_ASSIGN(const Dispatchers dispatchers, dispatchers_of(prepared));
  Dispatcher& overlapped = *dispatchers[static_cast<size_t>(CopyVariant::kOverlapped)];
  const auto rounds = [&](int64_t count) -> Result<void> {
    for (int64_t i = 0; i < count; ++i) {
      AACO_TRY(overlapped.enqueue());
      AACO_TRY(synchronize(prepared.target));
    }
    return collector.flush();
  };
  AACO_TRY(rounds(request.warmup));
  sink.take();
  AACO_TRY(rounds(kRecordedRounds));
  return records_of(sort_records(sink.take(), prepared, request.copy_bytes()), request);
}

Result<CopyRequest> request_of(const WorkerTask& task) {
  return from_json_value<CopyRequest>(task.plan, task.plan_file.string());
}

}  // namespace

Result<Json> copy_measure_role(const WorkerTask& task) {
  AACO_ASSIGN(const CopyRequest request, request_of(task));
  Json figures = {{"device_name", ""}, {"times", Json::array()}, {"states", Json::array()}};
  for (const CopyDirection direction : request.directions) {
    AACO_ASSIGN(const auto prepared, prepare_copy(request, direction));
    AACO_ASSIGN(const MeasuredVariants measured, measure(*prepared, request));
    AACO_TRY(check_copied(*prepared));
    figures["device_name"] = prepared->device->properties().name;
    figures["times"].push_back(measured.times);
    figures["states"].push_back(measured.states);
  }
  return figures;
}

Result<Json> copy_record_role(const WorkerTask& task) {
  AACO_ASSIGN(const CopyRequest request, request_of(task));
  ActivityTable sink;
  AACO_ASSIGN(Backend * backend, backend_of(request.device));
  AACO_ASSIGN(const auto collector, backend->collect(sink));
  Json found = Json::array();
  for (const CopyDirection direction : request.directions) {
    AACO_ASSIGN(const auto prepared, prepare_copy(request, direction));
    AACO_ASSIGN(const CopyRecords records, record(*prepared, request, *collector, sink));
    found.push_back(records);
  }
  return found;
}

}  // namespace aaco

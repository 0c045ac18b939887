// SPDX-License-Identifier: MIT
#include "experiment/copy_overlap/copy_worker.h"

#include <algorithm>
#include <fmt/format.h>

#include "analysis/overlap/copy_document.h"
#include "base/json.h"
#include "base/statistics.h"
#include "device/backend.h"
#include "experiment/copy_overlap/copy_programs.h"
#include "experiment/orchestrator.h"
#include "experiment/queue/stream_numbers.h"
#include "experiment/worker_role.h"
#include "trace/intervals.h"

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
Result<double> time_once(const PreparedCopy& prepared, Dispatcher& dispatcher, Event& from, Event& to) {
  Stream& first = *prepared.target.streams.front();
  first.record(from);
  AACO_TRY(dispatcher.enqueue());
  first.record(to);
  AACO_TRY(synchronize(prepared.target));
  return prepared.device->elapsed_ns(from, to);
}

// The variants take turns, and each round begins with another one.
Result<CopyTimes> measure(const PreparedCopy& prepared, const CopyRequest& request) {
  AACO_ASSIGN(const Dispatchers dispatchers, dispatchers_of(prepared));
  AACO_ASSIGN(const auto from, prepared.device->make_event(true));
  AACO_ASSIGN(const auto to, prepared.device->make_event(true));
  std::array<std::vector<double>, kCopyVariants> times;
  for (int64_t round = 0; round < request.warmup + request.rounds; ++round) {
    AACO_TRY(check_interrupt());
    for (size_t i = 0; i < kCopyVariants; ++i) {
      const size_t variant = (static_cast<size_t>(round) + i) % kCopyVariants;
      AACO_ASSIGN(const double ns, time_once(prepared, *dispatchers[variant], *from, *to));
      if (round >= request.warmup) {
        times[variant].push_back(ns);
      }
    }
  }
  CopyTimes medians{};
  std::transform(times.begin(), times.end(), medians.begin(),
                 [](const std::vector<double>& values) { return median(values).value_or(0); });
  return medians;
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

SortedRecords sort_records(const std::vector<ActivityRecord>& activity, const ActivitySink& sink,
                           const PreparedCopy& prepared, int64_t copy_bytes) {
  const StreamNumbers streams(prepared.target);
  SortedRecords sorted;
  for (const ActivityRecord& record : activity) {
    const Span span{record.start_ns, record.end_ns};
    if (record.kind == ActivityKind::kCopy && static_cast<int64_t>(record.bytes) == copy_bytes) {
      sorted.copies.push_back(span);
    } else if (record.kind == ActivityKind::kCopy) {
      sorted.other_bytes += static_cast<int64_t>(record.bytes);
    } else if (record.kind == ActivityKind::kKernel && streams.of(record) == kCopyStream) {
      sorted.copy_kernel = sink.name(record.name);
    } else if (record.kind == ActivityKind::kKernel) {
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
  records.copy_ns = median(durations).value_or(0);
  const SpanSet copies = union_of(sorted.copies);
  const auto copying = static_cast<double>(length_ns(copies));
  if (copying > 0) {
    records.hidden = static_cast<double>(length_ns(intersect(copies, union_of(sorted.products)))) / copying;
  }
  records.engine = engine_of(request, records.copies, sorted.copy_kernel);
  return records;
}

Result<CopyRecords> record(const PreparedCopy& prepared, const CopyRequest& request, ActivityCollector& collector,
                           ActivitySink& sink) {
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
  return records_of(sort_records(sink.take(), sink, prepared, request.copy_bytes()), request);
}

Result<CopyRequest> request_of(const WorkerTask& task) {
  return from_json_value<CopyRequest>(task.plan, task.plan_file.string());
}

}  // namespace

Result<Json> copy_measure_role(const WorkerTask& task) {
  AACO_ASSIGN(const CopyRequest request, request_of(task));
  Json found = {{"device_name", ""}, {"times", Json::array()}};
  for (const CopyDirection direction : request.directions) {
    AACO_ASSIGN(const auto prepared, prepare_copy(request, direction));
    AACO_ASSIGN(const CopyTimes times, measure(*prepared, request));
    AACO_TRY(check_copied(*prepared));
    found["device_name"] = prepared->device->properties().name;
    found["times"].push_back(times);
  }
  return found;
}

Result<Json> copy_record_role(const WorkerTask& task) {
  AACO_ASSIGN(const CopyRequest request, request_of(task));
  ActivitySink sink;
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

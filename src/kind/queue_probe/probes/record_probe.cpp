// SPDX-License-Identifier: MIT
#include "kind/queue_probe/probes/record_probe.h"

#include "device/backend.h"
#include "kind/queue_probe/probes/clock_probe.h"
#include "kind/queue_probe/probes/spin_stamps.h"
#include "record/device/activity_table.h"
#include "record/device/device_rows.h"
#include "record/intervals.h"

namespace aaco {

namespace {

// Kernels on the stream in the order of their start, which is that of launching: one stream.
std::vector<Span> kernels_of(const EventTable& events, uint64_t stream) {
  std::vector<Span> kernels;
  for (const EventRow row : work_as_executed(events)) {
    if (events.kind[row] == EventKind::kKernel && stream_of(events, row).stream == stream) {
      kernels.push_back({events.start_ns[row], events.end_ns(row)});
    }
  }
  return kernels;
}

}  // namespace

Result<RecordRun> probe_records(const std::string& device_id, const RecordProbe& probe) {
  RecordRun run;
  ActivityTable sink;
  AACO_ASSIGN(Backend * backend, backend_of(device_id));
  const auto collector = backend->collect(sink);
  if (!collector) {
    run.unavailable = collector.error().message;
    return run;
  }
  AACO_ASSIGN(Device * device, open_device(device_id));
  AACO_ASSIGN(const std::vector<KernelStamp> readings, probe_clock(*device));
  run.clock_step_ns = clock_step_ns(readings);
  AACO_ASSIGN(SpinStamps stamps, SpinStamps::make(*device, static_cast<size_t>(probe.kernels)));
  AACO_ASSIGN(const std::unique_ptr<Stream> stream, device->make_stream(device->properties().lowest_priority));
  AACO_TRY(stamps.clear(*stream));
  AACO_TRY((*collector)->flush());
  sink.take();
  for (int32_t i = 0; i < probe.kernels; ++i) {
    stream->launch(SpinArgs{stamps.of(static_cast<size_t>(i)), probe.shortest_ns + i * probe.step_ns, 0});
  }
  AACO_TRY(stream->synchronize());
  AACO_TRY((*collector)->flush());
  const std::vector<Span> records = kernels_of(sink.take(), stream->native_id());
  const std::vector<int32_t> streams(static_cast<size_t>(probe.kernels), 0);
  AACO_ASSIGN(const std::vector<KernelStamp> own, stamps.read(*stream, streams));
  run.launched = probe.kernels;
  run.dropped = sink.dropped_count();
  if (records.size() == own.size()) {
    for (size_t i = 0; i < own.size(); ++i) {
      run.kernels.push_back({records[i].start_ns, records[i].end_ns, own[i].start_ns, own[i].end_ns});
    }
  }
  return run;
}

}  // namespace aaco

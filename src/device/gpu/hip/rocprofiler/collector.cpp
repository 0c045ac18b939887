// SPDX-License-Identifier: MIT
// rocprofiler-sdk in the process: begun before the first call of HIP, flushed when asked.
#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <thread>

#include "base/clock.h"
#include "device/gpu/device_context.h"
#include "device/gpu/failure.h"
#include "device/gpu/hip/rocprofiler/rocprofiler_services.h"
#include "device/gpu/module_functions.h"

namespace aaco::gpu {

namespace {

constexpr int64_t kMostDriftNs = 10'000;
constexpr int64_t kLongestWaitNs = 2'000'000'000;
constexpr auto kPause = std::chrono::microseconds(200);

// By which rocprofiler's clock is ahead of the session's: of several readings that with the least time around it.
int32_t read_clock_ahead(int64_t& ahead_ns) {
  constexpr int kReadings = 32;
  RocprofilerApi& api = rocprofiler();
  int64_t least = INT64_MAX;
  for (int i = 0; i < kReadings; ++i) {
    rocprofiler_timestamp_t theirs = 0;
    const int64_t before = monotonic_ns();
    AACO_ROCPROFILER_TRY(api.get_timestamp(&theirs));
    const int64_t after = monotonic_ns();
    if (after - before < least) {
      least = after - before;
      ahead_ns = static_cast<int64_t>(theirs) - (before + least / 2);
    }
  }
  return kAacoOk;
}

// rocprofiler's clock goes on while the machine sleeps, the session's does not.
int32_t check_clock(int64_t ahead_at_start_ns) {
  int64_t ahead_ns = 0;
  if (const int32_t status = read_clock_ahead(ahead_ns); status != kAacoOk) {
    return status;
  }
  const int64_t drift_ns = ahead_ns - ahead_at_start_ns;
  if (std::abs(drift_ns) > kMostDriftNs) {
    return AACO_GPU_FAIL(kAacoDevice, "rocprofiler-sdk's clock and the session's have moved apart by " +
                                          std::to_string(drift_ns) + " ns: its records cannot be placed\n" +
                                          "keep the machine from sleeping, and run again");
  }
  return kAacoOk;
}

// A kernel's record is written after HIP says that the kernel has ended, by another thread: it has arrived when the
// call that launched it is retired.
int32_t wait_for_records() {
  RocprofilerStream& stream = rocprofiler_stream();
  std::vector<uint64_t> calls;
  {
    const std::lock_guard lock(stream.mutex);
    calls = stream.records->open_calls();
  }
  for (const int64_t begun = monotonic_ns();;) {
    AACO_ROCPROFILER_TRY(flush_buffer());
    {
      const std::lock_guard lock(stream.mutex);
      const bool complete = !stream.records->any_open(calls);
      if (complete || monotonic_ns() - begun > kLongestWaitNs) {
        stream.records->give_up(calls);
        stream.records->hand_over();
        return kAacoOk;
      }
    }
    std::this_thread::sleep_for(kPause);
  }
}

}  // namespace

int32_t collector_start(const AacoSink* sink, void** collector) noexcept {
  if (!rocprofiler().library) {
    return AACO_GPU_FAIL(kAacoUnavailable, rocprofiler().library.reason());
  }
  RocprofilerStream& stream = rocprofiler_stream();
  {
    const std::lock_guard lock(stream.mutex);
    if (stream.records) {
      return AACO_GPU_FAIL(kAacoUsage, "a collector of this device's activity is running already");
    }
  }
  if (const int32_t status = start_services(); status != kAacoOk) {
    return status;
  }
  AgentDevices devices;
  if (const int32_t status = devices.find(); status != kAacoOk) {
    return status;
  }
  int64_t clock_ahead_ns = 0;
  if (const int32_t status = read_clock_ahead(clock_ahead_ns); status != kAacoOk) {
    return status;
  }
  const std::lock_guard lock(stream.mutex);
  stream.records = std::make_unique<RocprofilerRecords>(*sink, std::move(devices), clock_ahead_ns, stream.names);
  *collector = &stream;
  return kAacoOk;
}

int32_t collector_flush(void* collector) noexcept {
  for (const DeviceContext* device : open_devices()) {
    AACO_GPU_TRY(make_current(*device));
    AACO_GPU_TRY(gpuDeviceSynchronize());
  }
  if (const int32_t status = wait_for_records(); status != kAacoOk) {
    return status;
  }
  return check_clock(static_cast<RocprofilerStream*>(collector)->records->clock_ahead_ns());
}

int32_t collector_stop(void* collector) noexcept {
  const int32_t status = collector_flush(collector);
  RocprofilerStream& stream = rocprofiler_stream();
  const std::lock_guard lock(stream.mutex);
  stream.records.reset();
  return status;
}

}  // namespace aaco::gpu

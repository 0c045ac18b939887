// SPDX-License-Identifier: MIT
#include "kind/queue_probe/probes/launch_probe.h"

#include <algorithm>
#include <barrier>

#include "base/clock.h"
#include "base/process/thread_start.h"
#include "kind/queue_probe/probes/gate.h"

namespace aaco {

namespace {

struct Batch {
  int64_t start_ns = 0;
  int64_t end_ns = 0;
};

// What one thread saw; the first batch is the warm-up.
struct ThreadTimes {
  std::vector<double> call_ns;
  std::vector<Batch> batches;
  Result<void> failure;
};

void launch_batches(Stream& stream, const LaunchProbe& probe, bool synchronised, std::barrier<>& together,
                    ThreadTimes& times) {
  for (int32_t batch = 0; batch <= probe.batches; ++batch) {
    together.arrive_and_wait();
    Batch span{monotonic_ns(), 0};
    int64_t before_ns = span.start_ns;
    for (int32_t i = 0; i < probe.launches; ++i) {
      stream.launch(NullArgs{});
      if (synchronised) {
        if (Result<void> result = stream.synchronize(); !result) {
          times.failure = result;
        }
      }
      const int64_t after_ns = monotonic_ns();
      if (batch > 0) {
        times.call_ns.push_back(static_cast<double>(after_ns - before_ns));
      }
      before_ns = after_ns;
    }
    span.end_ns = before_ns;
    times.batches.push_back(span);
    together.arrive_and_wait();
    if (Result<void> result = stream.synchronize(); !result) {
      times.failure = result;
    }
  }
}

Result<LaunchSample> sample_of(const LaunchProbe& probe, bool synchronised, const std::vector<ThreadTimes>& threads) {
  LaunchSample sample;
  sample.threads = static_cast<int32_t>(threads.size());
  sample.synchronised = synchronised;
  for (const ThreadTimes& times : threads) {
    AACO_TRY(times.failure);
    sample.call_ns.insert(sample.call_ns.end(), times.call_ns.begin(), times.call_ns.end());
  }
  const double launches = static_cast<double>(probe.launches) * static_cast<double>(threads.size());
  for (size_t batch = 1; batch < threads[0].batches.size(); ++batch) {
    Batch whole = threads[0].batches[batch];
    for (const ThreadTimes& times : threads) {
      whole.start_ns = std::min(whole.start_ns, times.batches[batch].start_ns);
      whole.end_ns = std::max(whole.end_ns, times.batches[batch].end_ns);
    }
    sample.per_kernel_ns.push_back(static_cast<double>(whole.end_ns - whole.start_ns) / launches);
  }
  return sample;
}

Result<LaunchSample> probe_way(Device& device, const LaunchProbe& probe, int32_t thread_count, bool synchronised) {
  AACO_ASSIGN(const std::vector<std::unique_ptr<Stream>> streams,
              make_streams(device, thread_count, device.properties().lowest_priority));
  std::vector<ThreadTimes> times(streams.size());
  std::barrier<> together(thread_count);
  for (ThreadTimes& of_thread : times) {
    of_thread.call_ns.reserve(static_cast<size_t>(probe.launches) * static_cast<size_t>(probe.batches));
  }
  AACO_TRY(run_threads(streams.size(),
                       [&](size_t i) { launch_batches(*streams[i], probe, synchronised, together, times[i]); }));
  return sample_of(probe, synchronised, times);
}

}  // namespace

Result<std::vector<LaunchSample>> probe_launches(Device& device, const LaunchProbe& probe) {
  const bool no_thread = std::any_of(probe.threads.begin(), probe.threads.end(), [](int32_t n) { return n < 1; });
  if (no_thread || probe.launches < 1 || probe.batches < 1) {
    return Error{ErrorKind::kUsage, "the launch probe needs a thread, a launch and a batch", "give numbers from 1 on"};
  }
  std::vector<LaunchSample> samples;
  for (const int32_t threads : probe.threads) {
    AACO_ASSIGN(LaunchSample sample, probe_way(device, probe, threads, false));
    samples.push_back(std::move(sample));
  }
  AACO_ASSIGN(LaunchSample synchronised, probe_way(device, probe, 1, true));
  samples.push_back(std::move(synchronised));
  return samples;
}

}  // namespace aaco

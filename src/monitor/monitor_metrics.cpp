// SPDX-License-Identifier: MIT
#include "monitor/monitor_metrics.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <dirent.h>
#include <memory>
#include <string>
#include <string_view>
#include <sys/resource.h>
#include <unistd.h>

#include "base/version.h"
#include "monitor/column_metrics.h"
#include "observe/host_files.h"
#include "record/table.h"

namespace aaco {

namespace {

// Times are those of the scrape; deltas are counters (sample_totals.h); what is about one process, nobody is asked of.
constexpr std::array<std::string_view, 6> kSkippedHostColumns{"t_ns",     "interval_ns",      "pid",
                                                              "process_", "context_switches", "cpu_throttles"};
constexpr std::array<std::string_view, 1> kHostCounters{"package_energy_j"};
// A sum of bits is nothing to draw, and a number of Prometheus holds 53 of them: each is a series of its own.
constexpr std::array<std::string_view, 2> kSkippedGpuColumns{"t_ns", "clock_event_bits"};
// Counters of the driver itself.
constexpr std::array<std::string_view, 5> kGpuCounters{"energy_j", "link_receive_bytes", "link_send_bytes",
                                                       "ecc_corrected", "ecc_uncorrected"};
constexpr std::array<std::string_view, 2> kGpuLabels{"device", "vendor"};

const FamilyInfo kUp{"aaco_collector_up", MetricType::kGauge, "",
                     "1: the collector reads something now; else 0, and the reason is absent, lost or stalled"};
const FamilyInfo kSamples{"aaco_collector_samples", MetricType::kCounter, "", "samples that the collector has taken"};
const FamilyInfo kOpenings{"aaco_collector_openings", MetricType::kCounter, "",
                           "times that the collector was opened, or that this was tried"};
const FamilyInfo kSampleCost{"aaco_collector_sample_seconds", MetricType::kGauge, "seconds",
                             "time that the last sample took"};
const FamilyInfo kSampledAt{"aaco_collector_last_sample_timestamp_seconds", MetricType::kGauge, "seconds",
                            "when the last sample was taken, since 1970"};
const FamilyInfo kContextSwitches{"aaco_host_context_switches", MetricType::kCounter, "",
                                  "context switches of the whole machine since the monitor's start"};
const FamilyInfo kThrottledTime{"aaco_gpu_throttled_seconds", MetricType::kCounter, "seconds",
                                "time in which something held the GPU's clock down, as the samples saw it"};
const FamilyInfo kClockEvent{"aaco_gpu_clock_event", MetricType::kGauge, "",
                             "1: the clock event is on now; an event is shown from its first time on"};

void add_collector(MetricSet& metrics, const CollectorReading& reading) {
  const bool up = reading.state == CollectorState::kUp;
  metrics.add(kUp, {{"collector", reading.collector}, {"reason", up ? "" : word_of(reading.state)}}, up ? 1 : 0);
  const MetricLabels labels{{"collector", reading.collector}};
  metrics.add(kSamples, labels, static_cast<double>(reading.samples));
  metrics.add(kOpenings, labels, static_cast<double>(reading.openings));
  if (reading.samples > 0) {
    metrics.add(kSampleCost, labels, static_cast<double>(reading.sample_cost_ns) * 1e-9);
    metrics.add(kSampledAt, labels, static_cast<double>(reading.sampled_wall_ns) * 1e-9);
  }
}

bool is_on(const GpuSampleRow& row, const std::string& event) {
  return (";" + row.clock_events.value_or("") + ";").find(";" + event + ";") != std::string::npos;
}

void add_gpus(MetricSet& metrics, const CollectorReading& reading) {
  add_column_metrics(metrics, to_table(reading.rows.gpus), {"aaco_gpu_", kGpuLabels, kSkippedGpuColumns, kGpuCounters});
  for (const auto& [device, gpu] : reading.totals.gpus()) {
    const MetricLabels labels{{"device", device}, {"vendor", gpu.vendor}};
    if (gpu.throttled_seconds) {
      metrics.add(kThrottledTime, labels, *gpu.throttled_seconds);
    }
  }
  for (const GpuSampleRow& row : reading.rows.gpus) {
    const auto gpu = reading.totals.gpus().find(row.device);
    if (!row.clock_events || gpu == reading.totals.gpus().end()) {
      continue;
    }
    for (const std::string& event : gpu->second.events) {
      metrics.add(kClockEvent, {{"device", row.device}, {"vendor", row.vendor}, {"event", event}}, is_on(row, event));
    }
  }
}

void add_host(MetricSet& metrics, const CollectorReading& reading) {
  add_column_metrics(metrics, to_table(reading.rows.host), {"aaco_host_", {}, kSkippedHostColumns, kHostCounters});
  if (reading.totals.context_switches()) {
    metrics.add(kContextSwitches, {}, *reading.totals.context_switches());
  }
}

double seconds(const timeval& time) {
  return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_usec) * 1e-6;
}

}  // namespace

MetricSet metrics_of(std::span<const CollectorReading> readings) {
  MetricSet metrics;
  metrics.add({"aaco_build", MetricType::kInfo, "", "which aaco this is"}, {{"version", program_version()}}, 1);
  for (const CollectorReading& reading : readings) {
    add_collector(metrics, reading);
  }
  for (const CollectorReading& reading : readings) {
    add_host(metrics, reading);
    add_gpus(metrics, reading);
  }
  return metrics;
}

void add_process_metrics(MetricSet& metrics) {
  rusage usage{};
  if (::getrusage(RUSAGE_SELF, &usage) == 0) {
    metrics.add({"process_cpu_seconds", MetricType::kCounter, "seconds", "processor time of the monitor"}, {},
                seconds(usage.ru_utime) + seconds(usage.ru_stime));
  }
  const HostFiles host;
  if (const auto text = host.text("proc/self/statm")) {
    const std::vector<std::string_view> words = split(*text, ' ');
    if (words.size() > 1) {
      metrics.add({"process_resident_memory_bytes", MetricType::kGauge, "bytes", "memory of the monitor"}, {},
                  std::stod(std::string(words[1])) * static_cast<double>(::sysconf(_SC_PAGESIZE)));
    }
  }
  const size_t files = host.names("proc/self/fd").size();
  if (files > 0) {
    metrics.add({"process_open_fds", MetricType::kGauge, "", "files that the monitor has open"}, {},
                static_cast<double>(files));
  }
}

}  // namespace aaco

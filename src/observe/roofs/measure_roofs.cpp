// SPDX-License-Identifier: MIT
#include <algorithm>
#include <array>
#include <charconv>
#include <chrono>
#include <fmt/format.h>
#include <map>
#include <thread>
#include <vector>

#include "base/clock.h"
#include "base/format.h"
#include "base/interrupt.h"
#include "observe/cgroup.h"
#include "observe/roofs/multiply_add.h"
#include "observe/roofs/roofs.h"
#include "observe/roofs/team.h"
#include "observe/roofs/triad.h"
#include "observe/telemetry/other_load.h"

namespace aaco {

namespace {

constexpr std::array<const char*, 5> kPrecisions{"fp64", "fp32", "fp16", "bf16", "int8"};
// Long against the start of a thread and the ramp of the clock, short against a time slice of another program.
constexpr int64_t kTrialNs = 10'000'000;
constexpr size_t kRounds = 3;
constexpr double kArithmeticShare = 0.5;  // of the time that a progress bar shows
constexpr int64_t kCacheFactor = 4;
constexpr int64_t kSmallestArrayBytes = int64_t{64} << 20;
constexpr int kTriadTrials = 4;

Error interrupted_error() { return {ErrorKind::kInterrupted, "interrupted while measuring the roofs", ""}; }

Error wrong_result(const MultiplyAddKernel& kernel) {
  return {ErrorKind::kInvalid, fmt::format("{}: {} gave a wrong result", kernel.precision, kernel.instructions),
          "a processor of this machine is faulty, or its emulator is"};
}

// Steps that take about a trial on one thread.
Result<uint64_t> calibrate_steps(const MultiplyAddKernel& kernel) {
  const uint64_t most = most_steps(kernel);
  uint64_t steps = std::min<uint64_t>(1024, most);
  for (;;) {
    const MultiplyAddRun run = run_multiply_add(kernel, steps);
    if (!run.exact) {
      return wrong_result(kernel);
    }
    if (run.end_ns - run.start_ns >= kTrialNs || steps == most) {
      return steps;
    }
    steps = std::min(steps * 2, most);
  }
}

// Operations per second of all threads together: the best of the trials.
Result<double> measure_kernel(const MultiplyAddKernel& kernel, const std::vector<int>& processors, int64_t budget_ns) {
  AACO_ASSIGN(const uint64_t steps, calibrate_steps(kernel));
  const double operations = kernel.operations(steps) * static_cast<double>(processors.size());
  double best = 0;
  const int64_t until = monotonic_ns() + budget_ns;
  do {
    if (interrupted()) {
      return interrupted_error();
    }
    std::vector<MultiplyAddRun> runs(processors.size());
    AACO_TRY(run_team(processors, [&](size_t index) { runs[index] = run_multiply_add(kernel, steps); }));
    int64_t start = runs[0].start_ns, end = runs[0].end_ns;
    for (const MultiplyAddRun& run : runs) {
      if (!run.exact) {
        return wrong_result(kernel);
      }
      start = std::min(start, run.start_ns);
      end = std::max(end, run.end_ns);
    }
    best = std::max(best, operations * 1e9 / static_cast<double>(std::max(int64_t{1}, end - start)));
  } while (monotonic_ns() < until);
  return best;
}

// The kernels that this processor has; what it lacks goes to `unavailable`, by precision.
std::vector<const MultiplyAddKernel*> usable_kernels(std::map<std::string, std::string>& unavailable) {
  const CpuFeatures features = cpu_features();
  std::vector<const MultiplyAddKernel*> usable;
  for (const char* precision : kPrecisions) {
    std::string lacking;
    bool any = false;
    for (const MultiplyAddKernel& kernel : multiply_add_kernels()) {
      if (std::string_view(kernel.precision) != precision) {
        continue;
      }
      if (features.*kernel.needs) {
        usable.push_back(&kernel);
        any = true;
      } else {
        lacking += (lacking.empty() ? "" : ", ") + std::string(kernel.instructions);
      }
    }
    if (!any) {
      unavailable[precision] = "these processors, or their kernel, offer none of: " + lacking;
    }
  }
  return usable;
}

// In rounds over all kernels, so that a moment in which the machine was cold or busy does not decide one of them.
Result<void> measure_arithmetic(const std::vector<int>& processors, const RoofProgress& progress, int64_t budget_ns,
                                Roofs& roofs) {
  const std::vector<const MultiplyAddKernel*> kernels = usable_kernels(roofs.unavailable);
  const double steps = static_cast<double>(kRounds * kernels.size());
  double done = 0;
  for (size_t round = 0; round < kRounds; ++round) {
    for (const MultiplyAddKernel* kernel : kernels) {
      if (progress) {
        progress(fmt::format("{}: {}", kernel->precision, kernel->instructions), kArithmeticShare * done++ / steps);
      }
      AACO_ASSIGN(const double per_s, measure_kernel(*kernel, processors, budget_ns));
      double& best = roofs.flops_per_s[kernel->precision];
      if (per_s > best) {
        best = per_s;
        roofs.instructions[kernel->precision] = kernel->instructions;
      }
    }
  }
  return {};
}

// Why the triad cannot run here; empty when it can.
std::string memory_problem(const HostFiles& host, int64_t cache_bytes, int64_t array_bytes) {
  if (cache_bytes == 0) {
    return "the size of the last-level cache is not known (no cache folder below /sys/devices/system/cpu)";
  }
  const std::string text = host.field("proc/meminfo", "MemAvailable").value_or("");
  int64_t available_kib = 0;
  if (std::from_chars(text.data(), text.data() + text.size(), available_kib).ec != std::errc{}) {
    return "the available memory is not known (no MemAvailable in /proc/meminfo)";
  }
  int64_t available = available_kib * 1024;
  if (const auto limit = cgroup_limits(host).memory_bytes) {
    available = std::min(available, *limit);
  }
  if (3 * array_bytes > available / 2) {
    return fmt::format(
        "the triad needs three arrays of {} times the last-level cache, {}, more than half of the available {}",
        kCacheFactor, format_si(static_cast<double>(3 * array_bytes), "B"),
        format_si(static_cast<double>(available), "B"));
  }
  return "";
}

Result<void> measure_memory(const std::vector<int>& processors, const RoofProgress& progress, int64_t asked_bytes,
                            Roofs& roofs) {
  const HostFiles host;
  const int64_t cache_bytes = last_level_cache_bytes(host, processors);
  const int64_t array_bytes = asked_bytes > 0 ? asked_bytes : std::max(kSmallestArrayBytes, kCacheFactor * cache_bytes);
  if (const std::string problem = memory_problem(host, cache_bytes, array_bytes); !problem.empty()) {
    roofs.unavailable["memory"] = problem;
    return {};
  }
  if (progress) {
    progress(fmt::format("memory: triad on three arrays of {}", format_si(static_cast<double>(array_bytes), "B")),
             kArithmeticShare);
  }
  AACO_ASSIGN(const TriadRun run, run_triad(processors, array_bytes, kTriadTrials));
  roofs.bytes_per_s = run.bytes_per_s;
  roofs.instructions["memory"] = "triad, " + run.stores + ", 24 bytes counted per element";
  return {};
}

}  // namespace

std::optional<double> others_share_now() {
  constexpr auto kWatched = std::chrono::milliseconds(330);  // processor times have steps of 10 ms
  const HostFiles host;
  const std::vector<int> allowed = allowed_processors();
  const auto before = processor_times(host, allowed);
  std::this_thread::sleep_for(kWatched);
  const auto after = processor_times(host, allowed);
  return before && after ? std::optional(share_of_others(*before, *after)) : std::nullopt;
}

std::string disturbance(const RoofMeasurement& measurement) {
  return fmt::format("other programs held {} of the processors while the roofs were measured, so they are not kept",
                     format_percent(measurement.others_share.value_or(0), 0));
}

Result<RoofMeasurement> measure_roofs(int64_t threads, const RoofProgress& progress, const RoofEffort& effort) {
  const HostFiles host;
  const std::vector<int> allowed = allowed_processors();
  AACO_ASSIGN(const std::vector<int> processors, spread_processors(host, allowed, threads));
  RoofMeasurement measurement;
  Roofs& roofs = measurement.roofs;
  // All allowed processors, not only those that measure: the others share memory and clock with them.
  const auto before = processor_times(host, allowed);
  roofs.device = roofs_device();
  roofs.threads = threads;
  roofs.unavailable["launch"] =
      "on processors a dispatch is a call of the runtime: each profiled run calibrates it on its own empty nodes";
  AACO_TRY(measure_arithmetic(processors, progress, effort.arithmetic_ns, roofs));
  AACO_TRY(measure_memory(processors, progress, effort.array_bytes, roofs));
  if (const auto after = processor_times(host, allowed); before && after) {
    measurement.others_share = share_of_others(*before, *after);
  }
  roofs.measured_at = format_utc(wall_clock_ns());
  return measurement;
}

}  // namespace aaco

// SPDX-License-Identifier: MIT
// The contract of everything that watches the machine while work runs: a passive descriptor with a factory, which makes
// what hands rows to the sinks it was made with. A collector is polled, by sample(), or pushes rows when they come up,
// between start() and stop(). Adding one is one file plus one line in all_collectors.cpp; a new kind of row is one line
// in record/collected_rows.h.
#pragma once

#include <atomic>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/clock.h"
#include "base/result.h"
#include "observe/telemetry/plane.h"
#include "record/row_sinks.h"

namespace aaco {

// CLOCK_BOOTTIME: as the session clock, and goes on while the machine sleeps.
inline int64_t boot_clock_ns() {
  timespec now{};
  clock_gettime(CLOCK_BOOTTIME, &now);
  return int64_t{now.tv_sec} * 1'000'000'000 + now.tv_nsec;
}

struct CollectorOptions {
  // The measured process, 0 between processes; read at each sample. Must outlive the collector. Null: none, ever.
  const std::atomic<int64_t>* measured_pid = nullptr;
  RowSinks sinks;
  // GPUs that are sampled, by PCI address ("0000:1b:00.0"); empty: all of the collector's vendor.
  std::vector<std::string> gpus;
  std::string nvml_library = "libnvidia-ml.so.1";
  std::string amdsmi_library = "libamd_smi.so";
  // Processors whose frequency is sampled; empty: those that this process may run on.
  std::vector<int> processors;
  // Of the kernel plane: the source that it takes ("ebpf", "perf_event_open", "procfs"; empty: the best that is
  // allowed), and whether stacks are taken at each switch where the source can.
  std::string kernel_source;
  bool stacks = true;
  // Where /proc and /sys are looked for, and the clock; tests replace both.
  std::filesystem::path root = "/";
  int64_t (*now_ns)() = monotonic_ns;
  // What NVML and the amdgpu driver date their figures by.
  int64_t (*wall_ns)() = wall_clock_ns;
  int64_t (*boot_ns)() = boot_clock_ns;
};

class Collector {
 public:
  virtual ~Collector() = default;
  // Of a collector that is polled: takes one sample now. Called from one thread. What cannot be read is null in the
  // row, never zero.
  virtual void sample() {}
  // Of one that pushes: from start() until stop() has returned it may push from any thread. Errors of start(): as of
  // the factory.
  virtual bool pushes() const { return false; }
  virtual Result<void> start() { return {}; }
  virtual void stop() {}
  // What it records, and what of that it could not read so far. Not while it samples or pushes.
  virtual CollectorPlane plane() const = 0;
};

struct CollectorInfo {
  const char* id;                   // "host"
  const char* one_line;             // for a list
  const char* text;                 // what it samples, from where, and what it does not tell
  const char* needs;                // what must be there
  const char* plane;                // what session.json calls what it records: "telemetry_host"
  std::vector<const char*> tables;  // of the rows that it pushes: their RowSchema's names
  // Errors: kUnavailable, saying what is missing and what to do.
  Result<std::unique_ptr<Collector>> (*make)(CollectorOptions options);
};

std::span<const CollectorInfo> all_collectors();
const CollectorInfo* find_collector(std::string_view id);

}  // namespace aaco

// SPDX-License-Identifier: MIT
// The contract of everything that samples the machine while work runs: a passive descriptor with a factory, and a
// `sample()` that hands rows to the sink it was made with. Adding a sampler is one file plus one line in
// all_collectors.cpp; a new kind of row is one more sink in CollectorOptions.
#pragma once

#include <atomic>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/clock.h"
#include "base/result.h"
#include "trace/gpu_sample.h"
#include "trace/rows.h"

namespace aaco {

struct CollectorOptions {
  // The measured process, 0 between processes; read at each sample. Must outlive the collector. Null: none, ever.
  const std::atomic<int64_t>* measured_pid = nullptr;
  // Where rows go, called on the sampling thread. May be empty.
  std::function<void(const SystemRow&)> on_system_row;
  std::function<void(const GpuSampleRow&)> on_gpu_row;
  // GPUs that are sampled, by PCI address ("0000:1b:00.0"); empty: all of the collector's vendor.
  std::vector<std::string> gpus;
  std::string nvml_library = "libnvidia-ml.so.1";
  // Processors whose frequency is sampled; empty: those that this process may run on.
  std::vector<int> processors;
  // Where /proc and /sys are looked for, and the clock; tests replace both.
  std::filesystem::path root = "/";
  int64_t (*now_ns)() = monotonic_ns;
};

class Collector {
 public:
  virtual ~Collector() = default;
  // Takes one sample now. Called from one thread. What cannot be read is null in the row, never zero.
  virtual void sample() = 0;
};

struct CollectorInfo {
  const char* id;        // "host"
  const char* one_line;  // for a list
  const char* text;      // what it samples, from where, and what it does not tell
  const char* needs;     // what must be there
  // Errors: kUnavailable, saying what is missing and what to do.
  Result<std::unique_ptr<Collector>> (*make)(CollectorOptions options);
};

std::span<const CollectorInfo> all_collectors();
const CollectorInfo* find_collector(std::string_view id);

}  // namespace aaco

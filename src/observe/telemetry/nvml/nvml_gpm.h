// SPDX-License-Identifier: MIT
// GPM, the metrics that Hopper and newer devices count themselves: each figure is of the time between two samples.
#pragma once

#include <optional>
#include <string>

#include "base/result.h"
#include "observe/telemetry/nvml/nvml_library.h"

namespace aaco::nvml {

struct GpmFigures {
  std::optional<double> sm_busy_pct, sm_occupancy_pct, tensor_busy_pct, memory_bandwidth_pct;
};

class Gpm {
 public:
  Gpm(const Library& library, Device device);
  Gpm(Gpm&& other) noexcept;
  Gpm& operator=(Gpm&&) = delete;
  ~Gpm();

  // Since the previous call; no figures at the first. Errors: kUnavailable with the library's words.
  Result<GpmFigures> next();

 private:
  const Library* library_;
  Device device_;
  std::string unavailable_;  // why there is none, found at the start
  GpmSample before_ = nullptr, after_ = nullptr;
  bool sampled_ = false;
};

}  // namespace aaco::nvml

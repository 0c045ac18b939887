// SPDX-License-Identifier: MIT
// The operators of PyTorch that launched something, against what their device can do: FLOPs and bytes from the shapes
// that the profiler recorded (cost/torch_cost.h), time of the device, and the least time that the roofs allow.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "analysis/timeline/operators/operator_links.h"
#include "analysis/timeline/operators/torch_calls.h"
#include "cost/torch_cost.h"
#include "trace/accelerator.h"

namespace aaco {

// What holds the operator back. Latency: it takes less than 10 us a call, and twice what its roof allows.
enum class RoofBound : uint8_t { kUnknown, kCompute, kMemory, kLatency };
const char* roof_bound_name(RoofBound bound);

struct KernelShare {
  StringId name = kEmptyString;
  uint64_t count = 0;
  int64_t total_ns = 0;
};

// Calls of one operator with the same work.
struct OperatorRoof {
  StringId name = kEmptyString;
  StringId shapes = kEmptyString;  // as the file writes them
  StringId types = kEmptyString;
  TorchWork work;  // of one call
  uint64_t count = 0;
  int64_t device_ns = 0;                   // sum over the calls of the union of what each launched itself
  std::vector<KernelShare> kernels;        // longest first
  bool communicates = false;               // what it launched: it has no roof here
  std::string precision;                   // "bf16", "tf32"; "" where it is none of the roofs'
  std::optional<double> flops_per_s_roof;  // of that precision, and whether it is what was reached or a peak
  bool reached = false;
  std::optional<double> roof_ns;         // least time of one call
  RoofBound roof = RoofBound::kUnknown;  // which of the two it is
  RoofBound bound = RoofBound::kUnknown;
  std::string missing;  // why there is no roof; "" where there is one

  // Per second of device time, where there is any.
  std::optional<double> flops_per_s() const;
  std::optional<double> bytes_per_s() const;
  std::optional<double> intensity() const;  // FLOPs a byte
  std::optional<double> fraction() const;   // of the roof
};

// Of one rank of a recording.
struct RankRoofline {
  uint32_t recording = 0;
  int64_t rank = kNoId;
  std::string device;                      // as the trace names it; "" where it does not
  std::optional<Accelerator> accelerator;  // none: not known
  std::vector<OperatorRoof> operators;     // longest device time first
  int64_t operators_ns = 0;                // sum of their device times, without what communicates
  int64_t roofed_ns = 0;                   // of those with a roof
};

// Where the roofs are from.
struct RoofSources {
  std::vector<Accelerator> accelerators;  // to find by the device's name
  std::optional<Accelerator> given;       // for all devices
};

// Of each of the ranks.
std::vector<RankRoofline> operator_roofline(const EventTable& events, const std::vector<RankOperators>& ranks,
                                            TorchWorks& works, const RoofSources& sources);

}  // namespace aaco

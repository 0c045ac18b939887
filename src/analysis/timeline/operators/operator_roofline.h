// SPDX-License-Identifier: MIT
// The operators of PyTorch and the nodes of ONNX Runtime against what their device can do: FLOPs and bytes from the
// shapes that the profiler recorded (cost/torch_cost.h, cost/ort_node.h), the time of the device, or of the host where
// it did the work, and the least time that the roofs allow.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "analysis/model_run/rates.h"
#include "analysis/timeline/operators/call_groups.h"
#include "analysis/timeline/operators/operator_links.h"
#include "analysis/timeline/operators/operator_works.h"
#include "cost/call_work.h"
#include "record/accelerator.h"

namespace aaco {

// Calls of one operator with the same work.
struct OperatorRoof {
  StringId name = kEmptyString;
  StringId shapes = kEmptyString;  // as the file writes them
  StringId types = kEmptyString;
  StringId outputs = kEmptyString;  // of ONNX Runtime's nodes: shapes and types
  CallWork work;                    // of one call
  uint64_t count = 0;
  // Sum over the calls: of the union of what each launched itself; on the host, of its thread in no operator within it.
  int64_t time_ns = 0;
  std::vector<KernelShare> kernels;  // longest first; none on the host
  WorkPlace place = WorkPlace::kHere;
  std::string precision;                   // "bf16", "tf32"; "" where it is none of the roofs'
  std::optional<double> flops_per_s_roof;  // of that precision, and whether it is what was reached or a peak
  bool reached = false;
  std::optional<double> roof_ns;         // least time of one call
  RoofBound roof = RoofBound::kUnknown;  // which of the two it is
  RoofBound bound = RoofBound::kUnknown;
  std::string missing;  // why there is no roof; "" where there is one

  // Per second of that time, where there is any and it is that of the work.
  std::optional<double> flops_per_s() const;
  std::optional<double> bytes_per_s() const;
  std::optional<double> intensity() const;  // FLOPs a byte
  std::optional<double> fraction() const;   // of the roof

 private:
  std::optional<double> per_second(const std::optional<double>& of_a_call) const;
};

// Of one rank of a recording.
struct RankRoofline {
  uint32_t recording = 0;
  int64_t rank = kNoId;
  // The trace has no work, call, memory or name of a device: the processors did the work, as far as can be told.
  bool on_host = false;
  std::string device;                      // as the trace names it; "" where it does not
  std::optional<Accelerator> accelerator;  // none: not known
  std::vector<OperatorRoof> operators;     // longest time first
  int64_t operators_ns = 0;                // sum of their times, without what communicates
  int64_t roofed_ns = 0;                   // of those with a roof
};

// Where the roofs are from.
struct RoofSources {
  std::vector<Accelerator> accelerators;  // to find by the device's name
  std::optional<Accelerator> given;       // for all devices
  bool measured = false;                  // given was measured, and holds for hosts too
};

// Of each of the ranks.
std::vector<RankRoofline> operator_roofline(const EventTable& events, const std::vector<RankOperators>& ranks,
                                            OperatorWorks& works, const RoofSources& sources);

}  // namespace aaco

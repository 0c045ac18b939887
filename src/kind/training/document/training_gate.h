// SPDX-License-Identifier: MIT
// Something that must hold before any speed is said, and which of the device's kernels it held against what.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "base/json/json_fwd.h"

namespace aaco {

struct TrainingGate {
  std::string name;
  bool passed = false;
  std::string found;         // "largest error 3.1e-06 of layers.1.down"
  std::string must;          // "at most 1e-04"
  std::string unknown = {};  // why it could not be judged: then it neither passed nor failed
  std::string against = {};  // what values that the device computed were compared with; empty: none were
  // That the device executed for it, by its own records, each name once. None: they were not recorded.
  std::optional<std::vector<std::string>> kernels = {};
  std::optional<double> seconds = {};  // of wall time, of a gate that runs something
};

// It does not hold. One that could not be judged is none such.
bool is_failed(const TrainingGate& gate);

// One that was left out, since what it compares does not fit beside the training: neither passed nor failed. Pure.
TrainingGate gate_without_memory(std::string name, std::string must, std::string against);

// Whether every kernel of the steps that are timed was executed by a gate that compared values, and passed. Unknown
// where names are missing that could decide it, or a gate that could have executed them was not judged; `unavailable`:
// why there are no names. Pure.
TrainingGate kernels_gate(std::span<const std::string> timed, std::span<const TrainingGate> gates,
                          const std::string& unavailable);

// "void ns::norm_kernel<float, 4>(Args)" -> "norm_kernel": what a function is called, without types and namespaces.
std::string function_name(const std::string& kernel);
// Sorted, those of one function name together: "adam_kernel, gemm (3)".
std::string folded_kernels(std::span<const std::string> kernels);

void to_json(Json& json, const TrainingGate& gate);  // "passed" is null where it could not be judged
void from_json(const Json& json, TrainingGate& gate);

}  // namespace aaco

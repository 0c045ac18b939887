// SPDX-License-Identifier: MIT
// One operation on a device against the same on the CPU: same random inputs, poisoned outputs, guarded arrays.
#pragma once

#include "device/check/op_case.h"
#include "device/device.h"

namespace aaco {

struct CaseResult {
  std::string failure;   // the first thing that was wrong, and where; empty: nothing was
  int64_t compared = 0;  // elements
  // The largest error, as a share of what the case allows (over 1 fails), and where; 0 where bits must be equal and
  // are.
  double worst_share = 0;
  std::string worst_place;  // "array 2, element 17: 0.5 on the device, 0.25 on the CPU"

  bool passed() const { return failure.empty(); }
};

// Runs the operation on a stream of `device` and on the CPU, and fails the case where
//   - an element differs by more than the case allows, or was written by one of both only;
//   - an input or a guard was changed, by either;
//   - the CPU wrote what work_of does not name as written, or not what it does.
// Errors: the device's.
Result<CaseResult> check_case(Device& device, const OpCase& op_case, uint64_t seed);

}  // namespace aaco

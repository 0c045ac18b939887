// SPDX-License-Identifier: MIT
// The four things that are timed against each other: products and a copy one after the other, beside each other, and
// each alone. The same arrays in all of them.
#pragma once

#include <memory>
#include <vector>

#include "kind/copy/copy_request.h"
#include "workload/dispatch.h"
#include "workload/workload.h"

namespace aaco {

// Of one direction, on a device: stream 0 has the products, stream 1, of the highest priority, the copy beside them.
struct PreparedCopy {
  Device* device = nullptr;
  std::unique_ptr<WorkloadInstance> instance;  // its setup has run; its iteration is empty
  std::vector<Program> programs;               // by CopyVariant
  std::vector<std::unique_ptr<Stream>> streams;
  ProgramTarget target;
  Tensor source;
  Tensor destination;
};

// Errors: the device's; kUnavailable where the devices are no peers.
Result<std::unique_ptr<PreparedCopy>> prepare_copy(const CopyRequest& request, CopyDirection direction);

// Whether the destination has what the source has, all of it. Errors: kInvalid where it has not; the device's.
Result<void> check_copied(const PreparedCopy& prepared);

}  // namespace aaco

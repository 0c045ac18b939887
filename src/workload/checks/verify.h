// SPDX-License-Identifier: MIT
// Is what a workload computes right? Every operation of its program is run alone on the device and held against the
// CPU's on the same inputs; then what an iteration leaves when dispatched as it is measured is held against what the
// serial execution left, and the workload's own checks judge what several iterations leave.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/json/json_fwd.h"
#include "base/result.h"
#include "workload/checks/shadow_op.h"
#include "workload/dispatch.h"
#include "workload/workload.h"

namespace aaco {

struct VerifyLimits {
  ShadowLimits host;             // what the host is asked to compute
  int64_t operations = 4000;     // of more, one of every so many, by chance which, the same ones each time
  bool each_shape_once = false;  // of operations that differ in nothing but where their arrays lie, the first alone
};

struct Verification {
  int64_t operations = 0;  // of the program
  int64_t checked = 0;     // against the CPU
  int64_t in_part = 0;     // of the checked ones: on a band of rows
  int64_t too_large = 0;   // for the host: not checked
  int64_t outputs = 0;     // compared between the serial and the concurrent execution
  int64_t iterations = 0;  // dispatched, back to back but for the first, before the workload's own checks
  bool bitwise = true;     // the outputs had to be equal bit by bit: every sum has a fixed order
  double worst_error = 0;  // of all checked operations, in units of its tolerance: at most 1
  std::string worst_operation;
};

void to_json(Json& json, const Verification& verification);

// Leaves the workload as after setup and Verification::iterations. Errors: kInvalid naming the operation or output that
// is wrong, its worst element, what it is and what it should be; the device's own.
Result<Verification> verify(WorkloadInstance& instance, const ProgramTarget& target, DispatchMode mode,
                            const VerifyLimits& limits);

// Runs setup on the streams and waits for it.
Result<void> run_setup(WorkloadInstance& instance, const ProgramTarget& target);

// A reader of a device's memory, on a stream of its own.
Result<std::unique_ptr<DeviceReader>> make_device_reader(Device& device);

}  // namespace aaco

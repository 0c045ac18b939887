// SPDX-License-Identifier: MIT
// Slots whose tenant changes after a number of rounds, told by counters on the device: nothing asks the host.
#pragma once

#include "workload/builder.h"

namespace aaco {

// All int32 [slots].
struct Turnover {
  Tensor age;   // rounds that the tenant has had
  Tensor done;  // 1 where this round was the tenant's last
  Tensor keep;  // 1 - done
  Tensor ones;
  Tensor zero;      // [1]
  Tensor last_age;  // [1]: rounds of a tenant less one
};

// Every tenant begins with age 0.
Turnover make_turnover(WorkloadBuilder& builder, int64_t slots, int64_t rounds);

// A round ends: ages grow, done and keep are written, the age of a slot whose tenant leaves becomes 0.
void advance(Program& program, int32_t stream, const Turnover& turnover);

// out[i] = op(a[i], b[i]), or b's only element with each a[i]; int32.
BinaryArgs integers(const Tensor& a, BinaryOp op, const Tensor& b, const Tensor& out);

// 0, 1, 2, ..., count - 1; int32.
Tensor counting(WorkloadBuilder& builder, int64_t count);

}  // namespace aaco

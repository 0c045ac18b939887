// SPDX-License-Identifier: MIT
// One operation done twice: on the device, and on the host on copies of the same memory.
#pragma once

#include <cstddef>
#include <limits>
#include <optional>
#include <string>
#include <vector>

#include "device/ops/op_work.h"
#include "workload/workload.h"

namespace aaco {

// How two arrays that should be equal differ. `error`: the larger of rms(difference) / rms(expected) and
// max|difference| / (30 max|expected|), in units of the tolerance of the type: up to 1 is right.
struct ArrayDifference {
  double error = 0;
  std::string worst;  // "element 17 is 3.5, should be 3.25"
};

// Relative rms tolerance: of fp32 2e-5 (sums in another order), of tf32 products 1e-3 (10 bits of mantissa in each
// factor), fp16 1e-3, bf16 8e-3 (a rounding of the result); of integers 0.
double tolerance_of(Dtype dtype, bool tf32);
ArrayDifference difference_of(const void* actual, const void* expected, int64_t elements, Dtype dtype,
                              double tolerance);

struct ShadowLimits {
  double whole_flops = 4e9;  // products of more are shadowed on a band of rows, attention, convolution and batches of
                             // products on the first of their batch
  double most_flops = std::numeric_limits<double>::infinity();  // of such a part; what is more is not shadowed
  int64_t most_bytes = std::numeric_limits<int64_t>::max();     // that it touches
};

class ShadowOp {
 public:
  // Copies what the operation touches, as it is on the device now. None where that is beyond the limits.
  static Result<std::optional<ShadowOp>> make(OpId op, const void* args, const ShadowLimits& limits, uint64_t seed,
                                              DeviceReader& reader);

  bool in_part() const { return in_part_; }
  void run_on_host();
  // After the device has done it too: the worst of the arrays it writes.
  Result<ArrayDifference> compare(DeviceReader& reader) const;

 private:
  // Memory that touches or overlaps is one region, so that aliases stay aliases.
  struct Region {
    uintptr_t start = 0;
    std::vector<std::byte> bytes;
  };

  Region& region_of(const void* pointer);
  const Region& region_of(const void* pointer) const { return const_cast<ShadowOp*>(this)->region_of(pointer); }

  OpId op_ = OpId::kNull;
  bool in_part_ = false;
  bool tf32_ = false;
  std::vector<std::byte> device_args_;
  std::vector<OpArray> arrays_;
  std::vector<Region> regions_;
};

}  // namespace aaco

// SPDX-License-Identifier: MIT
// Weights of a model's part with their gradients, one behind the other in three flat arrays, so that a part is reduced,
// gathered and updated by one operation.
#pragma once

#include <initializer_list>

#include "workload/builder.h"

namespace aaco {

// Views into the bucket's arrays, of the same shape.
struct Weight {
  Tensor value;   // of the precision; no data: there is no such weight
  Tensor grad;    // fp32
  Tensor master;  // fp32, what the optimiser changes; in fp32 the same memory as `value`

  Weight part(int64_t offset, std::initializer_list<int64_t> dims) const {
    return {value.view(offset, dims), grad.view(offset, dims), master.view(offset, dims)};
  }
};

class WeightBucket {
 public:
  // `layout(bucket)` takes the weights; it is called twice, first to count. Values are uniform in [-range, range), or
  // left zero with range 0; elements() is a multiple of `multiple`.
  template <class Layout>
  static WeightBucket make(WorkloadBuilder& builder, Precision precision, double range, int32_t rank, Layout&& layout,
                           int64_t multiple = 1) {
    WeightBucket counting;
    layout(counting);
    WeightBucket bucket(builder, precision, range, rank, (counting.taken_ + multiple - 1) / multiple * multiple);
    layout(bucket);
    return bucket;
  }

  Weight take(std::initializer_list<int64_t> dims);
  // In setup, behind the values that the bucket began with.
  void fill(const Weight& weight, double value);

  const Tensor& values() const { return all_.value; }
  const Tensor& masters() const { return all_.master; }
  const Tensor& grads() const { return all_.grad; }
  int64_t elements() const { return all_.value.elements(); }
  // Gradient descent: master -= rate * grad, and the values follow.
  void descend(Program& program, int32_t stream, float rate) const;

 private:
  WeightBucket() = default;
  WeightBucket(WorkloadBuilder& builder, Precision precision, double range, int32_t rank, int64_t elements);

  WorkloadBuilder* builder_ = nullptr;  // null: counting
  int32_t rank_ = 0;
  Weight all_;
  int64_t taken_ = 0;
};

}  // namespace aaco

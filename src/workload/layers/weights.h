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
  Tensor grad;    // fp32, or of the precision: WeightBucket::low_grads()
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
    WeightBucket bucket(builder, precision, range, rank, (counting.taken_ + multiple - 1) / multiple * multiple,
                        counting.low_taken_);
    layout(bucket);
    return bucket;
  }

  Weight take(std::initializer_list<int64_t> dims);
  // What is taken from here on has gradients of the precision, as its products give them; until false is said.
  void take_low_grads(bool low) { takes_low_grads_ = low; }
  // In setup, behind the values that the bucket began with.
  void fill(const Weight& weight, double value);

  const Tensor& values() const { return all_.value; }
  const Tensor& masters() const { return all_.master; }
  const Tensor& grads() const { return all_.grad; }  // without those of the precision
  // Gradients of the elements from low_from() on that are of the precision; no data in fp32, or where none were taken.
  const Tensor& low_grads() const { return low_grads_; }
  int64_t low_from() const { return low_from_; }
  int64_t elements() const { return all_.value.elements(); }
  // Gradient descent: master -= rate * grad, and the values follow.
  void descend(Program& program, int32_t stream, float rate) const;

 private:
  WeightBucket() = default;
  WeightBucket(WorkloadBuilder& builder, Precision precision, double range, int32_t rank, int64_t elements,
               int64_t low_elements);

  WorkloadBuilder* builder_ = nullptr;  // null: counting
  int32_t rank_ = 0;
  Weight all_;
  Tensor low_grads_;
  bool takes_low_grads_ = false;
  int64_t taken_ = 0;
  int64_t low_taken_ = 0;  // of them
  int64_t low_from_ = 0;
};

}  // namespace aaco

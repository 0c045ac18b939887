// SPDX-License-Identifier: MIT
#include "workload/layers/weights.h"

namespace aaco {

namespace {

constexpr int64_t kAlignment = 64;  // elements: 256 bytes of fp32, what vectorised loads and libraries like

}  // namespace

WeightBucket::WeightBucket(WorkloadBuilder& builder, Precision precision, double range, int32_t rank, int64_t elements,
                           int64_t low_elements)
    : builder_(&builder), rank_(rank) {
  const auto values = [&](Dtype dtype) {
    return range > 0 ? builder.random(dtype, {elements}, -range, range, rank) : builder.tensor(dtype, {elements}, rank);
  };
  all_.master = values(Dtype::kF32);
  all_.value = all_.master;
  const bool has_low = precision.dtype != Dtype::kF32 && low_elements > 0;
  all_.grad = builder.tensor(Dtype::kF32, {elements - (has_low ? low_elements : 0)}, rank);
  if (has_low) {
    low_grads_ = builder.tensor(precision.dtype, {low_elements}, rank);
  }
  if (precision.dtype != Dtype::kF32) {
    all_.value = builder.tensor(precision.dtype, {elements}, rank);
    UnaryArgs cast{all_.master.data, all_.value.data, elements};
    cast.out_dtype = precision.dtype;
    builder.setup().op(builder.stream(rank, 0), cast);
  }
}

Weight WeightBucket::take(std::initializer_list<int64_t> dims) {
  const int64_t offset = taken_;
  const int64_t elements = Tensor{nullptr, Dtype::kF32, dims}.elements();
  const int64_t padded = (elements + kAlignment - 1) / kAlignment * kAlignment;
  const int64_t low_offset = low_taken_;
  taken_ += padded;
  if (takes_low_grads_) {
    low_from_ = low_taken_ == 0 ? offset : low_from_;
    low_taken_ += padded;
  }
  if (builder_ == nullptr) {
    return {};
  }
  const bool has_low = low_grads_.data != nullptr;
  const Tensor grad = has_low && takes_low_grads_ ? low_grads_.view(low_offset, dims)
                                                  : all_.grad.view(offset - (has_low ? low_offset : 0), dims);
  return {all_.value.view(offset, dims), grad, all_.master.view(offset, dims)};
}

void WeightBucket::fill(const Weight& weight, double value) {
  if (builder_ == nullptr) {
    return;
  }
  const int32_t stream = builder_->stream(rank_, 0);
  const int64_t elements = weight.master.elements();
  builder_->setup().op(stream, FillArgs{weight.master.data, elements, value, Dtype::kF32});
  if (weight.value.data != weight.master.data) {
    builder_->setup().op(stream, FillArgs{weight.value.data, elements, value, weight.value.dtype});
  }
}

void WeightBucket::descend(Program& program, int32_t stream, float rate) const {
  SgdArgs args;
  args.param = all_.master.as<float>();
  args.grad = all_.grad.as<float>();
  args.low = all_.value.data == all_.master.data ? nullptr : all_.value.data;
  args.n = elements();
  args.rate = rate;
  args.low_dtype = all_.value.dtype;
  program.op(stream, args);
}

}  // namespace aaco

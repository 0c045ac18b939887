// SPDX-License-Identifier: MIT
#include "workload/pipeline/offloaded_weights.h"

#include <cmath>
#include <fmt/format.h>

namespace aaco {

namespace {

constexpr float kMomentum = 0.9F;
constexpr int64_t kProbed = 16;  // elements whose update is done again by the check

size_t bytes_of(const Tensor& tensor) { return static_cast<size_t>(tensor.bytes()); }

Tensor part_of(const Tensor& tensor, ItemRange elements) { return tensor.view(elements.first, {elements.count}); }

}  // namespace

OffloadedWeights::OffloadedWeights(WorkloadBuilder& builder, const OffloadShape& shape)
    : program_(builder.iteration()), shape_(shape) {
  const int32_t others = builder.streams() - 1;
  const int32_t prefetching = std::max(1, others / 3);
  prefetching_ = others == 0 ? StreamShare{0, 1} : StreamShare{1, prefetching};
  updating_ = others <= 1 ? StreamShare{others, 1} : StreamShare{1 + prefetching, others - prefetching};
  const int64_t wanted = (updating_.count + shape.weights - 1) / shape.weights;
  chunks_ = std::min(std::max(shape.chunks, wanted), shape.size);
  const Dtype low = shape.precision.dtype;
  const int64_t size = shape.size;
  const double bound = std::sqrt(3 / static_cast<double>(size));  // keeps the variance of what a product gives
  for (int64_t i = 0; i < shape.weights; ++i) {
    OffloadedWeight& weight = weights_.emplace_back();
    weight.master = builder.random_pinned(Dtype::kF32, {size, size}, -bound, bound);
    weight.momentum = builder.pinned(Dtype::kF32, {size, size});
    weight.grad = builder.pinned(Dtype::kF32, {size, size});
    weight.low = low == Dtype::kF32 ? weight.master : builder.pinned(low, {size, size});
    if (low != Dtype::kF32) {
      UnaryArgs cast{weight.master.data, weight.low.data, size * size};
      cast.out_dtype = low;
      builder.setup().op(0, cast);
    }
    weight.master_before = builder.tensor(Dtype::kF32, {kProbed});
    weight.momentum_before = builder.tensor(Dtype::kF32, {kProbed});
  }
  const int64_t slots = std::min(shape.window, shape.weights);
  for (int64_t i = 0; i < slots; ++i) {
    slots_.push_back(builder.tensor(low, {size, size}));
    grad_slots_.push_back(builder.tensor(Dtype::kF32, {size, size}));
  }
  slot_holds_.assign(static_cast<size_t>(slots), -1);
  slot_used_.resize(static_cast<size_t>(slots));
  grad_slot_out_.resize(static_cast<size_t>(slots));
  const int64_t chunk = (size * size + chunks_ - 1) / chunks_;
  for (int32_t i = 0; i < updating_.count; ++i) {
    benches_.push_back({builder.tensor(Dtype::kF32, {chunk}), builder.tensor(Dtype::kF32, {chunk}),
                        builder.tensor(Dtype::kF32, {chunk}),
                        low == Dtype::kF32 ? Tensor{} : builder.tensor(low, {chunk})});
  }
}

Tensor OffloadedWeights::fetch(int64_t weight) {
  const auto slot = static_cast<size_t>(weight) % slots_.size();
  fetched_ = static_cast<int64_t>(slot);
  if (slot_holds_[slot] == weight) {
    return slots_[slot];
  }
  slot_holds_[slot] = weight;
  std::vector<int32_t> arrived;
  for (int64_t chunk = 0; chunk < chunks_; ++chunk) {
    const int32_t stream = prefetching_.stream(copies_++);
    const ItemRange elements = item_range(shape_.size * shape_.size, chunk, chunks_);
    const Tensor to = part_of(slots_[slot], elements);
    if (slot_used_[slot]) {
      program_.wait(stream, *slot_used_[slot]);
    }
    program_.copy(stream, to.data, part_of(weights_[static_cast<size_t>(weight)].low, elements).data, bytes_of(to));
    arrived.push_back(program_.record(stream));
  }
  for (const int32_t event : arrived) {
    program_.wait(compute_stream(), event);
  }
  return slots_[slot];
}

void OffloadedWeights::fetched_is_used() {
  slot_used_[static_cast<size_t>(fetched_)] = program_.record(compute_stream());
}

Tensor OffloadedWeights::gradient(int64_t weight) {
  const auto slot = static_cast<size_t>(weight) % grad_slots_.size();
  for (const int32_t event : grad_slot_out_[slot]) {
    program_.wait(compute_stream(), event);
  }
  grad_slot_out_[slot].clear();
  return grad_slots_[slot];
}

void OffloadedWeights::update(int64_t weight, float rate) {
  const auto slot = static_cast<size_t>(weight) % grad_slots_.size();
  const int32_t written = program_.record(compute_stream());
  for (int64_t chunk = 0; chunk < chunks_; ++chunk) {
    const ItemRange elements = item_range(shape_.size * shape_.size, chunk, chunks_);
    const int64_t number = updates_++ % updating_.count;
    const int32_t stream = updating_.stream(number);
    const Bench& bench = benches_[static_cast<size_t>(number)];
    const Tensor from = part_of(grad_slots_[slot], elements);
    // First what is there already, so that the link inwards does not stand idle until the gradient has gone outwards.
    take_state(weight, elements, stream, bench);
    program_.wait(stream, written);
    program_.copy(stream, part_of(weights_[static_cast<size_t>(weight)].grad, elements).data, from.data,
                  bytes_of(from));
    grad_slot_out_[slot].push_back(program_.record(stream));
    update_chunk(weight, elements, stream, bench, rate);
  }
}

void OffloadedWeights::take_state(int64_t weight, ItemRange elements, int32_t stream, const Bench& bench) {
  const OffloadedWeight& host = weights_[static_cast<size_t>(weight)];
  const auto whole = static_cast<size_t>(elements.count) * sizeof(float);
  program_.copy(stream, bench.momentum.data, part_of(host.momentum, elements).data, whole);
  program_.copy(stream, bench.master.data, part_of(host.master, elements).data, whole);
  if (elements.first == 0) {
    const auto probed = static_cast<size_t>(std::min(kProbed, elements.count)) * sizeof(float);
    program_.copy(stream, host.momentum_before.data, bench.momentum.data, probed);
    program_.copy(stream, host.master_before.data, bench.master.data, probed);
  }
}

// momentum = 0.9 momentum + grad; weight -= rate * momentum.
void OffloadedWeights::update_chunk(int64_t weight, ItemRange elements, int32_t stream, const Bench& bench,
                                    float rate) {
  const OffloadedWeight& host = weights_[static_cast<size_t>(weight)];
  const auto whole = static_cast<size_t>(elements.count) * sizeof(float);
  program_.copy(stream, bench.grad.data, part_of(host.grad, elements).data, whole);
  UnaryArgs decay{bench.momentum.data, bench.momentum.data, elements.count, UnaryOp::kScaleShift};
  decay.a = kMomentum;
  program_.op(stream, decay);
  program_.op(stream,
              BinaryArgs{bench.momentum.data, bench.grad.data, bench.momentum.data, elements.count, elements.count});
  SgdArgs descent;
  descent.param = bench.master.as<float>();
  descent.grad = bench.momentum.as<float>();
  descent.low = bench.low.data;
  descent.n = elements.count;
  descent.rate = rate;
  descent.low_dtype = shape_.precision.dtype;
  program_.op(stream, descent);
  program_.copy(stream, part_of(host.momentum, elements).data, bench.momentum.data, whole);
  program_.copy(stream, part_of(host.master, elements).data, bench.master.data, whole);
  if (bench.low.data != nullptr) {
    const Tensor low = part_of(host.low, elements);
    program_.copy(stream, low.data, bench.low.data, bytes_of(low));
  }
}

// Through the compute stream, so that not every prefetching stream has to wait for every updating one.
void OffloadedWeights::end_iteration() {
  for (int32_t i = 0; i < updating_.count; ++i) {
    program_.after(compute_stream(), updating_.stream(i));
  }
  const int32_t ended = program_.record(compute_stream());
  for (int32_t i = 0; i < prefetching_.count; ++i) {
    if (prefetching_.stream(i) != compute_stream()) {
      program_.wait(prefetching_.stream(i), ended);
    }
  }
}

Result<void> check_update(DeviceReader& reader, const OffloadedWeight& weight, size_t number, float rate) {
  const auto first = [&](const Tensor& tensor) { return reader.floats(tensor.view(0, {kProbed})); };
  AACO_ASSIGN(const std::vector<float> grad, first(weight.grad));
  AACO_ASSIGN(const std::vector<float> momentum, first(weight.momentum));
  AACO_ASSIGN(const std::vector<float> master, first(weight.master));
  AACO_ASSIGN(std::vector<float> expected_momentum, first(weight.momentum_before));
  AACO_ASSIGN(std::vector<float> expected_master, first(weight.master_before));
  for (size_t i = 0; i < grad.size(); ++i) {
    expected_momentum[i] = kMomentum * expected_momentum[i] + grad[i];
    expected_master[i] -= rate * expected_momentum[i];
  }
  constexpr double kTolerance = 1e-6;  // three roundings of fp32
  AACO_TRY(expect_close(fmt::format("momentum of weight {} in pinned memory", number), momentum, expected_momentum,
                        kTolerance));
  return expect_close(fmt::format("weight {} in pinned memory", number), master, expected_master, kTolerance);
}

}  // namespace aaco

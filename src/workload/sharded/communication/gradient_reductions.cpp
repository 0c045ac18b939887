// SPDX-License-Identifier: MIT
#include "workload/sharded/communication/gradient_reductions.h"

#include <algorithm>

namespace aaco {

namespace {

constexpr auto kCompute = static_cast<int32_t>(ShardedStream::kCompute);
constexpr auto kReduce = static_cast<int32_t>(ShardedStream::kReduce);
constexpr auto kReplicate = static_cast<int32_t>(ShardedStream::kReplicate);

}  // namespace

GradientReductions::GradientReductions(WorkloadBuilder& builder, StepWriter& step, StepCommunication& communication,
                                       const ShardedConfig& config, const ShardedWeights& weights)
    : step_(step),
      communication_(communication),
      config_(config),
      weights_(weights),
      layers_(weights.layers()),
      read_(weights.units.size()) {
  if (!casts() || config.llama.ranks == 1) {
    return;
  }
  const int64_t longest = std::max(weights.units.front().elements, weights.units.back().elements);
  if (config.shards()) {
    sent_ = builder.tensor(config.reduce_dtype, {longest});
    received_ = builder.tensor(config.reduce_dtype, {longest / config.shard_ranks()});
  }
  if (config.replicates_shards()) {
    replicated_ = builder.tensor(config.reduce_dtype, {longest / config.shard_ranks()});
  } else if (!config.shards()) {
    replicated_ = builder.tensor(config.reduce_dtype, {longest_bucket()});
  }
}

std::vector<Tensor> GradientReductions::arrays() const {
  std::vector<Tensor> all{sent_, received_, replicated_};
  std::erase_if(all, [](const Tensor& tensor) { return tensor.data == nullptr; });
  return all;
}

// As fill_bucket() makes them.
int64_t GradientReductions::longest_bucket() const {
  int64_t longest = 0;
  int64_t elements = 0;
  for (size_t unit = weights_.units.size(); unit-- > 0;) {
    elements += weights_.units[unit].grad.elements();
    longest = std::max(longest, elements);
    if (elements * size_of(Dtype::kF32) >= config_.bucket_bytes) {
      elements = 0;
    }
  }
  return longest;
}

// Gradients are written where those of the micro-step before are reduced from.
void GradientReductions::begin(size_t micro) {
  micro_ = micro;
  if (config_.shards() && micro > 0) {
    step_.wait(*read_[0]);
    for (size_t layer = layers_ - std::min(layers_, weights_.grad_slots); layer < layers_; ++layer) {
      step_.wait(*read_[ShardedWeights::unit_of(layer % weights_.grad_slots)]);
    }
  }
}

// The array of its gradients was that of a layer above.
void GradientReductions::before_backward(size_t layer) {
  if (const size_t above = layer + weights_.grad_slots; config_.shards() && above < layers_) {
    step_.wait(*read_[ShardedWeights::unit_of(above)]);
  }
}

void GradientReductions::reduce(size_t unit) {
  if (!config_.shards()) {
    add_up(weights_.units[unit]);
    if (is_last_micro()) {
      fill_bucket(weights_.units[unit]);
    }
  } else if (config_.overlaps_reduction) {
    reduce_scatter(unit);
  }
}

// What was not reduced beside the pass; nothing else goes on meanwhile.
void GradientReductions::end() {
  if (is_last_micro()) {
    close_bucket();
  }
  if (config_.overlaps_reduction || config_.llama.ranks == 1) {
    return;
  }
  if (config_.shards()) {
    for (size_t unit = weights_.units.size(); unit-- > 0;) {
      reduce_scatter(unit);
    }
  }
  for (const ReducedRange& range : closed_) {
    reduce_bucket(range);
  }
  if (config_.shards()) {
    step_.after(kReduce);
  }
  if (is_last_micro() && (!config_.shards() || config_.replicates_shards())) {
    step_.after(kReplicate);
  }
  for (ReducedRange& range : ranges_) {
    range.done.reset();
  }
}

ReducedRange GradientReductions::range_of(const ShardedUnit& unit) const {
  const int64_t first = unit.grad.as<float>() - weights_.grads.as<float>();
  return {first, first + unit.grad.elements(), std::nullopt};
}

void GradientReductions::reduce_scatter(size_t number) {
  const ShardedUnit& unit = weights_.units[number];
  const int64_t elements = unit.grad.elements();
  const Tensor& to = micro_ == 0 ? unit.grad : weights_.incoming;
  step_.stream(kReduce);
  step_.after(kCompute);
  if (casts()) {
    cast(unit.whole_grad.data, Dtype::kF32, sent_.data, sent_.dtype, unit.elements);
    read_[number] = step_.record();
    communication_.add(
        CommunicatorRole::kReduce,
        {Collective::kReduceScatter, {{kReduce, sent_.data, received_.data}}, elements, config_.reduce_dtype});
    cast(received_.data, received_.dtype, to.data, Dtype::kF32, elements);
  } else {
    communication_.add(CommunicatorRole::kReduce,
                       {Collective::kReduceScatter, {{kReduce, unit.whole_grad.data, to.data}}, elements});
    read_[number] = step_.record();
  }
  if (micro_ > 0) {
    step_.op(StepPart::kUpdate, BinaryArgs{unit.grad.data, to.data, unit.grad.data, elements, elements});
  }
  if (is_last_micro()) {
    replicate(unit);
  }
  step_.stream(kCompute);
}

// From the stream of reductions on.
void GradientReductions::replicate(const ShardedUnit& unit) {
  if (config_.replicates_shards()) {
    step_.stream(kReplicate);
    step_.after(kReduce);
    all_reduce(unit.grad.data, unit.grad.elements());
  }
  ranges_.push_back(range_of(unit));
  ranges_.back().done = step_.record();
}

void GradientReductions::add_up(const ShardedUnit& unit) {
  if (config_.micro_steps == 1) {
    return;  // they were made where they are needed
  }
  if (micro_ == 0) {
    step_.copy(unit.grad.data, unit.whole_grad.data, static_cast<size_t>(unit.grad.bytes()));
    return;
  }
  const int64_t elements = unit.grad.elements();
  step_.op(StepPart::kUpdate, BinaryArgs{unit.grad.data, unit.whole_grad.data, unit.grad.data, elements, elements});
}

void GradientReductions::fill_bucket(const ShardedUnit& unit) {
  const ReducedRange range = range_of(unit);
  bucket_ = bucket_ ? ReducedRange{range.first, bucket_->end, {}} : range;  // units come from the last to the first
  if ((bucket_->end - bucket_->first) * size_of(Dtype::kF32) >= config_.bucket_bytes) {
    close_bucket();
  }
}

void GradientReductions::close_bucket() {
  if (!bucket_) {
    return;
  }
  if (config_.overlaps_reduction || config_.llama.ranks == 1) {
    reduce_bucket(*bucket_);
  } else {
    closed_.push_back(*bucket_);
  }
  bucket_.reset();
}

void GradientReductions::reduce_bucket(ReducedRange range) {
  if (config_.llama.ranks > 1) {
    step_.stream(kReplicate);
    step_.after(kCompute);
    all_reduce(weights_.grads.as<float>() + range.first, range.end - range.first);
    range.done = step_.record();
    step_.stream(kCompute);
  }
  ranges_.push_back(range);
}

// In place.
void GradientReductions::all_reduce(void* grads, int64_t elements) {
  void* const on_link = casts() ? replicated_.data : grads;
  if (casts()) {
    cast(grads, Dtype::kF32, on_link, config_.reduce_dtype, elements);
  }
  communication_.add(CommunicatorRole::kReplicate,
                     {Collective::kAllReduce, {{kReplicate, on_link, on_link}}, elements, config_.reduce_dtype});
  if (casts()) {
    cast(on_link, config_.reduce_dtype, grads, Dtype::kF32, elements);
  }
}

void GradientReductions::cast(const void* from, Dtype from_dtype, void* to, Dtype to_dtype, int64_t elements) {
  UnaryArgs args{from, to, elements};
  args.in_dtype = from_dtype;
  args.out_dtype = to_dtype;
  step_.op(StepPart::kUpdate, args);
}

}  // namespace aaco

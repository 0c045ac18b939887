// SPDX-License-Identifier: MIT
#include "workload/sharded/communication/allreduce_stress.h"

namespace aaco {

namespace {

constexpr int64_t kElements = int64_t{1} << 20;
constexpr auto kReduce = static_cast<int32_t>(ShardedStream::kReduce);
constexpr auto kCompute = static_cast<int32_t>(ShardedStream::kCompute);

}  // namespace

AllreduceStress::AllreduceStress(WorkloadBuilder& builder, const ShardedConfig& config) : config_(config) {
  if (config.stress_cycles > 0) {
    random_ = builder.random(Dtype::kF32, {kElements}, -1, 1);
    data_ = builder.tensor(Dtype::kF32, {kElements});
    clone_ = builder.tensor(Dtype::kF32, {kElements});
    other_ = builder.tensor(Dtype::kF32, {kElements});
    host_ = builder.pinned(Dtype::kF32, {kElements});
    builder.output("stress, before", random_);
    builder.output("stress, behind", other_);
  }
}

void AllreduceStress::write(StepWriter& step, const Tensor& loss, const CommunicateFunction& communicate) const {
  if (config_.stress_cycles == 0) {
    return;
  }
  step.stream(kReduce);
  step.after(kCompute);
  for (int64_t cycle = 0; cycle < config_.stress_cycles; ++cycle) {
    copy(step, data_, random_);
    reduce(step, data_, true, communicate);
    copy(step, clone_, data_);
    copy(step, other_, clone_);
    reduce(step, other_, false, communicate);
    to_host_and_back(step, other_);
    reduce(step, other_, true, communicate);
    copy(step, clone_, other_);
  }
  const Tensor tensor = data_.view(0, {1});
  copy(step, tensor, loss.view(0, {1}));
  reduce(step, tensor, false, communicate);
  copy(step, clone_.view(0, {1}), tensor);
  to_host_and_back(step, tensor);
  step.stream(kCompute);
  step.after(kReduce);  // the step ends behind it
}

// Of collectives there is no mean: a sum, then a product.
void AllreduceStress::reduce(StepWriter& step, const Tensor& data, bool mean,
                             const CommunicateFunction& communicate) const {
  const auto ranks = config_.shards() ? config_.shard_ranks() : static_cast<int32_t>(config_.llama.ranks);
  if (ranks > 1) {
    communicate({Collective::kAllReduce, {{kReduce, data.data, data.data}}, data.elements()});
    step.stream(kReduce);
  }
  if (mean) {
    step.op(StepPart::kCommunication,
            UnaryArgs{data.data, data.data, data.elements(), UnaryOp::kScaleShift, 1 / static_cast<float>(ranks), 0});
  }
}

void AllreduceStress::copy(StepWriter& step, const Tensor& to, const Tensor& from) const {
  step.copy(to.data, from.data, static_cast<size_t>(from.bytes()));
}

void AllreduceStress::to_host_and_back(StepWriter& step, const Tensor& data) const {
  const Tensor host = host_.view(0, {data.elements()});
  copy(step, host, data);
  wait_of_host(step);
  copy(step, data, host);
  wait_of_host(step);
}

void AllreduceStress::wait_of_host(StepWriter& step) const {
  if (config_.stress_waits) {
    step.program(StepPart::kCommunication,
                 [](Program& program, int32_t stream) { program.host_step(stream, [] { return Result<void>(); }); });
  }
}

}  // namespace aaco

// SPDX-License-Identifier: MIT
#include "workload/layers/gradient_reduction.h"

#include "workload/layers/closeness.h"

namespace aaco {

void GradientReduction::add(const WeightBucket& bucket) {
  buffers_.send.push_back(bucket.grads());
  buffers_.receive.push_back(bucket.grads());
}

void GradientReduction::keep_reference(WorkloadBuilder& builder, int32_t rank) {
  const Tensor& grads = buffers_.send[static_cast<size_t>(rank)];
  const Tensor& kept = references_.emplace_back(builder.tensor(Dtype::kF32, {grads.elements()}, rank));
  const int32_t stream = builder.stream(rank, 0);
  const auto bytes = static_cast<size_t>(grads.bytes());
  builder.setup().copy(stream, kept.data, grads.data, bytes);
  builder.setup().set(stream, grads.data, 0, bytes);
}

void GradientReduction::enqueue(WorkloadBuilder& builder, Program& program, int32_t index) const {
  add_collective(builder, program, Collective::kAllReduce, index, buffers_, buffers_.send.front().elements());
}

void GradientReduction::finish(WorkloadBuilder& builder, const std::string& what, double tolerance) const {
  const Tensor& grads = buffers_.send.front();
  builder.output(what, grads);
  if (references_.empty()) {
    return;
  }
  const auto copies = static_cast<float>(emulated_copies(builder));
  builder.check([grads, copies, tolerance, references = references_, text = what + ", against another way to them"](
                    DeviceReader& reader, int64_t) -> Result<void> {
    std::vector<float> sum(static_cast<size_t>(grads.elements()));
    for (const Tensor& reference : references) {
      AACO_ASSIGN(const std::vector<float> part, reader.floats(reference));
      for (size_t i = 0; i < sum.size(); ++i) {
        sum[i] += copies * part[i];
      }
    }
    AACO_ASSIGN(const std::vector<float> is, reader.floats(grads));
    return expect_close(text, is, sum, tolerance);
  });
}

}  // namespace aaco

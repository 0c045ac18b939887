// SPDX-License-Identifier: MIT
#include "workload/builder.h"

#include <fmt/format.h>

namespace aaco {

Tensor WorkloadBuilder::allocate(Dtype dtype, std::initializer_list<int64_t> dims, int32_t rank, MemoryKind kind) {
  Tensor tensor{nullptr, dtype, dims};
  if (failure_) {
    return tensor;
  }
  auto buffer = request_.devices[static_cast<size_t>(rank)]->allocate(static_cast<size_t>(tensor.bytes()), kind);
  if (!buffer) {
    failure_ = buffer.error();
    return tensor;
  }
  tensor.data = (*buffer)->data();
  instance_.memory.push_back(std::move(*buffer));
  instance_.setup.set(stream(rank, 0), tensor.data, 0, static_cast<size_t>(tensor.bytes()));
  return tensor;
}

Tensor WorkloadBuilder::tensor(Dtype dtype, std::initializer_list<int64_t> dims, int32_t rank) {
  return allocate(dtype, dims, rank, kind_);
}

Tensor WorkloadBuilder::pinned(Dtype dtype, std::initializer_list<int64_t> dims) {
  return allocate(dtype, dims, 0, MemoryKind::kPinnedHost);
}

Tensor WorkloadBuilder::random(Dtype dtype, std::initializer_list<int64_t> dims, double low, double high,
                               int32_t rank) {
  const Tensor result = tensor(dtype, dims, rank);
  setup().op(stream(rank, 0), RandomArgs{result.data, result.elements(), next_seed_++, low, high, dtype});
  return result;
}

Tensor WorkloadBuilder::random_pinned(Dtype dtype, std::initializer_list<int64_t> dims, double low, double high) {
  const Tensor tensor = pinned(dtype, dims);
  setup().op(stream(0, 0), RandomArgs{tensor.data, tensor.elements(), next_seed_++, low, high, dtype});
  return tensor;
}

Tensor WorkloadBuilder::filled(Dtype dtype, std::initializer_list<int64_t> dims, double value, int32_t rank) {
  const Tensor result = tensor(dtype, dims, rank);
  setup().op(stream(rank, 0), FillArgs{result.data, result.elements(), value, dtype});
  return result;
}

Result<std::unique_ptr<WorkloadInstance>> build_workload(const WorkloadInfo& info, const WorkloadRequest& request) {
  return build_instance(info, request, info.build);
}

Result<std::unique_ptr<WorkloadInstance>> build_instance(const WorkloadInfo& info, const WorkloadRequest& request,
                                                         const std::function<Result<void>(WorkloadBuilder&)>& build) {
  if (request.streams < 1 || request.streams > kMostStreams) {
    return Error{ErrorKind::kUsage, fmt::format("{} streams: from 1 to {} are possible", request.streams, kMostStreams),
                 "choose fewer with --streams"};
  }
  auto instance = std::make_unique<WorkloadInstance>();
  instance->info = &info;
  instance->ranks = static_cast<int32_t>(request.devices.size());
  instance->streams = request.streams;
  instance->setup = Program(instance->ranks * request.streams);
  instance->iteration = Program(instance->ranks * request.streams);
  WorkloadBuilder builder(request, *instance);
  AACO_TRY(build(builder));
  if (builder.failure()) {
    return *builder.failure();
  }
  const int32_t used = instance->iteration.used_streams();
  if (used < instance->iteration.streams()) {
    instance->notes.push_back(fmt::format("uses {} of {} streams", used, instance->iteration.streams()));
  }
  return instance;
}

}  // namespace aaco

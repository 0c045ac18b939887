// SPDX-License-Identifier: MIT
// What a workload's build function works with: parameters, streams, memory, and the two programs it fills.
#pragma once

#include <initializer_list>
#include <string>
#include <utility>

#include "workload/workload.h"

namespace aaco {

// The first failure (memory, mostly) is kept and ends the build after the workload's function has returned; a tensor
// that could not be had has no data.
class WorkloadBuilder {
 public:
  WorkloadBuilder(const WorkloadRequest& request, WorkloadInstance& instance)
      : request_(request), instance_(instance), next_seed_(request.seed << 20) {}

  const Parameters& parameters() const { return request_.parameters; }
  int32_t streams() const { return request_.streams; }  // per rank
  int32_t ranks() const { return static_cast<int32_t>(request_.devices.size()); }
  // For what must be known of it before: sizes, say, that take a certain time.
  Device& device(int32_t rank) const { return *request_.devices[static_cast<size_t>(rank)]; }
  int32_t stream(int32_t rank, int32_t index) const { return rank * request_.streams + index; }
  // Ranks of a collective: the devices, or as many as are emulated on one.
  int32_t world() const { return request_.communicator == nullptr ? 1 : request_.communicator->info().ranks; }

  Program& setup() { return instance_.setup; }
  Program& iteration() { return instance_.iteration; }

  // Device memory of `rank`; zero until something else is written.
  Tensor tensor(Dtype dtype, std::initializer_list<int64_t> dims, int32_t rank = 0);
  // Pinned host memory, zero.
  Tensor pinned(Dtype dtype, std::initializer_list<int64_t> dims);
  // The same with values set in setup: uniform in [low, high) (integers: {low, ..., high - 1}), every call others.
  Tensor random(Dtype dtype, std::initializer_list<int64_t> dims, double low, double high, int32_t rank = 0);
  Tensor random_pinned(Dtype dtype, std::initializer_list<int64_t> dims, double low, double high);
  Tensor filled(Dtype dtype, std::initializer_list<int64_t> dims, double value, int32_t rank = 0);

  // Device memory is from here on of the kind that communicators can register.
  void use_collective_memory() { kind_ = MemoryKind::kCollective; }

  void output(std::string name, const Tensor& tensor, int32_t rank = 0) {
    instance_.outputs.push_back({std::move(name), tensor, rank});
  }
  void units(double per_iteration) { instance_.units = per_iteration; }
  void units_counted_in(const Tensor& counter) { instance_.unit_counter = counter; }
  void check(std::function<Result<void>(DeviceReader&, int64_t iterations)> check) {
    instance_.checks.push_back(std::move(check));
  }
  void note(std::string text) { instance_.notes.push_back(std::move(text)); }

  const std::optional<Error>& failure() const { return failure_; }

 private:
  Tensor allocate(Dtype dtype, std::initializer_list<int64_t> dims, int32_t rank, MemoryKind kind);

  const WorkloadRequest& request_;
  WorkloadInstance& instance_;
  uint64_t next_seed_;
  MemoryKind kind_ = MemoryKind::kDevice;  // of device memory
  std::optional<Error> failure_;
};

}  // namespace aaco

// SPDX-License-Identifier: MIT
#include "lockstep_device.h"

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <dlfcn.h>
#include <memory>
#include <new>

namespace aaco {
namespace {

constexpr std::align_val_t kAlignment{256};

Error unavailable() { return {ErrorKind::kUnavailable, "not on a lockstep device", "use a device of a backend"}; }

class HostBuffer : public Buffer {
 public:
  explicit HostBuffer(size_t bytes) : data_(::operator new(bytes, kAlignment)), bytes_(bytes) {}
  HostBuffer(const HostBuffer&) = delete;
  HostBuffer& operator=(const HostBuffer&) = delete;
  ~HostBuffer() override { ::operator delete(data_, kAlignment); }
  void* data() const override { return data_; }
  size_t bytes() const override { return bytes_; }

 private:
  void* data_;
  size_t bytes_;
};

class InstantEvent : public Event {
 public:
  Result<void> synchronize() override { return {}; }
};

class ImmediateStream : public Stream {
 public:
  ImmediateStream(RunOp run_op, const gpu::DeviceLimits& limits) : run_op_(run_op), limits_(limits) {}

  void launch(OpId op, const void* args) override {
    if (failure_.empty()) {
      run_op_(op, args, limits_, failure_);
    }
  }
  void copy(void* to, const void* from, size_t bytes) override { std::memcpy(to, from, bytes); }
  void set(void* to, int value, size_t bytes) override { std::memset(to, value, bytes); }
  void record(Event& /*event*/) override {}
  void wait(Event& /*event*/) override {}
  void launch(Graph& /*graph*/) override { failure_ = unavailable().message; }
  void begin_capture() override { failure_ = unavailable().message; }
  Result<std::unique_ptr<Graph>> end_capture() override { return unavailable(); }
  Result<void> synchronize() override {
    if (!failure_.empty()) {
      return Error{ErrorKind::kResource, failure_, "a kernel is wrong"};
    }
    return {};
  }
  int priority() const override { return 0; }
  uint64_t native_id() const override { return 0; }

 private:
  RunOp run_op_;
  gpu::DeviceLimits limits_;
  std::string failure_;
};

}  // namespace

LockstepDevice::LockstepDevice(const std::string& library_path) {
  void* library = dlopen(library_path.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (library == nullptr) {
    std::fprintf(stderr, "%s\n", dlerror());
    std::abort();
  }
  library_ = reinterpret_cast<gpu::lockstep::LibraryEntry>(dlsym(library, gpu::lockstep::kLibraryEntry))();
  run_op_ = reinterpret_cast<RunOp>(dlsym(library, kRunOpEntry));
  limits_.compute_units = 4;
  limits_.wave_lanes = library_->lanes;
  limits_.shared_bytes = size_t{limits_.wave_lanes == 32 ? 224U : 64U} * 1024;  // as NVIDIA's and AMD's devices have
  limits_.matrix_units = true;
  properties_.id = "lockstep:" + std::to_string(library_->lanes);
  properties_.name = "kernels in lockstep";
  properties_.wave_lanes = library_->lanes;
  properties_.compute_units = limits_.compute_units;
}

Result<std::unique_ptr<Buffer>> LockstepDevice::allocate(size_t bytes, MemoryKind /*kind*/) {
  return std::unique_ptr<Buffer>(std::make_unique<HostBuffer>(bytes));
}

Result<std::unique_ptr<Stream>> LockstepDevice::make_stream(int /*priority*/) {
  return std::unique_ptr<Stream>(std::make_unique<ImmediateStream>(run_op_, limits_));
}

Result<std::unique_ptr<Event>> LockstepDevice::make_event(bool /*timing*/) {
  return std::unique_ptr<Event>(std::make_unique<InstantEvent>());
}

Result<double> LockstepDevice::elapsed_ns(Event& /*from*/, Event& /*to*/) { return unavailable(); }
Result<void> LockstepDevice::enable_peer(Device& /*peer*/) { return unavailable(); }

}  // namespace aaco

// SPDX-License-Identifier: MIT
// A device and what it is given: memory, streams, events, captured graphs. Three backends implement it: cpu (in this
// program), cuda and hip (modules beside it, device/backends/module_device.h).
//
// Enqueueing never fails at the call: the first failure of a stream is kept and returned by its next synchronize(), and
// what is enqueued after it is not executed. Nothing here is thread-safe but that different threads may use different
// streams, and may record and wait for the same event.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>

#include "base/result.h"
#include "device/ops/op_list.h"
#include "record/device/activity_record.h"

namespace aaco {

struct DeviceProperties {
  std::string id;            // "cuda:0"
  std::string name;          // "NVIDIA H200"
  std::string architecture;  // "sm_90", "gfx942", "x86-64"
  std::string driver;        // versions, as the vendor writes them
  std::string runtime;
  std::string gemm_library;  // "cuBLASLt 13.0.2", "OpenBLAS 0.3.21", "reference"
  std::string conv_library;  // "cuDNN 9.28.1", "implicit GEMM: why"
  int64_t memory_bytes = 0;
  int32_t compute_units = 0;  // SMs, CUs; cores of the CPU
  int32_t wave_lanes = 0;     // lanes that run in lockstep: warp, wavefront; 1 on CPU
  int32_t lowest_priority = 0;
  int32_t highest_priority = 0;  // numerically the smaller one, as CUDA and HIP count; equal: no priorities
  ComputeUnitLimits compute_unit;
  std::string pci;  // where it is plugged in, "0000:1b:00.0"; "" where it is no PCI device
};

struct MemoryUse {
  int64_t allocated_bytes = 0;    // of the device, by this process through Device::allocate, now
  int64_t peak_bytes = 0;         // the most since reset_peak()
  int64_t pinned_bytes = 0;       // of the host, through Device::allocate, now
  int64_t pinned_peak_bytes = 0;  // the most since reset_peak()
  int64_t library_bytes = 0;      // of the device, got for the vendor's libraries' use, now
  int64_t reserved_bytes = -1;    // of the device: what the driver says all processes use; -1 where it cannot tell
};

// kCollective: of the device, so that a communicator can register it (Communicator::add_memory).
enum class MemoryKind : uint8_t { kDevice, kPinnedHost, kCollective };

// Memory of a device, freed with this object. Must not outlive its device.
class Buffer {
 public:
  virtual ~Buffer() = default;
  virtual void* data() const = 0;
  virtual size_t bytes() const = 0;
};

// A mark in a stream. Record it again as often as wanted: a wait means the latest record enqueued before it.
class Event {
 public:
  virtual ~Event() = default;
  virtual Result<void> synchronize() = 0;  // of the host with the latest record
};

// Captured work that is launched as one.
class Graph {
 public:
  virtual ~Graph() = default;
  virtual int64_t kernels() const = 0;
};

class Stream {
 public:
  virtual ~Stream() = default;

  template <class Args>
  void launch(const Args& args) {
    launch(OpOf<Args>::kId, &args);
  }
  // `args` is copied; the memory that it points to must live until the work is done.
  virtual void launch(OpId op, const void* args) = 0;
  // Between any of device memory, memory of a peer device, and pinned host memory.
  virtual void copy(void* to, const void* from, size_t bytes) = 0;
  virtual void set(void* to, int value, size_t bytes) = 0;  // bytes of `value`
  virtual void record(Event& event) = 0;
  virtual void wait(Event& event) = 0;
  virtual void launch(Graph& graph) = 0;

  // From begin_capture() to end_capture(), work on this stream, and on streams that wait for events of it, is kept
  // rather than done. All must be joined to this stream again by events before the end. One capture at a time.
  virtual void begin_capture() = 0;
  virtual Result<std::unique_ptr<Graph>> end_capture() = 0;

  virtual Result<void> synchronize() = 0;
  virtual int priority() const = 0;
  virtual uint64_t native_id() const = 0;  // as activity records name it
};

class Device {
 public:
  virtual ~Device() = default;
  virtual const DeviceProperties& properties() const = 0;
  // Errors: kResource, naming how much was asked for and how much is free.
  virtual Result<std::unique_ptr<Buffer>> allocate(size_t bytes, MemoryKind kind) = 0;
  // Does not wait for, nor is waited for by, any other stream. Errors: kResource.
  virtual Result<std::unique_ptr<Stream>> make_stream(int priority) = 0;
  // `timing`: elapsed_ns() may be asked of it.
  virtual Result<std::unique_ptr<Event>> make_event(bool timing) = 0;
  virtual Result<double> elapsed_ns(Event& from, Event& to) = 0;  // both done
  virtual Result<void> synchronize() = 0;                         // all streams
  virtual MemoryUse memory_use() const = 0;
  virtual void reset_peak() = 0;
  // Errors: kUnavailable where the hardware cannot. Needed once before copies between both.
  virtual Result<void> enable_peer(Device& peer) = 0;
};

}  // namespace aaco

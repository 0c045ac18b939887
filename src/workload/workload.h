// SPDX-License-Identifier: MIT
// What a hardware-queue workload is: a passive description and a function that builds its program for a number of
// streams. One file each, one line in all_workloads.cpp.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "device/communicator.h"
#include "device/device.h"
#include "workload/parameters.h"
#include "workload/program.h"
#include "workload/tensor.h"

namespace aaco {

class WorkloadBuilder;

inline constexpr int32_t kMostStreams = 128;

struct WorkloadInfo {
  const char* id;
  const char* alias;     // "" or another name that the command line takes
  const char* priority;  // "P0" to "P3"
  const char* category;  // "latency_sensitive", "distributed", "inference", "pipeline"
  const char* unit;      // of throughput, without "per second": "tokens", "TFLOP"
  const char* summary;   // one line
  const char* about;     // what it does, what it tells, what it does not
  int32_t recommended_streams;
  const char* switch_sensitivity;  // "low" to "critical": how much a queue switch matters to it
  std::span<const Parameter> parameters;
  std::span<const Parameter> test_parameters;  // name and value: sizes at which the CPU runs it within a second
  // Name and value: sizes with which an iteration takes some milliseconds on two processors; none: the defaults do.
  std::span<const Parameter> cpu_parameters = {};  // NOLINT(readability-redundant-member-init): most have none
  Result<void> (*build)(WorkloadBuilder& builder);
  int32_t emulated_ranks = 8;  // of collectives on one device, where nobody says how many; 1: it is then alone
};

// In the order of `aaco queue list`.
std::span<const WorkloadInfo* const> all_workloads();
// By id or alias. Errors: kUsage naming the nearest.
Result<const WorkloadInfo*> find_workload(std::string_view name);

// What one run of a workload is built for. Everything named must outlive the instance.
struct WorkloadRequest {
  std::vector<Device*> devices;          // one per rank
  int32_t streams = 1;                   // per device, 1 to kMostStreams
  Communicator* communicator = nullptr;  // null: the workload may not have collectives
  Parameters parameters;
  uint64_t seed = 1;
};

// An array that an iteration leaves, to be the same however the program was dispatched.
struct WorkloadOutput {
  std::string name;
  Tensor tensor;
  int32_t rank = 0;
};

// Copies device memory to the host, on a stream of its own. For checks.
class DeviceReader {
 public:
  virtual ~DeviceReader() = default;
  virtual Result<void> bytes(void* to, const void* from, size_t count) = 0;
  virtual Result<std::vector<float>> floats(const Tensor& tensor) = 0;  // of any floating type
  virtual Result<std::vector<int32_t>> integers(const Tensor& tensor) = 0;
};

// A workload, ready to be dispatched. Its memory is freed with it.
struct WorkloadInstance {
  const WorkloadInfo* info = nullptr;
  int32_t ranks = 1;
  int32_t streams = 1;  // per rank; stream i of rank r is number r * streams + i of the programs
  Program setup{0};     // initial values; once before the first iteration, and again to start over
  Program iteration{0};
  std::vector<WorkloadOutput> outputs;
  double units = 0;                    // per iteration
  std::optional<Tensor> unit_counter;  // int32: the device counts them instead; their sum, over all since setup
  // After setup and one or more iterations: is what is there right by the workload's own lights?
  std::vector<std::function<Result<void>(DeviceReader& reader, int64_t iterations)>> checks;
  std::vector<std::string> notes;  // what the user should know: "uses 9 of 32 streams: ...", "collectives are emulated"
  std::vector<std::unique_ptr<Buffer>> memory;
};

// Errors: kUsage for parameters and stream counts; kResource where memory does not suffice.
Result<std::unique_ptr<WorkloadInstance>> build_workload(const WorkloadInfo& info, const WorkloadRequest& request);
// The same by another function than its own, for what is no workload of the list.
Result<std::unique_ptr<WorkloadInstance>> build_instance(const WorkloadInfo& info, const WorkloadRequest& request,
                                                         const std::function<Result<void>(WorkloadBuilder&)>& build);

}  // namespace aaco

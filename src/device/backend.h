// SPDX-License-Identifier: MIT
// Where devices come from: one Backend per vendor, each saying what it has or why it has nothing.
#pragma once

#include <memory>
#include <span>
#include <string>
#include <vector>

#include "device/communicator.h"
#include "device/device.h"
#include "record/device/activity_sink.h"

namespace aaco {

// A collector of what devices did, per kernel (CUPTI, rocprofiler-sdk, our own on CPU). Ends with this object.
class ActivityCollector {
 public:
  virtual ~ActivityCollector() = default;
  // All work so far is done, and its records are in the sink. Errors: the collector's; then figures are invalid.
  virtual Result<void> flush() = 0;
};

class Backend {
 public:
  virtual ~Backend() = default;
  virtual const char* name() const = 0;  // "cpu", "cuda", "hip"
  // How many devices there are. Errors: kUnavailable with the reason (built without it, no driver, no device) and the
  // remedy.
  virtual Result<int> device_count() = 0;
  // The device is made on first use of its index, and lives as long as the backend. Errors: as above; kUsage for no
  // such device.
  virtual Result<Device*> open(int index) = 0;
  // Among several of its devices, in the order of ranks. Errors: kUnavailable (no NCCL) with the remedy.
  virtual Result<std::unique_ptr<Communicator>> make_communicator(std::span<Device* const> devices) = 0;
  // Of ranks that are a process each: one of them makes the id, while it lives all join with it, a device each. Joining
  // waits for the others. Errors: as above; kResource where they do not come.
  virtual Result<RankId> make_rank_id() = 0;
  virtual Result<std::unique_ptr<Communicator>> join_communicator(Device& device, const RankId& id, int32_t rank,
                                                                  int32_t ranks,
                                                                  const CommunicatorOptions& options = {}) = 0;
  // Before any other call of this backend in the process where the vendor wants that. `sink` outlives the collector.
  virtual Result<std::unique_ptr<ActivityCollector>> collect(ActivitySink& sink) = 0;
};

// In the order of `aaco devices`; of the life of the process.
std::span<Backend* const> all_backends();

// "cuda:0", "cpu", "cpu:1" (no index: 0). Errors: kUsage naming what there is; the backend's.
Result<Device*> open_device(const std::string& id);
Result<Backend*> backend_of(const std::string& id);
// Whether open_device() would find it, without a GPU's being opened: that takes memory of it. Errors: the same.
Result<void> expect_device(const std::string& id);

}  // namespace aaco

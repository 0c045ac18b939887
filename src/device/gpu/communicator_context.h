// SPDX-License-Identifier: MIT
// A communicator as the module has it, and the thread that looks whether the library has noticed a failure of its own:
// a peer that has gone leaves kernels that would wait forever. Then the communicators are aborted, which ends those
// kernels, and every stream of the devices says why.
#pragma once

#include <atomic>
#include <condition_variable>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include "device/gpu/device_context.h"
#include "device/gpu/libraries/nccl_api.h"

namespace aaco::gpu {

class CommunicatorContext {
 public:
  CommunicatorContext(std::vector<DeviceContext*> devices, std::vector<NcclComm> comms, int first_rank, int ranks);
  // Ends the communicators; those that failed without waiting for other processes. What did not end is said.
  NcclResult end();
  ~CommunicatorContext() = default;
  CommunicatorContext(const CommunicatorContext&) = delete;
  CommunicatorContext& operator=(const CommunicatorContext&) = delete;

  // Of the ranks of this process, from first_rank() on.
  const std::vector<NcclComm>& comms() const { return comms_; }
  int first_rank() const { return first_rank_; }
  int ranks() const { return ranks_; }

  // "": nothing has failed. Nothing is asked of the library where something has.
  std::string failure() const;
  // The first counts. `abort`: kernels, or a call of the library in another thread, may be waiting for it; else the end
  // will tell the others.
  void fail(const std::string& failure, bool abort);

 private:
  void watch();
  NcclResult ask() const;

  const std::vector<DeviceContext*> devices_;
  const std::vector<NcclComm> comms_;
  const int first_rank_;
  const int ranks_;
  mutable std::mutex mutex_;  // of what follows; never held while the library is asked
  std::condition_variable changed_;
  std::string failure_;
  bool to_abort_ = false;
  bool aborted_ = false;
  bool ends_ = false;
  std::thread watch_;
};

// What a communicator of this device failed at; "" where none did.
std::string communicator_failure(DeviceContext& device);

}  // namespace aaco::gpu

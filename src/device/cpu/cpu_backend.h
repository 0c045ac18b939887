// SPDX-License-Identifier: MIT
// The CPU as a backend. It has kCpuDevices devices, all of them this one machine, so that what needs several devices
// can be tried anywhere.
#pragma once

#include <array>
#include <memory>
#include <mutex>

#include "device/backend.h"
#include "device/cpu/cpu_device.h"

namespace aaco {

inline constexpr int kCpuDevices = 64;

class CpuBackend : public Backend {
 public:
  explicit CpuBackend(const OpFunctions& ops) : shared_(ops) {}

  const char* name() const override { return "cpu"; }
  Result<int> device_count() override { return kCpuDevices; }
  Result<Device*> open(int index) override;
  Result<std::unique_ptr<Communicator>> make_communicator(std::span<Device* const> devices) override;
  // AACO_RANK_ADDRESS, where it is set, is where ranks of other machines find this one; else all are of this machine.
  Result<RankId> make_rank_id() override;
  Result<std::unique_ptr<Communicator>> join_communicator(Device& device, const RankId& id, int32_t rank, int32_t ranks,
                                                          const CommunicatorOptions& options) override;
  Result<std::unique_ptr<ActivityCollector>> collect(ActivitySink& sink) override;

 private:
  CpuShared shared_;
  std::mutex mutex_;
  std::array<std::unique_ptr<CpuDevice>, kCpuDevices> devices_;
};

}  // namespace aaco

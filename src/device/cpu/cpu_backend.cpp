// SPDX-License-Identifier: MIT
#include "device/cpu/cpu_backend.h"

#include <cstdlib>
#include <fmt/format.h>

namespace aaco {

namespace {

class CpuCollector : public ActivityCollector {
 public:
  explicit CpuCollector(CpuShared& shared) : shared_(shared) {}
  ~CpuCollector() override { shared_.activity.detach(); }
  CpuCollector(const CpuCollector&) = delete;
  CpuCollector& operator=(const CpuCollector&) = delete;

  Result<void> flush() override {
    for (const Mark& mark : shared_.workers.marks(std::nullopt)) {
      mark.progress->wait_for(mark.sequence);  // a failure is its stream's to tell
    }
    shared_.activity.deliver();
    return {};
  }

 private:
  CpuShared& shared_;
};

}  // namespace

Result<Device*> CpuBackend::open(int index) {
  if (index < 0 || index >= kCpuDevices) {
    return Error{ErrorKind::kUsage, fmt::format("no device cpu:{}", index),
                 fmt::format("there are cpu:0 to cpu:{}, all of them this machine's processors", kCpuDevices - 1)};
  }
  const std::lock_guard lock(mutex_);
  std::unique_ptr<CpuDevice>& device = devices_[static_cast<size_t>(index)];
  if (device == nullptr) {
    device = std::make_unique<CpuDevice>(shared_, static_cast<uint32_t>(index));
  }
  return device.get();
}

Result<std::unique_ptr<Communicator>> CpuBackend::make_communicator(std::span<Device* const> devices) {
  for (Device* const device : devices) {
    const std::string& id = device->properties().id;
    if (dynamic_cast<const CpuDevice*>(device) == nullptr) {
      return Error{ErrorKind::kUsage, fmt::format("{} among CPU devices", id),
                   "collectives are between devices of one backend"};
    }
  }
  return make_cpu_communicator(static_cast<int32_t>(devices.size()));
}

Result<RankId> CpuBackend::make_rank_id() {
  const char* const address = std::getenv("AACO_RANK_ADDRESS");
  return address == nullptr || *address == '\0' ? Result<RankId>(make_cpu_rank_id()) : make_cpu_rank_id_at(address);
}

Result<std::unique_ptr<Communicator>> CpuBackend::join_communicator(Device& /*device*/, const RankId& id, int32_t rank,
                                                                    int32_t ranks,
                                                                    const CommunicatorOptions& /*options*/) {
  return join_cpu_communicator(id, rank, ranks);
}

Result<std::unique_ptr<ActivityCollector>> CpuBackend::collect(ActivitySink& sink) {
  AACO_TRY(shared_.activity.attach(sink));
  return std::unique_ptr<ActivityCollector>(std::make_unique<CpuCollector>(shared_));
}

}  // namespace aaco

// SPDX-License-Identifier: MIT
#include "kind/model_run/worker/device_activity.h"

#include <utility>

#include "kind/model_run/worker/device_roofs.h"

namespace aaco {

Result<std::unique_ptr<DeviceActivity>> DeviceActivity::begin(const std::string& backend,
                                                              const std::filesystem::path& journal) {
  const std::string devices = device_backend(backend);
  if (devices.empty()) {
    return Error{ErrorKind::kUnavailable, "no collector knows the devices of backend " + backend, ""};
  }
  AACO_ASSIGN(Backend * vendor, backend_of(devices));
  AACO_ASSIGN(EventJournalWriter writer, EventJournalWriter::create(journal));
  std::unique_ptr<DeviceActivity> activity(new DeviceActivity(std::move(writer)));
  AACO_ASSIGN(activity->collector_, vendor->collect(activity->sink_));
  return activity;
}

Result<void> DeviceActivity::end() {
  const Result<void> flushed = collector_->flush();
  collector_.reset();
  const Result<void> closed = sink_.close();
  return flushed ? closed : flushed;
}

}  // namespace aaco

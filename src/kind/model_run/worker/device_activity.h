// SPDX-License-Identifier: MIT
// What the device does while a profiled process runs inferences: the vendor's collector, into a journal beside the
// profile.
#pragma once

#include <filesystem>
#include <memory>
#include <string>

#include "base/result.h"
#include "device/backend.h"
#include "record/device/activity_journal.h"

namespace aaco {

class DeviceActivity {
 public:
  // Of the GPUs that `backend` ("cuda", "migraphx", ...) runs on, from now on. Errors: kUnavailable where it runs on
  // none, or where there is no collector, with the reason; the journal's.
  static Result<std::unique_ptr<DeviceActivity>> begin(const std::string& backend,
                                                       const std::filesystem::path& journal);

  // All work so far is done and in the journal. Errors: the collector's; a full disk.
  Result<void> end();

 private:
  explicit DeviceActivity(EventJournalWriter journal) : sink_(std::move(journal), "device") {}

  ActivityJournal sink_;
  std::unique_ptr<ActivityCollector> collector_;  // ends before its sink
};

}  // namespace aaco

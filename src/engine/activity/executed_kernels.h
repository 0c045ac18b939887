// SPDX-License-Identifier: MIT
// Which kernels a device executes between two moments, by its own records.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "device/backend.h"
#include "record/device/activity_table.h"

namespace aaco {

class ExecutedKernels {
 public:
  // Before the process opens the device: a vendor's interface wants to be there first. Where there is no collector,
  // nothing is known, and unavailable() says why.
  explicit ExecutedKernels(const std::string& device);

  // Forgets what was executed so far, to which the host must have waited.
  void begin();
  // Since begin(): each name once, sorted. None where it is not known, or records were lost.
  std::optional<std::vector<std::string>> take();

  const std::string& unavailable() const { return unavailable_; }

 private:
  bool flush();

  ActivityTable sink_;
  std::unique_ptr<ActivityCollector> collector_;
  std::string unavailable_;
  uint64_t dropped_before_ = 0;
};

// The names of the table's kernels, each once, sorted.
std::vector<std::string> kernel_names(const EventTable& events);

}  // namespace aaco

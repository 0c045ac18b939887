// SPDX-License-Identifier: MIT
#include "engine/activity/executed_kernels.h"

#include <fmt/format.h>
#include <set>

namespace aaco {

ExecutedKernels::ExecutedKernels(const std::string& device) {
  Result<Backend*> backend = backend_of(device);
  auto collector = backend ? (*backend)->collect(sink_) : Result<std::unique_ptr<ActivityCollector>>(backend.error());
  if (collector) {
    collector_ = std::move(*collector);
  } else {
    unavailable_ = collector.error().message;
  }
}

void ExecutedKernels::begin() {
  flush();
  sink_.take();
  dropped_before_ = sink_.dropped_count();
}

std::optional<std::vector<std::string>> ExecutedKernels::take() {
  if (!flush()) {
    return std::nullopt;
  }
  const EventTable events = sink_.take();
  if (const uint64_t lost = sink_.dropped_count() - dropped_before_; lost > 0) {
    unavailable_ = fmt::format("the collector lost {} records", lost);
    return std::nullopt;
  }
  return kernel_names(events);
}

bool ExecutedKernels::flush() {
  if (collector_ == nullptr) {
    return false;
  }
  const Result<void> flushed = collector_->flush();
  if (!flushed) {
    unavailable_ = flushed.error().message;
  }
  return flushed.has_value();
}

std::vector<std::string> kernel_names(const EventTable& events) {
  std::set<std::string> names;
  for (EventRow row = 0; row < events.size(); ++row) {
    if (events.kind[row] == EventKind::kKernel) {
      names.emplace(events.strings[events.name[row]]);
    }
  }
  return {names.begin(), names.end()};
}

}  // namespace aaco

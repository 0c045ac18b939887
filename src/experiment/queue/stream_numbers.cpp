// SPDX-License-Identifier: MIT
#include "experiment/queue/stream_numbers.h"

#include <charconv>
#include <string>

namespace aaco {

namespace {

// "cuda:1" is device 1.
uint32_t index_of(const Device& device) {
  const std::string& id = device.properties().id;
  const size_t colon = id.find(':');
  uint32_t index = 0;
  if (colon != std::string::npos) {
    std::from_chars(id.data() + colon + 1, id.data() + id.size(), index);
  }
  return index;
}

}  // namespace

StreamNumbers::StreamNumbers(const ProgramTarget& target) {
  for (size_t i = 0; i < target.streams.size(); ++i) {
    numbers_[{index_of(*target.devices[i]), target.streams[i]->native_id()}] = static_cast<int32_t>(i);
  }
}

std::optional<int32_t> StreamNumbers::of(const ActivityRecord& record) const {
  const auto found = numbers_.find({record.device, record.stream});
  return found == numbers_.end() ? std::nullopt : std::optional(found->second);
}

}  // namespace aaco

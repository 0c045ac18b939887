// SPDX-License-Identifier: MIT
#include "engine/activity/stream_numbers.h"

#include <charconv>
#include <fmt/format.h>
#include <map>
#include <utility>

namespace aaco {

namespace {

// "cuda:1" is device 1.
int64_t index_of(const Device& device) {
  const std::string& id = device.properties().id;
  const size_t colon = id.find(':');
  int64_t index = 0;
  if (colon != std::string::npos) {
    std::from_chars(id.data() + colon + 1, id.data() + id.size(), index);
  }
  return index;
}

}  // namespace

std::vector<std::optional<int32_t>> stream_numbers(const EventTable& events, const ProgramTarget& target) {
  std::map<std::pair<int64_t, int64_t>, int32_t> numbers;  // by device and the device's own number
  for (size_t i = 0; i < target.streams.size(); ++i) {
    numbers[{index_of(*target.devices[i]), static_cast<int64_t>(target.streams[i]->native_id())}] =
        static_cast<int32_t>(i);
  }
  std::vector<std::optional<int32_t>> by_track;
  for (const Track& track : events.tracks) {
    const auto number = numbers.find({track.device, track.stream});
    by_track.push_back(number == numbers.end() ? std::nullopt : std::optional(number->second));
  }
  return by_track;
}

void name_recording(EventTable& events, const ProgramTarget& target, std::string name) {
  events.recordings.front().name = std::move(name);
  const auto numbers = stream_numbers(events, target);
  for (size_t i = 0; i < numbers.size(); ++i) {
    if (numbers[i]) {
      Track& track = events.tracks[i];
      track.stream = *numbers[i];
      track.thread = events.strings.intern(fmt::format("stream {}", *numbers[i]));
      track.thread_name = track.thread;
    }
  }
}

}  // namespace aaco

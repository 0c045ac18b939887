// SPDX-License-Identifier: MIT
#include "analysis/timeline/communication/step_numbers.h"

#include <algorithm>
#include <charconv>
#include <iterator>
#include <string_view>

namespace aaco {

StepNumbers::Key StepNumbers::key_of(size_t event) const {
  const Track& track = events_.tracks[events_.track[event]];
  return {track.recording, track.rank};
}

void StepNumbers::find_steps() {
  constexpr std::string_view kBegin = "ProfilerStep#";
  std::map<StringId, int64_t> numbers;
  for (size_t id = 0; id < events_.strings.size(); ++id) {
    std::string_view name = events_.strings[static_cast<StringId>(id)];
    if (name.starts_with(kBegin)) {
      name.remove_prefix(kBegin.size());
      int64_t number = 0;
      const auto [end, error] = std::from_chars(name.data(), name.data() + name.size(), number);
      if (error == std::errc() && end == name.data() + name.size()) {
        numbers[static_cast<StringId>(id)] = number;
      }
    }
  }
  for (size_t i = 0; !numbers.empty() && i < events_.size(); ++i) {
    if (events_.kind[i] == EventKind::kHostRange && events_.shape[i] == EventShape::kSlice) {
      if (const auto step = numbers.find(events_.name[i]); step != numbers.end()) {
        steps_[key_of(i)].push_back({{events_.start_ns[i], events_.end_ns(i)}, step->second});
      }
    }
  }
  for (auto& [key, steps] : steps_) {
    std::sort(steps.begin(), steps.end(),
              [](const Step& a, const Step& b) { return a.span.start_ns < b.span.start_ns; });
  }
}

int64_t StepNumbers::step(size_t call) {
  if (!is_searched_) {
    is_searched_ = true;
    find_steps();
  }
  const auto steps = steps_.find(key_of(call));
  if (steps == steps_.end()) {
    return kNoId;
  }
  const int64_t time_ns = events_.start_ns[call];
  const auto behind = std::upper_bound(steps->second.begin(), steps->second.end(), time_ns,
                                       [](int64_t time, const Step& step) { return time < step.span.start_ns; });
  const bool is_within = behind != steps->second.begin() && time_ns < std::prev(behind)->span.end_ns;
  return is_within ? std::prev(behind)->number : kNoId;
}

}  // namespace aaco

// SPDX-License-Identifier: MIT
#include "analysis/timeline/operators/call_paths.h"

#include <algorithm>
#include <numeric>
#include <string_view>
#include <tuple>

namespace aaco {

uint32_t CallPaths::within(uint32_t outer, StringId name) {
  const auto next = static_cast<uint32_t>(steps_.size());
  const auto [entry, added] = known_.try_emplace(uint64_t{outer} << 32 | name, next);
  if (added) {
    steps_.push_back({outer, name});
  }
  return entry->second;
}

std::vector<uint32_t> operator_paths(const EventTable& events, std::span<const EventRow> operators,
                                     const std::function<StringId(EventRow)>& name_of, CallPaths& paths) {
  std::vector<uint32_t> order(operators.size());
  std::iota(order.begin(), order.end(), 0);
  std::sort(order.begin(), order.end(), [&](uint32_t a, uint32_t b) {
    const EventRow first = operators[a];
    const EventRow second = operators[b];
    return std::tuple(events.track[first], events.start_ns[first], events.duration_ns[second], first) <
           std::tuple(events.track[second], events.start_ns[second], events.duration_ns[first], second);
  });
  std::vector<uint32_t> path_of(operators.size());
  std::vector<uint32_t> open;
  for (const uint32_t i : order) {
    const EventRow row = operators[i];
    while (!open.empty() && (events.track[operators[open.back()]] != events.track[row] ||
                             events.end_ns(operators[open.back()]) <= events.start_ns[row])) {
      open.pop_back();
    }
    path_of[i] = paths.within(open.empty() ? CallPaths::kNone : path_of[open.back()], name_of(row));
    open.push_back(i);
  }
  return path_of;
}

std::string path_text(const CallPaths& paths, uint32_t path, const StringTable& strings, size_t most) {
  std::vector<std::string_view> names;
  for (; path != CallPaths::kNone && names.size() < most; path = paths[path].outer) {
    names.push_back(strings[paths[path].name]);
  }
  std::string text = path == CallPaths::kNone ? "" : "... > ";
  for (size_t i = names.size(); i > 0; --i) {
    text += names[i - 1];
    text += i > 1 ? " > " : "";
  }
  return text;
}

}  // namespace aaco

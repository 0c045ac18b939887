// SPDX-License-Identifier: MIT
#include "ingest/dispatches.h"

#include <algorithm>
#include <span>
#include <tuple>

#include "base/growing_array.h"

namespace aaco {

namespace {

struct Dispatch {
  int64_t device;
  int64_t id;
  bool spare;
  size_t event;

  bool operator<(const Dispatch& other) const {
    return std::tie(device, id, spare, event) < std::tie(other.device, other.id, other.spare, other.event);
  }
  bool same(const Dispatch& other) const { return device == other.device && id == other.id; }
};

}  // namespace

void count_dispatches_once(EventTable& events, uint32_t recording, std::string_view id_key, std::string_view spare) {
  const StringId key = events.strings.intern(id_key);
  const StringId spare_category = events.strings.intern(spare);
  GrowingArray<Dispatch> dispatches;
  for (size_t i = 0; i < events.size(); ++i) {
    const Track& track = events.tracks[events.track[i]];
    if (track.recording != recording || events.kind[i] != EventKind::kKernel || events.shape[i] != EventShape::kSlice) {
      continue;
    }
    const auto id = events.arguments.find(i, key);
    if (id && id->type == ArgumentType::kInteger) {
      const bool is_spare = spare_category != kEmptyString && events.category[i] == spare_category;
      dispatches.push_back({track.device, static_cast<int64_t>(id->bits), is_spare, i});
    }
  }
  const std::span<Dispatch> ordered = dispatches.view();
  std::sort(ordered.begin(), ordered.end());
  const Dispatch* first = nullptr;  // of the same dispatch
  for (const Dispatch& dispatch : ordered) {
    if (first == nullptr || !first->same(dispatch)) {
      first = &dispatch;
    } else if (spare_category == kEmptyString || (dispatch.spare && !first->spare)) {
      events.shape[dispatch.event] = EventShape::kUntimed;
      events.start_ns[dispatch.event] = 0;
    }
  }
}

}  // namespace aaco

// SPDX-License-Identifier: MIT
#include "export/perfetto/arrows.h"

#include <algorithm>
#include <string>
#include <tuple>

#include "analysis/timeline/lookup/event_arguments.h"

namespace aaco::perfetto {

namespace {

// By what Chrome's format tells arrows apart.
struct MarkOfArrow {
  uint32_t recording;
  StringId category;
  StringId name;
  int64_t id;
  StringId text;  // of an id that is no number
  int64_t time_ns;
  const FlowMark* mark;

  auto key() const { return std::tie(recording, category, name, id, text); }
  uint64_t event() const { return mark->slice == kNoSlice ? mark->event : mark->slice; }
};

}  // namespace

// The last end is one where it follows what it ends: viewers drop an end without a beginning.
void Arrows::join_marks(const EventTable& events, const std::vector<FlowMark>& marks) {
  std::vector<MarkOfArrow> all;
  all.reserve(marks.size());
  for (const FlowMark& mark : marks) {
    const int64_t id = events.correlation[mark.event];
    const auto text = id == kNoId ? text_argument(events, mark.event, "event.id") : std::nullopt;
    all.push_back({events.tracks[events.track[mark.event]].recording, events.category[mark.event],
                   events.name[mark.event], id, text.value_or(kEmptyString), events.start_ns[mark.event], &mark});
  }
  std::sort(all.begin(), all.end(), [](const MarkOfArrow& a, const MarkOfArrow& b) {
    return std::tuple(a.key(), a.time_ns, a.mark->event) < std::tuple(b.key(), b.time_ns, b.mark->event);
  });
  for (size_t i = 0; i < all.size(); ++i) {
    const bool first = i == 0 || all[i].key() != all[i - 1].key();
    const bool last = i + 1 == all.size() || all[i].key() != all[i + 1].key();
    arrows_ += first ? 1 : 0;
    const bool ends = events.shape[all[i].mark->event] == EventShape::kFlowEnd && last && !first &&
                      events.start_ns[all[i].event()] >= events.start_ns[all[i - 1].event()];
    joints_.push_back({all[i].event(), arrows_, ends});
  }
}

Arrows::Arrows(const EventTable& events, const std::vector<FlowMark>& marks, const std::vector<CallArrow>& calls)
    : joined_(events.size()) {
  join_marks(events, marks);
  for (const CallArrow& arrow : calls) {
    ++arrows_;
    joints_.push_back({arrow.call, arrows_, false});
    joints_.push_back({arrow.slice, arrows_, events.start_ns[arrow.slice] >= events.start_ns[arrow.call]});
  }
  std::sort(joints_.begin(), joints_.end(),
            [](const Joint& a, const Joint& b) { return std::tie(a.event, a.arrow) < std::tie(b.event, b.arrow); });
  for (const Joint& joint : joints_) {
    joined_[joint.event] = true;
  }
}

std::span<const Joint> Arrows::joints(uint64_t event) const {
  if (!joined_[event]) {
    return {};
  }
  const auto [first, behind] = std::equal_range(joints_.begin(), joints_.end(), Joint{event, 0, false},
                                                [](const Joint& a, const Joint& b) { return a.event < b.event; });
  return {first, behind};
}

}  // namespace aaco::perfetto

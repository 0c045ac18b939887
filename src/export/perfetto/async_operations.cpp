// SPDX-License-Identifier: MIT
#include "export/perfetto/async_operations.h"

#include <algorithm>
#include <string_view>
#include <tuple>

namespace aaco::perfetto {

namespace {

// Operations are known by process, category and id, which is any value.
struct OperationEvent {
  uint32_t recording;
  StringId process;
  StringId category;
  ArgumentType type;
  uint64_t id;
  int64_t time_ns;
  uint64_t event;
  AsyncMark::Is is;

  auto key() const { return std::tie(recording, process, category, type, id); }
};

OperationEvent keyed(const EventTable& events, size_t event) {
  const Track& track = events.tracks[events.track[event]];
  OperationEvent mark{track.recording,        track.process, events.category[event], ArgumentType::kNull, 0,
                      events.start_ns[event], event,         AsyncMark::Is::kStep};
  for (size_t i = events.arguments.begin(event); i < events.arguments.end(event); ++i) {
    const Argument argument = events.arguments[i];
    const std::string_view key = events.strings[argument.key];
    if (key == "event.id" || key == "event.id2") {
      mark.type = argument.type;
      mark.id = argument.bits;
    } else if (key == "event.ph" && argument.type == ArgumentType::kText) {
      const std::string_view phase = events.text_of(argument);
      mark.is = phase == "b" ? AsyncMark::Is::kBegin : phase == "e" ? AsyncMark::Is::kEnd : AsyncMark::Is::kStep;
    }
  }
  return mark;
}

}  // namespace

std::vector<AsyncMark> async_marks(const EventTable& events, uint64_t& unended) {
  std::vector<OperationEvent> all;
  for (size_t i = 0; i < events.size(); ++i) {
    if (events.shape[i] == EventShape::kAsync) {
      all.push_back(keyed(events, i));
    }
  }
  std::sort(all.begin(), all.end(), [](const OperationEvent& a, const OperationEvent& b) {
    return std::tuple(a.key(), a.time_ns, a.event) < std::tuple(b.key(), b.time_ns, b.event);
  });
  std::vector<AsyncMark> marks;
  marks.reserve(all.size());
  uint64_t open = 0;
  unended = 0;
  for (size_t i = 0; i < all.size(); ++i) {
    const bool first = i == 0 || all[i].key() != all[i - 1].key();
    unended += first ? open : 0;
    open = first ? 0 : open;
    AsyncMark mark{all[i].event, all[i].is, first};
    if (mark.is == AsyncMark::Is::kBegin) {
      ++open;
    } else if (mark.is == AsyncMark::Is::kEnd && open == 0) {
      mark.is = AsyncMark::Is::kStep;
    } else if (mark.is == AsyncMark::Is::kEnd) {
      --open;
    }
    marks.push_back(mark);
  }
  unended += open;
  return marks;
}

}  // namespace aaco::perfetto

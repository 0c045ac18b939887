// SPDX-License-Identifier: MIT
#include "record/events/event_part.h"

#include <algorithm>

namespace aaco {

namespace {

template <class T>
void append(GrowingArray<T>& into, const GrowingArray<T>& from) {
  std::copy_n(from.begin(), from.size(), into.extend(from.size()));
}

void append(GrowingArray<uint32_t>& into, const GrowingArray<uint32_t>& from, std::span<const uint32_t> renumbered) {
  std::transform(from.begin(), from.end(), into.extend(from.size()), [&](uint32_t each) { return renumbered[each]; });
}

}  // namespace

void EventPart::append_to(EventTable& into, TrackIndex& tracks, std::span<const uint32_t> recordings) {
  while (strings_.size() < table_.strings.size()) {
    strings_.push_back(into.strings.intern(table_.strings[static_cast<StringId>(strings_.size())]));
  }
  while (tracks_.size() < table_.tracks.size()) {
    Track track = table_.tracks[tracks_.size()];
    for (StringId* const text : {&track.process, &track.thread, &track.process_name, &track.thread_name}) {
      *text = strings_[*text];
    }
    track.recording = recordings[track.recording];
    tracks_.push_back(tracks.index(track));
  }
  append(into.start_ns, table_.start_ns);
  append(into.duration_ns, table_.duration_ns);
  append(into.correlation, table_.correlation);
  append(into.external_id, table_.external_id);
  append(into.name, table_.name, strings_);
  append(into.category, table_.category, strings_);
  append(into.track, table_.track, tracks_);
  append(into.kind, table_.kind);
  append(into.shape, table_.shape);
  into.arguments.add_all(table_.arguments, strings_);
  into.losses.add_all(table_.losses);
  table_.losses = {};
  table_.clear_events();
}

}  // namespace aaco

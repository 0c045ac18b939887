// SPDX-License-Identifier: MIT
#include "ingest/perfetto/track_names.h"

#include <array>
#include <string>

#include "ingest/bytes/utf8_texts.h"
#include "ingest/perfetto/wire.h"

namespace aaco::perfetto {

namespace {

constexpr int kDeepest = 16;  // parents are followed so far: a loop of them ends

int64_t int32_of(const WireField& field) { return static_cast<int32_t>(field.value); }

}  // namespace

void TrackNames::take_process(std::string_view message, TrackDescription& track) {
  WireReader fields(message);
  for (WireField field; fields.next(field);) {
    if (field.number == 1) {
      track.process = int32_of(field);
    } else if (field.number == 6) {
      track.process_name = intern_utf8(table_.strings, field.bytes);
    }
  }
}

void TrackNames::take_thread(std::string_view message, TrackDescription& track) {
  WireReader fields(message);
  for (WireField field; fields.next(field);) {
    if (field.number == 1) {
      track.process = int32_of(field);
    } else if (field.number == 2) {
      track.thread = field.as_signed();
    } else if (field.number == 5) {
      track.thread_name = intern_utf8(table_.strings, field.bytes);
    }
  }
}

void TrackNames::take_counter(std::string_view message, TrackDescription& track) {
  constexpr std::array<std::string_view, 4> kUnits = {"", "ns", "count", "bytes"};
  WireReader fields(message);
  for (WireField field; fields.next(field);) {
    if (field.number == 3 && field.value < kUnits.size()) {
      track.unit = table_.strings.intern(kUnits[field.value]);
    } else if (field.number == 4) {
      track.multiplier = field.as_signed();
    } else if (field.number == 5) {
      track.incremental = field.value != 0;
    } else if (field.number == 6) {
      track.unit = intern_utf8(table_.strings, field.bytes);
    }
  }
}

void TrackNames::take_descriptor(std::string_view message) {
  uint64_t uuid = 0;
  TrackDescription track;
  WireReader fields(message);
  for (WireField field; fields.next(field);) {
    switch (field.number) {
      case 1:
        uuid = field.value;
        break;
      case 2:
      case 10:  // a static name
        track.name = intern_utf8(table_.strings, field.bytes);
        break;
      case 3:
        take_process(field.bytes, track);
        break;
      case 4:
        take_thread(field.bytes, track);
        break;
      case 5:
        track.parent = field.value;
        break;
      case 8:
        take_counter(field.bytes, track);
        break;
      default:  // how it is drawn
        break;
    }
  }
  descriptions_[uuid] = track;
}

uint32_t TrackNames::track_of(uint64_t uuid, int64_t device, int64_t stream, int64_t rank) {
  const auto [entry, added] =
      tracks_.try_emplace({uuid, device, stream, rank}, static_cast<uint32_t>(table_.tracks.size()));
  if (added) {
    Track track;
    track.rank = rank;
    track.device = device;
    track.stream = stream;
    track.recording = recording_;
    table_.tracks.push_back(track);
  }
  return entry->second;
}

const TrackDescription& TrackNames::description(uint64_t uuid) const {
  static const TrackDescription kNone;
  const auto description = descriptions_.find(uuid);
  return description == descriptions_.end() ? kNone : description->second;
}

void TrackNames::finish() {
  const auto number = [&](int64_t id) { return table_.strings.intern(std::to_string(id)); };
  for (const auto& [key, row] : tracks_) {
    Track& track = table_.tracks[row];
    const uint64_t uuid = std::get<0>(key);
    const TrackDescription& own = description(uuid);
    // A track of its own under a thread or process is one more row: no thread's number, but a name.
    track.thread = own.thread != kNoId ? number(own.thread) : table_.strings.intern(std::to_string(uuid));
    track.thread_name = own.thread_name != kEmptyString ? own.thread_name : own.name;
    const TrackDescription* at = &own;
    for (int depth = 0; depth < kDeepest; ++depth) {
      if (track.process == kEmptyString && at->process != kNoId) {
        track.process = number(at->process);
      }
      if (track.process_name == kEmptyString) {
        track.process_name = at->process_name;
      }
      at = &description(at->parent);
    }
  }
}

}  // namespace aaco::perfetto

// SPDX-License-Identifier: MIT
#include "export/perfetto/tracks.h"

#include <set>
#include <string_view>

#include "base/text/utf8.h"

namespace aaco::perfetto {

namespace {

// Numbers of fields in protos/perfetto/trace/track_event.
constexpr uint32_t kUuid = 1;
constexpr uint32_t kName = 2;
constexpr uint32_t kProcess = 3;
constexpr uint32_t kThread = 4;
constexpr uint32_t kParent = 5;
constexpr uint32_t kCounter = 8;
constexpr uint32_t kChildOrder = 11;
constexpr uint32_t kRank = 12;
constexpr uint32_t kMerge = 15;

constexpr uint64_t kByRank = 3;
constexpr uint64_t kNeverMerged = 2;  // viewers merge tracks of one name otherwise

constexpr uint64_t kInPlaceOfZero = 4'194'304;  // readers take process 0 for the kernel's idle one

Message own_track(uint64_t uuid, uint64_t parent, const std::string& name, uint64_t rank) {
  Message track;
  track.number(kUuid, uuid);
  if (parent != 0) {
    track.number(kParent, parent);
  }
  track.text(kName, as_utf8(name));
  track.number(kRank, rank);
  track.number(kMerge, kNeverMerged);
  return track;
}

}  // namespace

Tracks::Tracks(const EventTable& events, const Layout& layout, Packets& packets)
    : events_(events), layout_(layout), packets_(packets), next_(1 + layout.processes.size() + layout.rows.size()) {}

uint64_t Tracks::pid_of(const ShownProcess& process) const {
  return process.pid == 0 ? kInPlaceOfZero : static_cast<uint64_t>(process.pid);
}

void Tracks::describe_process(uint32_t number) {
  const ShownProcess& process = layout_.processes[number];
  Message details;
  details.number(1, pid_of(process));
  details.text(6, as_utf8(name_of_process(events_, process)));
  if (events_.recordings.size() > 1) {
    details.text(8, as_utf8(events_.recordings[process.recording].name));
  }
  Message track;
  track.number(kUuid, this->process(number));
  track.message(kProcess, details);
  track.number(kChildOrder, kByRank);
  packets_.descriptor(track);
}

// A thread of the host keeps its number; all else is a row with a name.
void Tracks::describe_row(uint32_t number) {
  const ShownRow& row = layout_.rows[number];
  const ShownLine& line = layout_.lines[row.line];
  const Track& from = events_.tracks[line.track];
  const std::string name = name_of_row(events_, layout_, row);
  const bool numbered = row.keeps_text && row.tid > 0 && events_.strings[from.thread] == std::to_string(row.tid);
  if (!numbered || from.device != kNoId || from.stream != kNoId) {
    return packets_.descriptor(own_track(this->row(number), process(line.process), name, number));
  }
  Message details;
  details.number(1, pid_of(layout_.processes[line.process]));
  details.number(2, static_cast<uint64_t>(row.tid));
  if (from.thread_name != kEmptyString) {
    details.text(5, as_utf8(name));
  }
  Message track;
  track.number(kUuid, this->row(number));
  track.message(kThread, details);
  packets_.descriptor(track);
}

void Tracks::describe() {
  for (uint32_t i = 0; i < layout_.processes.size(); ++i) {
    describe_process(i);
  }
  for (uint32_t i = 0; i < layout_.rows.size(); ++i) {
    describe_row(i);
  }
}

uint64_t Tracks::add(uint64_t parent, const std::string& name) {
  packets_.descriptor(own_track(next_, parent, name, next_));
  return next_++;
}

uint64_t Tracks::add_counter(uint64_t parent, const std::string& name, std::string_view unit) {
  Message track = own_track(next_, parent, name, next_);
  Message counter;
  if (!unit.empty()) {
    counter.text(6, as_utf8(unit));
  }
  track.message(kCounter, counter);
  packets_.descriptor(track);
  return next_++;
}

}  // namespace aaco::perfetto

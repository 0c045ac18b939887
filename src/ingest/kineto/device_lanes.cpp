// SPDX-License-Identifier: MIT
#include "ingest/kineto/device_lanes.h"

#include <algorithm>
#include <charconv>
#include <fmt/format.h>
#include <iterator>
#include <map>
#include <set>
#include <string_view>
#include <tuple>
#include <utility>

#include "ingest/kineto/kineto_category.h"
#include "ingest/kineto/lane_names.h"

namespace aaco {

namespace {

int64_t number_of(std::string_view text) {
  int64_t number = kNoId;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  return error == std::errc() && end == text.data() + text.size() ? number : kNoId;
}

class LaneReader {
 public:
  LaneReader(EventTable& table, size_t first_event, size_t first_track)
      : table_(table), first_event_(first_event), first_track_(first_track), lanes_(table.tracks.size()) {}

  DeviceLanes read() {
    for (size_t track = first_track_; track < lanes_.size(); ++track) {
      lanes_[track] = lane_of_names(process_of(track), thread_of(track));
    }
    find_slices();
    number_devices();
    choose_lanes();
    give_kinds();
    set_apart_what_holds_others();
    place_tracks();
    name_what_is_not_known();
    return std::move(found_);
  }

 private:
  std::string_view process_of(size_t track) const {
    const Track& row = table_.tracks[track];
    return table_.strings[row.process_name == kEmptyString ? row.process : row.process_name];
  }
  std::string_view thread_of(size_t track) const {
    const Track& row = table_.tracks[track];
    return table_.strings[row.thread_name == kEmptyString ? row.thread : row.thread_name];
  }
  static bool is_of_device(LaneRole role) { return role >= LaneRole::kStream && role <= LaneRole::kDeviceRanges; }
  bool has_slices(size_t track) const { return slices_[track] > 0; }

  void find_slices();
  void number_devices();
  void choose_lanes();
  void give_kinds();
  EventKind kind_of(size_t event, LaneRole role) const;
  void set_apart_what_holds_others();
  void place_tracks();
  void name_what_is_not_known();

  EventTable& table_;
  size_t first_event_;
  size_t first_track_;
  std::vector<LaneName> lanes_;   // by track, as what follows
  std::vector<uint64_t> slices_;  // without a known category
  std::vector<size_t> rows_;      // these
  DeviceLanes found_;
};

void LaneReader::find_slices() {
  slices_.resize(lanes_.size());
  StringId category = kEmptyString;
  bool is_unknown = true;
  for (size_t i = first_event_; i < table_.size(); ++i) {
    if (table_.category[i] != category) {
      category = table_.category[i];
      is_unknown = category == kEmptyString || !kind_of_category(table_.strings[category]);
    }
    const EventKind kind = table_.kind[i];
    if (is_unknown && table_.shape[i] == EventShape::kSlice) {
      ++slices_[table_.track[i]];
      rows_.push_back(i);
    }
    found_.has_work = found_.has_work || (table_.shape[i] == EventShape::kSlice && is_on_device(kind));
  }
}

// Ascend's processes are the devices, in the order of their ids; those of collectives likewise.
void LaneReader::number_devices() {
  std::map<LaneRole, std::map<std::string_view, int64_t>> processes;
  const auto needs_number = [&](size_t track) {
    return is_of_device(lanes_[track].role) && lanes_[track].device == kNoId;
  };
  const auto kind_of_process = [&](size_t track) {
    return process_of(track).starts_with("Ascend") ? LaneRole::kStream : LaneRole::kCollectives;
  };
  for (size_t track = first_track_; track < lanes_.size(); ++track) {
    if (needs_number(track) && has_slices(track)) {
      auto& numbers = processes[kind_of_process(track)];
      numbers.try_emplace(table_.strings[table_.tracks[track].process], static_cast<int64_t>(numbers.size()));
    }
  }
  for (size_t track = first_track_; track < lanes_.size(); ++track) {
    if (needs_number(track) && has_slices(track)) {
      lanes_[track].device = processes[kind_of_process(track)].at(table_.strings[table_.tracks[track].process]);
    }
  }
}

// Of lanes that show the same work only the streams count, or what comes next.
void LaneReader::choose_lanes() {
  std::map<std::pair<StringId, int64_t>, bool> with_streams;  // XLA's devices of one process
  std::set<int64_t> with_collectives;
  std::set<int64_t> devices_with_streams;
  for (size_t track = first_track_; track < lanes_.size(); ++track) {
    if (lanes_[track].role == LaneRole::kStream && has_slices(track)) {
      with_streams[{table_.tracks[track].process, lanes_[track].device}] = true;
      devices_with_streams.insert(lanes_[track].device);
    }
  }
  for (const size_t row : rows_) {
    const LaneName& lane = lanes_[table_.track[row]];
    if (lane.role == LaneRole::kStream && table_.strings[table_.name[row]].starts_with("hcom_")) {
      with_collectives.insert(lane.device);
    }
  }
  for (size_t track = first_track_; track < lanes_.size(); ++track) {
    LaneName& lane = lanes_[track];
    const bool again = ((lane.role == LaneRole::kOps || lane.role == LaneRole::kAsyncOps) &&
                        with_streams.contains({table_.tracks[track].process, lane.device})) ||
                       (lane.role == LaneRole::kAllStreams && devices_with_streams.contains(lane.device)) ||
                       (lane.role == LaneRole::kCollectives && with_collectives.contains(lane.device));
    lane.role = again ? LaneRole::kDeviceRanges : lane.role;
  }
}

EventKind LaneReader::kind_of(size_t event, LaneRole role) const {
  const std::string_view name = table_.strings[table_.name[event]];
  switch (role) {
    case LaneRole::kHostOps:
      return EventKind::kHostOp;
    case LaneRole::kHostCalls:
      return EventKind::kHostCall;
    case LaneRole::kHostRanges:
      return EventKind::kHostRange;
    case LaneRole::kDeviceRanges:
      return EventKind::kDeviceRange;
    case LaneRole::kCollectives:
    case LaneRole::kOps:
      return EventKind::kKernel;
    case LaneRole::kAsyncOps:  // a collective is known by its name, whatever its kind
      return EventKind::kCopy;
    case LaneRole::kStream:
    case LaneRole::kAllStreams:
      break;
    case LaneRole::kUnknown:
    case LaneRole::kDerived:
      return EventKind::kOther;
  }
  for (size_t i = table_.arguments.begin(event); i < table_.arguments.end(event); ++i) {
    const Argument argument = table_.arguments[i];
    if (argument.type == ArgumentType::kText && table_.strings[argument.key] == "Task Type") {
      return kind_on_stream(name, table_.text_of(argument));
    }
  }
  return kind_on_stream(name, "");
}

void LaneReader::give_kinds() {
  for (const size_t row : rows_) {
    const LaneRole role = lanes_[table_.track[row]].role;
    table_.kind[row] = kind_of(row, role);
    const bool is_work = is_on_device(table_.kind[row]);
    found_.has_work = found_.has_work || is_work;
    if (is_work && table_.duration_ns[row] == 0) {
      table_.losses.add(Loss::kZeroDuration, [&] { return std::string(table_.strings[table_.name[row]]); });
    }
  }
}

// A loop of XLA's lies over what it executes.
void LaneReader::set_apart_what_holds_others() {
  std::vector<size_t> rows;
  std::copy_if(rows_.begin(), rows_.end(), std::back_inserter(rows), [&](size_t row) {
    return lanes_[table_.track[row]].role == LaneRole::kOps && table_.duration_ns[row] > 0;
  });
  std::sort(rows.begin(), rows.end(), [&](size_t a, size_t b) {
    return std::tuple(table_.track[a], table_.start_ns[a], -table_.duration_ns[a], a) <
           std::tuple(table_.track[b], table_.start_ns[b], -table_.duration_ns[b], b);
  });
  for (size_t i = 0; i + 1 < rows.size(); ++i) {
    if (table_.track[rows[i]] == table_.track[rows[i + 1]] && table_.end_ns(rows[i + 1]) <= table_.end_ns(rows[i])) {
      table_.kind[rows[i]] = EventKind::kDeviceRange;
    }
  }
}

void LaneReader::place_tracks() {
  found_.is_known.resize(lanes_.size());
  for (size_t track = first_track_; track < lanes_.size(); ++track) {
    const LaneName& lane = lanes_[track];
    found_.is_known[track] = lane.role != LaneRole::kUnknown;
    if (is_of_device(lane.role) && has_slices(track)) {
      Track& row = table_.tracks[track];
      row.device = lane.device;
      row.stream =
          lane.stream != kNoId || lane.threads_are_devices ? lane.stream : number_of(table_.strings[row.thread]);
    }
  }
}

void LaneReader::name_what_is_not_known() {
  found_.is_like_a_device.resize(lanes_.size());
  for (size_t track = first_track_; track < lanes_.size(); ++track) {
    if (lanes_[track].role == LaneRole::kUnknown && has_slices(track) &&
        (is_like_a_device(process_of(track)) || is_like_a_device(thread_of(track)))) {
      found_.is_like_a_device[track] = true;
      std::string name(process_of(track));
      found_.unknown.push_back(name.append(" / ").append(thread_of(track)));
    }
  }
}

}  // namespace

std::string DeviceLanes::unknown_names() const {
  constexpr size_t kMost = 8;
  std::string names;
  for (size_t i = 0; i < std::min(unknown.size(), kMost); ++i) {
    names.append(i == 0 ? "\"" : ", \"").append(unknown[i]).append("\"");
  }
  return unknown.size() > kMost ? names + fmt::format(" and {} others", unknown.size() - kMost) : names;
}

DeviceLanes recognise_device_lanes(EventTable& table, size_t first_event, size_t first_track) {
  return LaneReader(table, first_event, first_track).read();
}

}  // namespace aaco

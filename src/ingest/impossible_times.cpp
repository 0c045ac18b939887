// SPDX-License-Identifier: MIT
#include "ingest/impossible_times.h"

#include <algorithm>
#include <compare>
#include <fmt/format.h>
#include <iterator>
#include <limits>
#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "base/format.h"

namespace aaco {

namespace {

constexpr size_t kSampled = 1001;    // starts that tell where most of a recording lies
constexpr size_t kMostRounds = 8;    // one impossible time may hide another
constexpr size_t kMostLong = 1'000;  // slices that are compared with all others
constexpr size_t kEnough = 10;       // slices in the rest, for a gap to prove something
constexpr int64_t kFarTimes = 100;   // times the length of the rest
constexpr int64_t kVeryFar = 1'000;  // likewise, where nothing but the distance speaks
constexpr int64_t kDay_ns = 86'400'000'000'000;

// From the first start to the last end.
struct Extent {
  int64_t start_ns = std::numeric_limits<int64_t>::max();
  int64_t last_start_ns = std::numeric_limits<int64_t>::min();
  int64_t end_ns = std::numeric_limits<int64_t>::min();
  int64_t longest_ns = 0;  // of work on a device and of calls
  uint64_t slices = 0;

  void add(int64_t from_ns, int64_t until_ns) {
    start_ns = std::min(start_ns, from_ns);
    last_start_ns = std::max(last_start_ns, from_ns);
    end_ns = std::max(end_ns, until_ns);
    ++slices;
  }
  int64_t length_ns() const { return slices == 0 ? 0 : end_ns - start_ns; }
};

bool is_work(EventKind kind) {
  return kind == EventKind::kKernel || kind == EventKind::kCopy || kind == EventKind::kSet;
}
// What holds nothing else of its track: others may lie around all that there is.
bool is_single(EventKind kind) { return is_work(kind) || kind == EventKind::kHostCall; }

bool is_known(int64_t id) { return id != kNoId && id != 0; }

// More than `factor` times `unit_ns`.
bool exceeds(int64_t ns, int64_t factor, int64_t unit_ns) { return ns / factor > unit_ns; }

// Ids count upwards, on a thread and on a stream; and work does not start before its call. All rows are looked at once,
// however many suspects there are, and what is kept is of the suspects alone.
class IdOrder {
 public:
  IdOrder(const EventTable& events, const std::vector<size_t>& rows, const std::vector<size_t>& suspects)
      : events_(events) {
    for (const size_t row : suspects) {
      const Key key = key_of(row);
      if (is_known(key.id)) {
        bounds_.emplace_back().key = key;
        if (is_work(key.kind)) {
          calls_.emplace_back().id = key.id;
        }
      }
    }
    sort_by(bounds_, &Bounds::key);
    sort_by(calls_, &Call::id);
    for (const size_t row : rows) {
      add(row);
    }
    for (size_t i = 1; i < bounds_.size(); ++i) {
      if (bounds_[i].key.is_beside(bounds_[i - 1].key)) {
        bounds_[i].latest_before_ns = std::max(bounds_[i].latest_before_ns, bounds_[i - 1].latest_before_ns);
      }
    }
    for (size_t i = bounds_.size(); i > 1; --i) {
      if (bounds_[i - 1].key.is_beside(bounds_[i - 2].key)) {
        bounds_[i - 2].earliest_after_ns = std::min(bounds_[i - 2].earliest_after_ns, bounds_[i - 1].earliest_after_ns);
      }
    }
  }

  // Of a suspect.
  bool is_broken_by(size_t row) const {
    const Key key = key_of(row);
    if (!is_known(key.id)) {
      return false;
    }
    const int64_t start_ns = events_.start_ns[row];
    const auto bounds = std::ranges::lower_bound(bounds_, key, {}, &Bounds::key);
    return bounds->latest_before_ns > start_ns || bounds->earliest_after_ns <= start_ns ||
           (is_work(key.kind) && std::ranges::lower_bound(calls_, key.id, {}, &Call::id)->latest_ns > start_ns);
  }

 private:
  struct Key {
    EventKind kind = EventKind::kOther;
    uint32_t track = 0;
    int64_t id = 0;

    bool is_beside(const Key& other) const { return kind == other.kind && track == other.track; }
    friend auto operator<=>(const Key&, const Key&) = default;
  };
  struct Bounds {
    Key key;
    int64_t latest_before_ns = std::numeric_limits<int64_t>::min();   // start of those with lower ids
    int64_t earliest_after_ns = std::numeric_limits<int64_t>::max();  // and with higher ones
  };
  struct Call {
    int64_t id = 0;
    int64_t latest_ns = std::numeric_limits<int64_t>::min();
  };

  template <class Value, class Member>
  static void sort_by(std::vector<Value>& values, Member member) {
    std::ranges::sort(values, {}, member);
    const auto repeated = std::ranges::unique(values, {}, member);
    values.erase(repeated.begin(), repeated.end());
  }

  Key key_of(size_t row) const {
    const EventKind kind = events_.kind[row];
    return {kind, events_.track[row], kind == EventKind::kHostOp ? events_.external_id[row] : events_.correlation[row]};
  }

  void add(size_t row) {
    const Key key = key_of(row);
    if (!is_known(key.id)) {
      return;
    }
    const int64_t start_ns = events_.start_ns[row];
    const auto from = std::ranges::lower_bound(bounds_, key, {}, &Bounds::key);
    const auto after = from != bounds_.end() && from->key == key ? from + 1 : from;
    if (after != bounds_.end() && after->key.is_beside(key)) {
      after->latest_before_ns = std::max(after->latest_before_ns, start_ns);
    }
    if (from != bounds_.begin() && (from - 1)->key.is_beside(key)) {
      (from - 1)->earliest_after_ns = std::min((from - 1)->earliest_after_ns, start_ns);
    }
    if (key.kind == EventKind::kHostCall) {
      const auto call = std::ranges::lower_bound(calls_, key.id, {}, &Call::id);
      if (call != calls_.end() && call->id == key.id) {
        call->latest_ns = std::max(call->latest_ns, start_ns);
      }
    }
  }

  const EventTable& events_;
  std::vector<Bounds> bounds_;  // by key
  std::vector<Call> calls_;     // by id, of suspects that are work
};

// The slices of one recording, which have one clock.
class RecordingTimes {
 public:
  RecordingTimes(EventTable& events, std::vector<size_t> rows) : events_(events), rows_(std::move(rows)) {}

  void set_aside_all() {
    for (size_t round = 0; round < kMostRounds && (set_aside_far() || set_aside_long()); ++round) {
    }
  }

 private:
  struct Suspects {
    std::vector<size_t> rows;
    Extent rest;
  };
  enum class Distance : uint8_t { kNear, kFar, kTooFar };  // kFar: impossible where something else speaks for it

  template <class IsSuspect>
  Suspects split(const IsSuspect& is_suspect) const {
    Suspects suspects;
    for (const size_t row : rows_) {
      if (is_suspect(row)) {
        suspects.rows.push_back(row);
      } else {
        suspects.rest.add(events_.start_ns[row], events_.end_ns(row));
      }
    }
    return suspects;
  }

  int64_t middle_start_ns() const;
  bool set_aside_far();
  bool set_aside_long();
  Distance distance_of(size_t row, const Suspects& suspects) const;
  std::vector<size_t> proved_of(const std::vector<size_t>& far, const Suspects& suspects) const;
  bool outlasts_a_sync(size_t row) const;
  size_t count_covered(size_t row, bool& of_its_launch) const;
  void set_aside(std::vector<size_t> rows, const Extent& rest);

  EventTable& events_;
  std::vector<size_t> rows_;
};

int64_t RecordingTimes::middle_start_ns() const {
  std::vector<int64_t> starts_ns;
  const size_t step = std::max<size_t>(rows_.size() / kSampled, 1);
  for (size_t i = 0; i < rows_.size(); i += step) {
    starts_ns.push_back(events_.start_ns[rows_[i]]);
  }
  const auto middle = starts_ns.begin() + static_cast<std::ptrdiff_t>(starts_ns.size() / 2);
  std::nth_element(starts_ns.begin(), middle, starts_ns.end());
  return *middle;
}

RecordingTimes::Distance RecordingTimes::distance_of(size_t row, const Suspects& suspects) const {
  const Extent& rest = suspects.rest;
  const int64_t start_ns = events_.start_ns[row];
  const int64_t gap_ns = start_ns < rest.start_ns ? rest.start_ns - events_.end_ns(row) : start_ns - rest.end_ns;
  const int64_t rest_ns = rest.length_ns();
  if (exceeds(gap_ns, kVeryFar, rest_ns) && gap_ns > kDay_ns && suspects.rows.size() <= 3 + rows_.size() / 100) {
    return Distance::kTooFar;
  }
  return rest.slices < kEnough || 4 * suspects.rows.size() > rows_.size() || !exceeds(gap_ns, kFarTimes, rest_ns)
             ? Distance::kNear
             : Distance::kFar;
}

// Of those far away what cannot lie there.
std::vector<size_t> RecordingTimes::proved_of(const std::vector<size_t>& far, const Suspects& suspects) const {
  const IdOrder order(events_, rows_, far);
  const bool with_host = std::any_of(rows_.begin(), rows_.end(), [&](size_t other) {
    return !is_on_device(events_.kind[other]) && events_.start_ns[other] != 0;
  });
  std::map<uint32_t, size_t> at_zero;  // by track
  for (const size_t row : suspects.rows) {
    if (events_.start_ns[row] == 0) {
      ++at_zero[events_.track[row]];
    }
  }
  // A recording whose clock starts with its first event has one at 0: of the host, or the only one on its stream.
  const auto is_no_first = [&](size_t row) {
    if (!is_work(events_.kind[row])) {
      return events_.kind[row] == EventKind::kHostCall && events_.duration_ns[row] == 0;
    }
    return with_host || at_zero[events_.track[row]] > 1 || events_.duration_ns[row] == 0;
  };
  std::vector<size_t> proved;
  std::copy_if(far.begin(), far.end(), std::back_inserter(proved),
               [&](size_t row) { return order.is_broken_by(row) || (events_.start_ns[row] == 0 && is_no_first(row)); });
  return proved;
}

bool RecordingTimes::set_aside_far() {
  Extent all;
  for (const size_t row : rows_) {
    all.add(events_.start_ns[row], events_.start_ns[row]);
  }
  if (all.slices < 3) {
    return false;
  }
  const int64_t middle_ns = middle_start_ns();
  const int64_t near_ns = all.length_ns() / 10 * 9;
  const auto is_far = [&](size_t row) {
    return events_.start_ns[row] > middle_ns ? events_.start_ns[row] - middle_ns > near_ns
                                             : middle_ns - events_.start_ns[row] > near_ns;
  };
  Suspects suspects = split([&](size_t row) { return is_far(row); });
  if (suspects.rows.empty() || suspects.rest.slices == 0 || 2 * suspects.rows.size() > rows_.size()) {
    return false;
  }
  // An overlong slice in the rest must not hide that others are far from it: the rest is measured without such.
  Extent rest;
  for (const size_t row : rows_) {
    if (!is_far(row)) {
      const bool overlong = is_single(events_.kind[row]) && events_.duration_ns[row] > all.length_ns() / 2;
      rest.add(events_.start_ns[row], overlong ? events_.start_ns[row] : events_.end_ns(row));
    }
  }
  suspects.rest = rest;
  std::vector<size_t> sure;
  std::vector<size_t> far;
  for (const size_t row : suspects.rows) {
    const Distance distance = distance_of(row, suspects);
    if (distance != Distance::kNear) {
      (distance == Distance::kTooFar ? sure : far).push_back(row);
    }
  }
  if (!far.empty()) {
    const std::vector<size_t> proved = proved_of(far, suspects);
    sure.insert(sure.end(), proved.begin(), proved.end());
  }
  const bool any = !sure.empty();
  set_aside(std::move(sure), rest);
  return any;
}

// Later slices of its track that start while it lasts: of a stream work, of a thread operators, which no call holds.
size_t RecordingTimes::count_covered(size_t row, bool& of_its_launch) const {
  size_t covered = 0;
  const bool work = is_work(events_.kind[row]);
  for (const size_t other : rows_) {
    const bool counts = work ? is_work(events_.kind[other]) : events_.kind[other] == EventKind::kHostOp;
    if (other != row && counts && events_.track[other] == events_.track[row] &&
        events_.start_ns[other] > events_.start_ns[row] && events_.start_ns[other] < events_.end_ns(row)) {
      ++covered;
      // Without ids a graph cannot be told from a queue.
      of_its_launch =
          of_its_launch ||
          (work && (!is_known(events_.correlation[row]) || events_.correlation[other] == events_.correlation[row]));
    }
  }
  return covered;
}

// All work of the only device had ended as the call returned.
bool RecordingTimes::outlasts_a_sync(size_t row) const {
  if (!is_work(events_.kind[row])) {
    return false;
  }
  std::set<std::pair<int64_t, int64_t>> devices;
  bool outlasts = false;
  for (const size_t other : rows_) {
    const Track& track = events_.tracks[events_.track[other]];
    if (is_work(events_.kind[other])) {
      devices.insert({track.rank, track.device});
    } else if (events_.kind[other] == EventKind::kHostCall && events_.start_ns[other] > events_.start_ns[row] &&
               events_.end_ns(other) < events_.end_ns(row)) {
      outlasts = outlasts || events_.strings[events_.name[other]].find("DeviceSynchronize") != std::string_view::npos;
    }
  }
  return outlasts && devices.size() == 1;
}

bool RecordingTimes::set_aside_long() {
  Extent all;
  for (const size_t row : rows_) {
    all.add(events_.start_ns[row], events_.end_ns(row));
  }
  const auto is_long = [&](size_t row) {
    return is_single(events_.kind[row]) && events_.duration_ns[row] > all.length_ns() / 2;
  };
  const Suspects suspects = split(is_long);
  if (suspects.rows.empty() || suspects.rest.slices == 0 || suspects.rows.size() > kMostLong) {
    return false;
  }
  const int64_t rest_ns = suspects.rest.length_ns();
  std::map<uint32_t, int64_t> shortest_ns;  // proved, by track
  std::vector<size_t> sure;
  for (const size_t row : suspects.rows) {
    const int64_t length_ns = events_.duration_ns[row];
    if (length_ns <= rest_ns || events_.end_ns(row) <= suspects.rest.end_ns) {
      continue;
    }
    bool of_its_launch = false;
    const size_t covered = count_covered(row, of_its_launch);
    const bool far_longer = length_ns / 10 > rest_ns;
    if ((covered >= 2 && (far_longer || (!of_its_launch && covered >= 3))) || outlasts_a_sync(row)) {
      sure.push_back(row);
      int64_t& least_ns = shortest_ns.try_emplace(events_.track[row], length_ns).first->second;
      least_ns = std::min(least_ns, length_ns);
    }
  }
  for (const size_t row : suspects.rows) {  // the last of a stream cover none, and are no better
    const auto proved = shortest_ns.find(events_.track[row]);
    if (proved != shortest_ns.end() && events_.duration_ns[row] / 10 > rest_ns &&
        events_.duration_ns[row] >= proved->second / 2 && std::find(sure.begin(), sure.end(), row) == sure.end()) {
      sure.push_back(row);
    }
  }
  const bool any = !sure.empty();
  set_aside(std::move(sure), suspects.rest);
  return any;
}

void RecordingTimes::set_aside(std::vector<size_t> rows, const Extent& rest) {
  std::sort(rows.begin(), rows.end());
  for (const size_t row : rows) {
    events_.losses.add(Loss::kImpossibleTime, [&] {
      return fmt::format("\"{}\" at {} ns for {}; all else lies within {} from {} ns on",
                         events_.strings[events_.name[row]], events_.start_ns[row],
                         format_duration_ns(static_cast<double>(events_.duration_ns[row])),
                         format_duration_ns(static_cast<double>(rest.length_ns())), rest.start_ns);
    });
    if (is_work(events_.kind[row])) {
      events_.losses.add_device_time(Loss::kImpossibleTime, events_.duration_ns[row]);
    }
    events_.shape[row] = EventShape::kUntimed;
    events_.start_ns[row] = 0;
  }
  std::erase_if(rows_, [&](size_t row) { return std::binary_search(rows.begin(), rows.end(), row); });
}

}  // namespace

// What most recordings cost is one look at each slice: that its recording holds nothing out of proportion.
void set_impossible_times_aside(EventTable& events) {
  struct Recording {
    Extent extent;
    uint64_t starts_in_middle = 0;
  };
  std::vector<Recording> recordings;
  std::vector<uint32_t> recording_of;
  for (const Track& track : events.tracks) {
    recording_of.push_back(track.recording);
    recordings.resize(std::max<size_t>(recordings.size(), track.recording + size_t{1}));
  }
  for (size_t i = 0; i < events.size(); ++i) {
    if (events.shape[i] != EventShape::kSlice) {
      continue;
    }
    Extent& extent = recordings[recording_of[events.track[i]]].extent;
    extent.add(events.start_ns[i], events.end_ns(i));
    if (is_single(events.kind[i])) {
      extent.longest_ns = std::max(extent.longest_ns, events.duration_ns[i]);
    }
  }
  // Where no slice takes half of the recording, and enough of them start in its middle, all is in proportion.
  const auto is_even = [](const Recording& recording) {
    return recording.starts_in_middle > 3 + recording.extent.slices / 100;
  };
  size_t uneven = recordings.size();
  for (size_t i = 0; i < events.size() && uneven > 0; ++i) {
    Recording& recording = recordings[recording_of[events.track[i]]];
    if (events.shape[i] != EventShape::kSlice || is_even(recording)) {
      continue;
    }
    const Extent& extent = recording.extent;
    const int64_t tenth_ns = (extent.last_start_ns - extent.start_ns) / 10;
    recording.starts_in_middle +=
        events.start_ns[i] > extent.start_ns + tenth_ns && events.start_ns[i] < extent.last_start_ns - tenth_ns ? 1 : 0;
    uneven -= is_even(recording) ? 1 : 0;
  }
  std::map<uint32_t, std::vector<size_t>> in_doubt;  // the slices of recordings that are not
  for (uint32_t i = 0; i < recordings.size(); ++i) {
    const Extent& extent = recordings[i].extent;
    if (extent.slices > 0 && (!is_even(recordings[i]) || extent.longest_ns > extent.length_ns() / 2)) {
      in_doubt[i].reserve(extent.slices);
    }
  }
  for (size_t i = 0; i < events.size() && !in_doubt.empty(); ++i) {
    const auto rows = in_doubt.find(recording_of[events.track[i]]);
    if (rows != in_doubt.end() && events.shape[i] == EventShape::kSlice) {
      rows->second.push_back(i);
    }
  }
  for (auto& [recording, rows] : in_doubt) {
    RecordingTimes(events, std::move(rows)).set_aside_all();
  }
}

}  // namespace aaco

// SPDX-License-Identifier: MIT
#include "analysis/counters/timed_runs.h"

#include <algorithm>
#include <array>
#include <span>
#include <string_view>
#include <utility>

namespace aaco {

namespace {

constexpr std::string_view kIndex = "Index";  // rocprof's number of a dispatch
// What else has to be the same of a dispatch: its place in the queue, its grid and what its kernel takes.
constexpr std::array<std::string_view, 12> kSame = {kIndex,      "queue-id",   "queue-index", "grd",
                                                    "wgr",       "lds",        "scr",         "vgpr",
                                                    "arch_vgpr", "accum_vgpr", "sgpr",        "wave_size"};
constexpr int64_t kAbsent = kNoId;

using Identity = std::array<int64_t, kSame.size()>;

class DispatchReader {
 public:
  explicit DispatchReader(const EventTable& events) : events_(events), place_(events.strings.size(), kSame.size()) {
    for (size_t id = 0; id < place_.size(); ++id) {
      const auto* position = std::find(kSame.begin(), kSame.end(), events.strings[static_cast<StringId>(id)]);
      place_[id] = static_cast<uint8_t>(position - kSame.begin());
    }
  }

  Identity identity_of(EventRow row) const {
    Identity identity;
    identity.fill(kAbsent);
    for (size_t i = events_.arguments.begin(row); i < events_.arguments.end(row); ++i) {
      const Argument argument = events_.arguments[i];
      if (place_[argument.key] < kSame.size() && argument.type == ArgumentType::kInteger) {
        identity[place_[argument.key]] = static_cast<int64_t>(argument.bits);
      }
    }
    return identity;
  }

  bool same(EventRow a, EventRow b) const {
    const auto device = [&](EventRow row) { return events_.tracks[events_.track[row]].device; };
    return events_.name[a] == events_.name[b] && device(a) == device(b) && identity_of(a) == identity_of(b);
  }

 private:
  const EventTable& events_;
  std::vector<uint8_t> place_;  // in kSame, by text
};

// The kernels of one recording, in the order of their indices.
struct Run {
  GrowingArray<EventRow> rows;
  bool numbered = true;  // each has an index, and no two the same
  bool timed = true;     // each has a length
  bool untimed = true;   // none has
  bool counted = false;  // any has counters
};

}  // namespace

TimedRuns::TimedRuns(const EventTable& events, const CounterReader& reader) : events_(events) {
  if (events.recordings.size() < 2) {
    return;
  }
  const DispatchReader dispatches(events);
  std::vector<Run> runs(events.recordings.size());
  std::vector<double> unused(compiled_formulas().names.size());
  for (size_t i = 0; i < events.size(); ++i) {
    if (events.kind[i] != EventKind::kKernel) {
      continue;
    }
    const auto row = static_cast<EventRow>(i);
    Run& run = runs[events.tracks[events.track[i]].recording];
    run.numbered = run.numbered && dispatches.identity_of(row)[0] != kAbsent;
    if (!run.numbered) {
      continue;
    }
    run.timed = run.timed && events.duration_ns[i] > 0;
    run.untimed = run.untimed && events.duration_ns[i] <= 0;
    run.counted = run.counted || reader.read(i, unused) == CounterReader::Holds::kCounters;
    run.rows.push_back(row);
  }
  for (Run& run : runs) {
    const auto rows = run.rows.view();
    std::sort(rows.begin(), rows.end(), [&](EventRow a, EventRow b) {
      return std::pair(dispatches.identity_of(a)[0], a) < std::pair(dispatches.identity_of(b)[0], b);
    });
    run.numbered =
        run.numbered && !rows.empty() && std::adjacent_find(rows.begin(), rows.end(), [&](EventRow a, EventRow b) {
                                           return dispatches.identity_of(a)[0] == dispatches.identity_of(b)[0];
                                         }) == rows.end();
  }
  for (const Run& counted : runs) {
    if (!counted.numbered || !counted.counted || !counted.untimed) {
      continue;
    }
    const auto is_its_run = [&](const Run& run) {
      return run.numbered && run.timed &&
             std::equal(run.rows.begin(), run.rows.end(), counted.rows.begin(), counted.rows.end(),
                        [&](EventRow a, EventRow b) { return dispatches.same(a, b); });
    };
    const auto first = std::find_if(runs.begin(), runs.end(), is_its_run);
    if (first == runs.end() || std::find_if(first + 1, runs.end(), is_its_run) != runs.end()) {
      continue;
    }
    for (size_t i = 0; i < counted.rows.size(); ++i) {
      pairs_.push_back({counted.rows[i], first->rows[i]});
    }
  }
  const auto pairs = pairs_.view();
  std::sort(pairs.begin(), pairs.end(), [](const Pair& a, const Pair& b) { return a.counted < b.counted; });
}

std::optional<TimedRuns::Length> TimedRuns::length_of(EventRow counted) const {
  const auto pairs = pairs_.view();
  const auto position = std::lower_bound(pairs.begin(), pairs.end(), counted,
                                         [](const Pair& pair, EventRow row) { return pair.counted < row; });
  if (position == pairs.end() || position->counted != counted) {
    return std::nullopt;
  }
  return Length{events_.duration_ns[position->timed], events_.tracks[events_.track[position->timed]].recording};
}

}  // namespace aaco

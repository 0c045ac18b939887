// SPDX-License-Identifier: MIT
#include "ingest/rocprof/rocprof_arrows.h"

#include <algorithm>
#include <map>
#include <optional>
#include <utility>
#include <vector>

#include "ingest/event_time.h"

namespace aaco {

namespace {

constexpr int64_t kResolutionNs = 1000;
constexpr int kMostBack = 64;  // slices that may have begun, and ended, between a call's start and its arrow

// The slices of each thread and stream, as the file names them.
class Slices {
 public:
  Slices(const EventTable& table, size_t first) : table_(table) {
    for (size_t i = first; i < table.size(); ++i) {
      if (table.shape[i] == EventShape::kSlice) {
        rows_[place_of(i)].push_back(i);
      }
    }
    for (auto& [place, rows] : rows_) {
      std::stable_sort(rows.begin(), rows.end(), [&](size_t a, size_t b) { return start(a) < start(b); });
    }
  }

  // The innermost on the thread of `mark` that began by `from_ns` and ended no earlier than `until_ns`.
  std::optional<size_t> around(size_t mark, int64_t from_ns, int64_t until_ns) const {
    const std::vector<size_t>& rows = beside(mark);
    auto row =
        std::upper_bound(rows.begin(), rows.end(), from_ns, [&](int64_t ns, size_t each) { return ns < start(each); });
    for (int back = 0; back < kMostBack && row != rows.begin(); ++back) {
      --row;
      if (end(*row) >= until_ns) {
        return *row;
      }
    }
    return std::nullopt;
  }

  // The call around it, else one that began within the microsecond.
  std::optional<size_t> around(size_t mark) const {
    const int64_t at_ns = start(mark);
    const auto exact = around(mark, at_ns, at_ns);
    return exact ? exact : around(mark, at_ns + kResolutionNs - 1, at_ns);
  }

  std::optional<size_t> beginning_at(size_t mark) const {
    const std::vector<size_t>& rows = beside(mark);
    const auto row = std::lower_bound(rows.begin(), rows.end(), start(mark),
                                      [&](size_t each, int64_t ns) { return start(each) < ns; });
    return row != rows.end() && start(*row) < start(mark) + kResolutionNs ? std::optional(*row) : std::nullopt;
  }

 private:
  using Place = std::pair<StringId, StringId>;

  int64_t start(size_t row) const { return table_.start_ns[row]; }
  int64_t end(size_t row) const { return table_.start_ns[row] + table_.duration_ns[row]; }
  Place place_of(size_t row) const {
    const Track& track = table_.tracks[table_.track[row]];
    return {track.process, track.thread};
  }
  const std::vector<size_t>& beside(size_t mark) const {
    static const std::vector<size_t> kNothing;
    const auto row = rows_.find(place_of(mark));
    return row == rows_.end() ? kNothing : row->second;
  }

  const EventTable& table_;
  std::map<Place, std::vector<size_t>> rows_;
};

}  // namespace

void link_by_arrows(EventTable& table, size_t first, int64_t behind_ns) {
  std::map<int64_t, size_t> starts;  // by the arrows' ids
  std::vector<size_t> ends;
  for (size_t i = first; i < table.size(); ++i) {
    const bool is_start = table.shape[i] == EventShape::kFlowStart;
    if (!is_start && table.shape[i] != EventShape::kFlowEnd) {
      continue;
    }
    table.start_ns[i] = std::clamp(table.start_ns[i] + behind_ns, -kFarthestNs, kFarthestNs);
    if (is_start) {
      starts[table.correlation[i]] = i;
    } else {
      ends.push_back(i);
    }
  }
  const Slices slices(table, first);
  for (const size_t end : ends) {
    const auto start = starts.find(table.correlation[end]);
    if (start == starts.end()) {
      continue;
    }
    const auto work = slices.beginning_at(end);
    if (!work) {
      continue;
    }
    // The writer moves a start that would lie behind the end to the end. What it says then is not where the call was,
    // but a call that returned after its work holds it all.
    const bool moved = table.start_ns[start->second] == table.start_ns[end];
    const auto call =
        moved ? slices.around(start->second, table.start_ns[*work], table.start_ns[*work] + table.duration_ns[*work])
              : slices.around(start->second);
    if (call && table.kind[*call] == EventKind::kHostCall && is_on_device(table.kind[*work])) {
      table.correlation[*call] = static_cast<int64_t>(*call - first) + 1;  // several arrows may leave one call
      table.correlation[*work] = table.correlation[*call];
    }
  }
}

}  // namespace aaco

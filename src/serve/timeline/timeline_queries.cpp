// SPDX-License-Identifier: MIT
#include "serve/timeline/timeline_queries.h"

#include <algorithm>
#include <cctype>
#include <iterator>

#include "record/events/event_table.h"
#include "record/intervals.h"

namespace aaco::serve {

namespace {

bool contains(std::string_view text, std::string_view part) {
  const auto is_same = [](char a, char b) {
    return std::tolower(static_cast<unsigned char>(a)) == std::tolower(static_cast<unsigned char>(b));
  };
  return std::search(text.begin(), text.end(), part.begin(), part.end(), is_same) != text.end();
}

// Slices of several lanes, each in order, in one order of their starts.
class LaneMerge {
 public:
  LaneMerge(std::span<const SliceLane> lanes, int64_t from_ns, int64_t to_ns) : to_ns_(to_ns) {
    for (const SliceLane& lane : lanes) {
      cursors_.push_back({&lane, lane.first_ending_after(from_ns), {}});
      load(cursors_.back());
    }
  }
  std::optional<LaneSlice> next() {
    LaneCursor* first = nullptr;
    for (LaneCursor& cursor : cursors_) {
      if (cursor.at < cursor.lane->size() && cursor.slice.start_ns < to_ns_ &&
          (first == nullptr || cursor.slice.start_ns < first->slice.start_ns)) {
        first = &cursor;
      }
    }
    if (first == nullptr) {
      return std::nullopt;
    }
    const LaneSlice slice = first->slice;
    ++first->at;
    load(*first);
    return slice;
  }

 private:
  struct LaneCursor {
    const SliceLane* lane;
    size_t at;
    LaneSlice slice;
  };
  static void load(LaneCursor& cursor) {
    if (cursor.at < cursor.lane->size()) {
      cursor.slice = (*cursor.lane)[cursor.at];
    }
  }

  std::vector<LaneCursor> cursors_;
  int64_t to_ns_;
};

// An annotation that is projected on a stream, and a wait of the stream, are no work of it.
bool keeps_busy(uint8_t category) {
  return category != static_cast<uint8_t>(EventKind::kDeviceRange) &&
         category != static_cast<uint8_t>(EventKind::kDeviceSync);
}

}  // namespace

SearchResult search_names(const TimelineIndex& index, std::string_view text, size_t limit) {
  SearchResult result;
  std::vector<bool> matches(index.labels());
  for (size_t label = 0; label < matches.size(); ++label) {
    matches[label] = contains(index.name_of(label), text);
  }
  if (std::find(matches.begin(), matches.end(), true) == matches.end()) {
    return result;
  }
  for (size_t track = 0; track < index.tracks(); ++track) {
    if (index.track(track).is_idle) {
      continue;
    }
    for (const SliceLane& lane : index.lanes(track)) {
      for (size_t block = 0; block < lane.blocks(); ++block) {
        const SliceBlock slices = lane.block(block);
        for (size_t i = 0; i < slices.size(); ++i) {
          const uint32_t label = slices.label(i);
          if (label >= matches.size() || !matches[label]) {
            continue;
          }
          if (++result.total <= limit) {
            result.matches.push_back({track, lane[block * kBlockSlices + i]});
          }
        }
      }
    }
  }
  return result;
}

SelectionStatistics selection_statistics(const TimelineIndex& index, std::span<const size_t> tracks, int64_t from_ns,
                                         int64_t to_ns) {
  SelectionStatistics statistics;
  std::vector<NameTotal> totals(std::max<size_t>(index.labels(), 1));
  for (const size_t track : tracks) {
    if (index.track(track).type != TrackType::kSlices) {
      continue;
    }
    int64_t busy_ns = 0;
    int64_t busy_until_ns = from_ns;
    LaneMerge slices(index.lanes(track), from_ns, to_ns);
    while (const std::optional<LaneSlice> slice = slices.next()) {
      const int64_t start_ns = std::max(slice->start_ns, from_ns);
      const int64_t end_ns = std::min(saturating_sum(slice->start_ns, slice->duration_ns), to_ns);
      NameTotal& total = totals[std::min<size_t>(slice->label, totals.size() - 1)];
      total.label = slice->label;
      ++total.count;
      total.total_ns += end_ns - start_ns;
      total.longest_ns = std::max(total.longest_ns, end_ns - start_ns);
      if (!keeps_busy(index.category_of(slice->label))) {
        continue;
      }
      busy_ns += std::max<int64_t>(0, end_ns - std::max(start_ns, busy_until_ns));
      busy_until_ns = std::max(busy_until_ns, end_ns);
    }
    statistics.tracks.push_back({track, busy_ns});
  }
  std::copy_if(totals.begin(), totals.end(), std::back_inserter(statistics.names),
               [](const NameTotal& total) { return total.count > 0; });
  std::sort(statistics.names.begin(), statistics.names.end(), [](const NameTotal& a, const NameTotal& b) {
    return a.total_ns != b.total_ns ? a.total_ns > b.total_ns : a.label < b.label;
  });
  return statistics;
}

std::optional<TimelineEvent> event_of_row(const TimelineIndex& index, uint32_t row) {
  for (size_t track = 0; track < index.tracks(); ++track) {
    for (const SliceLane& lane : index.lanes(track)) {
      for (size_t block = 0; block < lane.blocks(); ++block) {
        const SliceBlock slices = lane.block(block);
        for (size_t i = 0; slices.may_hold_row(row) && i < slices.size(); ++i) {
          if (slices.row(i) == row) {
            return TimelineEvent{track, lane[block * kBlockSlices + i]};
          }
        }
      }
    }
  }
  return std::nullopt;
}

std::vector<TimelineEvent> worst_gaps(const TimelineIndex& index, size_t limit) {
  const auto is_longer = [](const TimelineEvent& a, const TimelineEvent& b) {
    return a.slice.duration_ns != b.slice.duration_ns ? a.slice.duration_ns > b.slice.duration_ns
                                                      : a.slice.start_ns < b.slice.start_ns;
  };
  std::vector<TimelineEvent> gaps;  // a heap, the shortest on top
  for (size_t track = 0; track < index.tracks(); ++track) {
    for (const SliceLane& lane : index.lanes(track)) {
      for (size_t i = 0; index.track(track).is_idle && i < lane.size(); ++i) {
        const size_t block = i / kBlockSlices;
        if (i % kBlockSlices == 0 && gaps.size() == limit && limit > 0 &&
            lane.node(block).longest_ns < gaps.front().slice.duration_ns) {
          i += kBlockSlices - 1;  // none of it is long enough
          continue;
        }
        const TimelineEvent gap{track, lane[i]};
        if (gaps.size() < limit) {
          gaps.push_back(gap);
          std::push_heap(gaps.begin(), gaps.end(), is_longer);
        } else if (limit > 0 && is_longer(gap, gaps.front())) {
          std::pop_heap(gaps.begin(), gaps.end(), is_longer);
          gaps.back() = gap;
          std::push_heap(gaps.begin(), gaps.end(), is_longer);
        }
      }
    }
  }
  std::sort(gaps.begin(), gaps.end(), is_longer);
  return gaps;
}

}  // namespace aaco::serve

// SPDX-License-Identifier: MIT
#include "kind/sharded/copied_gathers.h"

#include <algorithm>
#include <fmt/format.h>

namespace aaco {

namespace {

constexpr int64_t kMostFlagBytes = 16;
constexpr const char* kName = "nccl AllGather by copy engines";

class GatherMerger {
 public:
  GatherMerger(std::vector<RankEvent>& rows, StringTable& texts, const RankRecords& of, bool streams_apart)
      : rows_(rows), texts_(texts), of_(of), streams_apart_(streams_apart) {
    for (size_t i = 0; i < of.collectives.size(); ++i) {
      if (of.collectives[i].name == "all_gather") {
        gathers_.push_back(i);
      }
    }
    for (size_t i = 0; i < rows.size(); ++i) {
      if (is_candidate(rows[i])) {
        (rows[i].bytes <= kMostFlagBytes ? flags_ : parts_).push_back(i);
      }
    }
  }

  Result<void> merge() {
    const size_t gathers = gathers_.size() * static_cast<size_t>(of_.steps);
    // To every rank of the shard group, or, where it is in place already, to every other one.
    const size_t each = gathers == 0 ? 0 : parts_.size() / gathers;
    const size_t ranks = gathers == 0 ? 0 : of_.collectives[gathers_.front()].members.size();
    if (each == 0 || parts_.size() != each * gathers || (each != ranks && each + 1 != ranks)) {
      return wrong(gathers);
    }
    for (size_t number = 0; number < gathers; ++number) {
      const size_t collective = gathers_[number % gathers_.size()];
      for (size_t i = 0; i < each; ++i) {
        if (rows_[parts_[number * each + i]].bytes != of_.collectives[collective].bytes) {
          return wrong(gathers);
        }
      }
    }
    merge_each(each, gathers);
    return {};
  }

 private:
  bool is_candidate(const RankEvent& row) const {
    if (row.event.kind != EventKind::kCopy) {
      return false;
    }
    return std::any_of(gathers_.begin(), gathers_.end(), [&](size_t gather) {
      const RecordedCollective& collective = of_.collectives[gather];
      return streams_apart_ ? row.stream == collective.stream
                            : row.bytes == collective.bytes || row.bytes <= kMostFlagBytes;
    });
  }

  Error wrong(size_t gathers) const {
    return {ErrorKind::kInvalid,
            fmt::format("rank {}: the records have no kernel of {} gathers, and {} copies and {} short ones {}, of {} "
                        "copies in all",
                        of_.rank, gathers, parts_.size(), flags_.size(),
                        streams_apart_ ? "on their streams" : "of their size", copies_in_all()),
            "the collector lost records, or the library gathers in a way that is not known; "
            "distributed.collectives=kernel can be recorded"};
  }

  int64_t copies_in_all() const {
    return std::count_if(rows_.begin(), rows_.end(),
                         [](const RankEvent& row) { return row.event.kind == EventKind::kCopy; });
  }

  void merge_each(size_t each, size_t gathers) {
    const StringId name = texts_.intern(kName);
    std::vector<bool> gone(rows_.size(), false);
    const size_t flags = flags_.size() % (2 * gathers) == 0 ? flags_.size() / gathers : 0;
    for (size_t number = 0; number < gathers; ++number) {
      RankEvent& first = rows_[parts_[number * each]];
      const auto take = [&](size_t row) {
        const TraceEvent& event = rows_[row].event;
        const int64_t end_ns =
            std::max(first.event.start_ns + first.event.duration_ns, event.start_ns + event.duration_ns);
        first.event.start_ns = std::min(first.event.start_ns, event.start_ns);
        first.event.duration_ns = end_ns - first.event.start_ns;
        gone[row] = &rows_[row] != &first;
      };
      for (size_t i = 0; i < each; ++i) {
        take(parts_[number * each + i]);
      }
      for (size_t i = 0; i < flags; ++i) {
        take(flags_[number * flags + i]);
      }
      first.event.name = name;
      first.collective = static_cast<int64_t>(gathers_[number % gathers_.size()]);
    }
    std::vector<RankEvent> left;
    for (size_t i = 0; i < rows_.size(); ++i) {
      if (!gone[i]) {
        left.push_back(rows_[i]);
      }
    }
    std::stable_sort(left.begin(), left.end(),
                     [](const RankEvent& a, const RankEvent& b) { return a.event.start_ns < b.event.start_ns; });
    rows_ = std::move(left);
  }

  std::vector<RankEvent>& rows_;
  StringTable& texts_;
  const RankRecords& of_;
  bool streams_apart_;
  std::vector<size_t> gathers_;  // of the step, in the program's order
  std::vector<size_t> parts_;    // rows
  std::vector<size_t> flags_;
};

}  // namespace

Result<void> merge_copied_gathers(std::vector<RankEvent>& rows, StringTable& texts, const RankRecords& of,
                                  bool streams_apart) {
  return GatherMerger(rows, texts, of, streams_apart).merge();
}

}  // namespace aaco

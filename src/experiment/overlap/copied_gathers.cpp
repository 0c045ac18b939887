// SPDX-License-Identifier: MIT
#include "experiment/overlap/copied_gathers.h"

#include <algorithm>
#include <fmt/format.h>

#include "trace/device_activity.h"

namespace aaco {

namespace {

constexpr int64_t kMostFlagBytes = 16;
constexpr const char* kName = "nccl AllGather by copy engines";

class GatherMerger {
 public:
  GatherMerger(std::vector<RecordRow>& rows, RankRecords& of, bool streams_apart)
      : rows_(rows), of_(of), streams_apart_(streams_apart) {
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
  bool is_candidate(const RecordRow& row) const {
    if (static_cast<ActivityKind>(row.kind) != ActivityKind::kCopy) {
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
            fmt::format("rank {}: the records have no kernel of {} gathers, and {} copies and {} short ones on their "
                        "streams",
                        of_.rank, gathers, parts_.size(), flags_.size()),
            "the collector lost records, or the library gathers in a way that is not known; "
            "distributed.collectives=kernel can be recorded"};
  }

  void merge_each(size_t each, size_t gathers) {
    of_.names.emplace_back(kName);
    std::vector<bool> gone(rows_.size(), false);
    const size_t flags = flags_.size() % (2 * gathers) == 0 ? flags_.size() / gathers : 0;
    for (size_t number = 0; number < gathers; ++number) {
      RecordRow& first = rows_[parts_[number * each]];
      const auto take = [&](size_t row) {
        first.start_ns = std::min(first.start_ns, rows_[row].start_ns);
        first.end_ns = std::max(first.end_ns, rows_[row].end_ns);
        gone[row] = &rows_[row] != &first;
      };
      for (size_t i = 0; i < each; ++i) {
        take(parts_[number * each + i]);
      }
      for (size_t i = 0; i < flags; ++i) {
        take(flags_[number * flags + i]);
      }
      first.name = static_cast<int64_t>(of_.names.size()) - 1;
      first.collective = static_cast<int64_t>(gathers_[number % gathers_.size()]);
    }
    std::vector<RecordRow> left;
    for (size_t i = 0; i < rows_.size(); ++i) {
      if (!gone[i]) {
        left.push_back(rows_[i]);
      }
    }
    std::stable_sort(left.begin(), left.end(),
                     [](const RecordRow& a, const RecordRow& b) { return a.start_ns < b.start_ns; });
    rows_ = std::move(left);
  }

  std::vector<RecordRow>& rows_;
  RankRecords& of_;
  bool streams_apart_;
  std::vector<size_t> gathers_;  // of the step, in the program's order
  std::vector<size_t> parts_;    // rows
  std::vector<size_t> flags_;
};

}  // namespace

Result<void> merge_copied_gathers(std::vector<RecordRow>& rows, RankRecords& of, bool streams_apart) {
  return GatherMerger(rows, of, streams_apart).merge();
}

}  // namespace aaco

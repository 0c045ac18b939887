// SPDX-License-Identifier: MIT
#include "analysis/timeline/trace_diff/trace_diff.h"

#include <algorithm>
#include <cstdlib>
#include <iterator>
#include <map>
#include <optional>
#include <string_view>
#include <tuple>
#include <utility>

#include "analysis/timeline/join_losses.h"
#include "analysis/timeline/lookup/event_arguments.h"
#include "analysis/timeline/operators/device_names.h"
#include "analysis/timeline/operators/operator_links.h"
#include "record/intervals.h"

namespace aaco {

namespace {

using Wide = __int128;

// What one side has of the device's work, with names in the strings of the difference.
class Side {
 public:
  struct Execution {
    StringId kernel;
    StringId shapes;
    uint32_t path;
    int64_t duration_ns;
    EventRow op;
  };

  Side(const EventTable& events, TraceDiff& diff, LossTable& losses)
      : events_(events), diff_(diff), names_(events.strings.size()) {
    const LaunchIndex launches(events);
    const std::vector<DeviceWork> devices = device_work(events, launches);
    losses = trace_losses(events, devices, launches);
    std::vector<std::pair<uint32_t, int64_t>> linked;  // recordings and ranks
    for (const RankOperators& rank : link_operators(events, devices)) {
      linked.emplace_back(rank.recording, rank.rank);
      add(rank);
    }
    for (const DeviceWork& device : devices) {
      if (!std::binary_search(linked.begin(), linked.end(), std::pair(device.recording, device.rank))) {
        for (const DeviceSlice& slice : device.slices) {
          add(slice.event, kNoEvent, CallPaths::kNone);
        }
      }
    }
  }

  const std::vector<Execution>& executions() const { return executions_; }
  bool has_shapes() const { return has_shapes_; }
  bool has_operators() const { return has_operators_; }

 private:
  void add(const RankOperators& rank) {
    const std::vector<uint32_t> paths = operator_paths(
        events_, rank.operators, [&](EventRow row) { return operator_name(events_.name[row]); }, diff_.paths);
    for (const LinkedSlice& slice : rank.slices) {
      const auto op = std::lower_bound(rank.operators.begin(), rank.operators.end(), slice.op);
      add(slice.event, slice.op,
          slice.op == kNoEvent ? CallPaths::kNone : paths[static_cast<size_t>(op - rank.operators.begin())]);
    }
  }

  void add(EventRow slice, EventRow op, uint32_t path) {
    StringId shapes = kEmptyString;
    if (op != kNoEvent) {
      auto dims = text_argument(events_, op, "Input Dims");
      dims = dims ? dims : text_argument(events_, op, "Input dims");  // of 2021
      shapes = dims ? name(*dims) : kEmptyString;
      has_shapes_ = has_shapes_ || dims;
      has_operators_ = true;
    }
    executions_.push_back({name(events_.name[slice]), shapes, path, events_.duration_ns[slice], op});
  }

  // Without the number of a step (ProfilerStep#7), which says where in a recording it lies and not what it is.
  StringId operator_name(StringId id) {
    const std::string_view full = events_.strings[id];
    const size_t last = full.find_last_not_of("0123456789");
    const bool numbered = last != std::string_view::npos && full[last] == '#' && last + 1 < full.size();
    return numbered ? diff_.strings.intern(full.substr(0, last)) : name(id);
  }

  StringId name(StringId id) {
    if (!names_[id]) {
      names_[id] = diff_.strings.intern(events_.strings[id]);
    }
    return *names_[id];
  }

  const EventTable& events_;
  TraceDiff& diff_;
  std::vector<std::optional<StringId>> names_;
  std::vector<Execution> executions_;
  bool has_shapes_ = false;
  bool has_operators_ = false;
};

class Rows {
 public:
  explicit Rows(TraceDiff& diff) : diff_(diff) {}

  void add(const Side& side, DiffSide DiffRow::* which) {
    for (const Side::Execution& execution : side.executions()) {
      const uint32_t path = diff_.by_paths ? execution.path : CallPaths::kNone;
      const StringId shapes = diff_.by_shapes && diff_.by_paths ? execution.shapes : kEmptyString;
      DiffSide& kernel = row_of(kernels_, execution.kernel, shapes, path).*which;
      DiffSide& op = row_of(operators_, kEmptyString, shapes, path).*which;
      ++kernel.count;
      kernel.total_ns = saturating_sum(kernel.total_ns, execution.duration_ns);
      op.total_ns = saturating_sum(op.total_ns, execution.duration_ns);
      op.count += path == CallPaths::kNone ? 1 : 0;
    }
    count_calls(side, which);
  }

  void finish() {
    diff_.kernels = finished(kernels_);
    diff_.operators = finished(operators_);
    split_unlaunched_by_kernel();
  }

 private:
  using Key = std::tuple<StringId, StringId, uint32_t>;
  using Table = std::map<Key, DiffRow>;

  static DiffRow& row_of(Table& table, StringId kernel, StringId shapes, uint32_t path) {
    DiffRow& row = table[{kernel, shapes, path}];
    std::tie(row.kernel, row.shapes, row.path) = std::tie(kernel, shapes, path);
    return row;
  }

  // Each operator once that launched something.
  void count_calls(const Side& side, DiffSide DiffRow::* which) {
    if (!diff_.by_paths) {
      return;
    }
    std::vector<std::tuple<EventRow, StringId, uint32_t>> calls;
    for (const Side::Execution& execution : side.executions()) {
      if (execution.path != CallPaths::kNone) {
        calls.emplace_back(execution.op, diff_.by_shapes ? execution.shapes : kEmptyString, execution.path);
      }
    }
    std::sort(calls.begin(), calls.end());
    calls.erase(std::unique(calls.begin(), calls.end()), calls.end());
    for (const auto& [op, shapes, path] : calls) {
      ++(row_of(operators_, kEmptyString, shapes, path).*which).count;
    }
  }

  std::vector<DiffRow> finished(const Table& table) const {
    std::vector<DiffRow> rows;
    for (const auto& [key, row] : table) {
      rows.push_back(row);
      rows.back().terms = change_terms(row.before, row.after);
    }
    std::stable_sort(rows.begin(), rows.end(), [&](const DiffRow& a, const DiffRow& b) {
      const auto key = [&](const DiffRow& row) {
        return std::tuple(-std::abs(row.change_ns()), diff_.strings[row.kernel],
                          diff_.strings[diff_.paths[row.path].name], diff_.strings[row.shapes]);
      };
      return key(a) < key(b);
    });
    return rows;
  }

  // What no operator launched is a mixture, whose mean time means nothing: its terms are those of its kernels.
  void split_unlaunched_by_kernel() {
    std::vector<DiffRow> unlaunched;
    std::ranges::copy_if(diff_.kernels, std::back_inserter(unlaunched),
                         [](const DiffRow& row) { return row.path == CallPaths::kNone; });
    for (DiffRow& row : diff_.operators) {
      row.terms = row.path == CallPaths::kNone ? sum_of_terms(unlaunched) : row.terms;
    }
  }

  TraceDiff& diff_;
  Table kernels_;
  Table operators_;
};

// To the nearest integer, halves away from zero.
Wide rounded(Wide dividend, Wide divisor) {
  const Wide twice = 2 * (dividend < 0 ? -dividend : dividend) + divisor;
  const Wide magnitude = twice / (2 * divisor);
  return dividend < 0 ? -magnitude : magnitude;
}

ChangeTerms terms_of(Wide count_ns, int64_t change_ns) {
  const Wide time_ns = change_ns - count_ns;
  if (count_ns > INT64_MAX || -count_ns > INT64_MAX || time_ns > INT64_MAX || -time_ns > INT64_MAX) {
    return {0, change_ns};
  }
  return {static_cast<int64_t>(count_ns), static_cast<int64_t>(time_ns)};
}

}  // namespace

// The means are split into whole nanoseconds and the rest, for the products to fit into 128 bits.
ChangeTerms change_terms(const DiffSide& before, const DiffSide& after) {
  const int64_t change_ns = after.total_ns - before.total_ns;
  if (before.count == 0 || after.count == 0) {
    return {change_ns, 0};
  }
  const Wide n0 = before.count;
  const Wide n = after.count;
  const Wide whole = (n - n0) * (before.total_ns / n0 + after.total_ns / n);
  const Wide rest = (n - n0) * (before.total_ns % n0 * n + after.total_ns % n * n0);  // over n0 n
  const Wide odd = whole % 2;
  const Wide count_ns = whole / 2 + rounded(odd * n0 * n + rest, 2 * n0 * n);
  return terms_of(count_ns, change_ns);
}

TraceDiff diff_traces(const EventTable& before, const EventTable& after) {
  TraceDiff diff;
  const Side first(before, diff, diff.losses_before);
  const Side second(after, diff, diff.losses_after);
  diff.devices_before = DeviceNames(before).all();
  diff.devices_after = DeviceNames(after).all();
  diff.by_paths = first.has_operators() && second.has_operators();
  diff.by_shapes = diff.by_paths && first.has_shapes() && second.has_shapes();
  Rows rows(diff);
  rows.add(first, &DiffRow::before);
  rows.add(second, &DiffRow::after);
  rows.finish();
  for (const DiffRow& row : diff.kernels) {
    diff.before = {diff.before.count + row.before.count, saturating_sum(diff.before.total_ns, row.before.total_ns)};
    diff.after = {diff.after.count + row.after.count, saturating_sum(diff.after.total_ns, row.after.total_ns)};
  }
  return diff;
}

bool on_other_devices(const TraceDiff& diff) {
  return !diff.devices_before.empty() && !diff.devices_after.empty() && diff.devices_before != diff.devices_after;
}

ChangeTerms sum_of_terms(const std::vector<DiffRow>& rows) {
  Wide count_ns = 0;
  int64_t change_ns = 0;
  for (const DiffRow& row : rows) {
    count_ns += row.terms.count_ns;
    change_ns += row.change_ns();
  }
  return terms_of(count_ns, change_ns);
}

}  // namespace aaco

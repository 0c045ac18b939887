// SPDX-License-Identifier: MIT
#include "analysis/counters/counted_dispatches.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <tuple>
#include <utility>

namespace aaco {

namespace {

constexpr double kNone = std::numeric_limits<double>::quiet_NaN();

bool is_counter(size_t slot) { return !compiled_formulas().names[slot].starts_with('$'); }

}  // namespace

CountedDispatch::CountedDispatch(const EventTable& events, const CounterReader& reader,
                                 std::span<const EventRow> rows) {
  using Holds = CounterReader::Holds;
  merged_.assign(compiled_formulas().names.size(), kNone);
  // Counting slows a kernel down: of what says a length a pass without counters comes first, then the one on the
  // timeline, then any.
  int best = 0;
  for (const EventRow row : rows) {
    std::vector<double> pass(merged_.size(), kNone);
    const Holds holds = reader.read(row, pass);
    holds_ = std::max(holds_, holds);
    const int quality = events.duration_ns[row] <= 0              ? 0
                        : holds != Holds::kCounters               ? 3
                        : events.shape[row] == EventShape::kSlice ? 2
                                                                  : 1;
    if (quality > best) {
      best = quality;
      duration_ns_ = events.duration_ns[row];
    }
    for (size_t slot = 0; slot < pass.size(); ++slot) {
      merged_[slot] = std::isnan(merged_[slot]) ? pass[slot] : merged_[slot];
    }
    if (rows.size() > 1 && holds == Holds::kCounters) {
      passes_.push_back(std::move(pass));
    }
  }
  // A merged table has counters of several passes in one row: what has fewer was rather counted together.
  const auto counters = [](const std::vector<double>& pass) {
    return std::count_if(pass.begin(), pass.end(), [](double value) { return !std::isnan(value); });
  };
  std::stable_sort(passes_.begin(), passes_.end(),
                   [&](const auto& a, const auto& b) { return counters(a) < counters(b); });
}

std::span<const double> CountedDispatch::slots_for(std::span<const size_t> slots) {
  for (const std::vector<double>& pass : passes_) {
    const auto has = [&](size_t slot) { return !is_counter(slot) || !std::isnan(pass[slot]); };
    if (std::all_of(slots.begin(), slots.end(), has)) {
      together_ = merged_;
      for (const size_t slot : slots) {
        together_[slot] = is_counter(slot) ? pass[slot] : merged_[slot];
      }
      return together_;
    }
  }
  return merged_;
}

CountedKernel counted_kernel(const EventTable& events, const CountedRow& row) {
  const Track& track = events.tracks[events.track[row.row]];
  return {track.recording, track.rank, track.device, events.name[row.row]};
}

GrowingArray<CountedRow> counted_rows(const EventTable& events, const CounterReader& reader) {
  GrowingArray<CountedRow> all;
  std::vector<double> unused(compiled_formulas().names.size());
  for (size_t i = 0; i < events.size(); ++i) {
    const bool may_count = events.shape[i] == EventShape::kSlice || events.shape[i] == EventShape::kUntimed;
    if (events.kind[i] != EventKind::kKernel || !may_count) {
      continue;
    }
    const auto dispatch = reader.dispatch_of(i);
    if (dispatch || reader.read(i, unused) != CounterReader::Holds::kNothing) {
      all.push_back({dispatch.value_or(kNoId), static_cast<EventRow>(i)});
    }
  }
  if (!all.empty()) {
    std::sort(&all[0], &all.back() + 1, [&](const CountedRow& a, const CountedRow& b) {
      return std::tuple(counted_kernel(events, a), a.dispatch, a.row) <
             std::tuple(counted_kernel(events, b), b.dispatch, b.row);
    });
  }
  return all;
}

}  // namespace aaco

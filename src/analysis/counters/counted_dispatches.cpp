// SPDX-License-Identifier: MIT
#include "analysis/counters/counted_dispatches.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <tuple>

namespace aaco {

namespace {

constexpr double kNone = std::numeric_limits<double>::quiet_NaN();

bool is_counter(size_t slot) { return !compiled_formulas().names[slot].starts_with('$'); }

}  // namespace

CountedDispatch::CountedDispatch(const EventTable& events, const CounterReader& reader,
                                 std::span<const EventRow> rows) {
  using Holds = CounterReader::Holds;
  merged_.assign(compiled_formulas().names.size(), kNone);
  // Of what says a length the one on the timeline comes first. Counting slows a kernel down: then one without counters
  // comes first, but what has none that formulas know may have been counted all the same.
  int best = 0;
  std::vector<double> pass;
  for (const EventRow row : rows) {
    pass.assign(merged_.size(), kNone);
    const Holds holds = reader.read(row, pass);
    holds_ = std::max(holds_, holds);
    const int on_timeline = events.shape[row] == EventShape::kSlice ? 2 : 0;
    const int quality = events.duration_ns[row] <= 0 ? 0 : 1 + on_timeline + (holds != Holds::kCounters ? 1 : 0);
    if (quality > best) {
      best = quality;
      duration_ns_ = events.duration_ns[row];
    }
    for (size_t slot = 0; slot < pass.size(); ++slot) {
      merged_[slot] = std::isnan(merged_[slot]) ? pass[slot] : merged_[slot];
    }
    if (rows.size() > 1 && holds == Holds::kCounters) {
      keep(pass);
    }
  }
  // A merged table has counters of several passes in one row: what has fewer was rather counted together.
  std::stable_sort(passes_.begin(), passes_.end(), [](const Pass& a, const Pass& b) { return a.count < b.count; });
}

void CountedDispatch::keep(std::span<const double> pass) {
  const size_t first = values_.size();
  for (size_t slot = 0; slot < pass.size(); ++slot) {
    if (!std::isnan(pass[slot])) {
      values_.push_back({slot, pass[slot]});
    }
  }
  passes_.push_back({first, values_.size() - first});
}

double CountedDispatch::value_of(const Pass& pass, size_t slot) const {
  const auto values = std::span(values_).subspan(pass.first, pass.count);
  const auto position = std::lower_bound(values.begin(), values.end(), slot,
                                         [](const Value& value, size_t at) { return value.slot < at; });
  return position == values.end() || position->slot != slot ? kNone : position->value;
}

std::span<const double> CountedDispatch::slots_for(std::span<const size_t> slots) {
  for (const Pass& pass : passes_) {
    const auto has = [&](size_t slot) { return !is_counter(slot) || !std::isnan(value_of(pass, slot)); };
    if (std::all_of(slots.begin(), slots.end(), has)) {
      together_ = merged_;
      for (const size_t slot : slots) {
        together_[slot] = is_counter(slot) ? value_of(pass, slot) : merged_[slot];
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

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

auto kernel_of(const DispatchRows& rows) { return std::tie(rows.recording, rows.rank, rows.device, rows.name); }

}  // namespace

CountedDispatch::CountedDispatch(const EventTable& events, const CounterReader& reader,
                                 std::span<const uint64_t> rows) {
  using Holds = CounterReader::Holds;
  merged_.assign(compiled_formulas().names.size(), kNone);
  // Counting slows a kernel down: of what says a length a pass without counters comes first, then the one on the
  // timeline, then any.
  int best = 0;
  for (const uint64_t row : rows) {
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

std::vector<DispatchRows> dispatch_rows(const EventTable& events, const CounterReader& reader) {
  std::vector<DispatchRows> all;
  std::vector<double> unused(compiled_formulas().names.size());
  for (size_t i = 0; i < events.size(); ++i) {
    const bool may_count = events.shape[i] == EventShape::kSlice || events.shape[i] == EventShape::kUntimed;
    if (events.kind[i] != EventKind::kKernel || !may_count) {
      continue;
    }
    const auto dispatch = reader.dispatch_of(i);
    if (!dispatch && reader.read(i, unused) == CounterReader::Holds::kNothing) {
      continue;
    }
    const Track& track = events.tracks[events.track[i]];
    all.push_back({track.recording, track.rank, track.device, events.name[i], dispatch.value_or(kNoId), i});
  }
  std::sort(all.begin(), all.end(), [](const DispatchRows& a, const DispatchRows& b) {
    return std::tuple(kernel_of(a), a.dispatch, a.row) < std::tuple(kernel_of(b), b.dispatch, b.row);
  });
  return all;
}

bool same_dispatch(const DispatchRows& a, const DispatchRows& b) {
  return same_kernel(a, b) && a.dispatch == b.dispatch && a.dispatch != kNoId;
}

bool same_kernel(const DispatchRows& a, const DispatchRows& b) { return kernel_of(a) == kernel_of(b); }

}  // namespace aaco

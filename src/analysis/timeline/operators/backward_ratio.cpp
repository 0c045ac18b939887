// SPDX-License-Identifier: MIT
#include "analysis/timeline/operators/backward_ratio.h"

#include <algorithm>
#include <array>
#include <map>

#include "record/intervals.h"

namespace aaco {

namespace {

constexpr std::string_view kEvaluation = "autograd::engine::evaluate_function: ";

struct ExpectedRatio {
  OpFamily family;
  Range flops;
};
// Two gradients a product, and a tenth for those that need none (of the first layer's input). Fused attention computes
// its scores again: five products for two.
constexpr auto kExpected = std::to_array<ExpectedRatio>({
    {OpFamily::kProduct, {1.8, 2.2}},
    {OpFamily::kConvolution, {1.8, 2.2}},
    {OpFamily::kAttention, {2.25, 2.75}},
});
// Gradients' products have other shapes than forward's, some less efficient; none is several times as fast.
constexpr Range kTimeExpected{1, 4};

// When the engine evaluated on each thread.
std::map<uint32_t, SpanSet> evaluations(const EventTable& events, const RankOperators& rank) {
  std::map<uint32_t, std::vector<Span>> spans;
  std::map<StringId, bool> evaluates;
  for (const EventRow op : rank.operators) {
    const auto [entry, added] = evaluates.try_emplace(events.name[op], false);
    if (added) {
      entry->second = events.strings[events.name[op]].starts_with(kEvaluation);
    }
    if (entry->second) {
      spans[events.track[op]].push_back({events.start_ns[op], events.end_ns(op)});
    }
  }
  std::map<uint32_t, SpanSet> sets;
  for (const auto& [track, track_spans] : spans) {
    sets[track] = union_of(track_spans);
  }
  return sets;
}

bool lies_in(const SpanSet& set, int64_t time_ns) {
  const auto behind = std::upper_bound(set.begin(), set.end(), time_ns,
                                       [](int64_t time, const Span& span) { return time < span.start_ns; });
  return behind != set.begin() && time_ns < std::prev(behind)->end_ns;
}

struct OperatorTime {
  EventRow op = kNoEvent;
  int64_t device_ns = 0;
};

// By operator, ascending.
std::vector<OperatorTime> device_times(const EventTable& events, const RankOperators& rank) {
  std::vector<OperatorTime> times;
  times.reserve(rank.slices.size());
  for (const LinkedSlice& slice : rank.slices) {
    if (slice.op != kNoEvent) {
      times.push_back({slice.op, events.duration_ns[slice.event]});
    }
  }
  std::sort(times.begin(), times.end(), [](const OperatorTime& a, const OperatorTime& b) { return a.op < b.op; });
  size_t count = 0;
  for (const OperatorTime& time : times) {
    if (count > 0 && times[count - 1].op == time.op) {
      times[count - 1].device_ns = saturating_sum(times[count - 1].device_ns, time.device_ns);
    } else {
      times[count++] = time;
    }
  }
  times.resize(count);
  return times;
}

}  // namespace

std::optional<double> BackwardRatio::flops_ratio() const {
  return forward_flops > 0 ? std::optional(backward_flops / forward_flops) : std::nullopt;
}

std::optional<double> BackwardRatio::time_ratio() const {
  return forward_ns > 0 ? std::optional(static_cast<double>(backward_ns) / static_cast<double>(forward_ns))
                        : std::nullopt;
}

std::vector<BackwardRatio> backward_ratios(const EventTable& events, const std::vector<RankOperators>& ranks,
                                           OperatorWorks& works) {
  std::vector<BackwardRatio> all;
  for (const RankOperators& rank : ranks) {
    const auto engine = evaluations(events, rank);
    if (engine.empty()) {
      continue;
    }
    std::map<OpFamily, BackwardRatio> families;
    int64_t unknown_ns = 0;
    for (const auto& [op, device_ns] : device_times(events, rank)) {
      const CallWork& work = works.work(op);
      const auto track = engine.find(events.track[op]);
      const bool evaluated = track != engine.end() && lies_in(track->second, events.start_ns[op]);
      if (!work.flops || !work.matrix) {
        unknown_ns = saturating_sum(unknown_ns, evaluated && !work.flops ? device_ns : 0);
        continue;
      }
      BackwardRatio& family = families[work.family];
      if (work.backward || (evaluated && work.family == OpFamily::kProduct)) {
        family.backward_flops += *work.flops;
        family.backward_ns = saturating_sum(family.backward_ns, device_ns);
      } else if (evaluated) {
        family.recomputed_flops += *work.flops;
      } else {
        family.forward_flops += *work.flops;
        family.forward_ns = saturating_sum(family.forward_ns, device_ns);
      }
    }
    for (const ExpectedRatio& expected : kExpected) {
      if (const auto times = families.find(expected.family); times != families.end()) {
        BackwardRatio backward_ratio = times->second;
        backward_ratio.recording = rank.recording;
        backward_ratio.rank = rank.rank;
        backward_ratio.family = expected.family;
        backward_ratio.unknown_ns = unknown_ns;
        backward_ratio.flops_expected = expected.flops;
        backward_ratio.time_expected = kTimeExpected;
        all.push_back(backward_ratio);
      }
    }
  }
  return all;
}

}  // namespace aaco

// SPDX-License-Identifier: MIT
#include "kind/observation/recorded_spans.h"

#include <algorithm>
#include <fmt/format.h>
#include <iterator>
#include <map>
#include <tuple>
#include <utility>

namespace aaco {

namespace {

constexpr size_t kLeastRepeats = 3;

// Kernels of a span in the order of their launches: which stream is first may differ from step to step.
std::vector<size_t> launched_kernels(const EventTable& events, std::span<const size_t> rows) {
  std::vector<size_t> kernels;
  std::copy_if(rows.begin(), rows.end(), std::back_inserter(kernels),
               [&](size_t row) { return events.kind[row] == EventKind::kKernel; });
  std::stable_sort(kernels.begin(), kernels.end(), [&](size_t a, size_t b) {
    return std::tuple(events.correlation[a], events.start_ns[a]) <
           std::tuple(events.correlation[b], events.start_ns[b]);
  });
  return kernels;
}

// From when on, and from which launch on, a span's events belong to a step that is not whole.
struct SpanCut {
  int64_t start_ns = INT64_MAX;
  int64_t correlation = INT64_MAX;
};

SpanCut cut_of(const EventTable& events, std::span<const size_t> rows, RecordedSpan& span) {
  const std::vector<size_t> kernels = launched_kernels(events, rows);
  std::vector<StringId> names;
  std::transform(kernels.begin(), kernels.end(), std::back_inserter(names),
                 [&](size_t row) { return events.name[row]; });
  const std::optional<size_t> period = repeated_period(names);
  if (!period) {
    return {};
  }
  span.steps = kernels.size() / *period;
  span.step_kernels = *period;
  if (kernels.size() % *period == 0) {
    return {};
  }
  const size_t first = kernels[span.steps * *period];
  SpanCut cut{events.start_ns[first], events.correlation[first] != kNoId ? events.correlation[first] : INT64_MAX};
  for (const size_t row : rows) {
    if (events.kind[row] == EventKind::kHostCall && events.correlation[row] == events.correlation[first] &&
        events.correlation[row] != kNoId) {
      cut.start_ns = std::min(cut.start_ns, events.start_ns[row]);
    }
  }
  return cut;
}

bool is_cut(const EventTable& events, size_t row, const SpanCut& cut) {
  return is_on_device(events.kind[row]) && events.correlation[row] != kNoId && cut.correlation != INT64_MAX
             ? events.correlation[row] >= cut.correlation
             : events.start_ns[row] >= cut.start_ns;
}

bool is_range(const EventTable& events, size_t row) { return events.kind[row] == EventKind::kHostRange; }

// The program's ranges go on in pauses: one is in each span that it overlaps, a moment in the span that it is in.
void place_range(const EventTable& events, size_t row, std::span<const RecordedSpan> spans,
                 std::vector<std::vector<size_t>>& rows) {
  const int64_t start_ns = events.start_ns[row];
  const int64_t end_ns = std::max(events.end_ns(row), start_ns + 1);
  for (size_t i = 0; i < spans.size(); ++i) {
    if (start_ns < spans[i].end_ns && end_ns > spans[i].start_ns) {
      rows[i].push_back(row);
    }
  }
}

struct KeptTimes {
  int64_t start_ns = 0;
  int64_t duration_ns = 0;
};

// Of a range the part that lies in the span's whole steps.
KeptTimes kept_times(const EventTable& events, size_t row, const RecordedSpan& span, const SpanCut& cut) {
  if (!is_range(events, row)) {
    return {events.start_ns[row], events.duration_ns[row]};
  }
  const int64_t start_ns = std::max(events.start_ns[row], span.start_ns);
  return {start_ns, std::max<int64_t>(std::min({events.end_ns(row), span.end_ns, cut.start_ns}) - start_ns, 0)};
}

}  // namespace

// The longest border of the sequence (Knuth, Morris, Pratt) leaves its shortest period.
std::optional<size_t> repeated_period(std::span<const StringId> names) {
  std::vector<size_t> border(names.size(), 0);
  for (size_t i = 1; i < names.size(); ++i) {
    size_t length = border[i - 1];
    while (length > 0 && names[i] != names[length]) {
      length = border[length - 1];
    }
    border[i] = names[i] == names[length] ? length + 1 : 0;
  }
  const size_t period = names.empty() ? 0 : names.size() - border.back();
  return period > 0 && names.size() / period >= kLeastRepeats ? std::optional(period) : std::nullopt;
}

EventTable keep_whole_steps(EventTable events, std::vector<RecordedSpan>& spans, uint64_t* distinct) {
  std::vector<std::vector<size_t>> rows(spans.size());
  for (size_t row = 0; row < events.size(); ++row) {
    if (is_range(events, row)) {
      place_range(events, row, spans, rows);
      continue;
    }
    const auto behind = std::upper_bound(spans.begin(), spans.end(), events.start_ns[row],
                                         [](int64_t at_ns, const RecordedSpan& span) { return at_ns < span.start_ns; });
    rows[behind == spans.begin() ? 0 : static_cast<size_t>(behind - spans.begin()) - 1].push_back(row);
  }
  EventTable kept;
  std::vector<bool> is_kept(events.size(), false);
  kept.losses = events.losses;
  for (size_t i = 0; i < spans.size(); ++i) {
    const auto recording = static_cast<uint32_t>(kept.recordings.size());
    kept.recordings.push_back(
        {fmt::format("{}, span {}", events.recordings.empty() ? "" : events.recordings.front().name, i + 1), "aaco"});
    const SpanCut cut = cut_of(events, rows[i], spans[i]);
    std::map<uint32_t, uint32_t> tracks;
    std::vector<Argument> arguments;
    for (const size_t row : rows[i]) {
      if (is_cut(events, row, cut)) {
        ++spans[i].left_out;
        continue;
      }
      is_kept[row] = true;
      const auto [track, is_new] = tracks.try_emplace(events.track[row], static_cast<uint32_t>(kept.tracks.size()));
      if (is_new) {
        kept.tracks.push_back(events.tracks[events.track[row]]);
        kept.tracks.back().recording = recording;
      }
      arguments.clear();
      for (size_t place = events.arguments.begin(row); place < events.arguments.end(row); ++place) {
        arguments.push_back(events.arguments[place]);
      }
      const KeptTimes times = kept_times(events, row, spans[i], cut);
      kept.add({times.start_ns, times.duration_ns, events.correlation[row], events.external_id[row], events.name[row],
                events.category[row], track->second, events.kind[row], events.shape[row]},
               arguments);
    }
  }
  kept.strings = std::move(events.strings);
  if (distinct != nullptr) {
    *distinct = static_cast<uint64_t>(std::count(is_kept.begin(), is_kept.end(), true));
  }
  return kept;
}

}  // namespace aaco

// SPDX-License-Identifier: MIT
#include "serve/timeline/counter_series.h"

#include <algorithm>
#include <limits>

namespace aaco::serve {

namespace {

constexpr size_t kEach = CounterSeries::kBlockPoints;
constexpr CounterRange kNothing{std::numeric_limits<double>::infinity(), -std::numeric_limits<double>::infinity()};

size_t pieces(size_t count) { return (count + kEach - 1) / kEach; }

void widen(CounterRange& range, const CounterRange& other) {
  range.min = std::min(range.min, other.min);
  range.max = std::max(range.max, other.max);
}

CounterRange range_of(const CounterPoint& point) { return {point.value, point.value}; }
CounterRange range_of(const CounterRange& range) { return range; }

template <class Value>
std::vector<CounterRange> ranges_above(std::span<const Value> values) {
  std::vector<CounterRange> ranges(pieces(values.size()), kNothing);
  for (size_t i = 0; i < values.size(); ++i) {
    widen(ranges[i / kEach], range_of(values[i]));
  }
  return ranges;
}

template <class Value>
CounterRange range_within(std::span<const Value> values, size_t first, size_t end) {
  CounterRange range = kNothing;
  for (size_t i = first; i < end; ++i) {
    widen(range, range_of(values[i]));
  }
  return range;
}

// `above` gives the range of whole pieces.
template <class Value, class Above>
CounterRange range_over(std::span<const Value> values, size_t first, size_t end, const Above& above) {
  const size_t inner_first = pieces(first);
  const size_t inner_end = end / kEach;
  if (inner_first >= inner_end) {
    return range_within(values, first, end);
  }
  CounterRange range = range_within(values, first, inner_first * kEach);
  widen(range, above(inner_first, inner_end));
  widen(range, range_within(values, inner_end * kEach, end));
  return range;
}

template <class Value>
void append(std::string& bytes, std::span<const Value> values) {
  bytes.append(reinterpret_cast<const char*>(values.data()), values.size_bytes());
}

}  // namespace

std::string pack_counter(std::span<const CounterPoint> points) {
  const std::vector<CounterRange> fine = ranges_above(points);
  const std::vector<CounterRange> coarse = ranges_above(std::span<const CounterRange>(fine));
  std::string bytes;
  append(bytes, points);
  append(bytes, std::span<const CounterRange>(fine));
  append(bytes, std::span<const CounterRange>(coarse));
  return bytes;
}

Result<CounterSeries> CounterSeries::open(std::span<const char> bytes, size_t count) {
  const size_t fine = pieces(count);
  const size_t coarse = pieces(fine);
  if (count > bytes.size() / sizeof(CounterPoint) ||
      bytes.size() != count * sizeof(CounterPoint) + (fine + coarse) * sizeof(CounterRange)) {
    return Error{ErrorKind::kUsage, "the index of the timeline is damaged",
                 "remove report/timeline.index of the session"};
  }
  CounterSeries series;
  series.points_ = {reinterpret_cast<const CounterPoint*>(bytes.data()), count};
  const auto* ranges = reinterpret_cast<const CounterRange*>(bytes.data() + count * sizeof(CounterPoint));
  series.fine_ = {ranges, fine};
  series.coarse_ = {ranges + fine, coarse};
  return series;
}

size_t CounterSeries::first_from(int64_t time_ns) const {
  return static_cast<size_t>(
      std::lower_bound(points_.begin(), points_.end(), time_ns,
                       [](const CounterPoint& point, int64_t time) { return point.time_ns < time; }) -
      points_.begin());
}

size_t CounterSeries::first_from(int64_t time_ns, size_t from, size_t step) const {
  step = std::max<size_t>(step, 1);
  size_t low = from;
  while (low + step < points_.size() && points_[low + step].time_ns < time_ns) {
    low += step;
    step *= 2;
  }
  const auto place = [&](size_t at) {
    return points_.begin() + static_cast<std::ptrdiff_t>(std::min(at, points_.size()));
  };
  return static_cast<size_t>(
      std::lower_bound(place(low), place(low + step + 1), time_ns,
                       [](const CounterPoint& point, int64_t time) { return point.time_ns < time; }) -
      points_.begin());
}

CounterRange CounterSeries::range(size_t first, size_t end) const {
  return range_over(points_, first, end, [&](size_t fine_first, size_t fine_end) {
    return range_over(fine_, fine_first, fine_end, [&](size_t coarse_first, size_t coarse_end) {
      return range_within(coarse_, coarse_first, coarse_end);
    });
  });
}

}  // namespace aaco::serve

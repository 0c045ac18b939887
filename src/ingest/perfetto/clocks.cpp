// SPDX-License-Identifier: MIT
#include "ingest/perfetto/clocks.h"

#include <algorithm>
#include <vector>

#include "ingest/perfetto/wire.h"

namespace aaco::perfetto {

namespace {

std::optional<int64_t> product(uint64_t units, int64_t ns_per_unit) {
  int64_t ns = 0;
  return __builtin_mul_overflow(units, ns_per_unit, &ns) ? std::nullopt : std::optional(ns);
}

std::optional<int64_t> sum(std::optional<int64_t> a, int64_t b) {
  int64_t result = 0;
  return !a || __builtin_add_overflow(*a, b, &result) ? std::nullopt : std::optional(result);
}

}  // namespace

Clocks::Reading Clocks::reading_of(std::string_view message) {
  Reading reading;
  WireReader fields(message);
  for (WireField field; fields.next(field);) {
    switch (field.number) {
      case 1:
        reading.clock = field.value;
        break;
      case 2:
        reading.timestamp = field.value;
        break;
      case 3:
        reading.incremental = field.value != 0;
        break;
      case 4:
        reading.ns_per_unit = std::max<uint64_t>(field.value, 1);
        break;
      default:
        break;
    }
  }
  return reading;
}

void Clocks::take_snapshot(std::string_view message, Sequence& sequence) {
  std::vector<Reading> readings;
  WireReader fields(message);
  for (WireField field; fields.next(field);) {
    if (field.number == 1) {
      readings.push_back(reading_of(field.bytes));
    } else if (field.number == 2) {
      trace_clock_ = field.value;
    }
  }
  const auto ns_of = [](const Reading& reading) {
    return reading.ns_per_unit > INT64_MAX ? std::nullopt
                                           : product(reading.timestamp, static_cast<int64_t>(reading.ns_per_unit));
  };
  const auto now = std::find_if(readings.begin(), readings.end(),
                                [&](const Reading& reading) { return reading.clock == trace_clock_; });
  const auto now_ns = now == readings.end() ? std::nullopt : ns_of(*now);
  for (const Reading& reading : readings) {
    const auto ns = ns_of(reading);
    const auto to_trace = ns ? sum(now_ns, -*ns) : std::nullopt;
    if (!to_trace) {
      continue;
    }
    if (of_sequence(reading.clock)) {
      sequence.clocks[reading.clock] = {*ns, *to_trace, static_cast<int64_t>(reading.ns_per_unit), reading.incremental};
    } else {
      to_trace_ns_[reading.clock] = *to_trace;
    }
  }
}

Nanoseconds Clocks::time_of(uint64_t timestamp, std::optional<uint64_t> clock, Sequence& sequence) const {
  const auto result = [](std::optional<int64_t> ns) {
    return ns ? Nanoseconds{*ns, DecimalState::kExact} : Nanoseconds{0, DecimalState::kOutOfRange};
  };
  const uint64_t id = clock.value_or(sequence.default_clock.value_or(trace_clock_));
  if (of_sequence(id)) {
    const auto position = sequence.clocks.find(id);
    if (position == sequence.clocks.end()) {
      return {};
    }
    SequenceClock& own = position->second;
    auto ns = product(timestamp, own.ns_per_unit);
    if (own.incremental) {
      ns = sum(ns, own.last_ns);
      own.last_ns = ns.value_or(own.last_ns);
    }
    return result(sum(ns, own.to_trace_ns));
  }
  if (id == trace_clock_) {
    return result(product(timestamp, 1));
  }
  const auto offset = to_trace_ns_.find(id);
  return offset == to_trace_ns_.end() ? Nanoseconds{} : result(sum(product(timestamp, 1), offset->second));
}

}  // namespace aaco::perfetto

// SPDX-License-Identifier: MIT
#include "ingest/rocprof/rocprof_json.h"

#include <algorithm>
#include <fmt/format.h>
#include <initializer_list>
#include <optional>
#include <string>

#include "ingest/chrome/argument_reader.h"
#include "ingest/chrome/scan.h"
#include "ingest/event_time.h"
#include "ingest/kineto/kineto.h"
#include "ingest/rocprof/rocprof_arrows.h"

namespace aaco {

namespace {

using chrome::integer_of;
using chrome::RawArgument;
using chrome::RawEvent;
using chrome::RawType;
using chrome::RawValue;

// The processes that the writer numbers, as the categories of today that mean the same.
std::string_view category_of_process(int64_t process) {
  constexpr std::string_view kCategories[] = {"user_annotation", "gpu_memcpy",  "hip_runtime",
                                              "hip_runtime",     "hip_runtime", "kernel"};  // 6 and on: one a device
  return process < 0 ? "" : kCategories[std::min<int64_t>(process, std::size(kCategories) - 1)];
}

void unquote(RawValue& value) {
  if (value.type == RawType::kText && chrome::is_number(value.text)) {
    value.type = RawType::kNumber;
  }
}

std::string microseconds_of(int64_t ns) { return fmt::format("{}.{:03}", ns / 1000, ns % 1000); }

class RocprofDialect : public EventDialect {
 public:
  bool mend(RawEvent& event) override {
    if (event.phase.type == RawType::kAbsent && event.arguments.empty() && event.others.empty()) {
      return false;
    }
    unquote(event.time);
    unquote(event.duration);
    if (event.phase.text == "t") {
      event.phase.text = "f";  // an arrow here has a start and a step, and no end
    } else if (event.phase.text == "X") {
      event.category = {RawType::kText, category_of_process(integer_of(event.process.text).value_or(-1))};
      take_times(event);
      copy_argument(event, {"dev-id", "gpu-id"}, "device");
      copy_argument(event, {"stream-id", "queue-id"}, "stream");
    }
    return true;
  }

  // How far the rounded times, which arrows have alone, lie behind the exact ones, at least.
  int64_t behind_ns() const { return behind_ns_.value_or(0); }

 private:
  static const RawArgument* find(const RawEvent& event, std::string_view key) {
    const auto position = std::find_if(event.arguments.begin(), event.arguments.end(),
                                       [&](const RawArgument& argument) { return argument.key == key; });
    return position == event.arguments.end() ? nullptr : &*position;
  }

  static std::optional<int64_t> integer_argument(const RawEvent& event, std::string_view key) {
    const RawArgument* argument = find(event, key);
    return argument == nullptr ? std::nullopt : integer_of(argument->value.text);
  }

  // The first of `from` that is a number.
  static void copy_argument(RawEvent& event, std::initializer_list<std::string_view> from, std::string_view to) {
    for (const std::string_view key : from) {
      const RawArgument* argument = find(event, key);
      if (argument != nullptr && integer_of(argument->value.text)) {
        const std::string_view digits = argument->value.text;
        event.arguments.push_back({to, {RawType::kNumber, digits}});
        return;
      }
    }
  }

  void take_times(RawEvent& event) {
    const auto start = integer_argument(event, "BeginNs");
    const auto end = integer_argument(event, "EndNs");
    if (start && end && *start >= 0 && *end >= *start) {
      const auto rounded = integer_of(event.time.text);
      if (rounded && *rounded >= 0 && *rounded <= kFarthestNs / 1000 && *start <= kFarthestNs) {
        behind_ns_ = std::min(behind_ns_.value_or(kFarthestNs), *start - *rounded * 1000);
      }
      time_ = microseconds_of(*start);
      duration_ = microseconds_of(*end - *start);
      event.time = {RawType::kNumber, time_};
      event.duration = {RawType::kNumber, duration_};
    }
  }

  std::string time_;
  std::string duration_;
  std::optional<int64_t> behind_ns_;
};

}  // namespace

bool is_rocprof_json(std::string_view head) {
  for (const std::string_view part : {"{", "\"traceEvents\"", ":", "[", "{", "}"}) {
    head.remove_prefix(std::min(head.find_first_not_of(" \t\r\n"), head.size()));
    if (!head.starts_with(part)) {
      return false;
    }
    head.remove_prefix(part.size());
  }
  return true;
}

Result<void> read_rocprof_json(const TraceInput& input, EventTable& into) {
  const size_t first = into.size();
  RocprofDialect dialect;
  AACO_TRY(read_kineto(input.bytes, input.name, input.recording, into, {.dialect = &dialect}));
  link_by_arrows(into, first, dialect.behind_ns());
  return {};
}

}  // namespace aaco

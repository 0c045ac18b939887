// SPDX-License-Identifier: MIT
// Steps of a serving engine.
#include <algorithm>

#include "analysis/timeline/tables/analysis_tables.h"
#include "analysis/timeline/tables/table_maker.h"

namespace aaco {

namespace {

// Of a step without device work nothing is counted.
std::optional<int64_t> count_where(bool has_work, uint64_t count) {
  return has_work ? std::optional(to_integer(count)) : std::nullopt;
}

std::optional<double> share(int64_t part, int64_t whole) {
  return whole > 0 ? std::optional(static_cast<double>(part) / static_cast<double>(whole)) : std::nullopt;
}

}  // namespace

Table step_classes_table(const EventTable&, const TraceSummary& summary) {
  struct Row {
    const StepClassSummary& device;
  };
  TableMaker<Row> table("step_classes");
  add_device_columns(table);
  table
      .texts("class", "prefill, decode, mixed, empty, unknown",
             [](const Row& row) { return word_of(row.device.step_class); })
      .integers("steps", "1", "", [](const Row& row) { return to_integer(row.device.steps); })
      .integers("median_ns", "ns",
                "from a step's start until it and all that it launched have ended; the lower of the two middle ones of "
                "an even count",
                [](const Row& row) { return row.device.median_ns; })
      .integers("p99_ns", "ns", "the smallest that at least 99 of 100 do not exceed; null of fewer than 299 steps",
                [](const Row& row) { return row.device.p99_ns; })
      .integers("replayed", "1", "steps that replay a graph",
                [](const Row& row) { return count_where(row.device.device != kNoId, row.device.replayed); })
      .integers("kernels", "1", "",
                [](const Row& row) { return count_where(row.device.device != kNoId, row.device.kernels); })
      .integers("launches", "1", "calls that launched something",
                [](const Row& row) { return count_where(row.device.device != kNoId, row.device.launches); })
      .integers("requests", "1", "summed over the steps; null where a step does not say",
                [](const Row& row) { return row.device.requests; })
      .integers("tokens", "1", "that the engine scheduled, the same", [](const Row& row) { return row.device.tokens; })
      .integers("ran_ns", "ns", "while at least one of the steps ran", [](const Row& row) { return row.device.ran_ns; })
      .reals("tokens_per_s", "1/s", "tokens over ran_ns", [](const Row& row) { return row.device.tokens_per_s; })
      .integers("work_ns", "ns", "from a step's first start to its last end on the device, summed",
                [](const Row& row) { return row.device.work_ns; })
      .integers("idle_ns", "ns", "of the device, within work_ns", [](const Row& row) { return row.device.idle_ns; })
      .reals("idle_share", "fraction", "idle_ns of work_ns; null without device work",
             [](const Row& row) { return share(row.device.idle_ns, row.device.work_ns); })
      .integers("idle_before_ns", "ns", "of the device, since the work of the step before",
                [](const Row& row) { return row.device.idle_before_ns; })
      .integers("host_held_ns", "ns", "of idle_ns: the host had not launched yet, and did not wait for the device",
                [](const Row& row) { return row.device.host_held_ns; })
      .texts("main_cause", "of most of idle_ns and idle_before_ns", [](const Row& row) {
        return row.device.main_cause ? std::optional<std::string>(word_of(*row.device.main_cause)) : std::nullopt;
      });
  for (const StepClassSummary& each : summary.step_classes) {
    table.add({each});
  }
  return table.finish();
}

Table engine_steps_table(const EventTable& events, const TraceSummary& summary, RowRange rows) {
  struct Row {
    const EngineStep& device;
  };
  TableMaker<Row> table("engine_steps");
  table.integers("event", "", "row of trace/events: the step's range, function or replaying call",
                 [](const Row& row) { return to_integer(row.device.event); });
  add_device_columns(table);
  table.texts("name", "", [&](const Row& row) { return known_text(events, events.name[row.device.event]); })
      .texts("marked_by", "range: the engine names the step; frame: a Python function; graph_replay",
             [](const Row& row) { return word_of(row.device.mark); })
      .texts("class", "prefill, decode, mixed, empty, unknown",
             [](const Row& row) { return word_of(row.device.step_class); })
      .texts("attention", "the class by the kernels of attention alone; unknown where they do not tell",
             [](const Row& row) { return word_of(row.device.attention); })
      .integers("contradictory", "1", "1 where nested ranges disagree: class and batch are then not told",
                [](const Row& row) { return row.device.contradictory ? 1 : 0; })
      .integers("start_ns", "ns", "", [](const Row& row) { return row.device.host.start_ns; })
      .integers("host_ns", "ns", "duration of the range, function or call",
                [](const Row& row) { return row.device.host.end_ns - row.device.host.start_ns; })
      .integers("duration_ns", "ns", "until it and all that it launched have ended",
                [](const Row& row) { return row.device.whole().end_ns - row.device.whole().start_ns; })
      .integers("requests", "1", "as the range says; null where it does not",
                [](const Row& row) { return row.device.batch.requests; })
      .integers("tokens", "1", "the same: that the engine scheduled",
                [](const Row& row) { return row.device.batch.tokens; })
      .integers("prefill_requests", "1", "", [](const Row& row) { return row.device.batch.prefill_requests; })
      .integers("prefill_tokens", "1", "", [](const Row& row) { return row.device.batch.prefill_tokens; })
      .integers("decode_requests", "1", "", [](const Row& row) { return row.device.batch.decode_requests; })
      .integers("decode_tokens", "1", "", [](const Row& row) { return row.device.batch.decode_tokens; })
      .integers("kernels", "1", "that its thread launched in it; null without device work",
                [](const Row& row) { return count_where(row.device.has_work(), row.device.kernels); })
      .integers("launches", "1", "calls that launched something",
                [](const Row& row) { return count_where(row.device.has_work(), row.device.launches); })
      .integers("graph_launches", "1", "of these: replays of a graph",
                [](const Row& row) { return count_where(row.device.has_work(), row.device.graph_launches); })
      .integers(
          "work_start_ns", "ns", "of the first kernel or copy",
          [](const Row& row) { return row.device.has_work() ? std::optional(row.device.work.start_ns) : std::nullopt; })
      .integers("work_ns", "ns", "from there to the end of the last",
                [](const Row& row) {
                  return row.device.has_work() ? std::optional(row.device.work.end_ns - row.device.work.start_ns)
                                               : std::nullopt;
                })
      .reals("busy_share", "fraction", "of work_ns, in which the device was not idle",
             [](const Row& row) {
               const int64_t work_ns = row.device.work.end_ns - row.device.work.start_ns;
               return share(work_ns - row.device.idle_ns, work_ns);
             })
      .integers("idle_ns", "ns", "of the device, within work_ns",
                [](const Row& row) { return row.device.has_work() ? std::optional(row.device.idle_ns) : std::nullopt; })
      .integers("idle_before_ns", "ns", "of the device, since the work of the step before; 0 of the first",
                [](const Row& row) {
                  return row.device.has_work() ? std::optional(row.device.idle_before_ns) : std::nullopt;
                })
      .integers("longest_idle_ns", "ns", "of both",
                [](const Row& row) {
                  return row.device.longest_idle_ns > 0 ? std::optional(row.device.longest_idle_ns) : std::nullopt;
                })
      .texts("longest_idle_cause", "of most of it", [](const Row& row) {
        return row.device.longest_idle_ns > 0 ? std::optional<std::string>(word_of(row.device.longest_cause))
                                              : std::nullopt;
      });
  const std::vector<EngineStep>& steps = summary.engine_steps;
  const size_t first = std::min(rows.first, steps.size());
  for (size_t i = first; i < first + std::min(rows.count, steps.size() - first); ++i) {
    table.add({steps[i]});
  }
  return table.finish();
}

}  // namespace aaco

// SPDX-License-Identifier: MIT
// Figures of hardware counters.
#include <algorithm>

#include "analysis/timeline/tables/analysis_tables.h"
#include "analysis/timeline/tables/table_maker.h"

namespace aaco {

namespace {

std::optional<std::string> text_or_none(std::string_view text) {
  return text.empty() ? std::nullopt : std::optional(std::string(text));
}

// Of a figure that has a value, or of one that has none.
struct FigureRow {
  const KernelCounters& device;  // a kernel's are its device's
  const CounterMetric& metric;
  const CounterValue* value = nullptr;
  const CounterGap* gap = nullptr;

  std::optional<double> real(double CounterValue::* member) const {
    return value == nullptr ? std::nullopt : std::optional(value->*member);
  }
  std::optional<double> roof(std::optional<CounterRoof> CounterValue::* kind, double CounterRoof::* member) const {
    return value == nullptr || !(value->*kind) ? std::nullopt : std::optional((*(value->*kind)).*member);
  }
};

std::string joined(const std::vector<std::string_view>& names) {
  std::string text;
  for (const std::string_view name : names) {
    text += text.empty() ? "" : " ";
    text += name;
  }
  return text;
}

void add_value_columns(TableMaker<FigureRow>& table) {
  using Row = FigureRow;
  table.reals("value", "", "null where it has no data", [](const Row& row) { return row.real(&CounterValue::value); })
      .reals("least", "", "of one dispatch", [](const Row& row) { return row.real(&CounterValue::least); })
      .reals("most", "", "of one dispatch", [](const Row& row) { return row.real(&CounterValue::most); })
      .integers("dispatches", "1", "that had what the formula needs",
                [](const Row& row) {
                  return row.value == nullptr ? std::nullopt : std::optional(to_integer(row.value->dispatches));
                })
      .reals("roof", "", "of the machine's specification",
             [](const Row& row) { return row.roof(&CounterValue::roof, &CounterRoof::value); })
      .reals("percent_of_roof", "%", "",
             [](const Row& row) { return row.roof(&CounterValue::roof, &CounterRoof::percent); })
      .reals("measured_roof", "", "of a benchmark in the trace",
             [](const Row& row) { return row.roof(&CounterValue::measured, &CounterRoof::value); })
      .reals("percent_of_measured_roof", "%", "",
             [](const Row& row) { return row.roof(&CounterValue::measured, &CounterRoof::percent); })
      .integers("suspect", "1", "1 where it is beyond a roof, above 100 % or below 0", [](const Row& row) {
        return row.value == nullptr ? std::nullopt : std::optional<int64_t>(row.value->suspect ? 1 : 0);
      });
}

}  // namespace

Table kernel_counters_table(const EventTable& events, const TraceSummary& summary) {
  using Row = FigureRow;
  TableMaker<Row> table("kernel_counters");
  add_device_columns(table);
  table.texts("name", "of the kernel", [&](const Row& row) { return known_text(events, row.device.name); })
      .texts("metric", "", [](const Row& row) { return text_or_none(row.metric.id); })
      .texts("unit", "", [](const Row& row) { return text_or_none(row.metric.unit); });
  add_value_columns(table);
  table
      .texts("no_data", "why it has none: not recorded, divides by zero, not recorded together",
             [](const Row& row) { return row.gap == nullptr ? std::nullopt : text_or_none(word_of(row.gap->lack)); })
      .texts("missing", "counters and quantities that were not recorded",
             [](const Row& row) { return row.gap == nullptr ? std::nullopt : text_or_none(joined(row.gap->missing)); })
      .texts(
          "formula", "",
          [](const Row& row) { return row.value == nullptr ? std::nullopt : text_or_none(row.value->formula->text); })
      .texts("source", "of the formula",
             [](const Row& row) {
               return row.value == nullptr ? std::nullopt : text_or_none(row.value->formula->formula->source);
             })
      .texts("note", "what the formula leaves out",
             [](const Row& row) {
               return row.value == nullptr ? std::nullopt : text_or_none(row.value->formula->formula->note);
             })
      .texts("timed_by", "recording of another run that the time of its dispatches is from", [&](const Row& row) {
        return row.device.timed_by ? text_or_none(events.recordings[*row.device.timed_by].name) : std::nullopt;
      });
  for (const KernelCounters& kernel : summary.counters.kernels) {
    for (const CounterValue& value : kernel.values) {
      table.add({kernel, counter_metrics()[value.formula->metric], &value, nullptr});
    }
    for (const CounterGap& gap : kernel.gaps) {
      table.add({kernel, counter_metrics()[gap.metric], nullptr, &gap});
    }
  }
  return table.finish();
}

Table counted_operators_table(const EventTable& events, const TraceSummary& summary) {
  struct Row {
    const KernelCounters& device;
    const CounterOperator& item;
  };
  TableMaker<Row> table("counted_operators");
  add_device_columns(table);
  table.texts("name", "of the kernel", [&](const Row& row) { return known_text(events, row.device.name); })
      .texts("operator", "that launched it", [&](const Row& row) { return known_text(events, row.item.name); })
      .integers("launched", "1", "slices of that kernel's name",
                [](const Row& row) { return to_integer(row.item.launched); })
      .integers("device_ns", "ns", "sum of their durations", [](const Row& row) { return row.item.device_ns; });
  for (const KernelCounters& kernel : summary.counters.kernels) {
    for (const CounterOperator& counter_operator : kernel.operators) {
      table.add({kernel, counter_operator});
    }
  }
  return table.finish();
}

}  // namespace aaco

// SPDX-License-Identifier: MIT
// What hardware counters say of kernels.
#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <map>
#include <string_view>
#include <vector>

#include "base/format.h"
#include "base/text/characters.h"
#include "report/trace/sections.h"
#include "report/trace/values.h"

namespace aaco::report {

namespace {

constexpr size_t kLongestLine = 118;
constexpr size_t kMostMissing = 6;    // names of counters of a group
constexpr size_t kMostOperators = 3;  // of a kernel

void add_machine(const CounterMachine& machine, Outline& at) {
  at.figure("architecture", word_of(machine.architecture));
  at.figure("gfx", machine.gfx);
  at.figure("model", machine.model);
  Json quantities = Json::object();
  const auto known = machine_quantities();
  for (size_t i = 0; i < known.size(); ++i) {
    if (!std::isnan(machine.quantities[i])) {
      quantities[std::string(known[i].name.substr(1))] = {
          {"value", machine.quantities[i]}, {"meaning", known[i].meaning}, {"from", machine.from[i]}};
    }
  }
  at.figure("quantities", std::move(quantities));
}

// Formulas in use, numbered in the order of their first use.
class FormulaList {
 public:
  size_t number_of(const CompiledFormula& formula) {
    const auto [entry, added] = numbers_.try_emplace(&formula, numbers_.size());
    if (added) {
      list_.push_back(&formula);
    }
    return entry->second;
  }
  const std::vector<const CompiledFormula*>& list() const { return list_; }

 private:
  std::map<const CompiledFormula*, size_t> numbers_;
  std::vector<const CompiledFormula*> list_;
};

void add_formula(const CompiledFormula& formula, Outline& at) {
  at.figure("metric", formula.formula->metric);
  at.figure("expression", formula.text);
  at.figure("source", formula.formula->source);
  at.figure("over_dispatches", formula.formula->sum == CounterSum::kSum ? "sum" : "mean");
  at.figure("note", formula.formula->note.empty() ? Json() : Json(formula.formula->note));
}

// The part of its time that a kernel needs at least, by the higher roof.
struct Roofline {
  double percent = 0;
  const char* bound = "";
};

std::optional<Roofline> roofline_of(const KernelCounters& kernel, std::string_view compute, std::string_view memory) {
  const CounterValue* const arithmetic = kernel.find(compute);
  const CounterValue* const traffic = kernel.find(memory);
  if (arithmetic == nullptr || traffic == nullptr) {
    return std::nullopt;
  }
  return arithmetic->value > traffic->value ? Roofline{arithmetic->value, "arithmetic"}
                                            : Roofline{traffic->value, "memory"};
}

void add_roofline(const char* key, const std::optional<Roofline>& roofline, Outline& at) {
  at.figure(key, roofline ? Json{{"percent", roofline->percent}, {"bound", roofline->bound}} : Json());
}

// A roof and how much of it was reached, of a row's columns; null where the row has none.
Json roof_of(const TableRow& row, const char* roof, const char* percent) {
  return row.has(roof) ? Json{{"value", row.real(roof)}, {"percent", row.real(percent)}} : Json();
}

// `rows`: of the kernel's figures, first those with a value.
void add_metrics(const KernelCounters& kernel, const TableRows& rows, FormulaList& formulas, Outline& at) {
  Json metrics = Json::object();
  for (size_t i = 0; i < kernel.values.size(); ++i) {
    Json& metric = metrics[rows[i].text("metric")];
    metric = row_objects(rows.part(i, 1), "value unit least:min most:max dispatches suspect?")[0];
    metric["roof"] = roof_of(rows[i], "roof", "percent_of_roof");
    metric["measured_roof"] = roof_of(rows[i], "measured_roof", "percent_of_measured_roof");
    metric["formula"] = formulas.number_of(*kernel.values[i].formula);
  }
  at.figure("metrics", std::move(metrics));
  Json gaps = Json::object();
  for (size_t i = 0; i < kernel.gaps.size(); ++i) {
    const TableRow row = rows[kernel.values.size() + i];
    gaps[row.text("metric")] = {{"reason", row.text("no_data")}, {"missing", kernel.gaps[i].missing}};
  }
  at.figure("no_data", std::move(gaps));
}

void add_kernel(const TraceInput& input, const KernelCounters& kernel, Outline& at) {
  at.figure("name", input.events.strings[kernel.name]);
  at.figure("recording", kernel.recording);
  at.figure("rank", known(kernel.rank));
  at.figure("device", known(kernel.device));
  at.figure("machine", kernel.machine);
  at.figure("dispatches", kernel.dispatches);
  at.figure("timed_dispatches", kernel.timed);
  at.figure("duration_ns", kernel.duration_ns, "ns");
  at.figure("timed_by", kernel.timed_by ? Json(input.events.recordings[*kernel.timed_by].name) : Json());
  add_roofline("roofline", roofline_of(kernel, "roofline_compute", "roofline_memory"), at);
  add_roofline("measured_roofline", roofline_of(kernel, "measured_roofline_compute", "measured_roofline_memory"), at);
}

std::string short_number(double value) {
  return value == std::floor(value) && std::abs(value) < 1e6 ? fmt::format("{:.0f}", value)
                                                             : fmt::format("{:.4g}", value);
}

std::string value_words(const CounterValue& value) {
  const CounterMetric& metric = counter_metrics()[value.formula->metric];
  std::string text =
      fmt::format("{} {}{}{}", metric.label, value.suspect ? "(suspect) " : "", short_number(value.value),
                  metric.group == "resources" ? "" : fmt::format(" {}", metric.unit));
  if (value.roof) {
    text += fmt::format(" ({:.3g} % of {})", value.roof->percent, short_number(value.roof->value));
  }
  if (value.measured) {
    text += fmt::format(" ({:.3g} % of measured {})", value.measured->percent, short_number(value.measured->value));
  }
  return text;
}

// "  title: one, two, ..." in lines that are not too long.
void say_list(std::string_view title, const std::vector<std::string>& items, Outline& at) {
  std::string line = fmt::format("  {}: ", title);
  for (size_t i = 0; i < items.size(); ++i) {
    const std::string item = items[i] + (i + 1 < items.size() ? ", " : "");
    if (line.size() + item.size() > kLongestLine) {
      at.note(std::move(line));
      line = "    ";
    }
    line += item;
  }
  at.note(std::move(line));
}

// Stalls and rates of which there were none are only counted.
void say_groups(const KernelCounters& kernel, Outline& at) {
  for (size_t first = 0, behind = 0; first < kernel.values.size(); first = behind) {
    const std::string_view group = counter_metrics()[kernel.values[first].formula->metric].group;
    std::vector<std::string> items;
    size_t zeros = 0;
    for (; behind < kernel.values.size() && counter_metrics()[kernel.values[behind].formula->metric].group == group;
         ++behind) {
      const bool counts = kernel.values[behind].value != 0 || (group != "stalls" && group != "arithmetic");
      zeros += counts ? 0 : 1;
      if (counts) {
        items.push_back(value_words(kernel.values[behind]));
      }
    }
    if (zeros > 0) {
      items.push_back(items.empty() ? (zeros == 1 ? "0" : fmt::format("all {} are 0", zeros))
                                    : counted(zeros, "other is 0", "others are 0"));
    }
    say_list(group, items, at);
  }
}

void say_kernel(const TraceInput& input, const KernelCounters& kernel, Outline& at) {
  at.section(shorten(printable(input.events.strings[kernel.name]), kLongestName));
  at.aside("runs", kernel.dispatches == 1 ? "dispatch" : "dispatches");
  at.say(fmt::format("  {{dispatches}} {{runs}}{}{}", kernel.timed > 0 ? ", {duration_ns}" : "",
                     kernel.timed > 0 && kernel.timed_by ? " in another run ({timed_by})" : ""));
  say_groups(kernel, at);
  if (const auto roofline = roofline_of(kernel, "roofline_compute", "roofline_memory")) {
    at.aside("percent", roofline->percent);
    at.aside("bound", roofline->bound);
    at.say("  {percent:.3g} % of the roofline, bound by {bound}");
  }
  std::vector<std::string> operators;
  for (size_t i = 0; i < std::min(kMostOperators, kernel.operators.size()); ++i) {
    const CounterOperator& counter_operator = kernel.operators[i];
    operators.push_back(fmt::format("{} ({}, {})", printable(input.events.strings[counter_operator.name]),
                                    counted(counter_operator.launched, "time", "times"),
                                    duration_text(counter_operator.device_ns)));
  }
  if (!operators.empty()) {
    say_list("launched by", operators, at);
  }
}

// The architecture and the model, whose name may begin with it: "NVIDIA", "NVIDIA B200".
std::string machine_words(const CounterMachine& machine) {
  const std::string_view architecture =
      machine.architecture == CounterArchitecture::kUnknown ? "architecture not known" : word_of(machine.architecture);
  const std::string model = printable(machine.model);
  return model.empty()                     ? std::string(architecture)
         : model.starts_with(architecture) ? model
                                           : fmt::format("{} {}", architecture, model);
}

// Figures that none of the kernels has, by group, with what is missing for them.
void say_gaps(const std::vector<const KernelCounters*>& kernels, Outline& at) {
  std::map<size_t, std::pair<size_t, const CounterGap*>> gaps;  // by metric: how many lack it, and the first
  size_t counted = 0;
  for (const KernelCounters* kernel : kernels) {
    counted += kernel->gaps.empty() ? 0 : 1;
    for (const CounterGap& gap : kernel->gaps) {
      ++gaps.try_emplace(gap.metric, 0, &gap).first->second.first;
    }
  }
  struct Group {
    std::vector<std::string> labels;
    std::vector<std::string> missing;
  };
  std::vector<std::pair<std::string_view, Group>> groups;
  for (const auto& [metric, count_and_gap] : gaps) {
    const auto& [count, gap] = count_and_gap;
    if (count < counted || gap->missing.empty()) {
      continue;
    }
    const CounterMetric& counter_metric = counter_metrics()[metric];
    if (groups.empty() || groups.back().first != counter_metric.group) {
      groups.emplace_back(counter_metric.group, Group{});
    }
    Group& group = groups.back().second;
    group.labels.emplace_back(counter_metric.label);
    for (const std::string_view name : gap->missing) {
      if (std::find(group.missing.begin(), group.missing.end(), name) == group.missing.end()) {
        group.missing.emplace_back(name);
      }
    }
  }
  if (!groups.empty()) {
    at.section("no data, and what was not recorded of them");
  }
  for (auto& [name, group] : groups) {
    if (const size_t more = group.missing.size(); more > kMostMissing) {
      group.missing.resize(kMostMissing);
      group.missing.push_back(fmt::format("{} more", more - kMostMissing));
    }
    say_list(name, group.labels, at);
    say_list("  lacks", group.missing, at);
  }
}

// Kernels of one device lie behind each other: its machine, the kernels with the longest totals, what none of them has.
void say_devices(const TraceInput& input, Outline& at) {
  const std::vector<KernelCounters>& all = input.summary.counters.kernels;
  for (size_t first = 0, behind = 0; first < all.size(); first = behind) {
    const KernelCounters& head = all[first];
    std::vector<const KernelCounters*> shown;
    for (; behind < all.size() && all[behind].machine == head.machine && all[behind].rank == head.rank; ++behind) {
      if (shown.size() < at.most()) {
        shown.push_back(&all[behind]);
      }
    }
    at.section(fmt::format("{}, {}",
                           of_rank("counters of " + device_name(head.device), input.events, head.recording, head.rank),
                           machine_words(input.summary.counters.machines[head.machine])));
    at.list("shown", shown, [&](const KernelCounters* kernel, Outline& inner) {
      add_kernel(input, *kernel, inner);
      say_kernel(input, *kernel, inner);
    });
    if (behind - first > shown.size()) {
      at.section(fmt::format("{} other kernels", behind - first - shown.size()));
    }
    say_gaps(shown, at);
  }
}

}  // namespace

void outline_counters(const TraceInput& input, Outline& at) {
  if (!at.is_data()) {
    say_devices(input, at);
    return;
  }
  const TraceCounters& counters = input.summary.counters;
  at.list("counters.machines", counters.machines, add_machine);
  FormulaList formulas;
  const TableRows figures = input.rows(kernel_counters_table);
  const TableRows operators = input.rows(counted_operators_table);
  size_t first_figure = 0;
  size_t first_operator = 0;
  at.list("counters.kernels", counters.kernels, [&](const KernelCounters& kernel, Outline& inner) {
    const size_t count = kernel.values.size() + kernel.gaps.size();
    add_kernel(input, kernel, inner);
    add_metrics(kernel, figures.part(first_figure, count), formulas, inner);
    inner.rows("operators", operators.part(first_operator, kernel.operators.size()),
               "operator:name launched device_ns");
    first_figure += count;
    first_operator += kernel.operators.size();
  });
  at.list("counters.formulas", formulas.list(),
          [](const CompiledFormula* formula, Outline& inner) { add_formula(*formula, inner); });
}

}  // namespace aaco::report

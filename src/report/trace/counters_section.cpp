// SPDX-License-Identifier: MIT
#include "report/trace/counters_section.h"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <map>
#include <string_view>
#include <vector>

#include "base/format.h"
#include "base/json.h"
#include "base/text/characters.h"
#include "report/trace/values.h"

namespace aaco::report {

namespace {

constexpr size_t kLongestLine = 118;
constexpr size_t kMostMissing = 6;    // names of counters of a group
constexpr size_t kMostOperators = 3;  // of a kernel

Json machine_json(const CounterMachine& machine) {
  Json quantities = Json::object();
  const auto known = machine_quantities();
  for (size_t i = 0; i < known.size(); ++i) {
    if (!std::isnan(machine.quantities[i])) {
      quantities[std::string(known[i].name.substr(1))] = {
          {"value", machine.quantities[i]}, {"meaning", known[i].meaning}, {"from", machine.from[i]}};
    }
  }
  return {{"architecture", counter_architecture_name(machine.architecture)},
          {"gfx", machine.gfx},
          {"model", machine.model},
          {"quantities", std::move(quantities)}};
}

Json roof_json(const std::optional<CounterRoof>& roof) {
  return roof ? Json{{"value", roof->value}, {"percent", roof->percent}} : Json();
}

// Formulas in use, numbered in the order of their first use.
class FormulaList {
 public:
  size_t number_of(const CompiledFormula& formula) {
    const auto [found, added] = numbers_.try_emplace(&formula, numbers_.size());
    if (added) {
      list_.push_back({{"metric", formula.formula->metric},
                       {"expression", formula.text},
                       {"source", formula.formula->source},
                       {"over_dispatches", formula.formula->sum == CounterSum::kSum ? "sum" : "mean"},
                       {"note", formula.formula->note.empty() ? Json() : Json(formula.formula->note)}});
    }
    return found->second;
  }
  Json take() { return std::move(list_); }

 private:
  std::map<const CompiledFormula*, size_t> numbers_;
  Json list_ = Json::array();
};

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

Json roofline_json(const std::optional<Roofline>& roofline) {
  return roofline ? Json{{"percent", roofline->percent}, {"bound", roofline->bound}} : Json();
}

Json kernel_json(const EventTable& events, const KernelCounters& kernel, FormulaList& formulas) {
  Json metrics = Json::object();
  for (const CounterValue& value : kernel.values) {
    const CounterMetric& metric = counter_metrics()[value.formula->metric];
    metrics[std::string(metric.id)] = {{"value", value.value},
                                       {"unit", metric.unit},
                                       {"min", value.least},
                                       {"max", value.most},
                                       {"dispatches", value.dispatches},
                                       {"roof", roof_json(value.roof)},
                                       {"measured_roof", roof_json(value.measured)},
                                       {"suspect", value.suspect},
                                       {"formula", formulas.number_of(*value.formula)}};
  }
  Json gaps = Json::object();
  for (const CounterGap& gap : kernel.gaps) {
    gaps[std::string(counter_metrics()[gap.metric].id)] = {{"reason", counter_lack_name(gap.lack)},
                                                           {"missing", gap.missing}};
  }
  Json operators = Json::array();
  for (const CounterOperator& its : kernel.operators) {
    operators.push_back(
        {{"name", std::string(events.strings[its.name])}, {"launched", its.launched}, {"device_ns", its.device_ns}});
  }
  return {{"name", std::string(events.strings[kernel.name])},
          {"recording", kernel.recording},
          {"rank", id_json(kernel.rank)},
          {"device", id_json(kernel.device)},
          {"machine", kernel.machine},
          {"dispatches", kernel.dispatches},
          {"timed_dispatches", kernel.timed},
          {"duration_ns", kernel.duration_ns},
          {"timed_by", kernel.timed_by ? Json(events.recordings[*kernel.timed_by].name) : Json()},
          {"metrics", std::move(metrics)},
          {"no_data", std::move(gaps)},
          {"roofline", roofline_json(roofline_of(kernel, "roofline_compute", "roofline_memory"))},
          {"measured_roofline",
           roofline_json(roofline_of(kernel, "measured_roofline_compute", "measured_roofline_memory"))},
          {"operators", std::move(operators)}};
}

std::string number_text(double value) {
  return value == std::floor(value) && std::abs(value) < 1e6 ? fmt::format("{:.0f}", value)
                                                             : fmt::format("{:.4g}", value);
}

std::string value_text(const CounterValue& value) {
  const CounterMetric& metric = counter_metrics()[value.formula->metric];
  std::string text = fmt::format("{} {}{}{}", metric.label, value.suspect ? "(suspect) " : "", number_text(value.value),
                                 metric.group == "resources" ? "" : fmt::format(" {}", metric.unit));
  if (value.roof) {
    text += fmt::format(" ({:.3g} % of {})", value.roof->percent, number_text(value.roof->value));
  }
  if (value.measured) {
    text += fmt::format(" ({:.3g} % of measured {})", value.measured->percent, number_text(value.measured->value));
  }
  return text;
}

// "  title: one, two, ..." in lines that are not too long.
std::string list_text(std::string_view title, const std::vector<std::string>& items) {
  std::string text;
  std::string line = fmt::format("  {}: ", title);
  for (size_t i = 0; i < items.size(); ++i) {
    const std::string item = items[i] + (i + 1 < items.size() ? ", " : "");
    if (line.size() + item.size() > kLongestLine) {
      text += line + "\n";
      line = "    ";
    }
    line += item;
  }
  return text + line + "\n";
}

// Stalls and rates of which there were none are only counted.
std::string groups_text(const KernelCounters& kernel) {
  std::string text;
  for (size_t first = 0, behind = 0; first < kernel.values.size(); first = behind) {
    const std::string_view group = counter_metrics()[kernel.values[first].formula->metric].group;
    std::vector<std::string> items;
    size_t zeros = 0;
    for (; behind < kernel.values.size() && counter_metrics()[kernel.values[behind].formula->metric].group == group;
         ++behind) {
      const bool counts = kernel.values[behind].value != 0 || (group != "stalls" && group != "arithmetic");
      zeros += counts ? 0 : 1;
      if (counts) {
        items.push_back(value_text(kernel.values[behind]));
      }
    }
    if (zeros > 0) {
      items.push_back(items.empty() ? (zeros == 1 ? "0" : fmt::format("all {} are 0", zeros))
                                    : counted(zeros, "other is 0", "others are 0"));
    }
    text += list_text(group, items);
  }
  return text;
}

std::string run_text(const EventTable& events, const KernelCounters& kernel) {
  return kernel.timed_by ? fmt::format(" in another run ({})", printable(events.recordings[*kernel.timed_by].name))
                         : "";
}

std::string kernel_text(const EventTable& events, const KernelCounters& kernel) {
  std::string text = fmt::format(
      "\n{}\n  {} {}{}\n", shorten(printable(events.strings[kernel.name]), kLongestName), kernel.dispatches,
      kernel.dispatches == 1 ? "dispatch" : "dispatches",
      kernel.timed > 0 ? fmt::format(", {}{}", duration_text(kernel.duration_ns), run_text(events, kernel)) : "");
  text += groups_text(kernel);
  if (const auto roofline = roofline_of(kernel, "roofline_compute", "roofline_memory")) {
    text += fmt::format("  {:.3g} % of the roofline, bound by {}\n", roofline->percent, roofline->bound);
  }
  std::vector<std::string> operators;
  for (size_t i = 0; i < std::min(kMostOperators, kernel.operators.size()); ++i) {
    const CounterOperator& its = kernel.operators[i];
    operators.push_back(fmt::format("{} ({}, {})", printable(events.strings[its.name]),
                                    counted(its.launched, "time", "times"), duration_text(its.device_ns)));
  }
  return text + (operators.empty() ? "" : list_text("launched by", operators));
}

// The architecture and the model, whose name may begin with it: "NVIDIA", "NVIDIA B200".
std::string machine_text(const CounterMachine& machine) {
  const std::string_view architecture = machine.architecture == CounterArchitecture::kUnknown
                                            ? "architecture not known"
                                            : counter_architecture_name(machine.architecture);
  const std::string model = printable(machine.model);
  return model.empty()                     ? std::string(architecture)
         : model.starts_with(architecture) ? model
                                           : fmt::format("{} {}", architecture, model);
}

// Figures that none of the kernels has, by group, with what is missing for them.
std::string gaps_text(const std::vector<const KernelCounters*>& kernels) {
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
    const CounterMetric& its = counter_metrics()[metric];
    if (groups.empty() || groups.back().first != its.group) {
      groups.emplace_back(its.group, Group{});
    }
    Group& group = groups.back().second;
    group.labels.emplace_back(its.label);
    for (const std::string_view name : gap->missing) {
      if (std::find(group.missing.begin(), group.missing.end(), name) == group.missing.end()) {
        group.missing.emplace_back(name);
      }
    }
  }
  std::string text = groups.empty() ? "" : "\nno data, and what was not recorded of them\n";
  for (auto& [name, group] : groups) {
    if (const size_t more = group.missing.size(); more > kMostMissing) {
      group.missing.resize(kMostMissing);
      group.missing.push_back(fmt::format("{} more", more - kMostMissing));
    }
    text += list_text(name, group.labels);
    text += list_text("  lacks", group.missing);
  }
  return text;
}

}  // namespace

Json counters_json(const EventTable& events, const TraceSummary& summary) {
  Json machines = Json::array();
  for (const CounterMachine& machine : summary.counters.machines) {
    machines.push_back(machine_json(machine));
  }
  FormulaList formulas;
  Json kernels = Json::array();
  for (const KernelCounters& kernel : summary.counters.kernels) {
    kernels.push_back(kernel_json(events, kernel, formulas));
  }
  return {{"machines", std::move(machines)}, {"formulas", formulas.take()}, {"kernels", std::move(kernels)}};
}

std::string counters_text(const EventTable& events, const TraceSummary& summary, size_t most) {
  const std::vector<KernelCounters>& all = summary.counters.kernels;
  std::string text;
  for (size_t first = 0, behind = 0; first < all.size(); first = behind) {
    const KernelCounters& head = all[first];
    std::vector<const KernelCounters*> shown;
    for (; behind < all.size() && all[behind].machine == head.machine && all[behind].rank == head.rank; ++behind) {
      if (shown.size() < most) {
        shown.push_back(&all[behind]);
      }
    }
    const CounterMachine& machine = summary.counters.machines[head.machine];
    text += fmt::format("\n{}, {}\n",
                        of_rank(fmt::format("counters of device {}",
                                            head.device == kNoId ? "(not named)" : std::to_string(head.device)),
                                events, head.recording, head.rank),
                        machine_text(machine));
    for (const KernelCounters* kernel : shown) {
      text += kernel_text(events, *kernel);
    }
    if (behind - first > shown.size()) {
      text += fmt::format("\n{} other kernels\n", behind - first - shown.size());
    }
    text += gaps_text(shown);
  }
  return text;
}

}  // namespace aaco::report

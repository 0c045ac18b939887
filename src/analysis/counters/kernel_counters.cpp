// SPDX-License-Identifier: MIT
#include "analysis/counters/kernel_counters.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <optional>
#include <span>
#include <tuple>
#include <utility>

#include "analysis/counters/counted_dispatches.h"
#include "analysis/counters/timed_runs.h"
#include "analysis/timeline/lookup/event_arguments.h"
#include "record/intervals.h"

namespace aaco {

namespace {

constexpr double kNone = std::numeric_limits<double>::quiet_NaN();
constexpr double kRounding = 1e-9;

// One formula over the dispatches of a kernel.
struct FormulaSum {
  uint64_t dispatches = 0;
  uint64_t undefined = 0;     // all was there, but it divides by zero
  std::vector<double> slots;  // sums, in the order of the formula's slots
  double values = 0;          // of the formula
  double weighted = 0;        // by duration
  double weight = 0;
  uint64_t timed = 0;
  double least = std::numeric_limits<double>::infinity();
  double most = -std::numeric_limits<double>::infinity();
};

class KernelSums {
 public:
  KernelSums(const CounterMachine& machine, const CounterReader& reader) : machine_(machine), reader_(reader) {
    const auto quantities = machine_quantities();
    machine_slots_.assign(names().size(), kNone);
    for (size_t i = 0; i < quantities.size(); ++i) {
      machine_slots_[names().find(quantities[i].name)] = machine.quantities[i];
    }
    seen_ = machine_slots_;
  }

  void add(CountedDispatch& dispatch) {
    if (!formulas_) {
      begin(architecture_of(dispatch));
    }
    note_seen(dispatch);
    for (const size_t i : active_) {
      add((*formulas_)[i], dispatch, sums_[i]);
    }
    is_counted_ = is_counted_ || dispatch.holds() == CounterReader::Holds::kCounters;
  }

  CounterArchitecture architecture() const {
    return static_cast<CounterArchitecture>(formulas_ - std::begin(compiled_formulas().by_architecture));
  }

  void finish(KernelCounters& kernel) const {
    const auto& formulas = *formulas_;
    for (size_t first = 0, behind = 0; first < formulas.size(); first = behind) {
      while (behind < formulas.size() && formulas[behind].metric == formulas[first].metric) {
        ++behind;
      }
      size_t best = first;
      for (size_t i = first; i < behind; ++i) {
        best = sums_[i].dispatches > sums_[best].dispatches ? i : best;
      }
      const auto value = value_of(formulas[best], sums_[best]);
      if (value) {
        kernel.values.push_back(*value);
      } else if (is_counted_) {
        kernel.gaps.push_back(gap_of(first, behind));
      }
    }
    if (is_counted_ && formulas_ == &compiled_formulas().by_architecture[0]) {
      add_gaps_of_architecture(kernel);
    }
  }

 private:
  static const CounterNames& names() { return compiled_formulas().names; }

  void begin(CounterArchitecture architecture) {
    formulas_ = &compiled_formulas().by_architecture[static_cast<size_t>(architecture)];
    sums_.resize(formulas_->size());
    work_.assign(names().size(), kNone);
    const auto may_have = [&](size_t slot) {
      return reader_.may_hold(slot) || !std::isnan(machine_slots_[slot]) || slot == names().find(kDurationQuantity);
    };
    for (size_t i = 0; i < formulas_->size(); ++i) {
      const auto& slots = (*formulas_)[i].expression.slots;
      if (std::all_of(slots.begin(), slots.end(), may_have)) {
        active_.push_back(i);
      }
    }
  }

  CounterArchitecture architecture_of(const CountedDispatch& dispatch) const {
    const auto slots = dispatch.slots();
    for (size_t slot = 0; slot < slots.size(); ++slot) {
      if (reader_.is_nvidia(slot) && !std::isnan(slots[slot])) {
        return CounterArchitecture::kNvidia;
      }
    }
    return machine_.architecture;
  }

  void note_seen(const CountedDispatch& dispatch) {
    const auto slots = dispatch.slots();
    for (size_t slot = 0; slot < slots.size(); ++slot) {
      seen_[slot] = std::isnan(seen_[slot]) ? slots[slot] : seen_[slot];
    }
    if (dispatch.duration_ns()) {
      seen_[names().find(kDurationQuantity)] = 1;
    }
  }

  // What a slot holds for a dispatch: the machine's, its duration, or what was recorded of it.
  double slot_of(size_t slot, std::span<const double> recorded, const CountedDispatch& dispatch) const {
    static const size_t kDurationSlot = names().find(kDurationQuantity);
    if (slot == kDurationSlot) {
      return dispatch.duration_ns() ? static_cast<double>(*dispatch.duration_ns()) : kNone;
    }
    return std::isnan(machine_slots_[slot]) ? recorded[slot] : machine_slots_[slot];
  }

  void add(const CompiledFormula& formula, CountedDispatch& dispatch, FormulaSum& sum) {
    const auto& slots = formula.expression.slots;
    const auto recorded = dispatch.slots_for(slots);
    for (const size_t slot : slots) {
      work_[slot] = slot_of(slot, recorded, dispatch);
    }
    if (!formula.expression.has_all(work_)) {
      return;
    }
    // A dispatch that has nothing to divide by is part of the sums, and has no ratio of its own.
    sum.slots.resize(slots.size());
    for (size_t i = 0; i < slots.size(); ++i) {
      sum.slots[i] += work_[slots[i]];
    }
    const double value = formula.expression.expression.value(work_);
    if (!std::isfinite(value)) {
      ++sum.undefined;
      return;
    }
    ++sum.dispatches;
    sum.values += value;
    sum.least = std::min(sum.least, value);
    sum.most = std::max(sum.most, value);
    if (dispatch.duration_ns()) {
      ++sum.timed;
      sum.weighted += value * static_cast<double>(*dispatch.duration_ns());
      sum.weight += static_cast<double>(*dispatch.duration_ns());
    }
  }

  std::optional<CounterValue> value_of(const CompiledFormula& formula, const FormulaSum& sum) const {
    if (sum.dispatches == 0) {
      return std::nullopt;
    }
    CounterValue value;
    value.formula = &formula;
    value.dispatches = sum.dispatches;
    value.least = sum.least;
    value.most = sum.most;
    if (formula.formula->sum == CounterSum::kSum) {
      std::vector<double> slots = machine_slots_;
      const auto& used = formula.expression.slots;
      for (size_t i = 0; i < used.size(); ++i) {
        slots[used[i]] = std::isnan(machine_slots_[used[i]]) ? sum.slots[i] : machine_slots_[used[i]];
      }
      value.value = formula.expression.expression.value(slots);
    } else if (sum.timed == sum.dispatches && sum.weight > 0) {
      value.value = sum.weighted / sum.weight;
    } else {
      value.value = sum.values / static_cast<double>(sum.dispatches);
    }
    if (!std::isfinite(value.value)) {
      return std::nullopt;
    }
    value.roof = roof_of(formula.roof, value.value);
    value.measured = roof_of(formula.measured, value.value);
    const bool is_share = counter_metrics()[formula.metric].unit == "%";
    const auto beyond = [](double percent) { return percent > 100 * (1 + kRounding); };
    value.suspect = value.value < -kRounding || (is_share && beyond(value.value)) ||
                    (value.roof && beyond(value.roof->percent)) || (value.measured && beyond(value.measured->percent));
    return value;
  }

  std::optional<CounterRoof> roof_of(const std::optional<SlottedExpression>& roof, double value) const {
    if (!roof || !roof->has_all(machine_slots_)) {
      return std::nullopt;
    }
    const double height = roof->expression.value(machine_slots_);
    return height > 0 && std::isfinite(height) ? std::optional(CounterRoof{height, 100 * value / height})
                                               : std::nullopt;
  }

  // Of another program's, not of counters.
  static bool is_figure(const CounterFormula& formula) {
    const auto figures = rocprof_compute_formulas();
    return &formula >= figures.data() && &formula < figures.data() + figures.size();
  }

  // Of formulas of one metric.
  CounterGap gap_of(size_t first, size_t behind) const {
    const auto& formulas = *formulas_;
    CounterGap gap;
    gap.metric = formulas[first].metric;
    for (size_t i = first; i < behind; ++i) {
      if (i > first && is_figure(*formulas[i].formula)) {
        continue;  // no counter that could be recorded
      }
      std::vector<std::string_view> missing;
      for (const size_t slot : formulas[i].expression.slots) {
        if (std::isnan(seen_[slot])) {
          missing.push_back(names()[slot]);
        }
      }
      if (i == first || missing.size() < gap.missing.size()) {
        gap.missing = std::move(missing);
        gap.lack = !gap.missing.empty()                           ? CounterLack::kNotRecorded
                   : sums_[i].undefined + sums_[i].dispatches > 0 ? CounterLack::kUndefined
                                                                  : CounterLack::kApart;
      }
    }
    return gap;
  }

  // What only formulas of a known architecture give.
  static void add_gaps_of_architecture(KernelCounters& kernel) {
    std::vector<bool> known(counter_metrics().size());
    for (const CompiledFormula& formula : compiled_formulas().by_architecture[0]) {
      known[formula.metric] = true;
    }
    for (const CounterFormula& formula : amd_formulas()) {
      const size_t metric = find_counter_metric(formula.metric);
      if (!known[metric]) {
        known[metric] = true;
        kernel.gaps.push_back({metric, CounterLack::kNotRecorded, {"architecture"}});
      }
    }
  }

  const CounterMachine& machine_;
  const CounterReader& reader_;
  const std::vector<CompiledFormula>* formulas_ = nullptr;  // of the architecture, known with the first dispatch
  std::vector<size_t> active_;                              // those whose counters are in the trace
  bool is_counted_ = false;
  std::vector<double> machine_slots_;  // NaN but for the machine's
  std::vector<double> seen_;           // NaN where no dispatch has it
  std::vector<double> work_;
  std::vector<FormulaSum> sums_;  // by formula
};

}  // namespace

const CounterValue* KernelCounters::find(std::string_view metric) const {
  const auto known_value = std::find_if(
      values.begin(), values.end(), [&](const CounterValue& each) { return each.formula->formula->metric == metric; });
  return known_value == values.end() ? nullptr : &*known_value;
}

namespace {

// Of a kernel that was counted only the dispatches that were, and not those that are merely on the timeline too.
CounterReader::Holds most_of(std::span<const CountedRow> rows, const CounterReader& reader) {
  std::vector<double> unused(compiled_formulas().names.size());
  for (const CountedRow& row : rows) {
    if (reader.read(row.row, unused) == CounterReader::Holds::kCounters) {
      return CounterReader::Holds::kCounters;
    }
  }
  return CounterReader::Holds::kLaunch;
}

// Of the rows of one kernel.
std::optional<KernelCounters> counters_of(const EventTable& events, const CounterReader& reader, const TimedRuns& runs,
                                          std::span<const CountedRow> rows, CounterMachine& machine) {
  KernelCounters kernel;
  const auto [recording, rank, device, name] = counted_kernel(events, rows.front());
  std::tie(kernel.recording, kernel.rank, kernel.device, kernel.name) = std::tie(recording, rank, device, name);
  const CounterReader::Holds wanted = most_of(rows, reader);
  KernelSums sums(machine, reader);
  for (size_t first = 0, behind = 0; first < rows.size(); first = behind) {
    std::vector<EventRow> passes;
    const int64_t dispatch_id = rows[first].dispatch;
    for (behind = first;
         behind == first || (behind < rows.size() && dispatch_id != kNoId && rows[behind].dispatch == dispatch_id);
         ++behind) {
      passes.push_back(rows[behind].row);
    }
    CountedDispatch dispatch(events, reader, passes);
    if (dispatch.holds() >= wanted) {
      if (const auto length = dispatch.duration_ns() ? std::nullopt : runs.length_of(passes.front())) {
        dispatch.take_duration(length->duration_ns);
        kernel.timed_by = length->recording;
      }
      sums.add(dispatch);
      ++kernel.dispatches;
      kernel.timed += dispatch.duration_ns() ? 1 : 0;
      kernel.duration_ns = saturating_sum(kernel.duration_ns, dispatch.duration_ns().value_or(0));
    }
  }
  if (kernel.dispatches == 0) {
    return std::nullopt;
  }
  sums.finish(kernel);
  if (sums.architecture() == CounterArchitecture::kNvidia && machine.architecture != CounterArchitecture::kNvidia) {
    machine.architecture = CounterArchitecture::kNvidia;
    const auto model = text_argument(events, rows.front().row, "device__attribute_display_name");
    machine.model = model ? events.strings[*model] : "";
  }
  return kernel;
}

}  // namespace

TraceCounters kernel_counters(const EventTable& events) {
  TraceCounters all;
  const CounterReader reader(events);
  if (!reader.finds_any()) {
    return all;
  }
  const GrowingArray<CountedRow> rows = counted_rows(events, reader);
  const CounterMachines machines(events);
  const TimedRuns runs(events, reader);
  std::map<std::pair<uint32_t, int64_t>, size_t> machine_of;
  for (size_t first = 0, behind = 0; first < rows.size(); first = behind) {
    const CountedKernel counted = counted_kernel(events, rows[first]);
    while (behind < rows.size() && counted_kernel(events, rows[behind]) == counted) {
      ++behind;
    }
    const auto [entry, added] = machine_of.try_emplace({counted.recording, counted.device}, all.machines.size());
    if (added) {
      all.machines.push_back(machines.machine(counted.recording, counted.device));
    }
    const size_t machine = entry->second;
    auto kernel = counters_of(events, reader, runs, rows.view().subspan(first, behind - first), all.machines[machine]);
    if (kernel) {
      kernel->machine = machine;
      all.kernels.push_back(std::move(*kernel));
    }
  }
  std::stable_sort(all.kernels.begin(), all.kernels.end(), [](const KernelCounters& a, const KernelCounters& b) {
    return std::tuple(a.recording, a.rank, a.device, -a.duration_ns) <
           std::tuple(b.recording, b.rank, b.device, -b.duration_ns);
  });
  return all;
}

}  // namespace aaco

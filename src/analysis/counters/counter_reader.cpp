// SPDX-License-Identifier: MIT
#include "analysis/counters/counter_reader.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <fmt/format.h>
#include <utility>

namespace aaco {

namespace {

constexpr std::string_view kAccumulated = "SQ_ACCUM_PREV_HIRES";
constexpr std::string_view kDispatchKeys[] = {
    "Dispatch_ID", "Dispatch_Id", "dispatch_id", "dispatch_info.dispatch_id", "dispatch_data.dispatch_info.dispatch_id",
    "Index",  // of the first rocprof, unique in a run
};
constexpr std::string_view kLevels[] = {"SQ_LEVEL_WAVES", "SQ_INST_LEVEL_VMEM", "SQ_INST_LEVEL_SMEM",
                                        "SQ_INST_LEVEL_LDS", "SQ_IFETCH_LEVEL"};

// Decimal, as Nsight Compute's are.
constexpr std::pair<std::string_view, double> kUnits[] = {
    {"Kbyte", 1e3},         {"Mbyte", 1e6},         {"Gbyte", 1e9},       {"Tbyte", 1e12},       {"Kbyte/s", 1e3},
    {"Mbyte/s", 1e6},       {"Gbyte/s", 1e9},       {"Tbyte/s", 1e12},    {"Kbyte/second", 1e3}, {"Mbyte/second", 1e6},
    {"Gbyte/second", 1e9},  {"Tbyte/second", 1e12}, {"Kbyte/block", 1e3}, {"Mbyte/block", 1e6},  {"Kbyte/cycle", 1e3},
    {"Mbyte/cycle", 1e6},   {"Khz", 1e3},           {"Mhz", 1e6},         {"Ghz", 1e9},          {"cycle/usecond", 1e6},
    {"cycle/nsecond", 1e9}, {"cycle/msecond", 1e3}, {"us", 1e3},          {"ms", 1e6},           {"s", 1e9},
    {"usecond", 1e3},       {"msecond", 1e6},       {"second", 1e9},
};

// Merged tables number the columns that several passes have: SQ_ACCUM_PREV_HIRES_11.
bool is_accumulated(std::string_view key) {
  if (!key.starts_with(kAccumulated)) {
    return false;
  }
  key.remove_prefix(kAccumulated.size());
  return key.empty() || (key.starts_with('_') && key.size() > 1 &&
                         std::all_of(key.begin() + 1, key.end(), [](char c) { return c >= '0' && c <= '9'; }));
}

// rocprof-compute's "2.1.22 L2 Cache Hit Rate Avg" as "2.1: L2 Cache Hit Rate Avg": its panel has that place in every
// version, the line within the panel has not. Any other text as it is.
std::string by_panel(std::string_view key) {
  const size_t space = key.find(' ');
  const std::string_view number = key.substr(0, space);
  const size_t last_dot = number.rfind('.');
  const bool is_number = space != std::string_view::npos && last_dot != std::string_view::npos &&
                         std::count(number.begin(), number.end(), '.') == 2 && number.front() != '.' &&
                         number.back() != '.' && number.find("..") == std::string_view::npos &&
                         number.find_first_not_of("0123456789.") == std::string_view::npos;
  return is_number ? fmt::format("{}: {}", number.substr(0, last_dot), key.substr(space + 1)) : std::string(key);
}

}  // namespace

LabelledName without_unit(std::string_view text) {
  const size_t bracket = text.rfind(" [");
  if (!text.ends_with(']') || bracket == std::string_view::npos) {
    return {text, 1};
  }
  const std::string_view unit = text.substr(bracket + 2, text.size() - bracket - 3);
  const auto* position =
      std::find_if(std::begin(kUnits), std::end(kUnits), [&](const auto& known) { return known.first == unit; });
  return {text.substr(0, bracket), position == std::end(kUnits) ? 1 : position->second};
}

CounterReader::CounterReader(const EventTable& events) : events_(events), names_(compiled_formulas().names) {
  meanings_.resize(events.strings.size());
  there_.resize(names_.size());
  for (size_t id = 0; id < meanings_.size(); ++id) {
    meanings_[id] = meaning_of(events.strings[static_cast<StringId>(id)]);
    if (meanings_[id].slot != CounterNames::kNone) {
      there_[meanings_[id].slot] = true;
    }
    finds_any_ = finds_any_ || (meanings_[id].role != Role::kNone && meanings_[id].role != Role::kDispatch);
  }
  nvidia_.resize(names_.size());
  for (const CompiledFormula& formula :
       compiled_formulas().by_architecture[static_cast<size_t>(CounterArchitecture::kNvidia)]) {
    for (const size_t slot : formula.expression.slots) {
      nvidia_[slot] = !names_[slot].starts_with('$');
    }
  }
}

CounterReader::Meaning CounterReader::meaning_of(std::string_view key) const {
  if (key.empty() || key.size() > 200) {  // no profiler's counter
    return {};
  }
  if (std::find(std::begin(kDispatchKeys), std::end(kDispatchKeys), key) != std::end(kDispatchKeys)) {
    return {Role::kDispatch};
  }
  if (is_accumulated(key)) {
    return {Role::kAccumulated};
  }
  if (std::find(std::begin(kLevels), std::end(kLevels), key) != std::end(kLevels)) {
    return {Role::kLevel, names_.find(fmt::format("{}_ACCUM", key))};
  }
  const LabelledName counter = without_unit(key);
  for (const LaunchQuantity& quantity : launch_quantities()) {
    if (std::find(quantity.columns.begin(), quantity.columns.end(), counter.name) != quantity.columns.end()) {
      return {Role::kLaunch, names_.find(quantity.name)};
    }
  }
  const bool of_panel = !counter.name.empty() && counter.name[0] >= '0' && counter.name[0] <= '9';
  const size_t slot = counter.name.starts_with('$') ? CounterNames::kNone
                      : of_panel                    ? names_.find(by_panel(counter.name))
                                                    : names_.find(counter.name);
  return slot == CounterNames::kNone ? Meaning{} : Meaning{Role::kCounter, slot, counter.factor};
}

CounterReader::Holds CounterReader::read(size_t event, std::span<double> slots) const {
  Holds holds = Holds::kNothing;
  std::optional<size_t> level;    // the last one's _ACCUM
  std::optional<double> waiting;  // for the only level counter of the event
  const auto set = [&](size_t slot, double value) {
    if (slot != CounterNames::kNone) {
      slots[slot] = value;
    }
  };
  for (size_t i = events_.arguments.begin(event); i < events_.arguments.end(event); ++i) {
    const Argument argument = events_.arguments[i];
    const Meaning& meaning = meanings_[argument.key];
    const bool integer = argument.type == ArgumentType::kInteger;
    if (meaning.role == Role::kNone || (!integer && argument.type != ArgumentType::kReal)) {
      continue;
    }
    const double value =
        integer ? static_cast<double>(static_cast<int64_t>(argument.bits)) : std::bit_cast<double>(argument.bits);
    if (!std::isfinite(value) || meaning.role == Role::kDispatch) {
      continue;
    }
    if (meaning.role == Role::kLevel) {
      level = meaning.slot;
    } else if (meaning.role == Role::kAccumulated && !level) {
      waiting = value;
    } else {
      set(meaning.role == Role::kAccumulated ? *level : meaning.slot, value * meaning.factor);
    }
    holds = std::max(holds, meaning.role == Role::kLaunch ? Holds::kLaunch : Holds::kCounters);
  }
  if (waiting && level) {
    set(*level, *waiting);
  }
  return holds;
}

std::optional<int64_t> CounterReader::dispatch_of(size_t event) const {
  for (size_t i = events_.arguments.begin(event); i < events_.arguments.end(event); ++i) {
    const Argument argument = events_.arguments[i];
    if (meanings_[argument.key].role == Role::kDispatch && argument.type == ArgumentType::kInteger) {
      return static_cast<int64_t>(argument.bits);
    }
  }
  return std::nullopt;
}

}  // namespace aaco

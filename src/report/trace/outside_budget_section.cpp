// SPDX-License-Identifier: MIT
// What a trace holds that no time budget can: rows without times, readings, and launches of what was not recorded.
#include <fmt/format.h>
#include <string_view>
#include <vector>

#include "base/format.h"
#include "report/trace/sections.h"

namespace aaco::report {

namespace {

constexpr const char* kShownBySql = "`aaco trace import FILE`, then `aaco trace sql`, show them";

struct OutsideBudget {
  uint64_t untimed = 0;       // rows without a start, as sums and counters
  uint64_t readings = 0;      // values of counters at a time
  uint64_t launch_calls = 0;  // by whose names something is launched
};

OutsideBudget outside_budget(const EventTable& events) {
  std::vector<bool> launches(events.strings.size());  // by name
  for (size_t name = 0; name < launches.size(); ++name) {
    launches[name] = events.strings[static_cast<StringId>(name)].find("Launch") != std::string_view::npos;
  }
  OutsideBudget totals;
  for (size_t i = 0; i < events.size(); ++i) {
    totals.untimed += events.shape[i] == EventShape::kUntimed ? 1 : 0;
    totals.readings += events.shape[i] == EventShape::kCounter ? 1 : 0;
    totals.launch_calls +=
        events.shape[i] == EventShape::kSlice && events.kind[i] == EventKind::kHostCall && launches[events.name[i]] ? 1
                                                                                                                    : 0;
  }
  return totals;
}

}  // namespace

void outline_no_device(const TraceInput& input, Outline& at) {
  const OutsideBudget totals = outside_budget(input.events);
  at.figure("undated.untimed", totals.untimed);
  at.figure("undated.readings", totals.readings);
  at.figure("undated.launch_calls", totals.launch_calls);
  if (at.is_data() || !input.summary.devices.empty()) {
    return;
  }
  at.section("no device activity with times in this trace");
  for (const LossTable::Entry& entry : input.events.losses.entries()) {
    if (entry.loss == Loss::kUnknownLane) {
      at.note("lanes named like a device's, which aaco does not understand: " + entry.example);
    }
  }
  if (totals.launch_calls > 0) {
    at.note(fmt::format("{} launched work: the profiler did not record what ran on the device",
                        counted(totals.launch_calls, "call", "calls")));
  }
  if (totals.untimed > 0) {
    at.note(fmt::format("{} no times (sums, counters, readings): {}", counted(totals.untimed, "row has", "rows have"),
                        kShownBySql));
  }
  if (totals.readings > 0) {
    at.note(fmt::format("{} over time: {}", counted(totals.readings, "reading", "readings"), kShownBySql));
  }
}

}  // namespace aaco::report

// SPDX-License-Identifier: MIT
#include "report/trace/outside_budget_section.h"

#include <fmt/format.h>
#include <string_view>
#include <vector>

#include "base/format.h"
#include "base/json.h"

namespace aaco::report {

namespace {

struct OutsideBudget {
  uint64_t untimed = 0;
  uint64_t readings = 0;
  uint64_t launch_calls = 0;
};

OutsideBudget outside_budget(const EventTable& events) {
  std::vector<bool> launches(events.strings.size());  // by name
  for (size_t name = 0; name < launches.size(); ++name) {
    launches[name] = events.strings[static_cast<StringId>(name)].find("Launch") != std::string_view::npos;
  }
  OutsideBudget found;
  for (size_t i = 0; i < events.size(); ++i) {
    found.untimed += events.shape[i] == EventShape::kUntimed ? 1 : 0;
    found.readings += events.shape[i] == EventShape::kCounter ? 1 : 0;
    found.launch_calls +=
        events.shape[i] == EventShape::kSlice && events.kind[i] == EventKind::kHostCall && launches[events.name[i]] ? 1
                                                                                                                    : 0;
  }
  return found;
}

}  // namespace

Json outside_budget_json(const EventTable& events) {
  const OutsideBudget found = outside_budget(events);
  return {{"untimed", found.untimed}, {"readings", found.readings}, {"launch_calls", found.launch_calls}};
}

std::string no_device_text(const EventTable& events) {
  const OutsideBudget found = outside_budget(events);
  std::string text = "\nno device activity with times in this trace\n";
  for (const LossTable::Entry& entry : events.losses.entries()) {
    if (entry.loss == Loss::kUnknownLane) {
      text += fmt::format("lanes named like a device's, which aaco does not understand: {}\n", entry.example);
    }
  }
  if (found.launch_calls > 0) {
    text += fmt::format("{} launched work: the profiler did not record what ran on the device\n",
                        counted(found.launch_calls, "call", "calls"));
  }
  if (found.untimed > 0) {
    text += fmt::format("{} no times (sums, counters, readings): `aaco trace sql` shows them\n",
                        counted(found.untimed, "row has", "rows have"));
  }
  if (found.readings > 0) {
    text += fmt::format("{} over time: `aaco trace sql` shows them\n", counted(found.readings, "reading", "readings"));
  }
  return text;
}

}  // namespace aaco::report

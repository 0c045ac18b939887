// SPDX-License-Identifier: MIT
#include <fmt/format.h>

#include "report/queue/clocks_text.h"
#include "report/sections/estimates.h"
#include "report/training/training_sections.h"
#include "report/values.h"

namespace aaco::report {

Section training_energy_section(const TrainingView& view) {
  Section section{"energy", "Power and energy"};
  const TrainingEnergy& energy = view.figures.energy;
  if (!view.document.request.telemetry) {
    section.blocks.emplace_back(Paragraph{"Unknown: the run was told not to sample (--no-telemetry)."});
    return section;
  }
  if (!energy.power_w) {
    section.blocks.emplace_back(Paragraph{fmt::format("Unknown: {}.", energy.unavailable), Tone::kWarning});
  } else {
    TableBlock table{.id = "energy",
                     .columns = {{"figure"}, {"value", true}, {"95 % interval"}},
                     .note = fmt::format("Mean power while steps were measured ({}), and that power times the time of "
                                         "a step. The rest of the machine is not in it.",
                                         energy.source)};
    constexpr const char* kUnknown = "unknown";
    add_estimate_row(table, "mean power", energy.power_w, "W", kUnknown);
    add_estimate_row(table, "energy of a step", energy.joules_per_step, "J", kUnknown);
    add_estimate_row(table, "energy of a token", energy.joules_per_token, "J", kUnknown);
    section.blocks.emplace_back(std::move(table));
  }
  FactList clocks;
  for (const DeviceClocks& one : view.document.clocks) {
    clocks.facts.push_back({"clocks of " + one.device, clocks_text(one)});
  }
  if (!clocks.facts.empty()) {
    section.blocks.emplace_back(std::move(clocks));
  }
  return section;
}

}  // namespace aaco::report

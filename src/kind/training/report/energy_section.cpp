// SPDX-License-Identifier: MIT
#include <fmt/format.h>

#include "kind/training/report/training_sections.h"
#include "report/sections/clocks_text.h"
#include "report/sections/estimates.h"
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
    const std::string note = fmt::format(
        "Mean power while steps were measured ({}), and that power times the time of a step. The rest of the machine "
        "is "
        "not in it.",
        energy.source);
    for (Block& block :
         metric_blocks("energy", rows_of(view.metrics, {"mean_power", "joules_per_step", "joules_per_token"}), note)) {
      section.blocks.push_back(std::move(block));
    }
  }
  if (!view.document.clocks.empty()) {
    section.blocks.emplace_back(clocks_table(view.document.clocks));
  }
  return section;
}

}  // namespace aaco::report

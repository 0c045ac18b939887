// SPDX-License-Identifier: MIT
#include <algorithm>
#include <fmt/format.h>

#include "kind/training/report/training_sections.h"
#include "report/values.h"

namespace aaco::report {

namespace {

constexpr const char* kUnknown = "unknown";
constexpr const char* kTimes =
    "By the device's records of some steps, in a process apart: times are those under the collector.";
constexpr const char* kTold =
    " Local memory is what spilled from registers, and arrays that are indexed at run time. Occupancy is the most that "
    "registers, shared memory, threads and blocks allow, not what was there.";
constexpr const char* kNotTold =
    " Registers, spills, shared memory and occupancy are unknown: the device's records do not tell.";

Cell told(const std::optional<int64_t>& value) { return value ? count_cell(*value) : missing_cell(kUnknown); }

Cell bytes(const std::optional<int64_t>& value) {
  return value ? number_cell(static_cast<double>(*value), "B") : missing_cell(kUnknown);
}

Cell occupancy_cell(const KernelUse& use) {
  Cell cell = percent_cell(use.occupancy, kUnknown);
  cell.bar = use.occupancy;
  return cell;
}

std::vector<Cell> time_cells(const KernelUse& use, const TrainingActivity& activity, double all_ns) {
  const auto steps = static_cast<double>(activity.steps);
  return {text_cell(use.name), number_cell(static_cast<double>(use.launches) / steps, "1"),
          number_cell(use.total_ns / steps, "ns"),
          all_ns > 0 ? number_cell(100 * use.total_ns / all_ns, "%") : missing_cell("no time")};
}

std::vector<Cell> resource_cells(const KernelUse& use) {
  return {told(use.block_threads), told(use.registers),
          bytes(use.local_bytes),  bytes(use.shared_bytes),
          occupancy_cell(use),     use.occupancy ? text_cell(use.limited_by) : missing_cell(kUnknown)};
}

TableBlock kernels_table(const TrainingActivity& activity, size_t most) {
  const std::vector<KernelUse>& uses = activity.uses;
  TableBlock table{.id = "kernels",
                   .columns = {{"kernel"}, {"launches", true}, {"time", true}, {"of all kernels", true}},
                   .sortable = true,
                   .note = kTimes};
  const bool are_told =
      std::any_of(uses.begin(), uses.end(), [](const KernelUse& use) { return use.block_threads.has_value(); });
  if (are_told) {
    table.columns.insert(table.columns.end(), {{"threads of a block", true},
                                               {"registers", true},
                                               {"local memory", true},
                                               {"shared memory", true},
                                               {"occupancy, at most", true},
                                               {"limited by"}});
  }
  table.note += are_told ? kTold : kNotTold;
  double all_ns = 0;
  for (const KernelUse& use : uses) {
    all_ns += use.total_ns;
  }
  const size_t shown = std::min(most, uses.size());
  for (size_t i = 0; i < shown; ++i) {
    std::vector<Cell> row = time_cells(uses[i], activity, all_ns);
    if (are_told) {
      const std::vector<Cell> more = resource_cells(uses[i]);
      row.insert(row.end(), more.begin(), more.end());
    }
    table.rows.push_back(std::move(row));
  }
  if (shown < uses.size()) {
    table.note += fmt::format(" {} of {}, the most time first.", shown, uses.size());
  }
  return table;
}

}  // namespace

Section training_kernels_section(const TrainingView& view, size_t most) {
  Section section{"kernels", "Kernels of a step"};
  const auto& activity = view.document.activity;
  if (!activity || activity->steps <= 0 || activity->uses.empty()) {
    section.blocks.emplace_back(Paragraph{"No data: the device's records were not asked for.", Tone::kWarning});
    return section;
  }
  const std::vector<KernelUse>& uses = activity->uses;
  const auto spilled =
      std::count_if(uses.begin(), uses.end(), [](const KernelUse& use) { return use.local_bytes.value_or(0) > 0; });
  section.blocks.emplace_back(kernels_table(*activity, most));
  if (spilled > 0) {
    section.blocks.emplace_back(Paragraph{
        fmt::format("{} of {} use local memory: see which by sorting.", spilled, uses.size()), Tone::kWarning});
  }
  return section;
}

}  // namespace aaco::report

// SPDX-License-Identifier: MIT
#include <algorithm>
#include <fmt/format.h>
#include <utility>

#include "base/statistics.h"
#include "kind/training/report/training_sections.h"
#include "report/values.h"

namespace aaco::report {

namespace {

constexpr const char* kUntimed = "not timed";
constexpr const char* kAlone =
    "Each was timed alone, everything else of the step left out, the median of several times. In the step a part finds "
    "caches and clocks as others leave them, and parts may overlap, so that times alone need not add up to the step. "
    "Ideal bytes: every array of each operation once; a rate above what memory allows is that of a cache.";

// Parts of one phase, or of all.
struct PartSum {
  std::string name;
  int64_t operations = 0;
  double flops = 0;
  double ideal_bytes = 0;
  double alone_ns = 0;  // of those that were timed
  size_t untimed = 0;

  void add(const PartFigure& part) {
    operations += part.operations;
    flops += part.flops;
    ideal_bytes += part.ideal_bytes;
    alone_ns += part.alone_ns.value_or(0);
    untimed += part.alone_ns ? 0 : 1;
  }

  Cell alone() const {
    return untimed > 0 ? missing_cell(fmt::format("{} not timed", untimed)) : number_cell(alone_ns, "ns");
  }
};

Cell rate_cell(double work, const std::optional<double>& rate, const char* unit) {
  return work > 0 && rate ? number_cell(*rate, unit) : missing_cell(work > 0 ? kUntimed : "none");
}

Cell share_cell(const PartFigure& part, const PartSum& all) {
  if (!part.alone_ns || all.untimed > 0 || all.alone_ns <= 0) {
    return missing_cell("no data");
  }
  const double share = *part.alone_ns / all.alone_ns;
  Cell cell = number_cell(100 * share, "%");
  cell.bar = share;
  return cell;
}

TableBlock parts_table(const TrainingView& view, const PartSum& all) {
  TableBlock table{.id = "parts",
                   .title = "Parts",
                   .columns = {{"phase"},
                               {"part"},
                               {"operations", true},
                               {"FLOPs", true},
                               {"ideal bytes", true},
                               {"time alone", true},
                               {"of all parts", true},
                               {"FLOP/s", true},
                               {"B/s", true}},
                   .sortable = true,
                   .note = kAlone};
  for (const PartFigure& part : view.figures.parts) {
    table.rows.push_back({text_cell(part.phase), text_cell(part.part), count_cell(part.operations),
                          number_cell(part.flops, "FLOP"), number_cell(part.ideal_bytes, "B"),
                          part.alone_ns ? number_cell(*part.alone_ns, "ns") : missing_cell(kUntimed),
                          share_cell(part, all), rate_cell(part.flops, part.flops_per_s, "FLOP/s"),
                          rate_cell(part.ideal_bytes, part.bytes_per_s, "B/s")});
  }
  return table;
}

// Of a phase as a whole.
std::optional<double> phase_ns(const TrainingRunDocument& document, const std::string& phase) {
  std::vector<double> times;
  for (const TrainingProcess& process : document.processes) {
    for (const TrainingPartTime& time : process.parts) {
      if (time.phase == phase && time.part.empty()) {
        times.push_back(time.ns);
      }
    }
  }
  return median(times);
}

std::vector<Cell> sum_row(const PartSum& sum, Cell whole) {
  return {text_cell(sum.name),
          count_cell(sum.operations),
          number_cell(sum.flops, "FLOP"),
          number_cell(sum.ideal_bytes, "B"),
          std::move(whole),
          sum.alone()};
}

TableBlock phases_table(const TrainingView& view, const std::vector<PartSum>& phases, const PartSum& all) {
  TableBlock table{.id = "phases",
                   .title = "Phases",
                   .columns = {{"phase"},
                               {"operations", true},
                               {"FLOPs", true},
                               {"ideal bytes", true},
                               {"time as a whole", true},
                               {"sum of its parts", true}},
                   .note =
                       "A phase as a whole was timed alone, as the parts were; the step is the measured one, its "
                       "median."};
  for (const PartSum& phase : phases) {
    const std::optional<double> whole = phase_ns(view.document, phase.name);
    table.rows.push_back(sum_row(phase, whole ? number_cell(*whole, "ns") : missing_cell(kUntimed)));
  }
  const std::optional<Estimate>& step = view.figures.median_ns;
  table.rows.push_back(sum_row(all, step ? number_cell(step->value, "ns") : missing_cell("no data")));
  return table;
}

}  // namespace

Section training_parts_section(const TrainingView& view) {
  Section section{"parts", "Parts of the step"};
  std::vector<PartSum> phases;
  PartSum all{.name = "the whole step"};
  for (const PartFigure& part : view.figures.parts) {
    auto phase = std::find_if(phases.begin(), phases.end(), [&](const PartSum& one) { return one.name == part.phase; });
    if (phase == phases.end()) {
      phase = phases.insert(phases.end(), {.name = part.phase});
    }
    phase->add(part);
    all.add(part);
  }
  if (view.figures.parts.empty()) {
    section.blocks.emplace_back(Paragraph{"No data: the step's operations were not counted.", Tone::kWarning});
    return section;
  }
  if (all.untimed == view.figures.parts.size()) {
    section.blocks.emplace_back(Paragraph{"No part was timed alone: the run ended before.", Tone::kWarning});
  }
  section.blocks.emplace_back(parts_table(view, all));
  section.blocks.emplace_back(phases_table(view, phases, all));
  return section;
}

}  // namespace aaco::report

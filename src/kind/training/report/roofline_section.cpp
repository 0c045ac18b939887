// SPDX-License-Identifier: MIT
#include "kind/training/report/roofline_section.h"

#include <algorithm>
#include <fmt/format.h>
#include <utility>

#include "base/format.h"
#include "kind/training/report/training_view.h"
#include "report/values.h"

namespace aaco::report {

namespace {

constexpr const char* kUntimed = "not timed";
constexpr const char* kUnknown = "unknown";
constexpr const char* kNote =
    "Each was timed alone, everything else of the step left out. Bytes: every array of each operation once. Roof: what "
    "the measured roofs allow at that intensity. Of the roof: the least time that they allow by the time alone; above "
    "100 % caches held what is counted as moved.";

Cell fraction_cell(const RoofedWork& work) {
  if (!work.of_roof) {
    return missing_cell(work.alone_ns ? kUnknown : kUntimed);
  }
  Cell cell = number_cell(100 * *work.of_roof, "%");
  cell.bar = std::min(1.0, *work.of_roof);
  return cell;
}

Cell known_cell(const std::optional<double>& value, std::string_view unit, const char* missing) {
  return value ? number_cell(*value, unit) : missing_cell(missing);
}

std::vector<Cell> work_cells(const RoofedWork& work) {
  const bool computes = work.flops > 0;
  return {number_cell(work.flops, "FLOP"),
          number_cell(work.ideal_bytes, "B"),
          work.intensity ? number_cell(*work.intensity, "1") : missing_cell("none"),
          known_cell(work.alone_ns, "ns", kUntimed),
          computes ? known_cell(work.flops_per_s, "FLOP/s", kUntimed) : missing_cell("none"),
          computes ? known_cell(work.roof_flops_per_s, "FLOP/s", kUnknown) : missing_cell("none"),
          fraction_cell(work),
          text_cell(work.bound == RoofBound::kUnknown ? kUnknown : word_of(work.bound)),
          known_cell(work.bytes_per_s, "B/s", kUntimed)};
}

TableBlock work_table(const char* id, const char* title, const char* name, const std::vector<RoofedWork>& works) {
  TableBlock table{.id = id,
                   .title = title,
                   .columns = {{"phase"},
                               {name},
                               {"FLOPs", true},
                               {"bytes", true},
                               {"FLOP/B", true},
                               {"time alone", true},
                               {"achieved", true},
                               {"roof", true},
                               {"of the roof", true},
                               {"bound"},
                               {"moved", true}},
                   .sortable = true};
  for (const RoofedWork& work : works) {
    std::vector<Cell> row{text_cell(work.phase.empty() ? "all" : work.phase),
                          text_cell(work.name.empty() ? "all" : work.name)};
    for (Cell& cell : work_cells(work)) {
      row.push_back(std::move(cell));
    }
    table.rows.push_back(std::move(row));
  }
  return table;
}

FactList roof_facts(const StepRoofline& roofline) {
  const auto& products = roofline.products;
  const auto& memory = roofline.memory;
  return {
      {{"roof of products", products ? fmt::format("{} of {} products, {} x {}, the fastest measured",
                                                   format_si(products->flops_per_s, "FLOP/s"), products->precision,
                                                   products->size, products->size)
                                     : std::string("unknown: it was not measured")},
       {"roof of memory", memory ? fmt::format("{}: {}", format_si(memory->bytes_per_s, "B/s"), memory->how)
                                 : "unknown: " + roofline.memory_unavailable},
       {"they meet at", roofline.ridge ? fmt::format("{:.3g} FLOP/B: what has less is bound by memory", *roofline.ridge)
                                       : std::string(kUnknown)}}};
}

// How far the points reach.
struct Extent {
  double least = 0;
  double most = 0;

  void take(double intensity) {
    least = least == 0 ? intensity : std::min(least, intensity);
    most = std::max(most, intensity);
  }
};

Extent add_points(plot::Chart& chart, const std::vector<RoofedWork>& works) {
  Extent extent;
  for (const RoofedWork& work : works) {
    if (!work.intensity || work.flops_per_s.value_or(0) <= 0) {
      continue;
    }
    auto series = std::find_if(chart.series.begin(), chart.series.end(),
                               [&](const plot::Series& one) { return one.name == work.phase; });
    if (series == chart.series.end()) {
      const int colour = std::min(static_cast<int>(chart.series.size()), plot::kMuted);
      series = chart.series.insert(series, {.name = work.phase, .mark = plot::Mark::kPoints, .colour = colour});
    }
    series->x.push_back(*work.intensity);
    series->y.push_back(*work.flops_per_s);
    series->labels.push_back(fmt::format("{}, {}: {}, {:.3g} FLOP/B{}", work.phase, work.name,
                                         format_si(*work.flops_per_s, "FLOP/s"), *work.intensity,
                                         work.of_roof ? ", " + format_percent(*work.of_roof) + " of its roof" : ""));
    series->values.push_back(work.name);
    extent.take(*work.intensity);
  }
  return extent;
}

void add_roofs(plot::Chart& chart, const StepRoofline& roofline, const Extent& extent) {
  if (chart.series.empty() || !roofline.products || roofline.products->flops_per_s <= 0) {
    return;
  }
  const double roof = roofline.products->flops_per_s;
  const double from = extent.least / 2;
  const double to = 2 * std::max(extent.most, roofline.ridge.value_or(0));
  plot::Series line{.name = fmt::format("roof, {}", roofline.products->precision), .colour = plot::kMuted};
  if (roofline.ridge && *roofline.ridge > from) {
    line.x = {from, *roofline.ridge, to};
    line.y = {from * roofline.memory->bytes_per_s, roof, roof};
  } else {
    line.x = {from, to};
    line.y = {roof, roof};
  }
  chart.series.push_back(std::move(line));
}

ChartBlock roofline_chart(const char* id, const char* title, const char* what, const StepRoofline& roofline,
                          const std::vector<RoofedWork>& works) {
  plot::Chart chart{.id = id,
                    .title = title,
                    .caption = fmt::format("A point for each {} with FLOPs, timed alone.", what),
                    .x = {.title = "FLOPs per ideal byte", .logarithmic = true},
                    .y = {.title = "rate", .quantity = plot::Quantity::kSi, .unit = "FLOP/s", .logarithmic = true},
                    .height = 340,
                    .no_data = fmt::format("no {} with FLOPs was timed alone", what)};
  if (!roofline.memory) {
    chart.caption += " What memory allows is not known, so that no roof of memory is drawn.";
  }
  const Extent extent = add_points(chart, works);
  add_roofs(chart, roofline, extent);
  return {std::move(chart)};
}

}  // namespace

Section training_roofline_section(const StepRoofline& roofline, bool whole) {
  Section section{"roofline", "Under the roofs"};
  section.blocks.emplace_back(roof_facts(roofline));
  if (whole) {
    section.blocks.emplace_back(
        roofline_chart("part-roofline", "Parts under the roofs", "part", roofline, roofline.parts));
  }
  section.blocks.emplace_back(
      roofline_chart("module-roofline", "Modules under the roofs", "module", roofline, roofline.modules));
  section.blocks.emplace_back(work_table("modules", "Modules", "module", roofline.modules));
  if (whole) {
    section.blocks.emplace_back(work_table("roofed-parts", "Parts", "part", roofline.parts));
  }
  std::vector<RoofedWork> phases = roofline.phases;
  phases.push_back(roofline.step);
  TableBlock table = work_table("roofed-phases", "Phases and the step", "of it", phases);
  table.note = kNote;
  section.blocks.emplace_back(std::move(table));
  return section;
}

Report build_training_roofline_report(const TrainingRunDocument& run) {
  Report report{.title = training_title(run)};
  report.subtitle = fmt::format("{} sequences of {} tokens, dispatch {}", run.request.sequences, run.request.length,
                                run.request.dispatch);
  report.sections.push_back(training_roofline_section(step_roofline(run), true));
  return report;
}

}  // namespace aaco::report

// SPDX-License-Identifier: MIT
#include "kind/training/report/gates_section.h"

#include <algorithm>
#include <fmt/format.h>

#include "report/values.h"

namespace aaco::report {

namespace {

using Gates = std::vector<TrainingGate>;

Cell passed_cell(const TrainingGate& gate) {
  return !gate.unknown.empty() ? text_cell("not known", Tone::kWarning)
                               : text_cell(gate.passed ? "yes" : "no", gate.passed ? Tone::kGood : Tone::kBad);
}

Cell kernels_cell(const TrainingGate& gate) {
  return gate.kernels ? count_cell(static_cast<int64_t>(gate.kernels->size())) : missing_cell("not recorded");
}

// Gates that executed the same together.
Bullets kernels_of(const Gates& gates) {
  Bullets bullets{.title =
                      "Kernels that the device executed for gates which compare values, by its own records; "
                      "in brackets the variants of one function"};
  std::vector<std::pair<std::string, std::string>> lines;  // kernels, gates
  for (const TrainingGate& gate : gates) {
    if (!gate.kernels || gate.kernels->empty() || gate.against.empty()) {
      continue;
    }
    const std::string kernels = folded_kernels(*gate.kernels);
    const auto same = std::find_if(lines.begin(), lines.end(), [&](const auto& line) { return line.first == kernels; });
    if (same == lines.end()) {
      lines.emplace_back(kernels, gate.name);
    } else {
      same->second += "; " + gate.name;
    }
  }
  std::transform(lines.begin(), lines.end(), std::back_inserter(bullets.items),
                 [](const auto& line) { return line.second + ": " + line.first; });
  return bullets;
}

}  // namespace

size_t passed_gates(const Gates& gates) {
  return static_cast<size_t>(
      std::count_if(gates.begin(), gates.end(), [](const TrainingGate& gate) { return gate.passed; }));
}

Badge gates_badge(const Gates& gates) {
  const size_t passed = passed_gates(gates);
  const bool fails = std::any_of(gates.begin(), gates.end(), is_failed);
  return gates.empty()
             ? Badge{"not checked", Tone::kWarning}
             : Badge{fmt::format("{} of {} passed", passed, gates.size()), fails                    ? Tone::kBad
                                                                           : passed == gates.size() ? Tone::kGood
                                                                                                    : Tone::kWarning};
}

Section gates_section(const Gates& gates) {
  Section section{"gates", "Gates", {gates_badge(gates)}, {}};
  if (gates.empty()) {
    section.blocks.emplace_back(Paragraph{"None was made.", Tone::kWarning});
    return section;
  }
  TableBlock table{.id = "gates", .columns = {{"gate"}, {"passed"}, {"found"}, {"must be"}}};
  const bool runs = std::any_of(gates.begin(), gates.end(), [](const TrainingGate& gate) { return gate.seconds; });
  if (runs) {
    table.columns.insert(table.columns.end(), {{"compared with"}, {"kernels", true}, {"time", true}});
  }
  double seconds = 0;
  for (const TrainingGate& gate : gates) {
    std::vector<Cell> row{text_cell(gate.name), passed_cell(gate),
                          text_cell(gate.unknown.empty() ? gate.found : gate.unknown), text_cell(gate.must)};
    if (runs && (gate.seconds || !gate.against.empty())) {
      row.insert(row.end(), {text_cell(gate.against.empty() ? "nothing" : gate.against), kernels_cell(gate),
                             gate.seconds ? number_cell(*gate.seconds, "s") : missing_cell("not taken")});
    } else if (runs) {
      row.insert(row.end(), {missing_cell("runs nothing"), missing_cell(""), missing_cell("")});
    }
    seconds += gate.seconds.value_or(0);
    table.rows.push_back(std::move(row));
  }
  if (runs) {
    table.note = fmt::format("All together took {:.2g} s.", seconds);
  }
  section.blocks.emplace_back(std::move(table));
  if (Bullets kernels = kernels_of(gates); !kernels.items.empty()) {
    section.blocks.emplace_back(std::move(kernels));
  }
  return section;
}

}  // namespace aaco::report

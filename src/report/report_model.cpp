// SPDX-License-Identifier: MIT
#include "report/report_model.h"

namespace aaco::report {

namespace {

void collect(const std::vector<Block>& blocks, std::vector<const plot::Chart*>& charts) {
  for (const Block& block : blocks) {
    if (const auto* chart = std::get_if<ChartBlock>(&block)) {
      charts.push_back(&chart->chart);
    } else if (const auto* folded = std::get_if<FoldedBlocks>(&block)) {
      collect(folded->blocks, charts);
    }
  }
}

}  // namespace

std::string line_of(const Cell& cell) { return cell.detail.empty() ? cell.text : cell.text + " " + cell.detail; }

std::vector<const plot::Chart*> charts_of(const Report& report) {
  std::vector<const plot::Chart*> charts;
  for (const Section& section : report.sections) {
    collect(section.blocks, charts);
  }
  return charts;
}

}  // namespace aaco::report

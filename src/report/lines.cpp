// SPDX-License-Identifier: MIT
#include <fmt/format.h>

#include "base/text/characters.h"
#include "report/sinks.h"
#include "report/trace/row_sinks.h"

namespace aaco::report {

namespace {

std::string render(const std::vector<Block>& blocks);

struct BlockToLines {
  std::string operator()(const Paragraph& block) const { return printable(block.text) + "\n"; }
  std::string operator()(const Bullets& block) const {
    std::string text = block.title.empty() ? "" : printable(block.title) + "\n";
    for (const std::string& item : block.items) {
      text += "  " + printable(item) + "\n";
    }
    return text;
  }
  std::string operator()(const KeyFigures& block) const {
    std::string text;
    for (const KeyFigure& figure : block.figures) {
      text += printable(figure.label + " " + figure.value + " " + figure.detail) + "\n";
    }
    return text;
  }
  std::string operator()(const TableBlock& block) const {
    return (block.title.empty() ? "" : printable(block.title) + "\n") + rows_text(block) +
           (block.note.empty() ? "" : printable(block.note) + "\n");
  }
  std::string operator()(const FactList& block) const {
    std::string text;
    for (const Fact& fact : block.facts) {
      text += printable(fact.name + "  " + fact.value) + "\n";
    }
    return text;
  }
  std::string operator()(const Finding& block) const {
    return printable(block.title + ": " + block.evidence + "; " + block.advice) + "\n";
  }
  std::string operator()(const Code& block) const { return printable(block.text) + "\n"; }
  std::string operator()(const ChartBlock&) const { return ""; }
  std::string operator()(const FoldedBlocks& block) const {
    return printable(block.title) + "\n" + render(block.blocks);
  }
};

std::string render(const std::vector<Block>& blocks) {
  std::string text;
  for (const Block& block : blocks) {
    text += std::visit(BlockToLines{}, block);
  }
  return text;
}

}  // namespace

std::string render_lines(const Report& report) {
  std::string text;
  for (const Section& section : report.sections) {
    text += (text.empty() ? "" : "\n") + render(section.blocks);
  }
  return text;
}

}  // namespace aaco::report

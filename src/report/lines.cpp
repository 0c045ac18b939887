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
      text += printable(figure.label + " " + shown_text(figure.value.cell) + " " + figure.detail) + "\n";
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
      text += printable(fact.name + "  " + line_of(fact.value.cell)) + "\n";
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

void add_lines(const Section& section, std::string& text) {
  text += text.empty() ? "" : "\n";
  text += render(section.blocks);
}

std::string render_lines(const Report& report) {
  std::string text;
  for (const std::string& line : headline_lines(report.headline)) {
    text += line + "\n";
  }
  for (const Section& section : report.sections) {
    add_lines(section, text);
  }
  return text;
}

}  // namespace aaco::report

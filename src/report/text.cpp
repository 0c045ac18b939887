// SPDX-License-Identifier: MIT
#include <algorithm>
#include <fmt/format.h>

#include "base/format.h"
#include "base/text/characters.h"
#include "report/sinks.h"

namespace aaco::report {

namespace {

constexpr size_t kColumns = 100;

std::string wrapped(std::string_view text, const std::string& first_indent, const std::string& indent) {
  std::string out;
  std::string line = first_indent;
  bool empty = true;
  const std::string safe = printable(text);
  size_t at = 0;
  while (at < safe.size()) {
    const size_t end = std::min(safe.find(' ', at), safe.size());
    const std::string word = safe.substr(at, end - at);
    at = end + 1;
    if (word.empty()) {
      continue;
    }
    if (!empty && length_of(line) + 1 + length_of(word) > kColumns) {
      out += line + "\n";
      line = indent;
      empty = true;
    }
    line += (empty ? "" : " ") + word;
    empty = false;
  }
  return out + line + "\n";
}

std::string inline_badges(const std::vector<Badge>& badges) {
  std::string text;
  for (const Badge& badge : badges) {
    text += " [" + printable(badge.text) + "]";
  }
  return text;
}

std::string render(const std::vector<Block>& blocks, const TextView& view);

struct BlockToText {
  const TextView& view;

  std::string operator()(const Paragraph& block) const {
    return wrapped(block.text, block.tone == Tone::kNeutral ? "  " : "  ! ", "  ");
  }
  std::string operator()(const Bullets& block) const {
    std::string text = block.title.empty() ? "" : "  " + printable(block.title) + "\n";
    for (const std::string& item : block.items) {
      text += wrapped(item, "  - ", "    ");
    }
    return text;
  }
  std::string operator()(const KeyFigures& block) const {
    std::vector<std::vector<std::string>> rows;
    for (const KeyFigure& figure : block.figures) {
      rows.push_back({"  " + figure.label, shown_text(figure.value.cell), figure.detail});
    }
    return format_table(rows);
  }
  std::string operator()(const TableBlock& block) const {
    std::vector<std::vector<std::string>> rows;
    std::vector<std::string> header;
    for (const Column& column : block.columns) {
      header.push_back(column.title);
    }
    rows.push_back(std::move(header));
    const size_t shown = std::min(view.most, block.rows.size());
    for (size_t i = 0; i < shown; ++i) {
      std::vector<std::string> cells;
      for (const Cell& cell : block.rows[i]) {
        cells.push_back(shorten(line_of(cell), 60));
      }
      rows.push_back(std::move(cells));
    }
    std::string text = block.title.empty() ? "" : "  " + printable(block.title) + "\n";
    text += format_table(rows);
    if (shown < block.rows.size()) {
      text += fmt::format("  {} (--top)\n", counted(block.rows.size() - shown, "more row", "more rows"));
    }
    return block.note.empty() ? text : text + wrapped(block.note, "  ", "  ");
  }
  std::string operator()(const FactList& block) const {
    std::vector<std::vector<std::string>> rows;
    for (const Fact& fact : block.facts) {
      rows.push_back({"  " + fact.name, line_of(fact.value.cell)});
    }
    return format_table(rows);
  }
  std::string operator()(const Finding& block) const {
    std::string text = wrapped(block.title + inline_badges(block.badges), "  * ", "    ");
    std::string figures;
    for (const Fact& fact : block.figures) {
      figures += (figures.empty() ? "" : ", ") + fact.name + " " + line_of(fact.value.cell);
    }
    for (const std::string& line : {figures, block.evidence, block.advice}) {
      text += line.empty() ? "" : wrapped(line, "    ", "    ");
    }
    return text;
  }
  std::string operator()(const Code& block) const { return "    " + printable(block.text) + "\n"; }
  std::string operator()(const ChartBlock& block) const {
    const plot::Chart& chart = block.chart;
    return plot::has_data(chart) ? "" : wrapped(chart.title + ": no data: " + chart.no_data, "  ", "    ");
  }
  std::string operator()(const FoldedBlocks& block) const {
    return view.folded ? fmt::format("  {}: folded (--section {})\n", printable(block.title), view.section)
                       : "  " + printable(block.title) + "\n" + render(block.blocks, view);
  }
};

std::string render(const std::vector<Block>& blocks, const TextView& view) {
  std::string text;
  for (const Block& block : blocks) {
    const std::string drawn = std::visit(BlockToText{view}, block);
    text += drawn.empty() ? "" : drawn + "\n";
  }
  return text;
}

}  // namespace

std::string render_text(const Report& report, const TextView& view) {
  std::string text =
      printable(report.title) + inline_badges(report.badges) + "\n" + printable(report.subtitle) + "\n\n";
  for (const std::string& line : headline_lines(report.headline)) {
    text += line + "\n";
  }
  text += report.headline.empty() ? "" : "\n";
  for (const Section& section : report.sections) {
    if (view.section.empty() || view.section == section.id) {
      TextView inner = view;
      inner.folded = view.folded && view.section.empty();
      inner.section = section.id;
      text += printable(section.title) + inline_badges(section.badges) + "\n" + render(section.blocks, inner);
    }
  }
  return text + printable(report.footer) + "\n";
}

}  // namespace aaco::report

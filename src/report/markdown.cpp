// SPDX-License-Identifier: MIT
#include "report/plot/markup.h"
#include "report/sinks.h"

namespace aaco::report {

namespace {

// Text that Markdown, or HTML inside it, would take for something else is escaped; line breaks would end a table's row.
std::string plain(std::string_view text) {
  std::string safe;
  for (const char c : plot::escape_markup(text)) {
    if (c == '\n' || c == '\t') {
      safe += ' ';
      continue;
    }
    if (std::string_view("\\`*_[]|~").find(c) != std::string_view::npos) {
      safe += '\\';
    }
    safe += c;
  }
  return safe;
}

std::string inline_badges(const std::vector<Badge>& badges) {
  std::string text;
  for (const Badge& badge : badges) {
    text += " · *" + plain(badge.text) + "*";
  }
  return text;
}

std::string row_of(const std::vector<std::string>& cells) {
  std::string row = "|";
  for (const std::string& cell : cells) {
    row += " " + cell + " |";
  }
  return row + "\n";
}

std::string render(const std::vector<Block>& blocks, const std::string& plots);

struct BlockToMarkdown {
  const std::string& plots;

  std::string operator()(const Paragraph& block) const {
    return (block.tone == Tone::kNeutral ? "" : "> ") + plain(block.text) + "\n";
  }
  std::string operator()(const Bullets& block) const {
    std::string text = block.title.empty() ? "" : "**" + plain(block.title) + "**\n\n";
    for (const std::string& item : block.items) {
      text += "- " + plain(item) + "\n";
    }
    return text;
  }
  std::string operator()(const KeyFigures& block) const {
    std::string text;
    for (const KeyFigure& figure : block.figures) {
      text += "- " + plain(figure.label) + ": **" + plain(shown_text(figure.value.cell)) + "**" +
              (figure.detail.empty() ? "" : ", " + plain(figure.detail)) + "\n";
    }
    return text;
  }
  std::string operator()(const TableBlock& block) const {
    std::vector<std::string> header;
    std::vector<std::string> rule;
    for (const Column& column : block.columns) {
      if (is_drawn(column)) {
        header.push_back(plain(column.title));
        rule.emplace_back(column.numeric ? "---:" : "---");
      }
    }
    std::string text = block.title.empty() ? "" : "**" + plain(block.title) + "**\n\n";
    text += row_of(header) + row_of(rule);
    for (const std::vector<Cell>& row : block.rows) {
      std::vector<std::string> cells;
      for (size_t i = 0; i < row.size(); ++i) {
        if (i >= block.columns.size() || is_drawn(block.columns[i])) {
          cells.push_back(plain(line_of(row[i])));
        }
      }
      text += row_of(cells);
    }
    return block.note.empty() ? text : text + "\n" + plain(block.note) + "\n";
  }
  std::string operator()(const FactList& block) const {
    std::string text = row_of({"", ""}) + row_of({"---", "---"});
    for (const Fact& fact : block.facts) {
      text += row_of({plain(fact.name), plain(line_of(fact.value.cell))});
    }
    return text;
  }
  std::string operator()(const Finding& block) const {
    std::string text = "- **" + plain(block.title) + "**" + inline_badges(block.badges) + "\n";
    for (const Fact& fact : block.figures) {
      text += "  - " + plain(fact.name) + ": " + plain(line_of(fact.value.cell)) + "\n";
    }
    for (const std::string& line : {block.evidence, block.advice}) {
      text += line.empty() ? "" : "  - " + plain(line) + "\n";
    }
    return text;
  }
  std::string operator()(const Code& block) const {
    // A fence longer than any run of backquotes inside.
    std::string fence = "```";
    while (block.text.find(fence) != std::string::npos) {
      fence += '`';
    }
    return fence + "\n" + block.text + "\n" + fence + "\n";
  }
  std::string operator()(const ChartBlock& block) const {
    const plot::Chart& chart = block.chart;
    if (!plot::has_data(chart)) {
      return plain(chart.title) + ": no data: " + plain(chart.no_data) + "\n";
    }
    if (plots.empty()) {
      return "*Plot: " + plain(chart.title) + "* (" + chart.id + ".svg)\n";
    }
    return "![" + plain(chart.title) + "](" + plots + "/" + chart.id + ".svg)\n";
  }
  std::string operator()(const FoldedBlocks& block) const {
    return "### " + plain(block.title) + "\n\n" + render(block.blocks, plots);
  }
};

std::string render(const std::vector<Block>& blocks, const std::string& plots) {
  std::string text;
  for (const Block& block : blocks) {
    text += std::visit(BlockToMarkdown{plots}, block) + "\n";
  }
  return text;
}

}  // namespace

std::string render_markdown(const Report& report, const std::string& plots) {
  std::string text =
      "# " + plain(report.title) + "\n\n" + plain(report.subtitle) + inline_badges(report.badges) + "\n\n";
  for (const std::string& line : headline_lines(report.headline)) {
    text += (line == headline_lines(report.headline).front() ? "**" + plain(line) + "**" : plain(line)) + "  \n";
  }
  text += report.headline.empty() ? "" : "\n";
  for (const Section& section : report.sections) {
    text += "## " + plain(section.title) + inline_badges(section.badges) + "\n\n" + render(section.blocks, plots);
  }
  return text + plain(report.footer) + "\n";
}

}  // namespace aaco::report

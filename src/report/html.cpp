// SPDX-License-Identifier: MIT
#include <algorithm>

#include "base/json_text.h"
#include "base/text/characters.h"
#include "report/html_page.h"
#include "report/plot/markup.h"
#include "report/plot/svg.h"
#include "report/sinks.h"

namespace aaco::report {

namespace {

constexpr size_t kShortText = 16;  // characters of a cell that is never broken into lines
constexpr double kNarrow = 600;    // charts up to this width share a row

std::string safe(std::string_view text) { return plot::escape_markup(text); }

// Long names, as "CPUExecutionProvider:Conv", break behind their colon rather than at any letter.
std::string breakable(std::string_view text) {
  std::string html;
  for (size_t at = 0; at < text.size();) {
    const size_t end = std::min(text.find(':', at), text.size() - 1) + 1;
    html += safe(text.substr(at, end - at)) + (end < text.size() ? "<wbr/>" : "");
    at = end;
  }
  return html;
}

const char* css_class(Tone tone) {
  switch (tone) {
    case Tone::kGood:
      return "good";
    case Tone::kWarning:
      return "warning";
    case Tone::kBad:
      return "bad";
    case Tone::kNeutral:
      break;
  }
  return "neutral";
}

std::string element(const std::string& name, const std::string& css, std::string_view text) {
  if (text.empty()) {
    return "";
  }
  return "<" + name + (css.empty() ? "" : " class=\"" + css + "\"") + ">" + safe(text) + "</" + name + ">";
}

std::string draw(const std::vector<Badge>& badges) {
  std::string html;
  for (const Badge& badge : badges) {
    html += element("span", std::string("badge ") + css_class(badge.tone), badge.text);
  }
  return html;
}

std::string draw_cell(const Cell& cell, const Column& column) {
  std::string css = column.numeric ? "n" : "";
  const std::string text = shown_text(cell);
  const std::string detail = shown_detail(cell);
  const std::optional<double> order = sort_key(cell);
  if (column.numeric && length_of(text) > 28) {
    css += " wrap";
  }
  if (!column.numeric && length_of(text) <= kShortText) {
    css = "w";
  }
  if (cell.tone != Tone::kNeutral) {
    css += std::string(css.empty() ? "" : " ") + css_class(cell.tone);
  }
  std::string html = "<td";
  html += css.empty() ? "" : " class=\"" + css + "\"";
  html += order ? " data-v=\"" + json_number_text(*order) + "\"" : "";
  html += '>';
  if (cell.bar) {
    html += "<span class=\"meter\"><i style=\"width:" + plot::coordinate(std::clamp(*cell.bar, 0.0, 1.0) * 100) +
            "%\"></i></span>";
  }
  if (cell.notes.empty() && cell.whole.empty()) {
    return html + safe(text) + element("small", "", detail) + "</td>";
  }
  html += "<details><summary>" + safe(text) + "</summary>" + element("p", "", cell.whole);
  for (const std::string& note : cell.notes) {
    html += element("p", "", note);
  }
  return html + "</details></td>";
}

std::string draw(const std::vector<Block>& blocks);

struct BlockToHtml {
  std::string operator()(const Paragraph& block) const {
    return element("p", block.tone == Tone::kNeutral ? "" : std::string("remark ") + css_class(block.tone), block.text);
  }
  std::string operator()(const Bullets& block) const {
    std::string html;
    for (const std::string& item : block.items) {
      html += element("li", "", item);
    }
    return "<div>" + element("h3", "", block.title) + "<ul>" + html + "</ul></div>";
  }
  std::string operator()(const KeyFigures& block) const {
    std::string html = "<div class=\"figures\">";
    for (const KeyFigure& figure : block.figures) {
      html += std::string("<div class=\"figure ") + css_class(figure.tone) + "\"><span>" + safe(figure.label) +
              "</span><b>" + safe(figure.value) + "</b>" +
              (figure.detail.empty() ? "" : "<span>" + breakable(figure.detail) + "</span>") + "</div>";
    }
    return html + "</div>";
  }
  std::string operator()(const TableBlock& block) const {
    std::string html = "<div class=\"scroll\"><table id=\"table-" + safe(block.id) + "\"" +
                       (block.sortable ? " class=\"sort\"" : "") + ">" + element("caption", "", block.title) +
                       "<thead><tr>";
    for (const Column& column : block.columns) {
      if (!is_drawn(column)) {
        continue;
      }
      html += std::string("<th") + (column.numeric ? " class=\"n\"" : "") + ">" + safe(column.title) + "</th>";
    }
    html += "</tr></thead><tbody>";
    for (const std::vector<Cell>& row : block.rows) {
      html += "<tr>";
      for (size_t i = 0; i < row.size() && i < block.columns.size(); ++i) {
        html += is_drawn(block.columns[i]) ? draw_cell(row[i], block.columns[i]) : "";
      }
      html += "</tr>\n";
    }
    return html + "</tbody></table></div>" + element("p", "under", block.note);
  }
  std::string operator()(const FactList& block) const {
    std::string html = "<dl class=\"facts\">";
    for (const Fact& fact : block.facts) {
      html += "<dt>" + safe(fact.name) + "</dt><dd>" + safe(fact.value) + "</dd>";
    }
    return html + "</dl>";
  }
  std::string operator()(const Finding& block) const {
    std::string html = "<div class=\"finding\"><h3>" + safe(block.title) + draw(block.badges) + "</h3>";
    if (!block.figures.empty()) {
      html += "<dl class=\"nums\">";
      for (const Fact& fact : block.figures) {
        html += "<div><dt>" + safe(fact.name) + "</dt><dd>" + safe(fact.value) + "</dd></div>";
      }
      html += "</dl>";
    }
    return html + element("p", "sub", block.evidence) + element("p", "", block.advice) + "</div>";
  }
  std::string operator()(const Code& block) const { return element("pre", "", block.text); }
  std::string operator()(const ChartBlock& block) const {
    const plot::Chart& chart = block.chart;
    return "<figure id=\"plot-" + safe(chart.id) + "\"" + (chart.x.quiet ? " class=\"tight\"" : "") + "><figcaption>" +
           element("b", "", chart.title) + safe(chart.caption) + "</figcaption><div class=\"draw " +
           (!plot::has_data(chart)   ? ""
            : chart.width <= kNarrow ? "half"
                                     : "wide") +
           "\">" + plot::render_svg(chart, plot::SvgUse::kInline) + "</div></figure>";
  }
  std::string operator()(const FoldedBlocks& block) const {
    return "<details class=\"fold\"><summary>" + safe(block.title) + "</summary>" + draw(block.blocks) + "</details>";
  }
};

// Narrow plots that follow each other share rows, and so do titled lists.
enum class Row { kOwn, kCharts, kLists };

Row row_of(const Block& block) {
  if (const auto* chart = std::get_if<ChartBlock>(&block)) {
    return chart->chart.width <= kNarrow ? Row::kCharts : Row::kOwn;
  }
  const auto* list = std::get_if<Bullets>(&block);
  return list != nullptr && !list->title.empty() ? Row::kLists : Row::kOwn;
}

std::string draw(const std::vector<Block>& blocks) {
  std::string html;
  Row row = Row::kOwn;
  for (const Block& block : blocks) {
    if (const Row next = row_of(block); next != row) {
      html += row == Row::kOwn ? "" : "</div>";
      html += next == Row::kOwn ? "" : "<div class=\"grid\">";
      row = next;
    }
    html += std::visit(BlockToHtml{}, block) + "\n";
  }
  return row == Row::kOwn ? html : html + "</div>";
}

}  // namespace

std::string render_html(const Report& report) {
  const std::string script = page_script();
  std::string html =
      "<!DOCTYPE html>\n<html lang=\"en\"><head><meta charset=\"utf-8\"/>"
      "<meta http-equiv=\"Content-Security-Policy\" content=\"" +
      safe(content_policy(script)) +
      "\"/><meta name=\"viewport\" content=\"width=device-width,initial-scale=1\"/>"
      "<meta name=\"referrer\" content=\"no-referrer\"/>" +
      element("title", "", report.title) + "<style>" + page_style() +
      "</style></head>\n<body><div class=\"page\"><nav>";
  for (const Section& section : report.sections) {
    html += "<a href=\"#" + safe(section.id) + "\">" + safe(section.title) + "</a>";
  }
  html += "</nav><main><header><div>" + element("h1", "", report.title) + element("div", "sub", report.subtitle) +
          "<div class=\"badges\">" + draw(report.badges) +
          "</div></div><button id=\"theme\" type=\"button\">light / dark</button></header>\n";
  for (const Section& section : report.sections) {
    html += "<section id=\"" + safe(section.id) + "\"><h2><a href=\"#" + safe(section.id) + "\">" +
            safe(section.title) + "</a>" + draw(section.badges) + "</h2>\n" + draw(section.blocks) + "</section>\n";
  }
  return html + element("p", "foot", report.footer) + "</main></div><script>" + script + "</script></body></html>\n";
}

}  // namespace aaco::report

// SPDX-License-Identifier: MIT
#include <algorithm>

#include "base/json/json_text.h"
#include "base/text/characters.h"
#include "report/html_page.h"
#include "report/plot/markup.h"
#include "report/plot/svg.h"
#include "report/sinks.h"

namespace aaco::report {

namespace {

constexpr size_t kShortText = 16;    // characters of a cell that is never broken into lines
constexpr size_t kShortFigure = 13;  // and of a figure that stands out
constexpr double kNarrow = 600;      // charts up to this width share a row
constexpr size_t kFirstRows = 10;    // of a table; the others unfold
constexpr int kManyColumns = 9;      // of a table: from here on smaller letters
constexpr size_t kFewMore = 3;       // that need no folding

std::string safe(std::string_view text) { return plot::escape_markup(text); }

// Long names, as "CPUExecutionProvider:Conv" or "low_intensity_time_share", break behind a sign rather than at any
// letter.
std::string breakable(std::string_view text) {
  std::string html;
  for (size_t at = 0; at < text.size();) {
    const size_t end = std::min(text.find_first_of(":_#", at), text.size() - 1) + 1;
    html += safe(text.substr(at, end - at)) + (end < text.size() ? "<wbr/>" : "");
    at = end;
  }
  return html;
}

// Whether a word of it is so long that a column cannot wait for it: it breaks anywhere.
bool has_long_word(std::string_view text) {
  constexpr size_t kLongestWord = 24;
  size_t word = 0;
  for (const char c : text) {
    word = c == ' ' || c == ':' || c == '_' || c == '#' ? 0 : word + 1;
    if (word > kLongestWord) {
      return true;
    }
  }
  return false;
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
    html += element("span", std::string("badge ") + word_of(badge.tone), badge.text);
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
  if (length_of(text) <= kShortText) {
    css += css.empty() ? "w" : " w";
  }
  if (has_long_word(text) || has_long_word(detail)) {
    css += css.empty() ? "long" : " long";
  }
  if (cell.tone != Tone::kNeutral) {
    css += std::string(css.empty() ? "" : " ") + word_of(cell.tone);
  }
  std::string html = "<td";
  html += css.empty() ? "" : " class=\"" + css + "\"";
  html += cell.whole.empty() ? "" : " title=\"" + safe(cell.whole) + "\"";
  html += order ? " data-v=\"" + json_number_text(*order) + "\"" : "";
  html += '>';
  if (cell.bar) {
    html += "<span class=\"meter\"><i style=\"width:" + plot::coordinate(std::clamp(*cell.bar, 0.0, 1.0) * 100) +
            "%\"></i></span>";
  }
  if (cell.notes.empty()) {
    return html + (column.numeric || length_of(text) <= kShortText ? safe(text) : breakable(text)) +
           element("small", "", detail) + "</td>";
  }
  html += "<details><summary>" + safe(text) + "</summary>";
  for (const std::string& note : cell.notes) {
    html += element("p", "", note);
  }
  return html + "</details></td>";
}

std::string draw(const std::vector<Block>& blocks);

struct BlockToHtml {
  std::string operator()(const Paragraph& block) const {
    return element("p", block.tone == Tone::kNeutral ? "" : std::string("remark ") + word_of(block.tone), block.text);
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
      html += std::string("<div class=\"figure ") + word_of(figure.tone) + "\"><span>" + safe(figure.label) +
              "</span><b" + (length_of(shown_text(figure.value.cell)) <= kShortFigure ? " class=\"w\"" : "") + ">" +
              safe(shown_text(figure.value.cell)) + "</b>" +
              (figure.detail.empty() ? "" : "<span>" + breakable(figure.detail) + "</span>") + "</div>";
    }
    return html + "</div>";
  }
  std::string operator()(const TableBlock& block) const {
    const bool folds = block.rows.size() > kFirstRows + kFewMore;
    std::string html = folds ? "<input type=\"checkbox\" class=\"more\" id=\"more-" + safe(block.id) + "\"/>" : "";
    const auto columns = std::count_if(block.columns.begin(), block.columns.end(), is_drawn);
    const std::string css = std::string(block.sortable ? "sort" : "") + (columns >= kManyColumns ? " dense" : "");
    html += "<div class=\"scroll\"><table id=\"table-" + safe(block.id) + "\"" +
            (css.empty() ? "" : " class=\"" + css + "\"") + ">" + element("caption", "", block.title) + "<thead><tr>";
    for (const Column& column : block.columns) {
      if (!is_drawn(column)) {
        continue;
      }
      html += std::string("<th") + (column.numeric ? " class=\"n\"" : "") + ">" + safe(column.title) + "</th>";
    }
    html += "</tr></thead><tbody>";
    for (size_t row = 0; row < block.rows.size(); ++row) {
      html += folds && row == kFirstRows ? "</tbody><tbody class=\"rest\"><tr>" : "<tr>";
      for (size_t i = 0; i < block.rows[row].size() && i < block.columns.size(); ++i) {
        html += is_drawn(block.columns[i]) ? draw_cell(block.rows[row][i], block.columns[i]) : "";
      }
      html += "</tr>\n";
    }
    html += "</tbody></table></div>";
    html += folds ? "<label class=\"more\" for=\"more-" + safe(block.id) + "\"><span>" +
                        std::to_string(block.rows.size() - kFirstRows) +
                        " more rows</span><span>fewer rows</span></label>"
                  : "";
    return html + element("p", "under", block.note);
  }
  std::string operator()(const FactList& block) const {
    std::string html = "<dl class=\"facts\">";
    for (const Fact& fact : block.facts) {
      html += "<dt>" + safe(fact.name) + "</dt><dd>" + safe(line_of(fact.value.cell)) + "</dd>";
    }
    return html + "</dl>";
  }
  std::string operator()(const Finding& block) const {
    std::string html = "<div class=\"finding\"><h3>" + safe(block.title) + draw(block.badges) + "</h3>";
    if (!block.figures.empty()) {
      html += "<dl class=\"nums\">";
      for (const Fact& fact : block.figures) {
        html += "<div><dt>" + safe(fact.name) + "</dt><dd>" + safe(line_of(fact.value.cell)) + "</dd></div>";
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

std::string draw(const TimeBar& bar) {
  const double whole_ns = bar.whole_ns();
  if (!(whole_ns > 0)) {
    return "";
  }
  std::string parts;
  for (const TimeBar::Part& part : bar.parts) {
    if (part.ns > 0) {
      parts += "<i class=\"c" + std::to_string(part.colour) +
               "\" style=\"width:" + plot::coordinate(part.ns / whole_ns * 100) + "%\"></i>";
    }
  }
  std::string legend;
  size_t at = 0;
  const std::vector<std::string> words = bar_legend(bar);
  for (const TimeBar::Part& part : bar.parts) {
    if (part.ns > 0) {
      legend += "<span><i class=\"c" + std::to_string(part.colour) + "\"></i>" + safe(words[at++]) + "</span>";
    }
  }
  return "<div class=\"timebar\">" + parts + "</div><div class=\"legend\">" + legend + "</div>";
}

std::string draw(const Headline& headline) {
  if (headline.empty()) {
    return "";
  }
  std::string findings;
  for (size_t i = 0; i < std::min(Headline::kMostFindings, headline.findings.size()); ++i) {
    findings += element("li", "", headline.findings[i]);
  }
  return "<div class=\"headline\">" + element("p", "answer", headline.figure) + draw(headline.budget) +
         (findings.empty() ? "" : "<ol>" + findings + "</ol>") + "<p class=\"quality " +
         word_of(headline.quality_tone) + "\"><b>quality</b> " + safe(headline.quality) + "</p></div>\n";
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
          "</div></div><button id=\"theme\" type=\"button\">light / dark</button></header>\n" + draw(report.headline);
  for (const Section& section : report.sections) {
    html += "<section id=\"" + safe(section.id) + "\"><h2><a href=\"#" + safe(section.id) + "\">" +
            safe(section.title) + "</a>" + draw(section.badges) + "</h2>\n" + draw(section.blocks) + "</section>\n";
  }
  return html + element("p", "foot", report.footer) + "</main></div><script>" + script + "</script></body></html>\n";
}

}  // namespace aaco::report

// SPDX-License-Identifier: MIT
#include "base/json.h"

#include "report/sinks.h"

namespace aaco::report {

namespace {

const char* name_of(Tone tone) {
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

Json to_value(const std::vector<Badge>& badges) {
  Json list = Json::array();
  for (const Badge& badge : badges) {
    list.push_back({{"text", badge.text}, {"tone", name_of(badge.tone)}});
  }
  return list;
}

Json to_value(const std::vector<Fact>& facts) {
  Json object = Json::object();
  for (const Fact& fact : facts) {
    object[fact.name] = fact.value;
  }
  return object;
}

Json to_value(const std::vector<Block>& blocks);

struct BlockToJson {
  Json operator()(const Paragraph& block) const {
    return {{"kind", "paragraph"}, {"text", block.text}, {"tone", name_of(block.tone)}};
  }
  Json operator()(const Bullets& block) const {
    return {{"kind", "list"}, {"title", block.title}, {"items", block.items}};
  }
  Json operator()(const KeyFigures& block) const {
    Json figures = Json::array();
    for (const KeyFigure& figure : block.figures) {
      figures.push_back({{"label", figure.label}, {"value", figure.value}, {"detail", figure.detail}});
    }
    return {{"kind", "figures"}, {"figures", figures}};
  }
  Json operator()(const TableBlock& block) const {
    Json columns = Json::array();
    for (const Column& column : block.columns) {
      columns.push_back(column.title);
    }
    Json rows = Json::array();
    for (const std::vector<Cell>& row : block.rows) {
      Json cells = Json::array();
      for (const Cell& cell : row) {
        cells.push_back(line_of(cell));
      }
      rows.push_back(std::move(cells));
    }
    return {{"kind", "table"}, {"title", block.title}, {"columns", columns}, {"rows", rows}, {"note", block.note}};
  }
  Json operator()(const FactList& block) const { return {{"kind", "facts"}, {"facts", to_value(block.facts)}}; }
  Json operator()(const Finding& block) const {
    return {{"kind", "finding"},
            {"title", block.title},
            {"badges", to_value(block.badges)},
            {"figures", to_value(block.figures)},
            {"evidence", block.evidence},
            {"advice", block.advice}};
  }
  Json operator()(const Code& block) const { return {{"kind", "code"}, {"text", block.text}}; }
  Json operator()(const ChartBlock& block) const {
    Json series = Json::array();
    for (const plot::Series& one : block.chart.series) {
      series.push_back({{"name", one.name}, {"points", one.x.size()}});
    }
    return {{"kind", "plot"},
            {"id", block.chart.id},
            {"title", block.chart.title},
            {"caption", block.chart.caption},
            {"no_data", plot::has_data(block.chart) ? Json() : Json(block.chart.no_data)},
            {"series", series}};
  }
  Json operator()(const FoldedBlocks& block) const {
    return {{"kind", "folded"}, {"title", block.title}, {"blocks", to_value(block.blocks)}};
  }
};

Json to_value(const std::vector<Block>& blocks) {
  Json list = Json::array();
  for (const Block& block : blocks) {
    list.push_back(std::visit(BlockToJson{}, block));
  }
  return list;
}

}  // namespace

Json render_json(const Report& report) {
  Json sections = Json::array();
  for (const Section& section : report.sections) {
    sections.push_back({{"id", section.id},
                        {"title", section.title},
                        {"badges", to_value(section.badges)},
                        {"blocks", to_value(section.blocks)}});
  }
  return {{"title", report.title},
          {"subtitle", report.subtitle},
          {"badges", to_value(report.badges)},
          {"sections", sections},
          {"footer", report.footer}};
}

}  // namespace aaco::report

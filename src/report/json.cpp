// SPDX-License-Identifier: MIT
#include "base/json/json.h"

#include <cmath>
#include <utility>

#include "report/sinks.h"

namespace aaco::report {

namespace {

constexpr EnumWords<plot::Mark, 7> kMarks{{"line", "points", "bars", "spans", "histogram", "ecdf", "stacked area"}};
constexpr EnumWords<plot::Annotation::Kind, 4> kAnnotations{
    {"vertical band", "vertical line", "horizontal band", "horizontal line"}};

Json to_value(const std::vector<Badge>& badges) {
  Json list = Json::array();
  for (const Badge& badge : badges) {
    list.push_back({{"text", badge.text}, {"tone", word_of(badge.tone)}});
  }
  return list;
}

Json to_value(const Number& number) {
  Json value = std::visit([](auto given) { return Json(given); }, number.value);
  Json json;
  if (const auto* real = std::get_if<double>(&number.value); real != nullptr && !std::isfinite(*real)) {
    json = {{"value", nullptr}, {"unit", number.unit}, {"reason", "not finite"}};
  } else {
    json = {{"value", std::move(value)}, {"unit", number.unit}};
  }
  if (number.interval) {
    json["interval"] = *number.interval;
  }
  return json;
}

Json to_value(const std::optional<Number>& number) { return number ? to_value(*number) : Json(); }

Json to_value(const Transition& transition) {
  return {{"before", to_value(transition.before)}, {"after", to_value(transition.after)}};
}

// The number as it was found, with its unit; else the words, whole; else null and why.
Json to_value(const Cell& cell) {
  Json json;
  if (cell.transition) {
    json = to_value(*cell.transition);
  } else if (cell.number) {
    json = to_value(*cell.number);
  } else {
    const std::string& words = cell.whole.empty() ? cell.text : cell.whole;
    json = {{"value", words.empty() ? Json() : Json(words)}};
  }
  if (!cell.reason.empty()) {
    json["reason"] = cell.reason;
  }
  if (!cell.detail.empty()) {
    json["detail"] = cell.detail;
  }
  if (cell.tone != Tone::kNeutral) {
    json["tone"] = word_of(cell.tone);
  }
  return json;
}

Json to_value(const std::vector<Fact>& facts) {
  Json object = Json::object();
  for (const Fact& fact : facts) {
    object[fact.name] = to_value(fact.value.cell);
  }
  return object;
}

Json to_value(const KeyFigure& figure) {
  Json json = {{"label", figure.label}};
  json.update(to_value(figure.value.cell));
  json["detail"] = figure.detail;
  if (figure.tone != Tone::kNeutral) {
    json["tone"] = word_of(figure.tone);
  }
  return json;
}

// Of the data, not of the words at the ticks.
const char* unit_of(const plot::Axis& axis) {
  switch (axis.quantity) {
    case plot::Quantity::kDuration:
      return "ns";
    case plot::Quantity::kPercent:
      return "fraction";
    case plot::Quantity::kNumber:
    case plot::Quantity::kSi:
      break;
  }
  return axis.unit.empty() ? "1" : axis.unit.c_str();
}

Json to_value(const plot::Axis& axis) {
  Json json = {{"title", axis.title}, {"unit", unit_of(axis)}, {"logarithmic", axis.logarithmic}};
  if (!axis.categories.empty()) {
    json["categories"] = axis.categories;
  }
  return json;
}

Json to_value(const plot::Series& series) {
  Json json = {{"name", series.name}, {"mark", kMarks.word(series.mark)}, {"points", series.x.size()}, {"x", series.x}};
  for (const auto& [name, values] : {std::pair{"y", &series.y}, std::pair{"low", &series.low},
                                     std::pair{"high", &series.high}, std::pair{"start", &series.start}}) {
    if (!values->empty()) {
      json[name] = *values;
    }
  }
  if (!series.labels.empty()) {
    json["labels"] = series.labels;
  }
  return json;
}

Json to_value(const plot::Annotation& annotation) {
  const bool is_band = annotation.kind == plot::Annotation::Kind::kVerticalBand ||
                       annotation.kind == plot::Annotation::Kind::kHorizontalBand;
  return {{"kind", kAnnotations.word(annotation.kind)},
          {"from", annotation.from},
          {"to", is_band ? Json(annotation.to) : Json()},
          {"text", annotation.text}};
}

template <class Value>
Json list_of(const std::vector<Value>& values) {
  Json list = Json::array();
  for (const Value& value : values) {
    list.push_back(to_value(value));
  }
  return list;
}

Json to_value(const Headline& headline) {
  if (headline.empty()) {
    return {};
  }
  Json parts = Json::array();
  for (const TimeBar::Part& part : headline.budget.parts) {
    parts.push_back({{"name", part.name}, {"value", part.ns}, {"unit", "ns"}});
  }
  return {{"figure", headline.figure},
          {"budget", std::move(parts)},
          {"findings", headline.findings},
          {"quality", headline.quality},
          {"tone", word_of(headline.quality_tone)}};
}

Json to_value(const std::vector<Block>& blocks);

struct BlockToJson {
  Json operator()(const Paragraph& block) const {
    return {{"kind", "paragraph"}, {"text", block.text}, {"tone", word_of(block.tone)}};
  }
  Json operator()(const Bullets& block) const {
    return {{"kind", "list"}, {"title", block.title}, {"items", block.items}};
  }
  Json operator()(const KeyFigures& block) const { return {{"kind", "figures"}, {"figures", list_of(block.figures)}}; }
  Json operator()(const TableBlock& block) const {
    Json columns = Json::array();
    Json not_drawn = Json::array();  // positions of columns that are for programs alone
    for (size_t i = 0; i < block.columns.size(); ++i) {
      columns.push_back(block.columns[i].title.empty() ? block.columns[i].key : block.columns[i].title);
      if (!is_drawn(block.columns[i])) {
        not_drawn.push_back(i);
      }
    }
    Json rows = Json::array();
    for (const std::vector<Cell>& row : block.rows) {
      rows.push_back(list_of(row));
    }
    Json json = {{"kind", "table"},    {"id", block.id}, {"title", block.title},
                 {"columns", columns}, {"rows", rows},   {"note", block.note}};
    if (!not_drawn.empty()) {
      json["not_drawn"] = std::move(not_drawn);
    }
    return json;
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
    const plot::Chart& chart = block.chart;
    return {{"kind", "plot"},
            {"id", chart.id},
            {"title", chart.title},
            {"caption", chart.caption},
            {"no_data", plot::has_data(chart) ? Json() : Json(chart.no_data)},
            {"x", to_value(chart.x)},
            {"y", to_value(chart.y)},
            {"series", list_of(chart.series)},
            {"annotations", list_of(chart.annotations)}};
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
          {"headline", to_value(report.headline)},
          {"metrics", report.metrics},
          {"sections", sections},
          {"footer", report.footer}};
}

}  // namespace aaco::report

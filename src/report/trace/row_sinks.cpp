// SPDX-License-Identifier: MIT
#include "report/trace/row_sinks.h"

#include <algorithm>
#include <fmt/format.h>
#include <utility>

#include "base/format.h"
#include "base/json.h"
#include "base/text/characters.h"
#include "report/trace/values.h"
#include "report/values.h"

namespace aaco::report {

namespace {

constexpr const char* kFraction = "fraction";

Json value_of(const Cell& cell, const Column& column) {
  if (cell.number) {
    return std::visit([](auto value) { return Json(value); }, cell.number->value);
  }
  return cell.reason.empty() && !column.numeric ? Json(cell.text) : Json();
}

std::string text_in(double value, const std::string& unit) {
  return unit == kFraction ? format_percent(value, 2) : format_in_unit(value, unit);
}

std::string text_of(const Number& number) {
  const auto* const count = std::get_if<int64_t>(&number.value);
  const double value = std::visit([](auto one) { return static_cast<double>(one); }, number.value);
  std::string text = number.change && value > 0 ? "+" : "";
  const bool counted = number.unit.empty() || number.unit == "1";
  text += count != nullptr && counted ? std::to_string(*count)  // without separators, for scripts
                                      : text_in(value, number.unit);
  return number.interval ? fmt::format("{} [{}, {}]", text, text_in(number.interval->low, number.unit),
                                       text_in(number.interval->high, number.unit))
                         : text;
}

std::string text_of(const Cell& cell, size_t longest) {
  if (cell.transition) {
    const auto side = [](const std::optional<Number>& number) { return number ? text_of(*number) : "-"; };
    return side(cell.transition->before) + " -> " + side(cell.transition->after);
  }
  if (cell.number) {
    return text_of(*cell.number);
  }
  const std::string text = shown_text(cell);
  return longest == 0 ? text : shorten(text, longest);
}

// Of "before.count" the member "count" of the object's member "before".
Json& member_of(Json& object, std::string_view key) {
  const size_t dot = key.find('.');
  Json& member = object[std::string(key.substr(0, dot))];
  return dot == std::string_view::npos ? member : member_of(member, key.substr(dot + 1));
}

}  // namespace

Json rows_json(const TableBlock& table) {
  Json list = Json::array();
  for (const std::vector<Cell>& row : table.rows) {
    Json object = Json::object();
    for (size_t c = 0; c < table.columns.size(); ++c) {
      if (!table.columns[c].key.empty()) {
        member_of(object, table.columns[c].key) = value_of(row[c], table.columns[c]);
      }
    }
    list.push_back(std::move(object));
  }
  return list;
}

std::string rows_text(const TableBlock& table) {
  std::vector<std::vector<std::string>> lines(1);
  for (const Column& column : table.columns) {
    if (is_drawn(column)) {
      lines[0].push_back(column.title);
    }
  }
  const auto add = [&](const std::vector<Cell>& row) {
    std::vector<std::string>& line = lines.emplace_back();
    for (size_t c = 0; c < table.columns.size(); ++c) {
      if (is_drawn(table.columns[c])) {
        line.push_back(text_of(row[c], table.columns[c].longest));
      }
    }
  };
  const size_t shown = std::min(table.most, table.rows.size());
  std::for_each(table.rows.begin(), table.rows.begin() + static_cast<std::ptrdiff_t>(shown), add);
  if (shown < table.rows.size() && !table.others.empty()) {
    add(table.others);
  }
  return format_table(std::move(lines));
}

TableBlock share_table(const char* what, const char* of_what) {
  return {.columns = {{what}, {.numeric = true}, {of_what, true}}};
}

void add_share(TableBlock& table, std::string name, int64_t part_ns, int64_t whole_ns) {
  table.rows.push_back({text_cell(std::move(name)), time_cell(part_ns), share_cell(part_ns, whole_ns)});
}

Cell share_cell(int64_t part, int64_t whole) {
  const auto share = ratio(part, whole);
  return share ? Cell{.number = Number{*share, kFraction}} : missing_cell("no data");
}

Cell time_cell(int64_t ns) { return {.number = Number{ns, "ns"}}; }

Cell time_change_cell(int64_t ns) { return {.number = Number{.value = ns, .unit = "ns", .change = true}}; }

Cell amount_cell(uint64_t count) { return count_cell(static_cast<int64_t>(count)); }

Cell id_cell(int64_t id) { return id == kNoId ? Cell() : count_cell(id); }

Cell words_cell(const EventTable& events, StringId id) {
  return id == kEmptyString ? missing_cell("not recorded") : text_cell(std::string(events.strings[id]));
}

Cell name_cell(const std::string& name) {
  const bool cut = length_of(name) > kLongestName;
  return {.text = cut ? shorten(name, kLongestName) : name, .whole = cut ? name : ""};
}

}  // namespace aaco::report

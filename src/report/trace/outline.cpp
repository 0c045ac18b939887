// SPDX-License-Identifier: MIT
#include "report/trace/outline.h"

#include <algorithm>
#include <fmt/format.h>
#include <iterator>

#include "report/names/kernel_names.h"
#include "report/trace/row_sinks.h"
#include "report/trace/values.h"
#include "report/values.h"

namespace aaco::report {

void Outline::figure(std::string_view key, Json value, std::string_view unit) {
  if (is_data()) {
    member_of(data_, key) = std::move(value);
  } else {
    aside(key, std::move(value), unit);
  }
}

void Outline::aside(std::string_view key, Json value, std::string_view unit) {
  if (!is_data()) {
    figures_.push_back({std::string(key), std::move(value), std::string(unit)});
  }
}

void Outline::figures(const TableRow& row, std::string_view columns) {
  if (!is_data()) {
    row_figures_.push_back({row, std::string(columns)});
    return;
  }
  for (const RowMember& member : row_members(row.table(), columns)) {
    member_of(data_, member.key) = member.value(row);
  }
}

void Outline::rows(std::string_view key, const TableRows& rows, std::string_view columns) {
  if (is_data()) {
    member_of(data_, key) = row_objects(rows, columns);
  }
}

std::optional<Outline::Figure> Outline::find(std::string_view key) const {
  // From the end: of one key the last figure holds.
  const auto same_key = [&](const auto& figure) { return figure.key == key; };
  if (const auto figure = std::find_if(figures_.rbegin(), figures_.rend(), same_key); figure != figures_.rend()) {
    return *figure;
  }
  for (auto from = row_figures_.rbegin(); from != row_figures_.rend(); ++from) {
    const std::vector<RowMember> members = row_members(from->row.table(), from->columns);
    if (const auto member = std::find_if(members.begin(), members.end(), same_key); member != members.end()) {
      return Figure{std::string(key), member->value(from->row), member->column->info.unit};
    }
  }
  return std::nullopt;
}

int64_t Outline::integer(std::string_view key) const { return find(key)->value.get<int64_t>(); }

std::string Outline::shown(std::string_view placeholder) const {
  if (const size_t slash = placeholder.find('/'); slash != std::string_view::npos) {
    return share_text(integer(placeholder.substr(0, slash)), integer(placeholder.substr(slash + 1)));
  }
  const size_t colon = std::min(placeholder.find(':'), placeholder.size());
  const std::optional<Figure> figure = find(placeholder.substr(0, colon));
  if (!figure) {  // shown as it was written, so that a test and a reader see the mistake
    return fmt::format("{{{}}}", placeholder);
  }
  if (figure->value.is_string()) {
    return figure->value.get<std::string>();
  }
  if (!figure->value.is_number()) {
    return "no data";
  }
  if (colon < placeholder.size()) {
    return fmt::format(fmt::runtime(fmt::format("{{{}}}", placeholder.substr(colon))), figure->value.get<double>());
  }
  return number_text(figure->value.is_number_float() ? Number{figure->value.get<double>(), figure->unit}
                                                     : Number{figure->value.get<int64_t>(), figure->unit});
}

void Outline::say(std::string_view sentence) {
  if (!is_shown()) {
    return;
  }
  std::string text;
  for (size_t at = 0; at < sentence.size();) {
    const size_t open = std::min(sentence.find('{', at), sentence.size());
    text += sentence.substr(at, open - at);
    const size_t close = sentence.find('}', open);
    if (close == std::string_view::npos) {
      break;
    }
    text += shown(sentence.substr(open + 1, close - open - 1));
    at = close + 1;
  }
  note(std::move(text));
}

void Outline::note(std::string text) {
  if (is_shown()) {
    blocks().emplace_back(Paragraph{.text = std::move(text)});
  }
}

void Outline::show(TableBlock table) {
  if (is_shown() && !table.rows.empty()) {
    shorten_kernels(table);
    blocks().emplace_back(std::move(table));
  }
}

void Outline::shares(const char* what, const char* of_what, const std::vector<Share>& shares, int64_t whole_ns) {
  if (is_data()) {
    return;
  }
  TableBlock table{.columns = {{what}, {.numeric = true}, {of_what, true}}};
  for (const auto& [title, ns] : shares) {
    table.rows.push_back({text_cell(title), time_cell(ns), share_cell(ns, whole_ns)});
  }
  show(std::move(table));
}

void Outline::section(std::string title) {
  if (is_shown()) {
    sections_.push_back({.title = title});
    if (!title.empty()) {
      note(std::move(title));
    }
  }
}

std::vector<Block>& Outline::blocks() {
  if (sections_.empty()) {
    sections_.emplace_back();
    goes_on_ = true;
  }
  return sections_.back().blocks;
}

void Outline::append(Outline inner) {
  auto next = inner.sections_.begin();
  // What an item said before any section of its own belongs to the section that the list stands in.
  if (inner.goes_on_) {
    std::move(next->blocks.begin(), next->blocks.end(), std::back_inserter(blocks()));
    ++next;
  }
  std::move(next, inner.sections_.end(), std::back_inserter(sections_));
  draw_sections(1);
}

void Outline::end() { draw_sections(0); }

// The last may go on.
void Outline::draw_sections(size_t but_last) {
  if (!draw_ || sections_.size() <= but_last) {
    return;
  }
  const auto behind = sections_.end() - static_cast<ptrdiff_t>(but_last);
  std::for_each(sections_.begin(), behind, draw_);
  sections_.erase(sections_.begin(), behind);
}

}  // namespace aaco::report

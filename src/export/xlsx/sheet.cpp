// SPDX-License-Identifier: MIT
#include "export/xlsx/sheet.h"

#include <cmath>
#include <cstdlib>
#include <fmt/format.h>
#include <utility>
#include <variant>

#include "base/text/characters.h"

namespace aaco {

namespace {

constexpr int64_t kLargestExact = int64_t{1} << 53;
constexpr size_t kPieceBytes = size_t{1} << 18;
constexpr const char* kPlain = "";
constexpr const char* kTitle = R"( s="1")";  // the second format of xlsx.cpp's styles

bool is_hexadecimal(char c) { return (c >= '0' && c <= '9') || (c >= 'A' && c <= 'F') || (c >= 'a' && c <= 'f'); }

// "_x0041_" would be read as "A": ECMA-376's ST_Xstring.
bool is_escape(std::string_view text) {
  return text.size() >= 7 && text[1] == 'x' && is_hexadecimal(text[2]) && is_hexadecimal(text[3]) &&
         is_hexadecimal(text[4]) && is_hexadecimal(text[5]) && text[6] == '_';
}

void append_escaped(std::string_view text, uint64_t& controls, std::string& xml) {
  while (!text.empty()) {
    const size_t bytes = character_bytes(text);
    const char c = text.front();
    if (bytes == 0) {
      ++controls;
      xml += kReplacement;
    } else if (c == '&') {
      xml += "&amp;";
    } else if (c == '<') {
      xml += "&lt;";
    } else if (c == '>') {
      xml += "&gt;";
    } else if (c == '_' && is_escape(text)) {
      xml += "_x005F_";
    } else {
      xml += text.substr(0, bytes);
    }
    text.remove_prefix(bytes == 0 ? 1 : bytes);
  }
}

// The start of it, whole characters.
std::string_view beginning(std::string_view text, size_t most) {
  size_t end = std::min(text.size(), most);
  while (end < text.size() && end > 0 && (static_cast<unsigned char>(text[end]) & 0xC0) == 0x80) {
    --end;
  }
  return text.substr(0, end);
}

std::string title_of(const ColumnInfo& column) {
  return column.unit.empty() || column.unit == "1" ? column.name : fmt::format("{} [{}]", column.name, column.unit);
}

}  // namespace

std::string column_letters(size_t column) {
  std::string letters;
  for (size_t rest = column + 1; rest > 0; rest = (rest - 1) / 26) {
    letters.insert(letters.begin(), static_cast<char>('A' + (rest - 1) % 26));
  }
  return letters;
}

Sheet::Sheet(ZipArchive& archive, std::string name, const std::vector<ColumnInfo>& columns, SheetLosses& losses)
    : archive_(archive), losses_(losses), columns_(columns.size()) {
  archive_.begin(std::move(name));
  xml_ = R"(<?xml version="1.0" encoding="UTF-8" standalone="yes"?>)"
         "\n"
         R"(<worksheet xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main"><sheetViews><sheetView )"
         R"(workbookViewId="0"><pane ySplit="1" topLeftCell="A2" activePane="bottomLeft" state="frozen"/></sheetView>)"
         R"(</sheetViews><sheetFormatPr defaultRowHeight="15"/><sheetData><row r="1">)";
  for (size_t i = 0; i < columns.size(); ++i) {
    add_text(i, title_of(columns[i]), kTitle);
  }
  xml_ += "</row>";
}

void Sheet::add_text(size_t column, const std::string& text, const char* style) {
  const std::string_view kept = beginning(text, kMostCellText);
  losses_.cut += kept.size() < text.size() ? 1 : 0;
  xml_ +=
      fmt::format(R"(<c r="{}{}" t="inlineStr"{}><is><t xml:space="preserve">)", column_letters(column), row_, style);
  append_escaped(kept, losses_.controls, xml_);
  xml_ += "</t></is></c>";
}

void Sheet::add_row(const Table& rows, size_t row) {
  ++row_;
  xml_ += fmt::format(R"(<row r="{}">)", row_);
  for (size_t i = 0; i < rows.columns.size(); ++i) {
    const TableColumn& column = rows.columns[i];
    if (!column.valid.empty() && column.valid[row] == 0) {
      continue;
    }
    const auto add_number = [&](const auto& number) {
      xml_ += fmt::format(R"(<c r="{}{}"><v>{}</v></c>)", column_letters(i), row_, number);
    };
    if (const auto* texts = std::get_if<std::vector<std::string>>(&column.values)) {
      add_text(i, (*texts)[row], kPlain);
    } else if (const auto* integers = std::get_if<std::vector<int64_t>>(&column.values)) {
      const int64_t value = (*integers)[row];
      if (value > kLargestExact || value < -kLargestExact) {
        add_text(i, std::to_string(value), kPlain);
      } else {
        add_number(value);
      }
    } else {
      const double value = std::get<std::vector<double>>(column.values)[row];
      if (std::isfinite(value)) {
        add_number(value);
      } else {
        add_text(i, fmt::format("{}", value), kPlain);
      }
    }
  }
  xml_ += "</row>";
}

void Sheet::add(const Table& rows) {
  for (size_t row = 0; row < rows.row_count; ++row) {
    if (row_ >= kMostSheetRows) {
      losses_.rows += rows.row_count - row;
      return;
    }
    add_row(rows, row);
    if (xml_.size() > kPieceBytes) {
      archive_.append(xml_);
      xml_.clear();
    }
  }
}

Result<void> Sheet::end() {
  xml_ += "</sheetData>";
  if (columns_ > 0) {
    xml_ += fmt::format(R"(<autoFilter ref="A1:{}{}"/>)", column_letters(columns_ - 1), row_);
  }
  xml_ += "</worksheet>";
  archive_.append(xml_);
  xml_.clear();
  return archive_.end();
}

}  // namespace aaco

// SPDX-License-Identifier: MIT
#include "ingest/table/table_kind.h"

#include <algorithm>

namespace aaco {

bool same_column(std::string_view a, std::string_view b) {
  const auto lower = [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; };
  return std::equal(a.begin(), a.end(), b.begin(), b.end(), [&](char x, char y) { return lower(x) == lower(y); });
}

const TableKind* find_table_kind(std::span<const TableKind> kinds, std::span<const std::string_view> columns) {
  const auto has = [&](std::string_view name) {
    return std::any_of(columns.begin(), columns.end(),
                       [&](std::string_view column) { return same_column(column, name); });
  };
  const auto position = std::find_if(kinds.begin(), kinds.end(), [&](const TableKind& kind) {
    return std::all_of(kind.needs.begin(), kind.needs.end(), has);
  });
  return position == kinds.end() ? nullptr : &*position;
}

}  // namespace aaco

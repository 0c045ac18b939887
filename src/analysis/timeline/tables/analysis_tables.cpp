// SPDX-License-Identifier: MIT
#include "analysis/timeline/tables/analysis_tables.h"

namespace aaco {

namespace {

#define AACO_TABLE_(name, meaning) AnalysisTable{#name, meaning, name##_table},
#define AACO_PART_(name, meaning) AnalysisTable{#name, meaning, nullptr, name##_table},
constexpr AnalysisTable kTables[] = {AACO_ANALYSIS_TABLES(AACO_TABLE_, AACO_PART_)};

}  // namespace

std::span<const AnalysisTable> all_analysis_tables() { return kTables; }

Table AnalysisTable::make(const EventTable& events, const TraceSummary& summary) const {
  return whole != nullptr ? whole(events, summary) : part(events, summary, RowRange());
}

TablePieces::TablePieces(const AnalysisTable& table, const EventTable& events, const TraceSummary& summary)
    : table_(table), events_(events), summary_(summary), piece_(piece(0)) {}

std::vector<ColumnInfo> TablePieces::columns() const {
  std::vector<ColumnInfo> columns;
  for (const TableColumn& column : piece_.columns) {
    columns.push_back(column.info);
  }
  return columns;
}

const Table* TablePieces::next() {
  if (next_ > 0) {
    piece_ = Table();  // before the next one is made
    piece_ = piece(next_);
  }
  if (next_ > 0 && piece_.row_count == 0) {
    return nullptr;
  }
  next_ += kRows;
  return &piece_;
}

Table TablePieces::piece(size_t first) const {
  if (table_.part != nullptr) {
    return table_.part(events_, summary_, {first, kRows});
  }
  return first == 0 ? table_.whole(events_, summary_) : Table();
}

}  // namespace aaco

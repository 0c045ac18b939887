// SPDX-License-Identifier: MIT
// Journals of rows of one type, with the columns of its RowSchema: the same list that makes its Parquet file. A record
// holds 8 bytes a column, in the order of the list; where a column may be null, NaN or the smallest integer is null.
// The journal's description names the columns and their types, so that one of another version is read as a Parquet file
// is: columns are found by name, and a nullable one that is missing is null.
//
// A text is stored once, before the first row that has it, and rows hold its number. Where rows have texts, each record
// starts with 8 bytes more: 0 for a row, else the top bit, kMoreText where the text goes on in the next record, and how
// many bytes of it follow. Texts are numbered from 0 in the order in which they are stored.
#pragma once

#include <array>
#include <bit>
#include <cmath>
#include <cstdint>
#include <filesystem>
#include <limits>
#include <map>
#include <string>
#include <string_view>
#include <tuple>
#include <utility>
#include <vector>

#include "base/json/json_fwd.h"
#include "base/result.h"
#include "record/journal/journal.h"
#include "record/table.h"

namespace aaco {

namespace row_journal {

inline constexpr uint64_t kText = uint64_t{1} << 63;
inline constexpr uint64_t kMoreText = uint64_t{1} << 62;
inline constexpr int64_t kNullInteger = std::numeric_limits<int64_t>::min();  // and the number of a text that is null

template <class Row>
using Columns = decltype(RowSchema<Row>::columns());

// Of a null pointer to Columns<Row>.
template <class Row, class... T>
constexpr bool has_text(const std::tuple<RowColumn<Row, T>...>*) {
  return (std::is_same_v<typename table_detail::Plain<T>::CellValue, std::string> || ...);
}

// What a journal's description says of its rows.
Json description(const char* table, const std::vector<ColumnInfo>& columns);
// A journal with that description. Errors: as JournalWriter::create.
Result<JournalWriter> create(const std::filesystem::path& path, size_t record_bytes, const char* table,
                             const std::vector<ColumnInfo>& columns);

// The journal's rows as a table of that name, its columns with names and types alone. Journals of before the
// description named columns (old_journals.h) are read too. Errors: kUsage naming the file.
Result<Table> read(const std::filesystem::path& path, const char* table, bool* torn);

}  // namespace row_journal

// One writer, one thread, as a JournalWriter.
template <class Row>
class RowJournalWriter {
 public:
  // Errors: as JournalWriter::create.
  static Result<RowJournalWriter> create(const std::filesystem::path& path) {
    AACO_ASSIGN(JournalWriter journal,
                row_journal::create(path, sizeof(Record), RowSchema<Row>::kName, column_infos<Row>()));
    return RowJournalWriter(std::move(journal));
  }

  // False when the disk is full, and on every later call; close() then gives the error.
  bool append(const Row& row) {
    Record record{};
    size_t word = kHasText ? 1 : 0;
    std::apply([&](const auto&... column) { ((record[word++] = encode(row.*column.member)), ...); },
               RowSchema<Row>::columns());
    return journal_.append(record);
  }
  Result<void> close() { return journal_.close(); }

 private:
  static constexpr bool kHasText = row_journal::has_text(static_cast<const row_journal::Columns<Row>*>(nullptr));
  using Record = std::array<uint64_t, std::tuple_size_v<row_journal::Columns<Row>> + (kHasText ? 1 : 0)>;
  static constexpr size_t kTextBytes = sizeof(Record) - 8;

  explicit RowJournalWriter(JournalWriter journal) : journal_(std::move(journal)) {}

  static uint64_t encode(int64_t value) { return static_cast<uint64_t>(value); }
  static uint64_t encode(double value) { return std::bit_cast<uint64_t>(value); }
  uint64_t encode(std::string_view text) { return encode(number_of(text)); }
  template <HasWords T>
  uint64_t encode(T word) {
    return encode(word_of(word));
  }
  template <class T>
  uint64_t encode(const std::optional<T>& value) {
    if constexpr (std::is_same_v<T, double>) {
      return encode(value.value_or(std::numeric_limits<double>::quiet_NaN()));
    } else {
      return value ? encode(*value) : encode(row_journal::kNullInteger);
    }
  }

  int64_t number_of(std::string_view text) {
    const auto known = numbers_.find(text);
    if (known != numbers_.end()) {
      return known->second;
    }
    for (std::string_view rest = text;;) {
      const std::string_view piece = rest.substr(0, kTextBytes);
      rest.remove_prefix(piece.size());
      Record record{};
      record[0] = row_journal::kText | (rest.empty() ? 0 : row_journal::kMoreText) | piece.size();
      std::memcpy(&record[1], piece.data(), piece.size());
      journal_.append(record);  // one that fails makes the row's fail
      if (rest.empty()) {
        break;
      }
    }
    return numbers_.emplace(text, static_cast<int64_t>(numbers_.size())).first->second;
  }

  JournalWriter journal_;
  std::map<std::string, int64_t, std::less<>> numbers_;  // of the texts that are stored
};

// `torn` as in read_journal. Errors: kUsage for a damaged journal, or one that holds other rows.
template <class Row>
Result<std::vector<Row>> read_row_journal(const std::filesystem::path& path, bool* torn = nullptr) {
  AACO_ASSIGN(const Table table, row_journal::read(path, RowSchema<Row>::kName, torn));
  Result<std::vector<Row>> rows = from_table<Row>(table);
  if (!rows) {
    Error error = rows.error();
    error.message = path.string() + ": " + error.message;
    return error;
  }
  return rows;
}

}  // namespace aaco

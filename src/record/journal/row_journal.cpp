// SPDX-License-Identifier: MIT
#include "record/journal/row_journal.h"

#include <fmt/format.h>
#include <optional>

#include "base/json/json.h"
#include "base/text/enum_words.h"
#include "record/journal/old_journals.h"

namespace aaco::row_journal {

namespace {

constexpr EnumWords<ColumnType, 3> kTypes{{"int64", "double", "string"}};
constexpr char kNullable = '?';                         // behind the type
constexpr uint64_t kMostTextBytes = uint64_t{4} << 30;  // of all rows: a text is stored once and may be in each

Error damaged(const std::filesystem::path& path, const std::string& why) {
  return {ErrorKind::kUsage, path.string() + ": " + why,
          "the file is damaged, or was not written by this version of aaco"};
}

std::optional<ColumnInfo> column_of(const Json& json) {
  if (!json.is_array() || json.size() != 2 || !json[0].is_string() || !json[1].is_string()) {
    return std::nullopt;
  }
  ColumnInfo info;
  info.name = json[0].get<std::string>();
  std::string type = json[1].get<std::string>();
  info.nullable = type.ends_with(kNullable);
  if (info.nullable) {
    type.pop_back();
  }
  const std::optional<ColumnType> parsed = kTypes.parse(type);
  info.type = parsed.value_or(ColumnType::kInt64);
  return parsed ? std::optional(info) : std::nullopt;
}

// Empty where the description names none, or others than can be.
std::vector<ColumnInfo> columns_of(const Json& description) {
  std::vector<ColumnInfo> columns;
  const Json list = description.value("columns", Json());
  for (size_t i = 0; list.is_array() && i < list.size(); ++i) {
    std::optional<ColumnInfo> column = column_of(list[i]);
    if (!column) {
      return {};
    }
    columns.push_back(std::move(*column));
  }
  return columns;
}

bool is_text(const ColumnInfo& column) { return column.type == ColumnType::kString; }

class Decoding {
 public:
  Decoding(const JournalContent& content, std::vector<ColumnInfo> columns)
      : content_(content), has_text_(std::any_of(columns.begin(), columns.end(), is_text)) {
    for (ColumnInfo& column : columns) {
      TableColumn table_column{std::move(column), std::vector<int64_t>(), {}};
      if (table_column.info.type == ColumnType::kDouble) {
        table_column.values = std::vector<double>();
      } else if (is_text(table_column.info)) {
        table_column.values = std::vector<std::string>();
      }
      table_.columns.push_back(std::move(table_column));
    }
  }

  bool fits() const { return content_.row_bytes == 8 * (table_.columns.size() + (has_text_ ? 1 : 0)); }

  // An error's text is why the journal cannot be.
  std::optional<std::string> read() {
    for (uint64_t i = 0; i < content_.row_count; ++i) {
      const char* record = content_.rows.data() + i * content_.row_bytes;
      const bool complete = has_text_ && word(record, 0) != 0 ? take_text(record) : take_row(record);
      if (!complete) {
        return fmt::format("record {} holds what cannot be", i);
      }
      if (text_bytes_ > kMostTextBytes) {
        return "its texts take more memory than rows may";
      }
    }
    return std::nullopt;
  }
  Table take() { return std::move(table_); }

 private:
  static uint64_t word(const char* record, size_t index) {
    uint64_t value = 0;
    std::memcpy(&value, record + 8 * index, 8);
    return value;
  }

  bool take_text(const char* record) {
    const uint64_t tag = word(record, 0);
    const uint64_t bytes = tag & ~(kText | kMoreText);
    if ((tag & kText) == 0 || bytes > content_.row_bytes - 8) {
      return false;
    }
    open_text_.append(record + 8, bytes);
    if ((tag & kMoreText) == 0) {
      texts_.push_back(std::exchange(open_text_, {}));
    }
    return true;
  }

  bool take_row(const char* record) {
    size_t at = has_text_ ? 1 : 0;
    for (TableColumn& column : table_.columns) {
      if (!take_value(column, word(record, at++))) {
        return false;
      }
    }
    ++table_.row_count;
    return true;
  }

  bool take_value(TableColumn& column, uint64_t value) {
    const auto integer = static_cast<int64_t>(value);
    const auto real = std::bit_cast<double>(value);
    const bool is_null =
        column.info.nullable && (column.info.type == ColumnType::kDouble ? std::isnan(real) : integer == kNullInteger);
    if (column.info.nullable) {
      column.valid.push_back(is_null ? 0 : 1);
    }
    if (auto* reals = std::get_if<std::vector<double>>(&column.values)) {
      reals->push_back(is_null ? 0 : real);
    } else if (auto* texts = std::get_if<std::vector<std::string>>(&column.values)) {
      if (!is_null && (integer < 0 || value >= texts_.size())) {
        return false;
      }
      texts->push_back(is_null ? std::string() : texts_[value]);
      text_bytes_ += sizeof(std::string) + texts->back().size();
    } else {
      std::get<std::vector<int64_t>>(column.values).push_back(is_null ? 0 : integer);
    }
    return true;
  }

  const JournalContent& content_;
  bool has_text_;
  Table table_;
  std::vector<std::string> texts_;
  std::string open_text_;
  uint64_t text_bytes_ = 0;  // of the rows
};

}  // namespace

Json description(const char* table, const std::vector<ColumnInfo>& columns) {
  Json list = Json::array();
  for (const ColumnInfo& column : columns) {
    std::string type = kTypes.word(column.type);
    list.push_back({column.name, column.nullable ? type + kNullable : type});
  }
  return {{"rows", table}, {"columns", std::move(list)}};
}

Result<JournalWriter> create(const std::filesystem::path& path, size_t record_bytes, const char* table,
                             const std::vector<ColumnInfo>& columns) {
  return JournalWriter::create(path, record_bytes, description(table, columns));
}

Result<Table> read(const std::filesystem::path& path, const char* table, bool* torn) {
  AACO_ASSIGN(const JournalContent content, read_journal(path));
  const Json rows = content.description->is_object() ? content.description->value("rows", Json()) : Json();
  if (torn != nullptr) {
    *torn = content.torn;
  }
  if (std::optional<Table> old = old_journal_table(content, table)) {
    return std::move(*old);
  }
  std::vector<ColumnInfo> columns = rows == table ? columns_of(content.description) : std::vector<ColumnInfo>();
  Decoding decoding(content, std::move(columns));
  if (rows != table || !decoding.fits()) {
    return damaged(path, fmt::format("not a journal of {} rows", table));
  }
  if (const std::optional<std::string> why = decoding.read()) {
    return damaged(path, *why);
  }
  Table read = decoding.take();
  read.name = table;
  return read;
}

}  // namespace aaco::row_journal

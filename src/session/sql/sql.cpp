// SPDX-License-Identifier: MIT
#include "session/sql/sql.h"

#include <algorithm>
#include <cerrno>
#include <fcntl.h>
#include <fmt/format.h>
#include <map>
#include <string_view>
#include <tuple>
#include <unistd.h>
#include <utility>
#include <vector>

#include "base/files/file.h"
#include "base/text/utf8.h"
#include "session/bundle/layout.h"
#include "session/bundle/manifest.h"
#include "session/parquet/duckdb_library.h"
#include "session/parquet/parquet.h"
#include "session/parquet/statement_interrupt.h"
#include "session/parquet/statement_reader.h"
#include "session/session.h"
#include "session/sql/exact_numbers.h"
#include "session/timeline_view.h"

namespace aaco {

namespace {

namespace fs = std::filesystem;

Error refused(std::string_view reason) {
  const std::string_view line = reason.substr(0, reason.find('\n'));
  if (line.starts_with("Out of Memory Error")) {
    return {ErrorKind::kResource, fmt::format("SQL: {}", line), "ask for fewer rows at a time, or for sums of them"};
  }
  if (line.starts_with("INTERRUPT Error")) {
    return {ErrorKind::kInterrupted, "interrupted", ""};
  }
  constexpr std::string_view kNearest = "Did you mean \"";
  const size_t nearest = reason.find(kNearest);
  if (line.find("does not exist") != std::string_view::npos && nearest != std::string_view::npos) {
    const std::string_view name = reason.substr(nearest + kNearest.size());
    // The database's own tables are not what anybody of a session means.
    if (!name.starts_with("pg_") && !name.starts_with("duckdb_") && !name.starts_with("information_schema")) {
      return {ErrorKind::kUsage, fmt::format("SQL: {}", line),
              fmt::format("did you mean {}? docs/data_schema.md lists the tables and their columns",
                          name.substr(0, name.find('"')))};
    }
  }
  const bool other_file = line.find("file system operations are disabled") != std::string_view::npos;
  return {ErrorKind::kUsage, fmt::format("SQL: {}", line),
          other_file ? "a statement reads its own session only; --allow-files lets it read other files"
                     : "docs/data_schema.md lists the tables and their columns"};
}

// Where a table may be missing because an import left it out, that is the hint.
Error with_missing_tables(Error error, std::span<const fs::path> bundles) {
  for (const fs::path& bundle : bundles) {
    const auto info = read_session_info(bundle);
    if (!info || error.message.find("does not exist") == std::string::npos) {
      continue;
    }
    const auto plane = info->planes.find(layout::kAnalysisPlane);
    if (plane != info->planes.end() && plane->second.state == PlaneStatus::kUnavailable) {
      error.hint = fmt::format("{} is without the tables of the analyses ({}); aaco trace report shows them",
                               bundle.string(), plane->second.reason);
    }
  }
  return error;
}

std::string quoted_name(std::string_view name) {
  std::string text = "\"";
  for (const char c : name) {
    text += c == '"' ? "\"\"" : std::string(1, c);
  }
  return text + "\"";
}

// Folders as DuckDB can name them, which takes UTF-8 only: others through their descriptors.
class NameableFolders {
 public:
  NameableFolders() = default;
  NameableFolders(const NameableFolders&) = delete;
  NameableFolders& operator=(const NameableFolders&) = delete;
  ~NameableFolders() {
    for (const int descriptor : descriptors_) {
      ::close(descriptor);
    }
  }

  Result<fs::path> name(const fs::path& folder) {
    if (is_utf8(folder.native())) {
      return folder;
    }
    const int descriptor = ::open(folder.c_str(), O_PATH | O_DIRECTORY | O_CLOEXEC);
    if (descriptor < 0) {
      return file_error(folder, "open", errno);
    }
    descriptors_.push_back(descriptor);
    return fs::path(fmt::format("/proc/self/fd/{}", descriptor));
  }

 private:
  std::vector<int> descriptors_;
};

// One statement: DuckDB prepares no second one.
Result<void> execute(const DuckDbDatabase& database, const std::string& statement) {
  StatementReader reader(database, refused);
  return reader.start(statement);
}

// From here on the settings cannot be changed, and unless `rights` say so no file is read but those below `folders`.
Result<void> lock_down(const DuckDbDatabase& database, std::span<const fs::path> folders, SqlRights rights) {
  if (!rights.other_files) {
    std::string list;
    for (const fs::path& folder : folders) {
      list += (list.empty() ? "" : ", ") + sql_literal(fs::path(folder / "").string());
    }
    AACO_TRY(execute(database, "SET allowed_directories = [" + list + "]"));
    AACO_TRY(execute(database, "SET enable_external_access = false"));
  }
  return execute(database, "SET lock_configuration = true");
}

// Statements taken apart by DuckDB's own parser.
class ExtractedStatements {
 public:
  ExtractedStatements(const DuckDbDatabase& database, const std::string& text)
      : database_(database),
        count_(database.api().extract_statements(database.connection(), text.c_str(), &statements_)) {}
  ExtractedStatements(const ExtractedStatements&) = delete;
  ExtractedStatements& operator=(const ExtractedStatements&) = delete;
  ~ExtractedStatements() { database_.api().destroy_extracted(&statements_); }

  idx_t count() const { return count_; }
  const char* error() const { return database_.api().extract_statements_error(statements_); }
  // Of the first one.
  Result<duckdb_statement_type> type() const {
    const DuckDb& api = database_.api();
    duckdb_prepared_statement prepared = nullptr;
    const bool understood =
        api.prepare_extracted_statement(database_.connection(), statements_, 0, &prepared) == DuckDBSuccess;
    const Result<duckdb_statement_type> type =
        understood ? Result<duckdb_statement_type>(api.prepared_statement_type(prepared))
                   : Result<duckdb_statement_type>(refused(api.prepare_error(prepared)));
    api.destroy_prepare(&prepared);
    return type;
  }

 private:
  const DuckDbDatabase& database_;
  duckdb_extracted_statements statements_ = nullptr;
  idx_t count_;
};

// Parentheses take no semicolon; a comment ends with its line.
std::string as_subquery(const std::string& statement) {
  return "SELECT * FROM (\n" + statement.substr(0, statement.find_last_not_of("; \t\r\n") + 1) + "\n)";
}

// Every other kind of statement changes something, be it only a setting; none can be a subquery. The parser says so:
// preparing an EXPORT DATABASE makes its folder already.
Result<void> expect_one_select(const DuckDbDatabase& database, const std::string& text) {
  const ExtractedStatements statements(database, text);
  if (statements.count() != 1) {
    const char* error = statements.error();
    return refused(error != nullptr ? std::string(error)
                   : statements.count() == 0
                       ? std::string("no statement")
                       : fmt::format("one SELECT is expected, not {} statements", statements.count()));
  }
  const ExtractedStatements subquery(database, as_subquery(text));
  if (subquery.count() != 1) {
    return refused("only a SELECT is allowed");
  }
  AACO_ASSIGN(const duckdb_statement_type type, subquery.type());
  return type == DUCKDB_STATEMENT_TYPE_SELECT ? Result<void>() : Result<void>(refused("only a SELECT is allowed"));
}

// A column of the statement's rows, by DuckDB's type.
struct ResultColumn {
  std::string name;
  std::string type;
};

// As one of aaco's column types; numbers that those may not hold come as texts.
std::string cast(const ResultColumn& column) {
  constexpr std::string_view kIntegers[] = {"TINYINT",  "SMALLINT",  "INTEGER", "BIGINT",
                                            "UTINYINT", "USMALLINT", "UINTEGER"};
  const bool integer = std::ranges::find(kIntegers, column.type) != std::end(kIntegers);
  const bool real = column.type == "DOUBLE" || column.type == "FLOAT" ||
                    (column.type.starts_with("DECIMAL") && text_numbers_of(column.type) == TextNumbers::kNone);
  const std::string name = quoted_name(column.name);
  return fmt::format("CAST({} AS {}) AS {}", name, integer ? "BIGINT" : real ? "DOUBLE" : "VARCHAR", name);
}

Result<std::vector<ResultColumn>> columns_of(const DuckDbDatabase& database, const std::string& rows) {
  StatementReader reader(database, refused);
  AACO_TRY(reader.start(fmt::format("SELECT column_name, column_type FROM (DESCRIBE {})", rows)));
  std::vector<ResultColumn> columns;
  AACO_TRY(reader.read("columns", kRowsPerPiece, [&](const Table& piece) -> Result<MoreRows> {
    const auto& names = std::get<std::vector<std::string>>(piece.columns.at(0).values);
    const auto& types = std::get<std::vector<std::string>>(piece.columns.at(1).values);
    for (size_t i = 0; i < names.size(); ++i) {
      columns.push_back({names[i], types[i]});
    }
    return MoreRows::kWanted;
  }));
  return columns;
}

// What a column's values are is known only when they are computed, which may take long: its first rows decide.
Result<void> read_typed(const DuckDbDatabase& database, const std::string& rows,
                        const std::function<Result<MoreRows>(Table)>& take) {
  AACO_ASSIGN(const std::vector<ResultColumn> columns, columns_of(database, rows));
  std::string selected;
  std::vector<TextNumbers> text_numbers;
  for (const ResultColumn& column : columns) {
    selected += (selected.empty() ? "" : ", ") + cast(column);
    text_numbers.push_back(text_numbers_of(column.type));
  }
  ExactNumbers numbers(std::move(text_numbers));
  StatementReader reader(database, refused);
  AACO_TRY(reader.start(fmt::format("SELECT {} FROM ({})", selected, rows)));
  return reader.read("result", kRowsPerPiece, [&](Table piece) -> Result<MoreRows> {
    AACO_TRY(numbers.convert(piece));
    return take(std::move(piece));
  });
}

// Where two files of a bundle would give their tables one name, the recorded one comes first, then that of the outer
// folder.
bool comes_first(const std::string& file, const std::string& other) {
  const auto place = [](const std::string& path) {
    return std::tuple(is_derived(path), std::ranges::count(path, '/'));
  };
  return place(file) < place(other);
}

// A table is named as its file is, without the folder. Those of a training's recorded step have "step_" in front: the
// trace of the same session has files of the same names.
std::string table_name(const fs::path& file) {
  const bool is_of_step = file.string().starts_with(std::string(layout::kStep) + "/");
  return (is_of_step ? "step_" : "") + file.stem().string();
}

// The Parquet files of a bundle by the names of their tables. A file whose name is taken has its path for one:
// "profiler/tool/events". Rows of two files are never one table.
std::map<std::string, std::string> tables_of(std::vector<std::string> files) {
  std::ranges::stable_sort(files, comes_first);
  std::map<std::string, std::string> tables;
  for (const std::string& file : files) {
    const fs::path path(file);
    if (path.extension() == ".parquet" && is_utf8(file) && !tables.try_emplace(table_name(path), file).second) {
      tables.try_emplace((path.parent_path() / path.stem()).string(), file);
    }
  }
  return tables;
}

}  // namespace

Result<void> query_bundles(std::span<const fs::path> bundles, const std::string& statement, SqlRights rights,
                           const std::function<Result<MoreRows>(Table)>& take) {
  NameableFolders names;
  AACO_ASSIGN(const DuckDbDatabase database, DuckDbDatabase::open());
  const StatementInterrupt interrupt(database);
  std::vector<fs::path> folders;
  std::map<std::string, std::string, std::less<>> selects;  // by table
  for (size_t i = 0; i < bundles.size(); ++i) {
    AACO_ASSIGN(std::vector<std::string> files, files_of(bundles[i]));
    AACO_ASSIGN(const fs::path folder, names.name(bundles[i]));
    folders.push_back(folder);
    for (const auto& [table, file] : tables_of(std::move(files))) {
      std::string& select = selects[table];
      select +=
          fmt::format("{}SELECT {}* FROM read_parquet({})", select.empty() ? "" : " UNION ALL BY NAME ",
                      bundles.size() > 1 ? fmt::format("{} AS shard, ", i) : "", sql_literal((folder / file).string()));
    }
  }
  if (selects.empty()) {
    return Error{ErrorKind::kUsage, fmt::format("SQL: {} holds no table", bundles.empty() ? "" : bundles[0].string()),
                 "aaco sessions show lists its files; the figures of aaco queue are in metrics/*.json"};
  }
  for (const auto& [table, select] : selects) {
    AACO_TRY(execute(database, fmt::format("CREATE VIEW {} AS {}", quoted_name(table), select)));
  }
  const std::string timeline = timeline_select([&](std::string_view table) { return selects.contains(table); });
  if (bundles.size() == 1 && !timeline.empty() && !selects.contains(kTimelineView)) {
    AACO_TRY(execute(database, fmt::format("CREATE VIEW {} AS {}", kTimelineView, timeline)));
  }
  AACO_TRY(lock_down(database, folders, rights));
  // Parsed alone first, so that its parentheses are known to match: as a subquery it is one SELECT then.
  if (const Result<void> selects_rows = expect_one_select(database, statement); !selects_rows) {
    return with_missing_tables(selects_rows.error(), bundles);
  }
  return read_typed(database, as_subquery(statement), take);
}

}  // namespace aaco

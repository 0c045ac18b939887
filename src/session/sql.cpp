// SPDX-License-Identifier: MIT
#include "session/sql.h"

#include <algorithm>
#include <cerrno>
#include <fcntl.h>
#include <fmt/format.h>
#include <map>
#include <string_view>
#include <unistd.h>
#include <vector>

#include "base/file.h"
#include "base/text/utf8.h"
#include "session/layout.h"
#include "session/manifest.h"
#include "session/parquet/duckdb_library.h"
#include "session/parquet/parquet.h"
#include "session/parquet/statement_reader.h"
#include "session/session.h"

namespace aaco {

namespace {

namespace fs = std::filesystem;

Error refused(std::string_view reason) {
  return {ErrorKind::kUsage, fmt::format("SQL: {}", reason.substr(0, reason.find('\n'))),
          "docs/data_schema.md lists the tables and their columns"};
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

Result<void> execute(const DuckDbDatabase& database, const std::string& statement) {
  duckdb_result result{};
  Result<void> outcome;
  if (database.api().query(database.connection(), statement.c_str(), &result) != DuckDBSuccess) {
    outcome = refused(database.api().result_error(&result));
  }
  database.api().destroy_result(&result);
  return outcome;
}

// As one of aaco's column types.
std::string cast(const std::string& column, std::string_view type) {
  constexpr std::string_view kIntegers[] = {"TINYINT",  "SMALLINT",  "INTEGER",  "BIGINT",  "HUGEINT",
                                            "UTINYINT", "USMALLINT", "UINTEGER", "UBIGINT", "UHUGEINT"};
  const bool integer = std::find(std::begin(kIntegers), std::end(kIntegers), type) != std::end(kIntegers);
  const bool real = type == "DOUBLE" || type == "FLOAT" || type.starts_with("DECIMAL");
  const std::string name = quoted_name(column);
  return fmt::format("CAST({} AS {}) AS {}", name, integer ? "BIGINT" : real ? "DOUBLE" : "VARCHAR", name);
}

Result<std::string> typed_select(const DuckDbDatabase& database) {
  StatementReader reader(database, refused);
  AACO_TRY(reader.start("SELECT column_name, column_type FROM (DESCRIBE aaco_result)"));
  std::string columns;
  AACO_TRY(reader.read("columns", kRowsPerPiece, [&](const Table& piece) -> Result<void> {
    const auto& names = std::get<std::vector<std::string>>(piece.columns.at(0).values);
    const auto& types = std::get<std::vector<std::string>>(piece.columns.at(1).values);
    for (size_t i = 0; i < names.size(); ++i) {
      columns += (columns.empty() ? "" : ", ") + cast(names[i], types[i]);
    }
    return {};
  }));
  return "SELECT " + columns + " FROM aaco_result";
}

}  // namespace

Result<void> query_bundles(std::span<const fs::path> bundles, const std::string& statement,
                           const std::function<Result<void>(Table)>& take) {
  NameableFolders folders;
  AACO_ASSIGN(const DuckDbDatabase database, DuckDbDatabase::open());
  std::map<std::string, std::string> selects;  // by table
  for (size_t i = 0; i < bundles.size(); ++i) {
    AACO_ASSIGN(const std::vector<std::string> files, files_of(bundles[i]));
    AACO_ASSIGN(const fs::path folder, folders.name(bundles[i]));
    for (const std::string& file : files) {
      const fs::path path = folder / file;
      if (path.extension() == ".parquet" && is_utf8(file)) {
        std::string& select = selects[path.stem().string()];
        select += fmt::format("{}SELECT {}* FROM read_parquet({})", select.empty() ? "" : " UNION ALL BY NAME ",
                              bundles.size() > 1 ? fmt::format("{} AS shard, ", i) : "", sql_literal(path.string()));
      }
    }
  }
  if (selects.empty()) {
    return Error{ErrorKind::kUsage, fmt::format("SQL: {} holds no table", bundles.empty() ? "" : bundles[0].string()),
                 "aaco sessions show lists its files; the figures of aaco queue are in metrics/*.json"};
  }
  for (const auto& [table, select] : selects) {
    AACO_TRY(execute(database, fmt::format("CREATE VIEW {} AS {}", quoted_name(table), select)));
  }
  // Parentheses take one SELECT and nothing else, but no semicolon either.
  const size_t length = statement.find_last_not_of("; \t\r\n") + 1;
  const Result<void> understood =
      execute(database, "CREATE VIEW aaco_result AS SELECT * FROM (\n" + statement.substr(0, length) + "\n)");
  if (!understood) {
    return with_missing_tables(understood.error(), bundles);
  }
  AACO_ASSIGN(const std::string select, typed_select(database));
  StatementReader reader(database, refused);
  AACO_TRY(reader.start(select));
  return reader.read("result", kRowsPerPiece, take);
}

}  // namespace aaco

// SPDX-License-Identifier: MIT
// Parquet through DuckDB, which is opened on first need (libduckdb.so beside the program, in lib/, in .deps/, or where
// AACO_DUCKDB_LIBRARY points).
#pragma once

#include <filesystem>

#include "trace/table.h"

namespace aaco {

// Atomic: writes beside the target and renames. The table's name, units and schema version go into the file's
// key-value metadata. Errors: kUnavailable without DuckDB, kResource on a full disk (naming the file).
Result<void> write_parquet(const std::filesystem::path& path, const Table& table);

// All columns. Errors: kUsage for a missing or damaged file, naming it.
Result<Table> read_parquet(const std::filesystem::path& path, const std::string& table_name);

// "v1.5.6" and where the library was found, for doctor.
Result<std::string> duckdb_version();

}  // namespace aaco

// SPDX-License-Identifier: MIT
// A user's SQL over the Parquet files of a bundle.
#pragma once

#include <filesystem>
#include <functional>
#include <string>

#include "base/result.h"
#include "trace/table.h"

namespace aaco {

// Each Parquet file of the bundle is a table named as the file is, without its folder; docs/data_schema.md lists their
// columns. `statement`: one SELECT; its rows go to `take` in pieces, at least one. Integers of any width come as
// BIGINT, real and decimal numbers as DOUBLE, everything else as text. Errors: kUsage with DuckDB's reason where the
// statement is none, or a value does not fit; kUnavailable without DuckDB.
Result<void> query_bundle(const std::filesystem::path& bundle, const std::string& statement,
                          const std::function<Result<void>(Table)>& take);

}  // namespace aaco

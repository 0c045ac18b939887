// SPDX-License-Identifier: MIT
// A user's SQL over the Parquet files of a bundle.
#pragma once

#include <filesystem>
#include <functional>
#include <span>
#include <string>

#include "base/result.h"
#include "record/table.h"
#include "session/parquet/parquet.h"

namespace aaco {

// What a statement may do besides reading its session's folder.
struct SqlRights {
  bool other_files = false;  // read_csv('/elsewhere/x.csv') and the like
};

// Of one bundle, each Parquet file is a table named as the file is, without its folder; docs/data_schema.md lists their
// columns. Tables of a training's recorded step have "step_" in front ("step_events"); a file whose name another one
// has is named by its path ("profiler/tool/events"). `timeline` has the rows of all but these (timeline_view.h).
// `statement`: one SELECT (WITH, FROM, VALUES, DESCRIBE, SHOW TABLES and SUMMARIZE are such); its rows go to `take` in
// pieces, at least one, until it has enough. Integers of any width come as BIGINT, real and decimal numbers as DOUBLE,
// everything else as text. No digit is lost: a column whose first piece holds an integer beyond 64 bits, or a decimal
// of more than 15 digits, is text (exact_numbers.h).
//
// Of several bundles, the shards of a job, a table holds the rows of all, with a column "shard" in front: the bundle's
// place here. An interrupt (base/interrupt.h) ends the statement. Errors: kUsage with DuckDB's reason where the
// statement is none, or a value does not fit; kResource where memory does not suffice; kInterrupted; kUnavailable
// without DuckDB.
Result<void> query_bundles(std::span<const std::filesystem::path> bundles, const std::string& statement,
                           SqlRights rights, const std::function<Result<MoreRows>(Table)>& take);

}  // namespace aaco

// SPDX-License-Identifier: MIT
// The process that runs a user's SQL, which from then on can do nothing else. DuckDB's own settings are no boundary.
#pragma once

#include <cstdint>
#include <filesystem>
#include <span>

#include "base/confined/confinement.h"
#include "base/result.h"
#include "session/sql/sql.h"

namespace aaco {

struct SqlLimits {
  uint64_t memory_bytes = uint64_t{2} << 30;
  uint64_t processor_seconds = 0;  // 0: as it is
};

// Of this process: reads the bundles and no other file, writes none, has no network and no other program. Links that
// lead out of a bundle are not followed. With `rights.other_files` it reads every file that the user may read. DuckDB
// is loaded before. Errors: kUnavailable without DuckDB; as confine_process().
Result<Confinement> confine_to_bundles(std::span<const std::filesystem::path> bundles, SqlRights rights,
                                       const SqlLimits& limits);

}  // namespace aaco

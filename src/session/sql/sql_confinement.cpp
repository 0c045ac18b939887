// SPDX-License-Identifier: MIT
#include "session/sql/sql_confinement.h"

#include <vector>

#include "session/parquet/duckdb_library.h"

namespace aaco {

Result<Confinement> confine_to_bundles(std::span<const std::filesystem::path> bundles, SqlRights rights,
                                       const SqlLimits& limits) {
  AACO_TRY(load_duckdb());
  ConfinementRequest request{.readable = {bundles.begin(), bundles.end()},
                             .memory_bytes = limits.memory_bytes,
                             .processor_seconds = limits.processor_seconds};
  // The group's limit of memory, which DuckDB looks at.
  for (const char* path : {"/sys/fs/cgroup", "/proc/self/cgroup", "/proc/meminfo"}) {
    request.readable.emplace_back(path);
  }
  if (rights.other_files) {
    request.readable = {"/"};
  }
  return confine_process(request);
}

}  // namespace aaco

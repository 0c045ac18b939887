// SPDX-License-Identifier: MIT
// A user's SELECT, answered by a process that can do nothing else.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>

#include "base/json/json_value.h"
#include "base/result.h"

namespace aaco::serve {

// Errors: kUsage for a statement that is empty, holds a NUL or is longer than 16 KiB.
Result<void> expect_statement(const std::string& statement);
// The member "limit" of an object, at most `most`; `usual` without it. Errors: kUsage for one that is no number of
// rows.
Result<int64_t> row_limit(const JsonValue& question, int64_t usual, int64_t most);

// At most `limit` rows. Numbers that are not finite are null. Errors: as query_bundles().
Result<JsonValue> sql_answer(const std::filesystem::path& session, int64_t limit, const std::string& statement);

}  // namespace aaco::serve

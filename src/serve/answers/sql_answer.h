// SPDX-License-Identifier: MIT
// A user's SELECT, answered by a process that can do nothing else.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>

#include "base/json/json_value.h"
#include "base/result.h"

namespace aaco::serve {

// At most `limit` rows. Numbers that are not finite are null. Errors: as query_bundles().
Result<JsonValue> sql_answer(const std::filesystem::path& session, int64_t limit, const std::string& statement);

}  // namespace aaco::serve

// SPDX-License-Identifier: MIT
// Two sessions compared, for a page: the report and the document of the comparison. Nothing is kept.
#pragma once

#include <string>

#include "base/json/json_value.h"
#include "base/result.h"

namespace aaco::serve {

// Imported traces by what changed on the device, all else as `aaco diff` compares it; {"report", "document"}. Errors:
// as compare_sessions().
Result<JsonValue> diff_answer(const std::string& sessions, const std::string& before, const std::string& after);

}  // namespace aaco::serve

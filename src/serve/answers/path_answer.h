// SPDX-License-Identifier: MIT
// The critical path of a trace as its timeline shows it.
#pragma once

#include <filesystem>
#include <string>

#include "base/json/json_value.h"
#include "base/result.h"

namespace aaco::serve {

// Of a session's trace, whose timeline has the index `file`: for each path the figures of `aaco trace report`, and its
// longest segments with the tracks and rows of the timeline. Times are ns since the start of the timeline.
// Errors: kUsage where the session has no trace; of reading it.
Result<JsonValue> path_answer(const std::string& session, const std::filesystem::path& file);

}  // namespace aaco::serve

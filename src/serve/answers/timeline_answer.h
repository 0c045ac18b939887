// SPDX-License-Identifier: MIT
// The index of a session's timeline, built.
#pragma once

#include <filesystem>
#include <string>

#include "base/json/json_value.h"
#include "base/result.h"

namespace aaco::serve {

// Of its trace and of all other planes that it recorded (kind/trace/session_planes.h). `source`: what the session is
// now (timeline_cache.h), or kGrowingSource: what it recorded so far, at a low priority and in 2 GiB. Errors: as
// load_trace_with_planes() and build_timeline().
Result<JsonValue> timeline_answer(const std::string& session, const std::filesystem::path& file,
                                  const std::string& source);

}  // namespace aaco::serve

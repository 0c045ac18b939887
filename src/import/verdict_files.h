// SPDX-License-Identifier: MIT
// A comparison, kept in the bundle of the session that it is of.
#pragma once

#include <filesystem>

#include "base/json_fwd.h"
#include "base/result.h"
#include "verdict/diff.h"

namespace aaco::imports {

// regress/{baseline_ref,diff,verdict}.json. They are one result: the verdict, which others look for, is written last.
Result<void> write_verdict_files(const std::filesystem::path& bundle, const Diff& diff, const Json& reference);

}  // namespace aaco::imports

// SPDX-License-Identifier: MIT
// A comparison as files: in a folder of its own, or in the bundle of a session that judged itself.
#pragma once

#include <filesystem>

#include "base/json/json_fwd.h"
#include "base/result.h"

namespace aaco::imports {

// {baseline_ref,diff,verdict}.json, of any kind of session; no diff where that is null. They are one result: the
// verdict, which others look for, is written last.
Result<void> write_verdict_files(const std::filesystem::path& folder, const Json& reference, const Json& diff,
                                 const Json& verdict);

}  // namespace aaco::imports

// SPDX-License-Identifier: MIT
// Folders of a bundle that are written into after it was recorded: pages, verdicts.
#pragma once

#include <filesystem>

#include "base/result.h"

namespace aaco {

// A bundle that somebody sent may hold a link where aaco writes. Errors: kUsage where `folder` is one.
Result<void> expect_no_link(const std::filesystem::path& folder);

// Makes it where it is missing. Errors: as above; those of make_folders().
Result<void> make_bundle_folder(const std::filesystem::path& folder);

}  // namespace aaco

// SPDX-License-Identifier: MIT
// What a folder of the history holds. One that cannot be read, as another user's, is an error: it would look empty.
#pragma once

#include <filesystem>
#include <vector>

#include "base/result.h"

namespace aaco {

// In no order; none where there is no such folder. Errors: of reading it (file_error).
Result<std::vector<std::filesystem::directory_entry>> folder_entries(const std::filesystem::path& folder);

}  // namespace aaco

// SPDX-License-Identifier: MIT
#pragma once

#include <filesystem>

#include "base/result.h"

namespace aaco {

// Has the user's browser show a page, a file or an address of http: $BROWSER, else xdg-open where there is a display.
// Does not wait for it. Errors: kUnavailable where there is neither.
Result<void> open_in_browser(const std::filesystem::path& page);

}  // namespace aaco

// SPDX-License-Identifier: MIT
// Flags of the form NAME=VALUE.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "base/result.h"

namespace aaco {

// Errors: kUsage naming the flag, for a text without "=" or without a name before it. Of a name given twice, the last.
Result<std::map<std::string, std::string>> key_values(const char* flag, const std::vector<std::string>& texts);

}  // namespace aaco

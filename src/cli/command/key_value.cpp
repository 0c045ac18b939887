// SPDX-License-Identifier: MIT
#include "cli/command/key_value.h"

#include <fmt/format.h>

namespace aaco {

Result<std::map<std::string, std::string>> key_values(const char* flag, const std::vector<std::string>& texts) {
  std::map<std::string, std::string> result;
  for (const std::string& text : texts) {
    const size_t equals = text.find('=');
    if (equals == std::string::npos || equals == 0) {
      return Error{ErrorKind::kUsage, fmt::format("{} {}: not NAME=VALUE", flag, text),
                   fmt::format("write {} NAME=VALUE", flag)};
    }
    result[text.substr(0, equals)] = text.substr(equals + 1);
  }
  return result;
}

}  // namespace aaco

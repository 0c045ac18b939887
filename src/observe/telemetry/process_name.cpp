// SPDX-License-Identifier: MIT
#include "observe/telemetry/process_name.h"

#include <fstream>

namespace aaco {

std::optional<std::string> process_name(const std::filesystem::path& root, int64_t process_id) {
  std::ifstream file(root / "proc" / std::to_string(process_id) / "comm");
  std::string name;
  return std::getline(file, name) && !name.empty() ? std::optional(name) : std::nullopt;
}

}  // namespace aaco

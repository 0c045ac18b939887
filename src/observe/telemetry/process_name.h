// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>

namespace aaco {

// As the kernel has it (/proc/PID/comm, up to 15 characters); none where the process is gone, or in a namespace that
// this cannot see.
std::optional<std::string> process_name(const std::filesystem::path& root, int64_t process_id);

}  // namespace aaco

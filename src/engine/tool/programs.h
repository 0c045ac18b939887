// SPDX-License-Identifier: MIT
// Programs of other vendors: where they are, and what version they say they are.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace aaco {

// The first executable file of that name on the PATH.
std::optional<std::filesystem::path> find_on_path(const std::string& name);

// The first version number in a text ("nsys 2025.3.1" -> {2025, 3, 1}); empty when there is none.
std::vector<int> version_in(std::string_view text);

// The line with the version: some tools print their name or a banner before it.
std::string version_line(const std::vector<std::string>& lines);

}  // namespace aaco

// SPDX-License-Identifier: MIT
// Shapes of a model's inputs as --shape takes them, for people.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace aaco {

// "ids=1x128, x=1x3x48x192"; of a number without dimensions "rate=scalar". "" of none.
std::string shapes_text(const std::map<std::string, std::vector<int64_t>>& shapes);

}  // namespace aaco

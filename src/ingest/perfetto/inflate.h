// SPDX-License-Identifier: MIT
// Packets that were compressed together.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

namespace aaco::perfetto {

// None where it is no zlib stream as a whole, or one of more than `most_bytes`.
std::optional<std::string> inflate(std::string_view compressed, size_t most_bytes);

}  // namespace aaco::perfetto

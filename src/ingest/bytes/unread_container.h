// SPDX-License-Identifier: MIT
// Compressed files and archives that are not read here, known by their first bytes.
#pragma once

#include <optional>
#include <string_view>

namespace aaco {

struct UnreadContainer {
  const char* what;    // "compressed with xz"
  const char* remedy;  // "decompress it: xz -d FILE"
};

// `head`: of the file, inflated where it is gzip or zstd.
std::optional<UnreadContainer> unread_container(std::string_view head);

}  // namespace aaco

// SPDX-License-Identifier: MIT
// Texts in UTF-16, as PowerShell and spreadsheets on Windows write them.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "ingest/bytes/byte_source.h"

namespace aaco {

enum class Utf16Order : uint8_t { kLittleEndian, kBigEndian };

// By the mark that a file begins with, or where every second of its first bytes is zero and the others are ASCII.
std::optional<Utf16Order> utf16_order(std::string_view head);

// The same in UTF-8, without the mark. Half of a surrogate pair becomes the three bytes that are no UTF-8, so that
// texts stay apart. `name`: in errors, which are kUsage where the source fails or ends within a character.
std::unique_ptr<ByteSource> utf8_of_utf16(std::unique_ptr<ByteSource> source, Utf16Order order, std::string name);

}  // namespace aaco

// SPDX-License-Identifier: MIT
#include "guard/store/part_file.h"

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <fmt/format.h>
#include <system_error>

#include "base/files/file.h"
#include "session/parquet/parquet.h"

namespace aaco {

namespace {

namespace fs = std::filesystem;

constexpr size_t kChecksumDigits = 16;  // of SHA-256: 64 bits miss no accident

// "" where the name has none: ids hold a point too, and a hyphen behind it.
std::string checksum_in_name(const fs::path& file) {
  const std::string extension = file.stem().extension().string();
  const std::string digits = extension.empty() ? "" : extension.substr(1);
  const bool is_checksum = digits.size() == kChecksumDigits && std::ranges::all_of(digits, [](char c) {
                             return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'f');
                           });
  return is_checksum ? digits : "";
}

std::string name_begin(std::string_view id) { return fmt::format("part-{}.", id); }

Result<std::string> checksum_of(const fs::path& file) {
  AACO_ASSIGN(const std::string sha256, sha256_of_file(file));
  return sha256.substr(0, kChecksumDigits);
}

}  // namespace

Result<void> name_part(const fs::path& unfinished, const fs::path& folder, std::string_view id) {
  AACO_ASSIGN(const std::string checksum, checksum_of(unfinished));
  const fs::path target = folder / fmt::format("{}{}.parquet", name_begin(id), checksum);
  return ::rename(unfinished.c_str(), target.c_str()) == 0 ? Result<void>() : file_error(target, "write", errno);
}

bool has_part(const fs::path& folder, std::string_view id) {
  std::error_code error;
  const fs::directory_iterator files(folder, error);
  return std::any_of(begin(files), end(files), [&](const fs::directory_entry& entry) {
    return entry.path().filename().string().starts_with(name_begin(id));
  });
}

Result<void> expect_whole_part(const fs::path& file) {
  const std::string expected = checksum_in_name(file);
  if (expected.empty()) {
    AACO_TRY(parquet_row_count(file));
    return {};
  }
  AACO_ASSIGN(const std::string checksum, checksum_of(file));
  return checksum == expected ? Result<void>()
                              : Error{ErrorKind::kUsage, file.string() + ": is damaged: its checksum differs",
                                      "move it out of the history, or restore it"};
}

}  // namespace aaco

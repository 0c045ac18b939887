// SPDX-License-Identifier: MIT
#include "ingest/likely_bytes.h"

#include <algorithm>
#include <array>
#include <fstream>
#include <system_error>
#include <zstd.h>

#include "ingest/bytes/zstd_bytes.h"

namespace aaco {

namespace {

namespace fs = std::filesystem;

uint64_t bytes_of_file(const fs::path& path) {
  std::error_code error;
  const uint64_t bytes = fs::is_regular_file(path, error) ? fs::file_size(path, error) : 0;
  constexpr uint64_t kLeastGzip = 18;
  if (error || bytes < kLeastGzip) {
    return error ? 0 : bytes;
  }
  std::ifstream file(path, std::ios::binary);
  std::array<unsigned char, 4> size{};
  std::array<unsigned char, kLeastGzip> head{};
  file.read(reinterpret_cast<char*>(head.data()), head.size());
  if (file && is_zstd(head)) {
    const auto content = ZSTD_getFrameContentSize(head.data(), head.size());
    return content >= ZSTD_CONTENTSIZE_ERROR ? bytes : std::max<uint64_t>(bytes, content);
  }
  file.seekg(-static_cast<std::streamoff>(size.size()), std::ios::end);
  file.read(reinterpret_cast<char*>(size.data()), size.size());
  if (!file || head[0] != 0x1F || head[1] != 0x8B) {
    return bytes;
  }
  const uint64_t inflated = size[0] | uint64_t{size[1]} << 8 | uint64_t{size[2]} << 16 | uint64_t{size[3]} << 24;
  return std::max(bytes, inflated);
}

}  // namespace

uint64_t likely_bytes(std::span<const fs::path> paths) {
  uint64_t sum = 0;
  for (const fs::path& path : paths) {
    std::error_code error;
    if (!fs::is_directory(path, error)) {
      sum += bytes_of_file(path);
      continue;
    }
    for (fs::recursive_directory_iterator entry(path, error), end; !error && entry != end; entry.increment(error)) {
      sum += bytes_of_file(entry->path());
    }
  }
  return sum;
}

}  // namespace aaco

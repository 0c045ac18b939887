// SPDX-License-Identifier: MIT
// SHA-256 of files that may be many gigabytes: a large one is hashed once and its hash kept in the cache folder.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>

#include "base/files/cache_folder.h"
#include "base/result.h"

namespace aaco {

// What the file system says of a file, through links: as long as none of it changes, nor does the content. Not the
// size and the time of modification alone, which a program can set back; that of the inode's change it cannot.
struct FileVersion {
  uint64_t device = 0;
  uint64_t inode = 0;
  int64_t bytes = 0;
  int64_t modified_ns = 0;
  int64_t changed_ns = 0;

  bool operator==(const FileVersion&) const = default;
};

struct HashedFile {
  std::filesystem::path path;
  std::string sha256;  // lower-case hex
  FileVersion version;
};

inline std::filesystem::path hash_cache_file() { return cache_folder() / "file_hashes"; }

// Smaller files are hashed each time: that is as fast as a look into the cache.
inline constexpr int64_t kSmallestKeptFile = 1 << 20;
// A file changed less than this ago is not kept: a second change may fall into the same tick of the file system's
// clock.
inline constexpr int64_t kSettledNs = 2'000'000'000;

// A kept hash counts only for the version that it was made of; a file that changes while it is read is read again.
// Errors: kUsage for a file that cannot be read, or that keeps changing.
Result<HashedFile> hash_file(const std::filesystem::path& path, const std::filesystem::path& cache = hash_cache_file());

// Whether the content is still what was hashed: by the version, and where that is another, by the content.
Result<bool> is_unchanged(const HashedFile& file, const std::filesystem::path& cache = hash_cache_file());

}  // namespace aaco

// SPDX-License-Identifier: MIT
#include "model/identity/file_hash.h"

#include <algorithm>
#include <cerrno>
#include <fmt/format.h>
#include <optional>
#include <sys/stat.h>

#include "base/clock.h"
#include "base/files/file.h"
#include "base/files/kept_lines.h"

namespace aaco {

namespace {

constexpr int kMostReadings = 5;
constexpr size_t kHashDigits = 64;

int64_t nanoseconds_of(const timespec& time) { return int64_t{time.tv_sec} * 1'000'000'000 + time.tv_nsec; }

Result<FileVersion> version_of(const std::filesystem::path& path) {
  struct stat status{};
  if (::stat(path.c_str(), &status) != 0) {
    return file_error(path, "open", errno);
  }
  return FileVersion{.device = status.st_dev,
                     .inode = status.st_ino,
                     .bytes = status.st_size,
                     .modified_ns = nanoseconds_of(status.st_mtim),
                     .changed_ns = nanoseconds_of(status.st_ctim)};
}

std::string key_of(const FileVersion& version) {
  return fmt::format("{}:{}:{}:{}:{}", version.device, version.inode, version.bytes, version.modified_ns,
                     version.changed_ns);
}

bool is_hash(const std::string& text) {
  return text.size() == kHashDigits && text.find_first_not_of("0123456789abcdef") == std::string::npos;
}

bool is_kept(const FileVersion& version, int64_t now_ns) {
  const int64_t last_ns = std::max(version.modified_ns, version.changed_ns);
  return version.bytes >= kSmallestKeptFile && now_ns - last_ns > kSettledNs;
}

}  // namespace

Result<HashedFile> hash_file(const std::filesystem::path& path, const std::filesystem::path& cache) {
  for (int reading = 0; reading < kMostReadings; ++reading) {
    AACO_ASSIGN(const FileVersion version, version_of(path));
    Result<void> failed;
    // None where the file changed meanwhile: what was read is of no version.
    const auto read = [&]() -> std::optional<std::string> {
      Result<std::string> sha256 = sha256_of_file(path);
      if (!sha256) {
        failed = sha256.error();
        return std::nullopt;
      }
      const Result<FileVersion> after = version_of(path);
      return after && *after == version ? std::optional(*std::move(sha256)) : std::nullopt;
    };
    const KeptLines kept(is_kept(version, wall_clock_ns()) ? cache : std::filesystem::path());
    const std::optional<std::string> sha256 = kept.value_of(key_of(version), is_hash, read);
    AACO_TRY(failed);
    if (sha256) {
      return HashedFile{path, *sha256, version};
    }
  }
  return Error{ErrorKind::kUsage, path.string() + ": changes while it is read",
               "wait until it is written whole, then run again"};
}

Result<bool> is_unchanged(const HashedFile& file, const std::filesystem::path& cache) {
  AACO_ASSIGN(const FileVersion version, version_of(file.path));
  if (version == file.version) {
    return true;
  }
  AACO_ASSIGN(const HashedFile now, hash_file(file.path, cache));
  return now.sha256 == file.sha256;
}

}  // namespace aaco

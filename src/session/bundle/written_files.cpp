// SPDX-License-Identifier: MIT
#include "session/bundle/written_files.h"

#include <cerrno>
#include <cstring>
#include <fmt/format.h>
#include <sys/stat.h>
#include <vector>

#include "session/bundle/manifest.h"

namespace aaco {

Error lost_recording(const std::filesystem::path& path, const std::string& what) {
  return {ErrorKind::kResource, fmt::format("{}: {} while the session was recorded", path.string(), what),
          "record it again, and leave the sessions folder alone meanwhile"};
}

Result<int64_t> WrittenFiles::size_of(const std::filesystem::path& bundle, const std::string& relative) {
  const std::filesystem::path path = bundle / relative;
  struct stat status{};
  if (::lstat(path.c_str(), &status) != 0) {
    return lost_recording(path, errno == ENOENT || errno == ENOTDIR ? "was removed" : std::strerror(errno));
  }
  return int64_t{status.st_size};
}

Result<void> WrittenFiles::note(const std::filesystem::path& bundle, const std::filesystem::path& relative) {
  std::error_code error;
  if (!std::filesystem::is_directory(bundle / relative, error)) {
    AACO_ASSIGN(bytes_[relative.string()], size_of(bundle, relative.string()));
    return {};
  }
  AACO_ASSIGN(const std::vector<std::string> files, files_of(bundle / relative));
  for (const std::string& file : files) {
    AACO_TRY(note(bundle, relative / file));
  }
  return {};
}

Result<void> WrittenFiles::expect_there(const std::filesystem::path& bundle) const {
  for (const auto& [relative, written] : bytes_) {
    AACO_ASSIGN(const int64_t size, size_of(bundle, relative));
    if (size != written) {
      return lost_recording(bundle / relative, "was changed");
    }
  }
  return {};
}

}  // namespace aaco

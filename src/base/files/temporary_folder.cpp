// SPDX-License-Identifier: MIT
#include "base/files/temporary_folder.h"

#include <cerrno>
#include <cstdlib>
#include <fcntl.h>
#include <fmt/format.h>
#include <string>
#include <unistd.h>
#include <utility>

#include "base/files/file.h"
#include "base/files/new_file.h"

namespace aaco {

namespace {
constexpr const char* kPrefix = "aaco-";
}  // namespace

Result<TemporaryFolder> TemporaryFolder::create() {
  std::error_code none;
  std::filesystem::path parent = std::filesystem::temp_directory_path(none);
  if (none) {  // $TMPDIR is not a folder
    return file_error(parent.empty() ? "$TMPDIR" : parent, "use", none.value());
  }
  for (;;) {
    std::string pattern = (parent / fmt::format("{}{}-XXXXXX", kPrefix, machine_mark())).string();
    if (::mkdtemp(pattern.data()) == nullptr) {
      return file_error(pattern, "create folder", errno);
    }
    const int descriptor = ::open(pattern.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (descriptor < 0 && errno != ENOENT) {
      const int failed = errno;
      ::rmdir(pattern.c_str());
      return file_error(pattern, "open", failed);
    }
    // Before it is locked, another process may take it for a dead one's and remove it.
    if (descriptor >= 0 && lock_as_owner(descriptor, pattern)) {
      return TemporaryFolder(pattern, descriptor);
    }
    if (descriptor >= 0) {
      ::close(descriptor);
    }
  }
}

void TemporaryFolder::remove_dead() {
  std::error_code none;
  const std::filesystem::path parent = std::filesystem::temp_directory_path(none);
  if (!none) {
    remove_dead_folders(parent, kPrefix);
  }
}

TemporaryFolder::TemporaryFolder(TemporaryFolder&& other) noexcept
    : path_(std::exchange(other.path_, {})),
      descriptor_(std::exchange(other.descriptor_, -1)),
      unfinished_(std::move(other.unfinished_)) {}

TemporaryFolder::~TemporaryFolder() {
  std::error_code ignored;
  if (!path_.empty()) {
    std::filesystem::remove_all(path_, ignored);
  }
  if (descriptor_ >= 0) {
    ::close(descriptor_);
  }
}

}  // namespace aaco

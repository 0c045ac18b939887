// SPDX-License-Identifier: MIT
#include "base/temporary_folder.h"

#include <cerrno>
#include <cstdlib>
#include <string>
#include <utility>

#include "base/file.h"

namespace aaco {

Result<TemporaryFolder> TemporaryFolder::create() {
  std::error_code none;
  std::filesystem::path parent = std::filesystem::temp_directory_path(none);
  if (none) {  // $TMPDIR is not a folder
    return file_error(parent.empty() ? "$TMPDIR" : parent, "use", none.value());
  }
  std::string pattern = (parent / "aaco-XXXXXX").string();
  if (::mkdtemp(pattern.data()) == nullptr) {
    return file_error(pattern, "create folder", errno);
  }
  return TemporaryFolder(pattern);
}

TemporaryFolder::TemporaryFolder(TemporaryFolder&& other) noexcept : path_(std::exchange(other.path_, {})) {}

TemporaryFolder::~TemporaryFolder() {
  std::error_code ignored;
  if (!path_.empty()) {
    std::filesystem::remove_all(path_, ignored);
  }
}

}  // namespace aaco

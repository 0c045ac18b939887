// SPDX-License-Identifier: MIT
// A folder for files that nobody keeps.
#pragma once

#include <filesystem>

#include "base/result.h"

namespace aaco {

// A new empty folder below the system's temporary one ($TMPDIR, else /tmp), readable by this user only; it is removed
// with all that it holds when this goes away.
class TemporaryFolder {
 public:
  // Errors: as file_error.
  static Result<TemporaryFolder> create();
  TemporaryFolder(TemporaryFolder&& other) noexcept;
  TemporaryFolder& operator=(TemporaryFolder&&) = delete;
  ~TemporaryFolder();

  const std::filesystem::path& path() const { return path_; }

 private:
  explicit TemporaryFolder(std::filesystem::path path) : path_(std::move(path)) {}
  std::filesystem::path path_;  // empty once moved from
};

}  // namespace aaco

// SPDX-License-Identifier: MIT
// A folder for files that nobody keeps.
#pragma once

#include <filesystem>

#include "base/result.h"
#include "base/unfinished_path.h"

namespace aaco {

// A new empty folder below the system's temporary one ($TMPDIR, else /tmp), readable by this user only; it is removed
// with all that it holds when this goes away, or, where its process was killed, by remove_dead().
class TemporaryFolder {
 public:
  // Errors: as file_error.
  static Result<TemporaryFolder> create();
  // Removes those that killed processes of this user left on this machine.
  static void remove_dead();
  TemporaryFolder(TemporaryFolder&& other) noexcept;
  TemporaryFolder& operator=(TemporaryFolder&&) = delete;
  ~TemporaryFolder();

  const std::filesystem::path& path() const { return path_; }

 private:
  TemporaryFolder(std::filesystem::path path, int descriptor)
      : path_(std::move(path)), descriptor_(descriptor), unfinished_(path_) {}
  std::filesystem::path path_;  // empty once moved from
  int descriptor_;              // locked: its owner is alive (base/files/new_file.h)
  UnfinishedPath unfinished_;
};

}  // namespace aaco

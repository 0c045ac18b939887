// SPDX-License-Identifier: MIT
// A file that gets its name only when it is whole. Until then it lies beside it, locked: what lies there without a lock
// was left by a process that was killed, and may go.
#pragma once

#include <filesystem>

#include "base/result.h"
#include "base/unfinished_path.h"

namespace aaco {

class UnfinishedFile {
 public:
  // A new, empty file in the folder of `target`. Errors: kUsage or kResource naming the target.
  static Result<UnfinishedFile> create(const std::filesystem::path& target);
  UnfinishedFile(UnfinishedFile&& other) noexcept;
  UnfinishedFile& operator=(UnfinishedFile&&) = delete;
  ~UnfinishedFile();  // removes the file unless it was finished

  int descriptor() const { return fd_; }

  // Syncs the content and gives the file its name, replacing what has it. Errors: as create().
  Result<void> finish();

 private:
  UnfinishedFile(std::filesystem::path target, std::filesystem::path path, int fd);
  std::filesystem::path target_;
  std::filesystem::path path_;  // empty once finished or moved from
  int fd_;
  UnfinishedPath unfinished_;
};

// Removes the unfinished files in `folder` that no process writes any more. What cannot be removed stays: nothing
// depends on it.
void remove_abandoned_files(const std::filesystem::path& folder);

}  // namespace aaco

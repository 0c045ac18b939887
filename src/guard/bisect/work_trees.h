// SPDX-License-Identifier: MIT
// Commits of a git repository, each checked out into a folder of its own.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "base/result.h"

namespace aaco {

// Good first, then each commit on the first-parent line up to bad. Errors: kUsage where a revision is none or good is
// no ancestor of bad; kUnavailable without git.
Result<std::vector<std::string>> commits_between(const std::filesystem::path& repository, const std::string& good,
                                                 const std::string& bad);

// Folders below `parent`, one a commit, made by `git worktree` on first need.
class WorkTrees {
 public:
  WorkTrees(std::filesystem::path repository, std::filesystem::path parent)
      : repository_(std::move(repository)), parent_(std::move(parent)) {}

  // Errors: kResource where git cannot check it out; kInterrupted.
  Result<std::filesystem::path> folder_of(const std::string& commit) const;
  // All of them, also those of a search that was killed and after an interrupt; what else lies there stays.
  void remove_all() const;

 private:
  std::filesystem::path repository_;
  std::filesystem::path parent_;
};

}  // namespace aaco

// SPDX-License-Identifier: MIT
#include "guard/bisect/work_trees.h"

#include <cstdint>
#include <fmt/format.h>
#include <system_error>
#include <utility>

#include "base/interrupt.h"
#include "base/process/process.h"
#include "base/text/characters.h"

namespace aaco {

namespace {

struct GitEnd {
  int exit_code = 0;
  std::vector<std::string> lines;
  std::string error_text;
};

enum class GitUse : uint8_t { kWork, kCleanUp };

Result<GitEnd> run_git(const std::filesystem::path& repository, std::vector<std::string> words,
                       GitUse use = GitUse::kWork) {
  GitEnd end;
  ProcessOptions options;
  options.cleans_up = use == GitUse::kCleanUp;
  options.arguments = {"git", "-C", repository.string()};
  options.arguments.insert(options.arguments.end(), words.begin(), words.end());
  options.on_line = [&](std::string_view line) { end.lines.emplace_back(line); };
  AACO_ASSIGN(const ProcessEnd process, run_process(options));
  end.exit_code = process.exit_code;
  end.error_text = process.error_text.substr(0, process.error_text.find('\n'));
  if (end.exit_code == 127) {
    return Error{ErrorKind::kUnavailable, "git is not installed", "install git"};
  }
  return end;
}

Result<std::string> commit_of(const std::filesystem::path& repository, const std::string& revision) {
  AACO_ASSIGN(const GitEnd end,
              run_git(repository, {"rev-parse", "--verify", "--quiet", "--end-of-options", revision + "^{commit}"}));
  if (end.exit_code != 0 || end.lines.empty()) {
    return Error{ErrorKind::kUsage,
                 fmt::format("{}: no commit of {}", printable(revision), printable(repository.string())),
                 "name a commit, a tag or a branch of the repository that the command is run in"};
  }
  return end.lines.front();
}

constexpr size_t kNameLength = 12;  // of a commit's folder

bool is_ours(const std::filesystem::path& folder) {
  const std::string name = folder.filename().string();
  return name.size() == kNameLength && name.find_first_not_of("0123456789abcdef") == std::string::npos;
}

}  // namespace

Result<std::vector<std::string>> commits_between(const std::filesystem::path& repository, const std::string& good,
                                                 const std::string& bad) {
  AACO_ASSIGN(const std::string first, commit_of(repository, good));
  AACO_ASSIGN(const std::string last, commit_of(repository, bad));
  AACO_ASSIGN(const GitEnd ancestor, run_git(repository, {"merge-base", "--is-ancestor", first, last}));
  if (ancestor.exit_code != 0 || first == last) {
    return Error{ErrorKind::kUsage, fmt::format("{} does not come before {}", printable(good), printable(bad)),
                 "--good is the older commit, --bad the newer one"};
  }
  AACO_ASSIGN(GitEnd list, run_git(repository, {"rev-list", "--first-parent", "--reverse", first + ".." + last}));
  std::vector<std::string> commits{first};
  commits.insert(commits.end(), list.lines.begin(), list.lines.end());
  return commits;
}

Result<std::filesystem::path> WorkTrees::folder_of(const std::string& commit) const {
  const std::filesystem::path folder = parent_ / commit.substr(0, kNameLength);
  std::error_code error;
  if (std::filesystem::exists(folder / ".git", error)) {
    return folder;
  }
  AACO_ASSIGN(const GitEnd end,
              run_git(repository_, {"worktree", "add", "--quiet", "--force", "--detach", folder.string(), commit}));
  if (interrupted()) {
    return Error{ErrorKind::kInterrupted, "interrupted", ""};
  }
  if (end.exit_code != 0) {
    return Error{ErrorKind::kResource,
                 fmt::format("git cannot check out {}: {}", commit.substr(0, kNameLength), printable(end.error_text)),
                 "is there room on the disk? `git worktree prune` forgets folders that are gone"};
  }
  return folder;
}

void WorkTrees::remove_all() const {
  std::error_code error;
  if (!std::filesystem::exists(parent_, error)) {
    return;
  }
  for (const auto& entry : std::filesystem::directory_iterator(parent_, error)) {
    if (is_ours(entry.path())) {
      // Twice: one that git was making when it was killed is locked. What it does not know is only a folder.
      (void)run_git(repository_, {"worktree", "remove", "--force", "--force", entry.path().string()}, GitUse::kCleanUp);
      std::error_code ignored;
      std::filesystem::remove_all(entry.path(), ignored);
    }
  }
  std::filesystem::remove(parent_, error);
  (void)run_git(repository_, {"worktree", "prune"}, GitUse::kCleanUp);  // without it git lists folders that are gone
}

}  // namespace aaco

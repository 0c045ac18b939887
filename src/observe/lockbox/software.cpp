// SPDX-License-Identifier: MIT
#include <algorithm>
#include <gnu/libc-version.h>
#include <string>
#include <vector>

#include "base/json/json.h"
#include "base/process/process.h"
#include "base/version.h"
#include "observe/lockbox/sections.h"

namespace aaco::lockbox {

namespace {

constexpr int kGitTimeoutMs = 5000;

Json build() {
  Json json;
#if defined(__clang__)
  json["compiler"] = "clang " __clang_version__;
#else
  json["compiler"] = "gcc " __VERSION__;
#endif
#ifdef __OPTIMIZE__
  json["optimised"] = true;
#else
  json["optimised"] = false;
#endif
#ifdef NDEBUG
  json["assertions"] = false;
#else
  json["assertions"] = true;
#endif
#if defined(__SANITIZE_ADDRESS__)
  json["sanitizer"] = "address";
#elif defined(__SANITIZE_THREAD__)
  json["sanitizer"] = "thread";
#else
  json["sanitizer"] = "none";
#endif
  return json;
}

// The current folder may be another's, whose repository names programs to run: monitors, hooks, transports that fetch
// what it lacks. And without locks: capturing the environment must not write to somebody's repository.
Result<std::vector<std::string>> git_lines(const std::vector<std::string>& words) {
  std::vector<std::string> command{"env", "GIT_ALLOW_PROTOCOL=none", "git", "--no-optional-locks",
                                   "-c",  "core.fsmonitor=false",    "-c",  "core.hooksPath=/dev/null"};
  command.insert(command.end(), words.begin(), words.end());
  return lines_of(command, kGitTimeoutMs);
}

// Whether the repository, and not its user, names filters: programs that git runs on changed files. True where that
// cannot be told.
bool has_own_filters() {
  constexpr size_t kMostLines = 4096;  // of lines_of()
  const auto names = git_lines({"config", "--list", "--show-scope", "--name-only"});
  return !names || names->size() >= kMostLines || std::any_of(names->begin(), names->end(), [](std::string_view name) {
    return name.starts_with("local\tfilter.") || name.starts_with("worktree\tfilter.");
  });
}

}  // namespace

Json software() {
  Json json;
  json["aaco"] = program_version();
  json["build"] = build();
  json["glibc"] = gnu_get_libc_version();
  return json;
}

Json git(bool run_tools) {
  if (!run_tools) {
    return not_available("git was not asked");
  }
  const auto commit = git_lines({"rev-parse", "HEAD"});
  if (!commit || commit->empty()) {
    return not_available("the current folder is no git repository with a commit, or git is not installed");
  }
  Json json;
  json["commit"] = commit->front();
  if (has_own_filters()) {
    json["dirty"] = not_available("git status would run filters that the repository's own configuration names");
    return json;
  }
  const auto changes = git_lines({"status", "--porcelain", "--untracked-files=no", "--ignore-submodules=all"});
  json["dirty"] = changes ? Json(!changes->empty()) : Json(not_available("git status did not end in time, or failed"));
  return json;
}

}  // namespace aaco::lockbox

// SPDX-License-Identifier: MIT
#include <gnu/libc-version.h>

#include "base/json.h"
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
  const Result<std::string> commit = first_line_of({"git", "rev-parse", "HEAD"}, kGitTimeoutMs);
  if (!commit) {
    return not_available("the current folder is no git repository with a commit, or git is not installed");
  }
  Json json;
  json["commit"] = *commit;
  // Without locks, since capturing the environment must not write to somebody's repository; and without what its
  // configuration may name as programs to run, since the folder may be another's.
  const auto changes =
      lines_of({"git", "--no-optional-locks", "-c", "core.fsmonitor=false", "-c", "core.hooksPath=/dev/null", "status",
                "--porcelain", "--untracked-files=no", "--ignore-submodules=all"},
               kGitTimeoutMs);
  json["dirty"] = changes ? Json(!changes->empty()) : Json(not_available("git status did not end in time, or failed"));
  return json;
}

}  // namespace aaco::lockbox

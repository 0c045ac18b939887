// SPDX-License-Identifier: MIT
// Files that a CI system reads, as flags.
#pragma once

#include <string>

#include "cli/command/command.h"

#include "guard/judgement/guard_answer.h"

namespace aaco {

struct CiFiles {
  std::string junit;
  std::string markdown;
  std::string gitlab;
  std::string sarif;
  bool github = false;
};

void add_ci_flags(cli::Command command, CiFiles& files);

// Those that were asked for. With `github`, annotations are printed and the comment is added to the file that
// GITHUB_STEP_SUMMARY names, where there is room for it. Annotations go to standard output; with `json`, which has that
// for itself, to standard error: GitHub's runner reads both. Errors: kUsage or kResource of a file.
Result<void> write_ci_files(const CiFiles& files, const GuardAnswer& answer, bool json);

}  // namespace aaco

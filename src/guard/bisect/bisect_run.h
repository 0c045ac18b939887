// SPDX-License-Identifier: MIT
// Finds the commit that made a command slower: checks out, builds, measures, and keeps what was measured in a file, so
// that an interrupted search goes on where it was.
#pragma once

#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "guard/bisect/bisect_answer.h"
#include "guard/bisect/commit_posterior.h"

namespace aaco {

struct BisectRequest {
  std::filesystem::path repository = ".";
  std::string good;                  // a revision
  std::string bad;                   // a later one, slower
  std::string build;                 // shell command, once a commit in its folder; "": none
  std::vector<std::string> command;  // measures, in the commit's folder: see measured_value()
  bool time = false;                 // the command's wall time is the value, not what it prints
  std::filesystem::path state = "aaco-bisect.json";
  BisectLimits limits;
};

// The median of the lines of standard output that are a positive number and nothing else; none where there is no such
// line. Any unit, less is better.
std::optional<double> measured_value(const std::vector<std::string>& lines);

// `progress` gets a line for each measurement. Errors: kUsage for revisions that are none, in the wrong order, for a
// state file of another search, and where an end cannot be built or measured; kUnavailable without git; kInterrupted.
Result<BisectAnswer> run_bisect(const BisectRequest& request, const std::function<void(const std::string&)>& progress);

// Title of a commit, "" where git does not tell.
std::string commit_subject(const std::filesystem::path& repository, const std::string& commit);

}  // namespace aaco

// SPDX-License-Identifier: MIT
// aaco diff: did a session become slower than a baseline, and why.
#pragma once

#include <filesystem>
#include <optional>
#include <string>

#include "cli/command/command.h"

#include "verdict/diff.h"

namespace aaco {

struct DiffFlags {
  std::string baseline;  // a file or a session
  std::string session = "latest";
  std::string sessions_folder = "sessions";
  std::string format = "text";  // "text", "json", "html"
  std::string output;           // "-" or empty: standard output; html then goes into the bundle
  double min_effect_pct = 2;
  std::optional<double> drift_pct;  // instead of what bench/aa measured
  bool allow_inconclusive = false;
  bool allow_different = false;
  bool rerun = false;
  bool quiet = false;  // no progress of a rerun
};

// What a diff gives: the comparison, the document in the asked format, and the exit code.
struct DiffOutcome {
  Diff diff;
  std::string text;
  int exit_code = 0;
};

// How sessions of a kind are compared (cli/all_session_comparers.cpp), with the exit code: as runs of a model; by
// configuration and time per unit of work, as `aaco queue compare` does; as runs that must have trained alike; and as
// many of those; as copies beside products, and as sweeps of a sharded training, pair by pair.
Result<int> compare_as_runs(const DiffFlags& flags);
Result<int> compare_as_queues(const DiffFlags& flags);
Result<int> compare_as_trainings(const DiffFlags& flags);
Result<int> compare_as_studies(const DiffFlags& flags);
Result<int> compare_as_copies(const DiffFlags& flags);
Result<int> compare_as_overlap_sweeps(const DiffFlags& flags);

// Of the flags, with the drift that was measured on the machine of the test's session where none is given.
Result<CompareOptions> compare_options_of(const DiffFlags& flags, const std::filesystem::path& test_session);

// Compares, and writes regress/{diff,baseline_ref,verdict}.json into the bundle of flags.session.
Result<DiffOutcome> diff_sessions(const DiffFlags& flags);

void add_diff_command(cli::Command app, Invocation& invocation);

}  // namespace aaco

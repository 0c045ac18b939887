// SPDX-License-Identifier: MIT
// aaco diff: did a session become slower than a baseline, and why.
#pragma once

#include <cstddef>
#include <filesystem>
#include <optional>
#include <string>

#include "cli/command/command.h"

#include "kind/session_comparison.h"

namespace aaco {

struct DiffFlags {
  std::string first;  // by their place: what `baseline` and `session` then are
  std::string second;
  std::string baseline;  // a file or a session
  std::string session = "latest";
  std::string sessions_folder = "sessions";
  std::string format = "text";  // "text", "json", "html"
  std::string output;           // "-" or empty: standard output; html then goes beside the verdict
  double min_effect_pct = 2;
  std::optional<double> drift_pct;  // instead of what bench/aa.py measured
  bool allow_inconclusive = false;
  bool allow_different = false;
  bool rerun = false;
  std::optional<size_t> top;  // rows of each list
  bool quiet = false;         // no progress of a rerun
  std::string judging_flag;   // one that was given and that only a judgement has a use for; ""
};

// What a diff gives: the comparison, the document in the asked format, and the exit code.
struct DiffOutcome {
  SessionComparison comparison;
  std::filesystem::path folder;  // where the verdict is
  std::string text;
  int exit_code = 0;
};

// Compares as the kind of flags.session says, and writes {baseline_ref,verdict}.json, of runs diff.json too, into the
// comparison's folder. Both sessions stay as they are.
Result<DiffOutcome> diff_sessions(const DiffFlags& flags);

void add_diff_command(cli::Command app, Invocation& invocation);

}  // namespace aaco

// SPDX-License-Identifier: MIT
// Folders of rank_*_metrics.jsonl, as `aaco overlap run` and the public overlap tool write them, read and compared.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "base/json_fwd.h"
#include "base/result.h"
#include "base/statistics.h"

namespace aaco::imports {

// Means of one folder, over all ranks and all steps that have the value.
struct OverlapLog {
  std::string folder;
  int64_t ranks = 0;
  int64_t steps = 0;       // lines with a profile, of all ranks
  int64_t skipped = 0;     // lines of the first steps that were to be left out
  bool is_public = false;  // of the public tool: its communication is told below
  std::optional<double> loss;
  std::optional<double> total_ms;
  std::optional<double> compute_ms;
  std::optional<double> overlap_ms;        // computation beside communication
  std::optional<double> communication_ms;  // none in the public tool's files
  std::optional<double> exposed_ms;        // likewise
  std::optional<double> first_step;        // compute_ms of the first step over the median of the others
};

// Errors: kUsage for a folder without such files, and for a line that is none, naming file and line.
Result<OverlapLog> read_overlap_log(const std::filesystem::path& folder, int64_t skip_steps);

// The folders of one label: runs of one thing.
struct LabelledLogs {
  std::string label;
  std::vector<OverlapLog> runs;
};

// The k-th label is the k-th folder's. Errors: kUsage for unequal numbers; those of reading.
Result<std::vector<LabelledLogs>> read_labelled_logs(const std::vector<std::string>& folders,
                                                     const std::vector<std::string>& labels, int64_t skip_steps);

// One figure of a label: the mean over its runs, with Student's interval of three or more.
struct LogFigure {
  const char* name;  // "overlap_ratio"
  std::optional<Estimate> value;
};
std::vector<LogFigure> log_figures(const LabelledLogs& logs);

// Of candidate over reference, of figures that both have and that are positive: with Welch's interval (95 %) of three
// runs or more on each side.
struct LogChange {
  const char* name;
  double ratio = 1;
  std::optional<Interval> interval;
};
std::vector<LogChange> log_changes(const LabelledLogs& reference, const LabelledLogs& candidate);

Json overlap_logs_json(const std::vector<LabelledLogs>& logs);
std::string overlap_logs_text(const std::vector<LabelledLogs>& logs);

}  // namespace aaco::imports

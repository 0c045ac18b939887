// SPDX-License-Identifier: MIT
// Folders of rank_*_metrics.jsonl, as `aaco overlap run` and the public overlap tool write them, read and compared.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "base/json/json_fwd.h"
#include "base/result.h"
#include "base/statistics.h"

namespace aaco::imports {

// A line that could not be read.
struct LostLine {
  std::string file;  // its name in the folder
  int64_t line = 0;  // from 1
  std::string why;
};

// Means of one folder, over all ranks and all steps that have the value.
struct ShardedLog {
  std::string folder;
  int64_t ranks = 0;
  int64_t steps = 0;           // lines with a profile, of all ranks
  int64_t skipped = 0;         // lines of the first steps that were to be left out
  int64_t lost_lines = 0;      // that could not be read: of all ranks, whatever their step
  std::vector<LostLine> lost;  // the first few of them
  bool is_public = false;      // of the public tool, whose overlap stands in lines without communication
  std::optional<double> loss;
  std::optional<double> total_ms;
  std::optional<double> compute_ms;
  std::optional<double> overlap_ms;        // computation beside communication
  std::optional<double> communication_ms;  // none in the public tool's files
  std::optional<double> exposed_ms;        // likewise
  std::optional<double> first_step;        // compute_ms of the first step over the median of the others
};

// The files of ranks there. Errors: kUsage where there are none.
Result<std::vector<std::filesystem::path>> log_files_of(const std::filesystem::path& folder);

// A line that is no JSON object, or in which a field is no number, is lost as a whole, and the rest is read: jobs are
// killed while they write. Errors: kUsage for a folder without such files, and where every line is lost, naming the
// first.
Result<ShardedLog> read_sharded_log(const std::filesystem::path& folder, int64_t skip_steps);

// The folders of one label: runs of one thing.
struct LabelledLogs {
  std::string label;
  std::vector<ShardedLog> runs;
};

// The k-th label is the k-th folder's. Errors: kUsage for unequal numbers; those of reading.
Result<std::vector<LabelledLogs>> read_labelled_logs(const std::vector<std::string>& folders,
                                                     const std::vector<std::string>& labels, int64_t skip_steps);

// Whether what was read is a part of what is there.
bool lost_lines(const std::vector<LabelledLogs>& logs);

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

Json sharded_logs_json(const std::vector<LabelledLogs>& logs);
std::string sharded_logs_text(const std::vector<LabelledLogs>& logs);

}  // namespace aaco::imports

// SPDX-License-Identifier: MIT
#include "kind/sharded/logs/sharded_logs.h"

#include <algorithm>
#include <fmt/format.h>
#include <iterator>

#include "base/files/file.h"
#include "kind/sharded/logs/sharded_log_line.h"

namespace aaco::imports {

namespace {

namespace fs = std::filesystem;

constexpr uint64_t kLargestFile = uint64_t{1} << 30;
constexpr const char* kBegin = "rank_";
constexpr const char* kEnd = "_metrics.jsonl";

struct LogSamples {
  std::vector<double> loss, total, compute, overlap, communication, exposed;
  std::vector<double> first_compute;  // of the first step of each rank
  std::vector<double> later_compute;
};

void add(std::vector<double>& values, const std::optional<double>& value) {
  if (value) {
    values.push_back(*value);
  }
}

class LogReader {
 public:
  explicit LogReader(int64_t skip_steps) : skip_steps_(skip_steps) {}

  Result<void> read_file_of_rank(const fs::path& path) {
    AACO_ASSIGN(const std::string text, read_file(path, kLargestFile));
    ++log_.ranks;
    profiles_ = 0;
    int64_t number = 0;
    for (size_t begin = 0; begin < text.size();) {
      const size_t end = std::min(text.find('\n', begin), text.size());
      ++number;
      const std::string_view line = std::string_view(text).substr(begin, end - begin);
      begin = end + 1;
      if (line.find_first_not_of(" \t\r") == std::string_view::npos) {
        continue;
      }
      if (const auto read = parse_sharded_log_line(line, skip_steps_)) {
        ++lines_;
        take(*read);
      } else {
        lose(path, number, end == text.size() ? "is cut off" : "", read.error());
      }
    }
    return {};
  }

  // The first lost line's error where no other could be read: then these are no such logs.
  Result<ShardedLog> finish() {
    if (lines_ == 0 && first_error_) {
      return *first_error_;
    }
    log_.loss = mean(samples_.loss);
    log_.total_ms = mean(samples_.total);
    log_.compute_ms = mean(samples_.compute);
    log_.overlap_ms = mean(samples_.overlap);
    log_.communication_ms = mean(samples_.communication);
    log_.exposed_ms = mean(samples_.exposed);
    const auto usual = median(samples_.later_compute);
    const auto first = mean(samples_.first_compute);
    if (usual && first && *usual > 0) {
      log_.first_step = *first / *usual;
    }
    return std::move(log_);
  }

 private:
  void take(const ShardedLogLine& line) {
    if (line.skipped) {
      ++log_.skipped;
      return;
    }
    add(samples_.loss, line.loss);
    if (!line.has_profile) {
      return;
    }
    ++log_.steps;
    log_.is_public = log_.is_public || (line.overlap_ms && !line.communication_ms);
    add(samples_.total, line.total_ms);
    add(samples_.compute, line.compute_ms);
    add(samples_.overlap, line.overlap_ms);
    add(samples_.communication, line.communication_ms);
    add(samples_.exposed, line.exposed_ms);
    add(profiles_++ == 0 ? samples_.first_compute : samples_.later_compute, line.compute_ms);
  }

  // `cut`: what a last line without an end is, empty for others.
  void lose(const fs::path& path, int64_t number, std::string_view cut, const Error& error) {
    constexpr size_t kMostNamed = 5;
    const std::string why = cut.empty() ? error.message : fmt::format("{} ({})", cut, error.message);
    if (!first_error_) {
      first_error_ = Error{error.kind, fmt::format("{}:{}: {}", path.string(), number, why), error.hint};
    }
    ++log_.lost_lines;
    ++profiles_;  // it may have been the first step's
    if (log_.lost.size() < kMostNamed) {
      log_.lost.push_back({path.filename().string(), number, why});
    }
  }

  int64_t skip_steps_;
  int64_t profiles_ = 0;  // of this rank
  int64_t lines_ = 0;     // that could be read
  std::optional<Error> first_error_;
  ShardedLog log_;
  LogSamples samples_;
};

}  // namespace

Result<std::vector<fs::path>> log_files_of(const fs::path& folder) {
  std::vector<fs::path> files;
  std::error_code error;
  for (fs::directory_iterator at(folder, error); !error && at != fs::directory_iterator(); at.increment(error)) {
    const std::string name = at->path().filename().string();
    if (name.starts_with(kBegin) && name.ends_with(kEnd)) {
      files.push_back(at->path());
    }
  }
  if (error) {
    return file_error(folder, "read", error.value());
  }
  if (files.empty()) {
    return Error{ErrorKind::kUsage, fmt::format("{}: has no rank_*_metrics.jsonl", folder.string()),
                 "name the training.output_dir of a run"};
  }
  std::sort(files.begin(), files.end());
  return files;
}

Result<ShardedLog> read_sharded_log(const fs::path& folder, int64_t skip_steps) {
  AACO_ASSIGN(const std::vector<fs::path> files, log_files_of(folder));
  LogReader reader(skip_steps);
  for (const fs::path& file : files) {
    AACO_TRY(reader.read_file_of_rank(file));
  }
  AACO_ASSIGN(ShardedLog log, reader.finish());
  log.folder = folder.string();
  return log;
}

Result<std::vector<LabelledLogs>> read_labelled_logs(const std::vector<std::string>& folders,
                                                     const std::vector<std::string>& labels, int64_t skip_steps) {
  if (folders.empty() || folders.size() != labels.size()) {
    return Error{ErrorKind::kUsage,
                 fmt::format("{} folders by --log-dir and {} labels by --label", folders.size(), labels.size()),
                 "give each folder a label: --log-dir A --label a --log-dir B --label b"};
  }
  std::vector<LabelledLogs> logs;
  for (size_t i = 0; i < folders.size(); ++i) {
    auto found = std::find_if(logs.begin(), logs.end(), [&](const auto& one) { return one.label == labels[i]; });
    if (found == logs.end()) {
      logs.push_back({labels[i], {}});
      found = std::prev(logs.end());
    }
    AACO_ASSIGN(found->runs.emplace_back(), read_sharded_log(folders[i], skip_steps));
  }
  return logs;
}

bool lost_lines(const std::vector<LabelledLogs>& logs) {
  return std::any_of(logs.begin(), logs.end(), [](const LabelledLogs& label) {
    return std::any_of(label.runs.begin(), label.runs.end(), [](const ShardedLog& run) { return run.lost_lines > 0; });
  });
}

}  // namespace aaco::imports

// SPDX-License-Identifier: MIT
#include "import/overlap_logs.h"

#include <algorithm>
#include <fmt/format.h>
#include <iterator>
#include <sstream>

#include "base/file.h"
#include "base/json.h"

namespace aaco::imports {

namespace {

namespace fs = std::filesystem;

constexpr uint64_t kLargestFile = uint64_t{1} << 30;
constexpr const char* kBegin = "rank_";
constexpr const char* kEnd = "_metrics.jsonl";

// The number at `path`, none where it is not there or no number.
std::optional<double> number_at(const Json& line, std::initializer_list<const char*> path) {
  const Json* at = &line;
  for (const char* key : path) {
    if (!at->is_object() || !at->contains(key)) {
      return std::nullopt;
    }
    at = &at->at(key);
  }
  return at->is_number() ? std::optional(at->get<double>()) : std::nullopt;
}

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
    size_t number = 0;
    for (size_t begin = 0; begin < text.size();) {
      const size_t end = std::min(text.find('\n', begin), text.size());
      ++number;
      const std::string_view line = std::string_view(text).substr(begin, end - begin);
      begin = end + 1;
      if (line.find_first_not_of(" \t\r") == std::string_view::npos) {
        continue;
      }
      AACO_ASSIGN(const Json read, parse_json(line, fmt::format("{}:{}", path.string(), number)));
      if (!read.is_object()) {
        return Error{ErrorKind::kUsage, fmt::format("{}:{}: is no object", path.string(), number),
                     "a line is what one rank tells of one step"};
      }
      take(read);
    }
    return {};
  }

  OverlapLog finish() {
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
  void take(const Json& line) {
    const auto step = number_at(line, {"global_step"});
    if (step && *step < static_cast<double>(skip_steps_)) {
      ++log_.skipped;
      return;
    }
    add(samples_.loss, number_at(line, {"loss"}));
    if (!line.contains("profile") || !line["profile"].is_object()) {
      return;
    }
    ++log_.steps;
    const auto compute = number_at(line, {"profile", "overlap", "per_stream_ms", "compute"});
    const auto communication = number_at(line, {"profile", "overlap", "per_stream_ms", "communication"});
    log_.is_public = log_.is_public || !communication;
    add(samples_.total, number_at(line, {"profile", "total_ms"}));
    add(samples_.compute, compute);
    add(samples_.overlap, number_at(line, {"profile", "overlap", "overlap_ms", "compute_comm"}).value_or(0));
    add(samples_.communication, communication);
    add(samples_.exposed, number_at(line, {"profile", "overlap", "exposed_communication_ms"}));
    add(profiles_++ == 0 ? samples_.first_compute : samples_.later_compute, compute);
  }

  int64_t skip_steps_;
  int64_t profiles_ = 0;  // of this rank
  OverlapLog log_;
  LogSamples samples_;
};

}  // namespace

Result<OverlapLog> read_overlap_log(const fs::path& folder, int64_t skip_steps) {
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
  LogReader reader(skip_steps);
  for (const fs::path& file : files) {
    AACO_TRY(reader.read_file_of_rank(file));
  }
  OverlapLog log = reader.finish();
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
    AACO_ASSIGN(found->runs.emplace_back(), read_overlap_log(folders[i], skip_steps));
  }
  return logs;
}

}  // namespace aaco::imports

// SPDX-License-Identifier: MIT
#include "guard/bisect/bisect_run.h"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <set>
#include <system_error>
#include <utility>

#include "base/clock.h"
#include "base/interrupt.h"
#include "base/json/json.h"
#include "base/process/process.h"
#include "base/text/characters.h"
#include "base/text/number_text.h"
#include "guard/bisect/work_trees.h"
#include "guard/sequential/looks.h"

namespace aaco {

namespace {

constexpr double kEndLevel = 0.01;       // for calling bad slower than good wrongly, over all looks together
constexpr double kEndConfidence = 0.98;  // of the interval that is told where it is not
constexpr size_t kEndShare = 4;          // each end may take this part of all measurements
constexpr size_t kShortCommit = 12;

struct MeasuredEnd {
  int exit_code = 0;
  std::vector<std::string> lines;
  double seconds = 0;
  std::string error_text;
};

// `env -C` changes the folder of the child alone.
Result<MeasuredEnd> run_in(const std::filesystem::path& folder, const std::vector<std::string>& command,
                           const std::string& commit) {
  MeasuredEnd end;
  ProcessOptions options;
  options.arguments = {"env", "-C", folder.string()};
  options.arguments.insert(options.arguments.end(), command.begin(), command.end());
  options.environment = {{"AACO_BISECT_COMMIT", commit}};
  options.on_line = [&](std::string_view line) { end.lines.emplace_back(line); };
  const int64_t start_ns = monotonic_ns();
  AACO_ASSIGN(const ProcessEnd process, run_process(options));
  end.seconds = static_cast<double>(monotonic_ns() - start_ns) * 1e-9;
  end.exit_code = process.exit_code;
  end.error_text = process.error_text;
  if (interrupted()) {
    return Error{ErrorKind::kInterrupted, "interrupted", ""};
  }
  return end;
}

// However a search ends its checkouts go, and an interrupt leaves the time for that.
class TreesEnd {
 public:
  explicit TreesEnd(const WorkTrees& trees) : trees_(trees) {
    await_close();
    trees_.remove_all();  // of one that was killed: a checkout may be half made
  }
  ~TreesEnd() {
    trees_.remove_all();
    close_done();
  }
  TreesEnd(const TreesEnd&) = delete;
  TreesEnd& operator=(const TreesEnd&) = delete;

 private:
  const WorkTrees& trees_;
};

// What is on the disk of a search.
class CommitSearch {
 public:
  CommitSearch(const BisectRequest& request, std::vector<std::string> commits)
      : request_(request),
        commits_(std::move(commits)),
        trees_(std::filesystem::absolute(request.repository),
               std::filesystem::absolute(request.state).string() + ".trees"),
        posterior_(commits_.size() - 1) {}

  Result<void> restore() {
    std::error_code error;
    if (!std::filesystem::exists(request_.state, error)) {
      return {};
    }
    AACO_ASSIGN(const Json state, read_json(request_.state));
    try {
      if (state.at("search") != identity()) {
        return Error{ErrorKind::kUsage, fmt::format("{}: is of another search", printable(request_.state.string())),
                     "remove it, or name another file with --state"};
      }
      for (const Json& row : state.at("measured")) {
        const size_t commit = row.at("commit").get<size_t>();
        const double value = row.at("value").get<double>();
        if (commit >= commits_.size() || !(value > 0) || !std::isfinite(value)) {
          return Error{ErrorKind::kUsage, fmt::format("{}: is damaged", printable(request_.state.string())),
                       "remove it, or name another file with --state"};
        }
        keep(commit, value);
      }
      for (const Json& commit : state.at("skipped")) {
        skip(commit.get<size_t>());
      }
    } catch (const Json::exception& exception) {
      return Error{ErrorKind::kUsage,
                   fmt::format("{}: {}", printable(request_.state.string()), json_problem(exception)),
                   "remove it, or name another file with --state"};
    }
    return {};
  }

  using Progress = std::function<void(const std::string&)>;
  Result<BisectAnswer> run(const Progress& progress) {
    const TreesEnd trees_end(trees_);
    AACO_ASSIGN(ends_differ_, measure_ends(progress));
    while (ends_differ_) {
      const std::optional<size_t> commit = posterior_.next(request_.limits);
      if (!commit) {
        break;
      }
      AACO_TRY(measure_and_tell(*commit, progress));
    }
    return answer();
  }

 private:
  std::string short_name(size_t commit) const { return commits_[commit].substr(0, kShortCommit); }
  Json identity() const {
    return {{"commits", commits_}, {"build", request_.build}, {"command", request_.command}, {"time", request_.time}};
  }

  // In turns, as the machine drifts, and until bad is shown to be slower: where it is noisy, five of each are too few.
  Result<bool> measure_ends(const Progress& progress) {
    const std::vector<double>& good = posterior_.measured(0);
    const std::vector<double>& bad = posterior_.measured(posterior_.last());
    if (measured_.size() > good.size() + bad.size()) {
      return true;  // of a search that goes on
    }
    bool differ = false;
    const auto measure_pairs = [&](int64_t pairs) -> Result<bool> {
      while (static_cast<int64_t>(std::min(good.size(), bad.size())) < pairs) {
        const bool good_first = good.size() % 2 == 0;  // ABBA
        const bool is_good = good.size() == bad.size() ? good_first : good.size() < bad.size();
        AACO_TRY(measure_and_tell(is_good ? 0 : posterior_.last(), progress));
      }
      return true;
    };
    const auto decide = [&](const Look& look) -> Result<bool> {
      differ = bad_is_slower(look.level);
      return differ;
    };
    const size_t most = std::max(kEndMeasurements, request_.limits.measurements / kEndShare);
    AACO_TRY(look_until_decided(plan_looks(static_cast<int64_t>(most), kEndLevel, 0), measure_pairs, decide));
    return differ;
  }

  Result<void> measure_and_tell(size_t commit, const Progress& progress) {
    AACO_ASSIGN(const std::optional<double> value, measure(commit));
    if (!value && (commit == 0 || commit == posterior_.last())) {
      return Error{ErrorKind::kUsage,
                   fmt::format("{} cannot be built and measured: {}", short_name(commit), printable(problem_)),
                   "try the command in a checkout of that commit"};
    }
    progress(value ? fmt::format("{}: {:.6g} ({} measurements, {} builds)", short_name(commit), *value,
                                 posterior_.measurements(), posterior_.builds())
                   : fmt::format("{}: left out: {}", short_name(commit), printable(problem_)));
    return {};
  }

  void keep(size_t commit, double value) {
    measured_.push_back({{"commit", commit}, {"value", value}});
    posterior_.add(commit, std::log(value));
  }
  void skip(size_t commit) {
    skipped_.push_back(commit);
    posterior_.skip(commit);
  }
  Result<void> save() const {
    return write_json(request_.state, {{"search", identity()}, {"measured", measured_}, {"skipped", skipped_}});
  }

  // None where it cannot be built or measured: problem_ says why.
  Result<std::optional<double>> measure(size_t commit) {
    AACO_ASSIGN(const std::filesystem::path folder, trees_.folder_of(commits_[commit]));
    std::optional<double> value;
    AACO_ASSIGN(const bool is_built, build(commit, folder));
    if (is_built) {
      AACO_ASSIGN(const MeasuredEnd end, run_in(folder, request_.command, commits_[commit]));
      if (end.exit_code != 0) {
        problem_ = fmt::format("the command ended with exit code {}", end.exit_code);
      } else {
        value = request_.time ? std::optional(end.seconds) : measured_value(end.lines);
        problem_ = "the command printed no line that is a positive number";
      }
    }
    if (value) {
      keep(commit, *value);
    } else {
      skip(commit);
    }
    AACO_TRY(save());
    return value;
  }

  Result<bool> build(size_t commit, const std::filesystem::path& folder) {
    if (request_.build.empty() || built_.contains(commit)) {
      return true;
    }
    AACO_ASSIGN(const MeasuredEnd end, run_in(folder, {"sh", "-c", request_.build}, commits_[commit]));
    if (end.exit_code != 0) {
      problem_ = fmt::format("the build ended with exit code {}", end.exit_code);
      return false;
    }
    built_.insert(commit);
    return true;
  }

  // By the two levels, or, where the machine's speed changes meanwhile, by the pairs that were measured one after the
  // other: half of the level for each.
  bool bad_is_slower(double level) const {
    const double confidence = 1 - level;
    const std::optional<RatioEstimate> ratio = ratio_of(0, posterior_.last(), confidence);
    return (ratio && ratio->interval.low > 1) || median_pair_is_slower(confidence);
  }

  // The interval of a median from order statistics, whatever pairs are distributed like.
  bool median_pair_is_slower(double confidence) const {
    const std::vector<double>& good = posterior_.measured(0);
    const std::vector<double>& bad = posterior_.measured(posterior_.last());
    std::vector<double> changes;
    for (size_t i = 0; i < std::min(good.size(), bad.size()); ++i) {
      changes.push_back(bad[i] - good[i]);
    }
    const std::optional<Interval> interval = quantile_interval(changes, 0.5, confidence);
    return interval && interval->low > 0;
  }

  // Values from commit `first_slow` on over those before it. By default of all measured commits.
  std::optional<RatioEstimate> ratio_of(size_t last_fast, size_t first_slow, double confidence) const {
    std::vector<double> fast;
    std::vector<double> slow;
    for (const Json& row : measured_) {
      const size_t commit = row["commit"].get<size_t>();
      if (commit <= last_fast) {
        fast.push_back(row["value"].get<double>());
      } else if (commit >= first_slow) {
        slow.push_back(row["value"].get<double>());
      }
    }
    return welch_log_ratio(fast, slow, confidence);
  }

  BisectAnswer answer() const {
    BisectAnswer answer;
    answer.commits = commits_;
    answer.builds = posterior_.builds();
    answer.measurements = posterior_.measurements();
    for (const size_t commit : skipped_) {
      answer.skipped.push_back(commits_[commit]);
    }
    if (!ends_differ_) {
      answer.end = BisectEnd::kNotSlower;
      answer.change = ratio_of(0, posterior_.last(), kEndConfidence);
      return answer;
    }
    const auto [first_slow, probability] = posterior_.likeliest();
    answer.probability = posterior_.probabilities();
    answer.first_slow = first_slow;
    answer.end = probability >= request_.limits.certainty ? BisectEnd::kDecided : BisectEnd::kUndecided;
    answer.change = ratio_of(first_slow - 1, first_slow, 0.95);
    return answer;
  }

  const BisectRequest& request_;
  std::vector<std::string> commits_;
  WorkTrees trees_;
  CommitPosterior posterior_;
  Json measured_ = Json::array();
  std::vector<size_t> skipped_;
  std::set<size_t> built_;
  bool ends_differ_ = false;
  std::string problem_;
};

}  // namespace

std::optional<double> measured_value(const std::vector<std::string>& lines) {
  std::vector<double> values;
  for (const std::string& line : lines) {
    const std::optional<double> value = number_of_text<double>(line);
    if (value && *value > 0) {
      values.push_back(*value);
    }
  }
  return median(values);
}

std::string commit_subject(const std::filesystem::path& repository, const std::string& commit) {
  const Result<std::string> line =
      first_line_of({"git", "-C", repository.string(), "log", "-1", "--format=%s", commit});
  return line ? *line : "";
}

Result<BisectAnswer> run_bisect(const BisectRequest& request, const std::function<void(const std::string&)>& progress) {
  AACO_ASSIGN(std::vector<std::string> commits, commits_between(request.repository, request.good, request.bad));
  CommitSearch search(request, std::move(commits));
  AACO_TRY(search.restore());
  return search.run(progress);
}

}  // namespace aaco

// SPDX-License-Identifier: MIT
#include "guard/bisect/bisect_run.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <fmt/format.h>
#include <set>
#include <sys/resource.h>
#include <system_error>
#include <utility>

#include "base/clock.h"
#include "base/interrupt.h"
#include "base/json/json.h"
#include "base/process/process.h"
#include "base/text/characters.h"
#include "base/text/number_text.h"
#include "guard/bisect/search_ends.h"
#include "guard/bisect/work_trees.h"
#include "guard/sequential/looks.h"
#include "observe/telemetry/other_load.h"

namespace aaco {

namespace {

constexpr double kEndConfidence = 0.98;  // of the interval that is told where bad is not slower
constexpr size_t kShortCommit = 12;
constexpr const char* kReference = "reference";  // in the state: the good commit's value, measured beside that of a row

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

// The processors' time until now, that of aaco and of what it ran told apart.
std::optional<ProcessorTimes> times_with_children() {
  std::optional<ProcessorTimes> times = processor_times(HostFiles(), {});
  rusage usage{};
  if (times && ::getrusage(RUSAGE_CHILDREN, &usage) == 0) {
    const auto ns = [](const timeval& time) {
      return int64_t{time.tv_sec} * 1'000'000'000 + int64_t{time.tv_usec} * 1000;
    };
    times->own_ns += ns(usage.ru_utime) + ns(usage.ru_stime);
  }
  return times;
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
        const double value = row.at("value").get<double>();
        const double reference = row.value(kReference, value);
        const auto is_bad = [](double number) { return !(number > 0) || !std::isfinite(number); };
        if (!is_index(row.at("commit")) || is_bad(value) || is_bad(reference)) {
          return damaged_state();
        }
        measured_.push_back(row);
      }
      for (const Json& commit : state.at("skipped")) {
        if (!is_index(commit)) {
          return damaged_state();
        }
        skipped_.push_back(commit.get<size_t>());
      }
    } catch (const Json::exception& exception) {
      return Error{ErrorKind::kUsage,
                   fmt::format("{}: {}", printable(request_.state.string()), json_problem(exception)),
                   "remove it, or name another file with --state"};
    }
    weigh();
    return {};
  }

  using Progress = std::function<void(const std::string&)>;
  Result<BisectAnswer> run(const Progress& progress) {
    const TreesEnd trees_end(trees_);
    const std::optional<ProcessorTimes> start = times_with_children();
    AACO_ASSIGN(ends_differ_, measure_ends(progress));
    while (ends_differ_) {
      const std::optional<size_t> commit = posterior_.next(request_.limits);
      if (!commit) {
        break;
      }
      AACO_TRY(measure_and_tell(*commit, true, progress));
    }
    BisectAnswer answer = answer_of_posterior();
    if (const std::optional<ProcessorTimes> end = times_with_children(); start && end) {
      answer.others_share = share_of_others(*start, *end);
    }
    return answer;
  }

 private:
  // Of one of the commits.
  bool is_index(const Json& index) const { return index.is_number_unsigned() && index.get<size_t>() < commits_.size(); }
  Error damaged_state() const {
    return {ErrorKind::kUsage, fmt::format("{}: is damaged", printable(request_.state.string())),
            "remove it, or name another file with --state"};
  }

  std::string short_name(size_t commit) const { return commits_[commit].substr(0, kShortCommit); }
  Json identity() const {
    return {{"commits", commits_}, {"build", request_.build}, {"command", request_.command}, {"time", request_.time}};
  }

  // In turns, as the machine drifts, and until bad is shown to be slower: where it is noisy, five of each are too few.
  Result<bool> measure_ends(const Progress& progress) {
    const EndValues before = ends();
    if (measured_.size() > before.good.size() + before.bad.size()) {
      return true;  // of a search that goes on
    }
    bool differ = false;
    const auto measure_pairs = [&](int64_t pairs) -> Result<bool> {
      while (true) {
        const EndValues until_now = ends();
        const size_t good = until_now.good.size();
        const size_t bad = until_now.bad.size();
        if (static_cast<int64_t>(std::min(good, bad)) >= pairs) {
          return true;
        }
        const bool is_good = good == bad ? good % 2 == 0 : good < bad;  // ABBA
        AACO_TRY(measure_and_tell(is_good ? 0 : posterior_.last(), false, progress));
      }
    };
    const auto decide = [&](const Look& look) -> Result<bool> {
      differ = bad_is_slower(ends(), look.level);
      return differ;
    };
    AACO_TRY(look_until_decided(looks_at_ends(request_.limits), measure_pairs, decide));
    return differ;
  }

  Result<void> measure_and_tell(size_t commit, bool beside_good, const Progress& progress) {
    AACO_ASSIGN(const std::optional<double> value, measure(commit, beside_good));
    if (!value && (commit == 0 || commit == posterior_.last())) {
      return Error{ErrorKind::kUsage,
                   fmt::format("{} cannot be built and measured: {}", short_name(commit), printable(problem_)),
                   "try the command in a checkout of that commit"};
    }
    progress(value ? fmt::format("{}: {:.6g} ({} measurements, {} builds)", short_name(commit), *value,
                                 measured_.size(), std::max<size_t>(posterior_.builds(), 1))
                   : fmt::format("{}: left out: {}", short_name(commit), printable(problem_)));
    return {};
  }

  // What was measured of them before the search.
  EndValues ends() const {
    EndValues values;
    for (const Json& row : measured_) {
      const size_t commit = row["commit"].get<size_t>();
      if (!row.contains(kReference) && (commit == 0 || commit == posterior_.last())) {
        (commit == 0 ? values.good : values.bad).push_back(std::log(row["value"].get<double>()));
      }
    }
    return values;
  }

  // The posterior of all that was measured, on the scale of the good commit: logarithms of values over the good
  // commit's value beside them, which tells how fast the machine was just then. So a machine whose speed changes for
  // seconds or minutes convicts no commit.
  void weigh() {
    posterior_ = CommitPosterior(commits_.size() - 1);
    posterior_.add_ends(changes_of(ends()));
    for (const Json& row : measured_) {
      if (row.contains(kReference)) {
        posterior_.add(row["commit"].get<size_t>(),
                       std::log(row["value"].get<double>() / row[kReference].get<double>()));
      }
    }
    for (const size_t commit : skipped_) {
      posterior_.skip(commit);
    }
  }

  Result<void> save() const {
    return write_json(request_.state, {{"search", identity()}, {"measured", measured_}, {"skipped", skipped_}});
  }

  // Keeps the value, with that of the good commit right before or after it where it is asked for. None where the commit
  // cannot be built or measured: problem_ says why.
  Result<std::optional<double>> measure(size_t commit, bool beside_good) {
    std::optional<double> value;
    std::optional<double> reference;
    if (beside_good) {  // builds come first: between the two they would part them. A search that goes on builds it anew
      AACO_TRY(build(0));
    }
    AACO_ASSIGN(const bool is_built, build(commit));
    const bool good_first = measured_.size() % 2 == 0;
    if (is_built && beside_good && good_first) {
      AACO_ASSIGN(reference, value_of_good());
    }
    if (is_built) {
      AACO_ASSIGN(value, value_of(commit));
    }
    if (value && beside_good && !good_first) {
      AACO_ASSIGN(reference, value_of_good());
    }
    if (value) {
      measured_.push_back({{"commit", commit}, {"value", *value}});
      if (reference) {
        measured_.back()[kReference] = *reference;
      }
    } else {
      skipped_.push_back(commit);
    }
    weigh();
    AACO_TRY(save());
    return value;
  }

  Result<std::optional<double>> value_of(size_t commit) {
    AACO_ASSIGN(const std::filesystem::path folder, trees_.folder_of(commits_[commit]));
    AACO_ASSIGN(const MeasuredEnd end, run_in(folder, request_.command, commits_[commit]));
    if (end.exit_code != 0) {
      problem_ = fmt::format("the command ended with exit code {}", end.exit_code);
      return std::optional<double>();
    }
    problem_ = "the command printed no line that is a positive number";
    return request_.time ? std::optional(end.seconds) : measured_value(end.lines);
  }

  Result<double> value_of_good() {
    AACO_ASSIGN(const std::optional<double> value, value_of(0));
    if (!value) {
      return Error{ErrorKind::kUsage,
                   fmt::format("{} cannot be measured again: {}", short_name(0), printable(problem_)),
                   "try the command in a checkout of that commit"};
    }
    return *value;
  }

  Result<bool> build(size_t commit) {
    if (request_.build.empty() || built_.contains(commit)) {
      return true;
    }
    AACO_ASSIGN(const std::filesystem::path folder, trees_.folder_of(commits_[commit]));
    AACO_ASSIGN(const MeasuredEnd end, run_in(folder, {"sh", "-c", request_.build}, commits_[commit]));
    if (end.exit_code != 0) {
      problem_ = fmt::format("the build ended with exit code {}", end.exit_code);
      return false;
    }
    built_.insert(commit);
    return true;
  }

  // Of all commits before and from this one on.
  std::optional<RatioEstimate> change_at(size_t first_slow) const {
    std::array<std::vector<double>, 2> sides;
    for (size_t commit = 0; commit < commits_.size(); ++commit) {
      std::vector<double>& side = sides[commit < first_slow ? 0 : 1];
      side.insert(side.end(), posterior_.measured(commit).begin(), posterior_.measured(commit).end());
    }
    return ratio_of_logarithms(std::move(sides[0]), std::move(sides[1]), 0.95);
  }

  BisectAnswer answer_of_posterior() const {
    BisectAnswer answer;
    answer.commits = commits_;
    answer.builds = posterior_.builds();
    answer.measurements = measured_.size();
    for (const size_t commit : skipped_) {
      answer.skipped.push_back(commits_[commit]);
    }
    if (!ends_differ_) {
      answer.end = BisectEnd::kNotSlower;
      const EndValues measured = ends();
      answer.change = ratio_of_logarithms(measured.good, measured.bad, kEndConfidence);
      return answer;
    }
    const auto [first_slow, probability] = posterior_.likeliest();
    answer.probability = posterior_.probabilities();
    answer.first_slow = first_slow;
    answer.end = probability >= request_.limits.certainty ? BisectEnd::kDecided : BisectEnd::kUndecided;
    answer.change = change_at(first_slow);
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

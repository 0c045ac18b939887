// SPDX-License-Identifier: MIT
#include "kind/sweep/sharded_sweep_run.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <cstdlib>
#include <filesystem>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <optional>

#include "base/json/json.h"
#include "kind/sharded/config/read_config.h"
#include "kind/sharded/sharded_run.h"
#include "kind/sweep/sweep_kinds.h"
#include "session/session_info.h"

namespace aaco {

namespace {

// Names that are passed around for AMD's library and that no version of it has read (RCCL, October 2024 to 2026); of
// most the library reads the one that begins with NCCL_.
constexpr std::array kUnread = {
    "RCCL_ENABLE_SDMA",    "RCCL_NUM_CHANNELS",        "RCCL_BUFFER_SIZE",   "RCCL_SDMA_WORKERS_PER_CHANNEL",
    "RCCL_MIN_NCHANNELS",  "RCCL_MAX_NCHANNELS",       "RCCL_ALGO",          "RCCL_PROTO",
    "RCCL_GRAPH_REGISTER", "RCCL_IGNORE_CPU_AFFINITY", "ROCM_MAX_HW_QUEUES", "RCCL_ENABLE_DIRECT_PEER_ACCESS"};

Error usage(const std::string& what, const std::string& hint) { return {ErrorKind::kUsage, what, hint}; }

// A variable of this process, and so of its children, for as long as this lives.
class ScopedVariable {
 public:
  ScopedVariable(std::string name, const std::string& value) : name_(std::move(name)) {
    if (const char* before = std::getenv(name_.c_str()); before != nullptr) {
      before_ = before;
    }
    ::setenv(name_.c_str(), value.c_str(), 1);
  }
  ~ScopedVariable() {
    if (before_) {
      ::setenv(name_.c_str(), before_->c_str(), 1);
    } else {
      ::unsetenv(name_.c_str());
    }
  }
  ScopedVariable(const ScopedVariable&) = delete;
  ScopedVariable& operator=(const ScopedVariable&) = delete;

 private:
  std::string name_;
  std::optional<std::string> before_;
};

Result<sharded::ConfigReading> reading_of(const ShardedSweepRequest& request, const ShardedSweepPoint& point) {
  std::vector<std::string> overrides = request.overrides;
  if (!point.change.empty() && !point.is_variable) {
    overrides.push_back(point.change);
  }
  return sharded::read_sharded_run_config(request.config, overrides);
}

Result<ShardedRequest> training_of(const ShardedSweepRequest& request, const ShardedSweepPoint& point, bool check) {
  AACO_ASSIGN(const sharded::ConfigReading reading, reading_of(request, point));
  ShardedRequest training;
  training.config = reading.config;
  training.devices = request.devices;
  training.notes = reading.notes;
  training.check = check;
  training.sessions = request.sessions;
  training.kernel_plane = request.kernel_plane;
  training.command_line = request.command_line;
  return training;
}

Result<ShardedDocument> train(const ShardedRequest& training, const ShardedSweepPoint& point,
                              const ProgressCallback& progress) {
  std::optional<ScopedVariable> variable;
  if (point.is_variable) {
    const size_t equals = point.change.find('=');
    variable.emplace(point.change.substr(0, equals), point.change.substr(equals + 1));
  }
  const std::string name = point.change.empty() ? "as it is" : point.change;
  return run_sharded(training, [&](const std::string& what, double fraction) {
    progress(fmt::format("{}: {}", name, what), fraction);
  });
}

// A point without all rounds has no pairs with the others.
void give_up(const Error& error, ShardedSweepPoint& point) {
  point.failure = error.message;
  point.step_ns.clear();
  point.exposed_ns.clear();
}

}  // namespace

Result<void> keep_round(const ShardedDocument& document, ShardedSweepPoint& point) {
  point.sessions.push_back(document.bundle);
  double slowest = 0;
  for (const ShardedRank& rank : document.ranks) {
    if (!rank.step_p50_ns) {
      return Error{ErrorKind::kInvalid, fmt::format("{}: rank {} measured no step", document.bundle, rank.rank),
                   "a larger training.max_steps leaves some to measure"};
    }
    slowest = std::max(slowest, *rank.step_p50_ns);
  }
  point.step_ns.push_back(slowest);
  if (document.figures) {
    double exposed = 0;
    for (const RankOverlap& rank : document.figures->ranks) {
      exposed = std::max(exposed, rank.mean.exposed_communication_ns);
    }
    point.exposed_ns.push_back(exposed);
  }
  return {};
}

namespace {

// Errors: those that end the sweep.
Result<void> run_turn(const ShardedSweepRequest& request, bool check, ShardedSweepPoint& point,
                      const ProgressCallback& progress) {
  if (!point.failure.empty()) {
    return {};
  }
  const auto training = training_of(request, point, check);
  const auto document = training ? train(*training, point, progress) : training.error();
  const Result<void> kept = document ? keep_round(*document, point) : document.error();
  if (kept) {
    return {};
  }
  if (point.change.empty() || kept.error().kind == ErrorKind::kInterrupted) {
    return kept.error();
  }
  give_up(kept.error(), point);
  return {};
}

RunFacts facts_of(const ShardedSweepRequest& request) {
  RunFacts facts;
  facts.model_name = "sweep of " + std::filesystem::path(request.config).stem().string();
  facts.backend = fmt::format("{}", fmt::join(request.devices, ","));
  facts.processes = static_cast<int64_t>(request.devices.size());
  return facts;
}

// What is needed to measure a sweep again: the request of each point that was trained.
struct RecordedSweep {
  ShardedSweepRequest request;
  std::vector<ShardedSweepPoint> points;  // without times
  std::vector<ShardedRequest> trainings;
};

Result<RecordedSweep> recorded_sweep(const std::filesystem::path& bundle, const std::string& sessions) {
  AACO_ASSIGN(const JsonValue json, read_session_document(bundle, kShardedSweep.traits));
  AACO_ASSIGN(const ShardedSweep sweep, read_sharded_sweep(*json, bundle.string()));
  RecordedSweep recorded;
  recorded.request.config = sweep.config;
  recorded.request.overrides = sweep.overrides;
  recorded.request.devices = sweep.devices;
  recorded.request.sessions = sessions;
  for (const JudgedSweepPoint& judged : sweep.points) {
    const ShardedSweepPoint& point = judged.point;
    recorded.points.push_back({point.change, point.is_variable, point.failure, {}, {}, {}});
    ShardedRequest& training = recorded.trainings.emplace_back();
    if (!point.failure.empty()) {
      continue;
    }
    AACO_ASSIGN(training, sharded_request_again(point.sessions.empty() ? "" : point.sessions.front(), sessions));
    recorded.request.command_line = training.command_line;
  }
  return recorded;
}

Result<std::filesystem::path> keep_again(RecordedSweep side) {
  SweepOutcome<ShardedSweep> outcome;
  outcome.document = judge_sweep(std::move(side.points), 1);
  outcome.document.config = side.request.config;
  outcome.document.overrides = side.request.overrides;
  outcome.document.devices = side.request.devices;
  AACO_TRY(keep_sweep({kShardedSweep, side.request.sessions, side.request.command_line, facts_of(side.request)},
                      outcome, read_sharded_sweep));
  return std::filesystem::path(outcome.document.bundle);
}

}  // namespace

Result<ShardedSweepAxis> parse_sweep_axis(const std::string& text, bool is_variable) {
  const char* const flag = is_variable ? "--env" : "--sweep";
  const size_t equals = text.find('=');
  ShardedSweepAxis axis{text.substr(0, equals), is_variable, {}};
  const bool has_name = std::all_of(axis.name.begin(), axis.name.end(), [](char c) {
    return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_' || c == '.';
  });
  if (equals == std::string::npos || equals == 0 || !has_name) {
    return usage(fmt::format("{} {}: is not of the form NAME=VALUE,VALUE", flag, text),
                 "as --sweep fsdp.prefetch_depth=1,2,3 or --env NCCL_MAX_NCHANNELS=4,8");
  }
  for (size_t begin = equals + 1; begin <= text.size();) {
    const size_t end = std::min(text.find(',', begin), text.size());
    axis.values.push_back(text.substr(begin, end - begin));
    begin = end + 1;
  }
  const auto* const unread = std::find(kUnread.begin(), kUnread.end(), axis.name);
  if (is_variable && unread != kUnread.end()) {
    return usage(fmt::format("--env {}: no library reads a variable of that name", axis.name),
                 axis.name.starts_with("RCCL_M") || axis.name == "RCCL_ALGO" || axis.name == "RCCL_PROTO"
                     ? fmt::format("RCCL reads NCCL_{}", axis.name.substr(5))
                     : "GPU_MAX_HW_QUEUES, HSA_ENABLE_SDMA and RCCL's NCCL_... variables are read");
  }
  return axis;
}

Result<std::vector<ShardedSweepPoint>> sweep_points(const ShardedSweepRequest& request) {
  if (request.axes.empty()) {
    return usage("nothing is to be changed", "name it: --sweep fsdp.prefetch_depth=1,2,3 or --env NCCL_ALGO=Ring,Tree");
  }
  std::vector<ShardedSweepPoint> points(1);
  AACO_TRY(reading_of(request, points.front()));
  for (const ShardedSweepAxis& axis : request.axes) {
    for (const std::string& value : axis.values) {
      ShardedSweepPoint point;
      point.change = fmt::format("{}={}", axis.name, value);
      point.is_variable = axis.is_variable;
      if (const auto reading = reading_of(request, point); !reading) {
        point.failure = reading.error().message;
      }
      points.push_back(std::move(point));
    }
  }
  return points;
}

int64_t cut_to_whole_rounds(std::vector<ShardedSweepPoint>& points) {
  size_t rounds = points.front().step_ns.size();
  for (const ShardedSweepPoint& point : points) {
    rounds = point.failure.empty() ? std::min(rounds, point.step_ns.size()) : rounds;
  }
  for (ShardedSweepPoint& point : points) {
    point.step_ns.resize(std::min(rounds, point.step_ns.size()));
    point.exposed_ns.resize(std::min(rounds, point.exposed_ns.size()));
  }
  return static_cast<int64_t>(rounds);
}

Result<SweepOutcome<ShardedSweep>> run_sharded_sweep(const ShardedSweepRequest& request,
                                                     const ProgressCallback& progress) {
  AACO_ASSIGN(std::vector<ShardedSweepPoint> points, sweep_points(request));
  SweepOutcome<ShardedSweep> outcome;
  outcome.failure = run_turns({points.size(), static_cast<size_t>(request.rounds)}, progress,
                              [&](size_t member, size_t round, const auto& share) {
                                return run_turn(request, round == 0, points[member], share);
                              });
  if (points.front().step_ns.empty()) {
    return *outcome.failure;
  }
  ShardedSweep& sweep = outcome.document;
  const int64_t rounds = cut_to_whole_rounds(points);
  sweep = judge_sweep(std::move(points), rounds);
  sweep.config = request.config;
  sweep.overrides = request.overrides;
  sweep.devices = request.devices;
  AACO_TRY(keep_sweep({kShardedSweep, request.sessions, request.command_line, facts_of(request)}, outcome,
                      read_sharded_sweep));
  return outcome;
}

Result<std::pair<std::filesystem::path, std::filesystem::path>> rerun_sharded_sweeps(
    const std::filesystem::path& baseline, const std::filesystem::path& test, const std::string& sessions,
    const ProgressCallback& progress) {
  std::array<RecordedSweep, 2> sides;
  AACO_ASSIGN(sides[0], recorded_sweep(baseline, sessions));
  AACO_ASSIGN(sides[1], recorded_sweep(test, sessions));
  const std::vector<SweepMember> members = members_in_turns(sides[0].points.size(), sides[1].points.size());
  const auto ended = run_turns({members.size()}, progress, [&](size_t turn, size_t, const auto& share) -> Result<void> {
    RecordedSweep& side = sides[members[turn].side];
    ShardedSweepPoint& point = side.points[members[turn].index];
    if (!point.failure.empty()) {
      return {};
    }
    AACO_ASSIGN(const ShardedDocument document, train(side.trainings[members[turn].index], point, share));
    return keep_round(document, point);
  });
  if (ended) {
    return *ended;
  }
  std::array<std::filesystem::path, 2> bundles;
  for (size_t i = 0; i < sides.size(); ++i) {
    AACO_ASSIGN(bundles[i], keep_again(std::move(sides[i])));
  }
  return std::pair(bundles[0], bundles[1]);
}

}  // namespace aaco

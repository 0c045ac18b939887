// SPDX-License-Identifier: MIT
#include "experiment/overlap_sweep/overlap_sweep.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <cstdlib>
#include <filesystem>
#include <fmt/format.h>
#include <optional>

#include "base/json.h"
#include "base/version.h"
#include "experiment/orchestrator.h"
#include "experiment/overlap/overlap_run.h"
#include "experiment/overlap_config/read_config.h"
#include "observe/environment.h"
#include "session/layout.h"

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

Result<overlap::ConfigReading> reading_of(const OverlapSweepRequest& request, const OverlapSweepPoint& point) {
  std::vector<std::string> overrides = request.overrides;
  if (!point.change.empty() && !point.is_variable) {
    overrides.push_back(point.change);
  }
  return overlap::read_overlap_config(request.config, overrides);
}

Result<OverlapDocument> train(const OverlapSweepRequest& request, const OverlapSweepPoint& point, bool check) {
  AACO_ASSIGN(const overlap::ConfigReading reading, reading_of(request, point));
  OverlapRequest one;
  one.config = reading.config;
  one.devices = request.devices;
  one.notes = reading.notes;
  one.check = check;
  one.sessions = request.sessions;
  one.command_line = request.command_line;
  std::optional<ScopedVariable> variable;
  if (point.is_variable) {
    const size_t equals = point.change.find('=');
    variable.emplace(point.change.substr(0, equals), point.change.substr(equals + 1));
  }
  return run_overlap(one, [](const std::string&, double) {});
}

void keep(const OverlapDocument& document, OverlapSweepPoint& point) {
  point.sessions.push_back(document.bundle);
  double slowest = 0;
  for (const OverlapRank& rank : document.ranks) {
    slowest = std::max(slowest, rank.step_p50_ns.value_or(0));
  }
  point.step_ns.push_back(slowest);
  if (document.figures) {
    double exposed = 0;
    for (const RankOverlap& rank : document.figures->ranks) {
      exposed = std::max(exposed, rank.mean.exposed_communication_ns);
    }
    point.exposed_ns.push_back(exposed);
  }
}

// A point without all rounds has no pairs with the others.
void give_up(const Error& error, OverlapSweepPoint& point) {
  point.failure = error.message;
  point.step_ns.clear();
  point.exposed_ns.clear();
}

// Errors: of the configuration as it is; kInterrupted. The points keep what was measured until then.
Result<void> run_rounds(const OverlapSweepRequest& request, std::vector<OverlapSweepPoint>& points,
                        const ProgressCallback& progress) {
  const auto total = static_cast<double>(points.size() * static_cast<size_t>(request.rounds));
  double done = 0;
  for (int64_t round = 0; round < request.rounds; ++round) {
    for (size_t i = 0; i < points.size(); ++i) {
      OverlapSweepPoint& point = points[(i + static_cast<size_t>(round)) % points.size()];
      AACO_TRY(check_interrupt());
      progress(point.change.empty() ? "training as it is" : "training with " + point.change, done++ / total);
      if (!point.failure.empty()) {
        continue;
      }
      const auto document = train(request, point, round == 0);
      if (document) {
        keep(*document, point);
      } else if (point.change.empty() || document.error().kind == ErrorKind::kInterrupted) {
        return document.error();
      } else {
        give_up(document.error(), point);
      }
    }
  }
  return {};
}

// The session that names those of the trainings.
class SweepSession : public Strategy {
 public:
  SweepSession(const OverlapSweepRequest& request, std::vector<OverlapSweepPoint> points, std::optional<Error> failure)
      : request_(request), points_(std::move(points)), failure_(std::move(failure)) {}

  Result<SessionStart> prepare() override {
    SessionStart start{request_.sessions, {}, {}};
    start.info.kind = session_kind::kOverlapSweep;
    start.info.command_line = request_.command_line;
    start.info.planes["sweep"] = {PlaneStatus::kRecorded, ""};
    start.info.facts.model_name = "sweep of " + std::filesystem::path(request_.config).stem().string();
    start.info.facts.backend = request_.devices.front();
    start.info.facts.processes = static_cast<int64_t>(request_.devices.size());
    return start;
  }

  Result<SessionEnd> store(Orchestrator& run) override {
    SessionWriter& session = run.session();
    const int64_t rounds = cut_to_whole_rounds(points_);
    sweep_ = judge_sweep(std::move(points_), rounds);
    sweep_.version = program_version();
    sweep_.bundle = session.path().string();
    sweep_.created_utc = session.info().created_utc;
    sweep_.config = request_.config;
    sweep_.overrides = request_.overrides;
    sweep_.devices = request_.devices;
    AACO_TRY(session.write_json_file(layout::kEnvironment, capture_environment(EnvironmentOptions())));
    AACO_TRY(session.write_json_file(layout::kOverlap, sweep_json(sweep_)));
    return end_after(failure_);
  }

  OverlapSweep take_sweep() { return std::move(sweep_); }

 private:
  const OverlapSweepRequest& request_;
  std::vector<OverlapSweepPoint> points_;
  std::optional<Error> failure_;
  OverlapSweep sweep_;
};

}  // namespace

Result<OverlapSweepAxis> parse_sweep_axis(const std::string& text, bool is_variable) {
  const char* const flag = is_variable ? "--env" : "--sweep";
  const size_t equals = text.find('=');
  OverlapSweepAxis axis{text.substr(0, equals), is_variable, {}};
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

Result<std::vector<OverlapSweepPoint>> sweep_points(const OverlapSweepRequest& request) {
  if (request.axes.empty()) {
    return usage("nothing is to be changed", "name it: --sweep fsdp.prefetch_depth=1,2,3 or --env NCCL_ALGO=Ring,Tree");
  }
  std::vector<OverlapSweepPoint> points(1);
  AACO_TRY(reading_of(request, points.front()));
  for (const OverlapSweepAxis& axis : request.axes) {
    for (const std::string& value : axis.values) {
      OverlapSweepPoint point;
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

int64_t cut_to_whole_rounds(std::vector<OverlapSweepPoint>& points) {
  size_t rounds = points.front().step_ns.size();
  for (const OverlapSweepPoint& point : points) {
    rounds = point.failure.empty() ? std::min(rounds, point.step_ns.size()) : rounds;
  }
  for (OverlapSweepPoint& point : points) {
    point.step_ns.resize(std::min(rounds, point.step_ns.size()));
    point.exposed_ns.resize(std::min(rounds, point.exposed_ns.size()));
  }
  return static_cast<int64_t>(rounds);
}

Result<OverlapSweep> run_overlap_sweep(const OverlapSweepRequest& request, const ProgressCallback& progress) {
  AACO_ASSIGN(std::vector<OverlapSweepPoint> points, sweep_points(request));
  Result<void> ran = run_rounds(request, points, progress);
  SweepSession session(request, std::move(points), ran ? std::nullopt : std::optional(ran.error()));
  AACO_TRY(orchestrate(session));
  AACO_TRY(std::move(ran));
  return session.take_sweep();
}

}  // namespace aaco

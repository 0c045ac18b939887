// SPDX-License-Identifier: MIT
#include "experiment/run_model.h"

#include <algorithm>
#include <atomic>
#include <cstdlib>
#include <fmt/format.h>
#include <optional>
#include <unistd.h>
#include <utility>

#include "base/clock.h"
#include "base/file.h"
#include "base/interrupt.h"
#include "experiment/bundle_content.h"
#include "experiment/inspection.h"
#include "experiment/resolve.h"
#include "experiment/spawn.h"
#include "observe/ceilings/ceilings.h"
#include "observe/cgroup.h"
#include "observe/telemetry/sampler.h"
#include "session/journal_rows.h"
#include "session/layout.h"

namespace aaco {

namespace {

namespace fs = std::filesystem;

constexpr int64_t kProfiledProcesses = 3;    // the fewest that give the tax an interval
constexpr int64_t kProfileEvents = 900'000;  // ONNX Runtime's profiler keeps a million events and drops the rest
constexpr int64_t kProfileRows = 100'000;
constexpr int64_t kProfileIterations = 50;
constexpr int64_t kProfileWarmUpRuns = 5;

// A folder of its own that goes away again.
class TemporaryFolder {
 public:
  static Result<TemporaryFolder> create() {
    std::string pattern = (fs::temp_directory_path() / "aaco-XXXXXX").string();
    if (::mkdtemp(pattern.data()) == nullptr) {
      return file_error(pattern, "create folder", errno);
    }
    return TemporaryFolder(pattern);
  }
  TemporaryFolder(TemporaryFolder&& other) noexcept : path_(std::exchange(other.path_, {})) {}
  TemporaryFolder& operator=(TemporaryFolder&&) = delete;
  ~TemporaryFolder() {
    std::error_code error;
    if (!path_.empty()) {
      fs::remove_all(path_, error);
    }
  }
  const fs::path& path() const { return path_; }

 private:
  explicit TemporaryFolder(fs::path path) : path_(std::move(path)) {}
  fs::path path_;
};

// Samples the host into the bundle's journal while it lives.
class Telemetry {
 public:
  static Result<std::unique_ptr<Telemetry>> start(const fs::path& journal, const std::atomic<int64_t>& measured_pid) {
    auto telemetry = std::unique_ptr<Telemetry>(new Telemetry);
    AACO_ASSIGN(JournalWriter writer, create_system_journal(journal));
    telemetry->journal_ = std::make_unique<JournalWriter>(std::move(writer));
    CollectorOptions options;
    options.measured_pid = &measured_pid;
    options.on_system_row = [journal = telemetry->journal_.get()](const SystemRow& row) {
      journal->append(to_journal_row(row));
    };
    AACO_ASSIGN(auto collector, find_collector("host")->make(options));
    telemetry->sampler_ = std::make_unique<Sampler>(std::move(collector));
    return telemetry;
  }
  Result<SamplerCost> stop() {
    const SamplerCost cost = sampler_->stop();
    AACO_TRY(journal_->close());
    return cost;
  }

 private:
  Telemetry() = default;
  std::unique_ptr<JournalWriter> journal_;
  std::unique_ptr<Sampler> sampler_;
};

Result<void> check_sessions_folder(const std::string& sessions) {
  AACO_TRY(make_folders(sessions));
  if (::access(sessions.c_str(), W_OK | X_OK) != 0) {
    return file_error(sessions, "write to", errno);
  }
  return {};
}

// Fewer iterations rather than lost events.
int64_t profile_iterations(const std::string& requested, const Inspection& inspection) {
  const int64_t events = std::max<int64_t>(inspection.events_per_run, 1);
  const int64_t rows = std::max<int64_t>(inspection.executed_nodes, 1);
  int64_t count =
      requested == "auto" ? kProfileIterations : std::min<int64_t>(std::atoll(requested.c_str()), kProfileIterations);
  count = std::min({count, kProfileEvents / events - kProfileWarmUpRuns, kProfileRows / rows});
  return std::max<int64_t>(count, 1);
}

RunFacts initial_facts(const RunRequest& request, const ResolvedRun& run, const Inspection& inspection) {
  RunFacts facts;
  facts.model_name = run.model_name;
  facts.model_path = run.plan.model;
  facts.model_sha256 = run.model_sha256;
  facts.backend = request.backend;
  facts.provider = run.provider->provider;
  facts.device_kind = run.provider->device_kind;
  facts.batch = run.plan.batch;
  facts.dims = request.dims;
  facts.precision_requested = run.precision;
  facts.precision_executed = inspection.precision_executed;
  facts.intra_op_threads = inspection.result.intra_op_threads;
  facts.inter_op_threads = run.plan.inter_op_threads;
  facts.processors = request.pin.empty() ? usable_processors(HostFiles()) : static_cast<int64_t>(request.pin.size());
  facts.processes = request.processes;
  facts.warmup_minimum = run.plan.warmup;
  facts.iterations = run.plan.iterations;
  facts.seed = static_cast<int64_t>(run.plan.seed);
  facts.prompt_tokens = request.tokens ? request.tokens->prompt : 0;
  facts.generated_tokens = request.tokens ? request.tokens->generated : 0;
  facts.nodes_original = executed_nodes(inspection.original);
  facts.nodes_optimized = inspection.executed_nodes;
  facts.nodes_by_provider = inspection.nodes_by_provider;
  facts.runtime_version = inspection.result.runtime_version;
  facts.outputs_finite = inspection.result.outputs_finite;
  facts.roofs = facts.device_kind == "cpu" ? cached_roofs(std::max<int64_t>(facts.intra_op_threads, 1)) : std::nullopt;
  if (!facts.roofs) {
    facts.roofs_unavailable = facts.device_kind == "cpu" ? "not measured on this machine: run aaco doctor --measure"
                                                         : "needs device activity";
  }
  return facts;
}

std::map<std::string, PlaneState> planes_of(const RunRequest& request) {
  const auto requested = [](bool asked) {
    return asked ? PlaneState{"recorded", ""} : PlaneState{"not requested", ""};
  };
  return {{"inference", {"recorded", ""}},
          {"model", {"recorded", ""}},
          {"profiler", requested(request.profile)},
          {"telemetry_host", requested(request.telemetry)},
          {"telemetry_gpu", {"unavailable", "this version has no GPU sampler"}},
          {"kernel_plane", {"unavailable", "this version has no kernel plane"}},
          {"device_activity", {"unavailable", "this version has no device activity collector"}},
          {"tokens", requested(request.tokens.has_value())}};
}

// The phases of one run, in order; each fills what the next needs.
class ModelRun {
 public:
  ModelRun(const RunRequest& request, const Progress& progress, std::string group)
      : request_(request), progress_(progress), group_(std::move(group)) {}

  // An error here has left nothing behind.
  Result<void> prepare() {
    progress_("preparing " + request_.model, 0);
    AACO_ASSIGN(run_, resolve_run(request_));
    AACO_TRY(check_sessions_folder(request_.sessions));
    AACO_TRY(inspect());
    SessionInfo info;
    info.kind = request_.kind;
    info.command_line = request_.command_line;
    info.planes = planes_of(request_);
    info.facts = initial_facts(request_, run_, inspection_);
    info.facts.interleave_group = group_;
    AACO_ASSIGN(session_, SessionWriter::create(request_.sessions, std::move(info)));
    return {};
  }

  // What comes between prepare() and the first process.
  Result<void> begin() {
    AACO_TRY(write_model_files(*session_, run_, inspection_));
    const fs::path folder = session_->path() / layout::kJournals;
    AACO_TRY(make_folders(folder));
    run_.plan.folder = folder;
    spawn_ = {folder / "plan.json", folder, request_.pin, &measured_pid_};
    AACO_TRY(write_json(spawn_.plan_file, run_.plan));
    if (request_.telemetry) {
      AACO_ASSIGN(telemetry_, Telemetry::start(session_->path() / layout::kSystemJournal, measured_pid_));
    }
    return {};
  }

  // Process `process` of the measuring ones. Profiled processes lie between them, so that both see the same drift of
  // the machine.
  Result<void> run_process(int64_t process) {
    const int64_t profiled = request_.profile ? std::min(request_.processes, kProfiledProcesses) : 0;
    AACO_TRY(run_one(role::kMeasure, process, request_.processes + profiled));
    return process < profiled ? run_one(role::kProfile, request_.processes + process, request_.processes + profiled)
                              : Result<void>();
  }

  // Closes the bundle, whatever happened; `measured` is how the processes ended, and the error where they did not.
  Result<RunOutcome> finish(const Result<void>& measured) {
    progress_("analysing", 1);
    std::string status = "complete";
    std::string reason;
    if (telemetry_) {
      const auto cost = std::exchange(telemetry_, nullptr)->stop();
      if (cost) {
        AACO_TRY(session_->write_json_file("telemetry/sampler.json", *cost));
      }
    }
    if (!measured) {
      status = measured.error().kind == ErrorKind::kInterrupted ? "interrupted" : "failed";
      reason = measured.error().message;
    }
    Result<RunOutcome> outcome = conclude(*session_, status, reason);
    if (!measured) {
      return measured.error();
    }
    return outcome;
  }

  int64_t processes() const { return request_.processes; }

 private:
  Result<void> inspect() {
    progress_("inspecting " + request_.model, 0);
    AACO_ASSIGN(const TemporaryFolder folder, TemporaryFolder::create());
    // A file that only the runtime understands is left to it.
    if (const auto graph = read_model_graph(run_.plan.model, "original", {})) {
      run_.plan.index_limits = index_limits(*graph);
    }
    run_.plan.folder = folder.path();
    const fs::path plan = folder.path() / "plan.json";
    AACO_TRY(write_json(plan, run_.plan));
    AACO_ASSIGN(inspection_, inspect_model(run_, {plan, folder.path(), request_.pin, nullptr}));
    run_.plan.profile_iterations = profile_iterations(run_.plan.iterations, inspection_);
    return {};
  }

  Result<void> run_one(const std::string& worker_role, int64_t process, int64_t total) {
    if (interrupted()) {
      return Error{ErrorKind::kInterrupted, "interrupted", ""};
    }
    progress_(fmt::format("{} process {} of {}", worker_role == role::kProfile ? "profiling" : "measuring",
                          started_.size() + 1, total),
              static_cast<double>(started_.size()) / static_cast<double>(total));
    started_.push_back({worker_role, process, std::nullopt});
    AACO_ASSIGN(started_.back().result, run_in_worker(spawn_, worker_role, process));
    return started_.back().result->interrupted ? Result<void>(Error{ErrorKind::kInterrupted, "interrupted", ""})
                                               : Result<void>();
  }

  Result<RunOutcome> conclude(SessionWriter& session, std::string status, std::string reason) {
    RunOutcome outcome;
    outcome.bundle = session.path();
    outcome.notes = run_.notes;
    outcome.mismatches = inspection_.result.mismatches;
    auto recording = collect_recording(session.path() / layout::kJournals, started_, inspection_, session.info().facts,
                                       outcome.notes);
    if (!recording) {
      (void)session.close("failed", recording.error().message);
      return recording.error();
    }
    recording->planes = session.info().planes;
    session.info().facts = recording->facts;
    if (status == "complete" && !recording->facts.outputs_finite) {
      status = "invalid";
      reason = "an output holds NaN or infinity";
    }
    outcome.analysis = analyse(*recording);
    outcome.facts = recording->facts;
    const Result<void> written = write_results(session, *recording, outcome.analysis, started_);
    if (!written) {
      (void)session.close("failed", written.error().message);
      return written.error();
    }
    AACO_TRY(session.write_json_file("request.json", Json(request_)));
    AACO_TRY(session.close(status, reason));
    outcome.status = status;
    outcome.status_reason = reason;
    return outcome;
  }

  const RunRequest& request_;
  const Progress& progress_;
  std::string group_;
  ResolvedRun run_;
  Inspection inspection_;
  std::atomic<int64_t> measured_pid_{0};
  std::vector<StartedProcess> started_;
  std::optional<SessionWriter> session_;
  SpawnOptions spawn_;
  std::unique_ptr<Telemetry> telemetry_;
};

}  // namespace

Result<RunOutcome> run_model(const RunRequest& request, const Progress& progress) {
  ModelRun run(request, progress, "");
  AACO_TRY(run.prepare());
  const auto measure = [&]() -> Result<void> {
    AACO_TRY(run.begin());
    for (int64_t process = 0; process < run.processes(); ++process) {
      AACO_TRY(run.run_process(process));
    }
    return {};
  };
  return run.finish(measure());
}

Result<RunRequest> recorded_request(const fs::path& bundle) {
  AACO_ASSIGN(const Json json, read_json(bundle / "request.json"));
  return from_json_value<RunRequest>(json, (bundle / "request.json").string());
}

Result<std::pair<RunOutcome, RunOutcome>> run_interleaved(const RunRequest& a, const RunRequest& b,
                                                          const Progress& progress) {
  const std::string group = fmt::format("{}-{}", wall_clock_ns(), ::getpid());
  ModelRun first(a, progress, group);
  ModelRun second(b, progress, group);
  AACO_TRY(first.prepare());
  const Result<void> second_prepared = second.prepare();
  const auto measure = [&]() -> Result<void> {
    AACO_TRY(second_prepared);
    AACO_TRY(first.begin());
    AACO_TRY(second.begin());
    // ABBA: what drifts linearly cancels within two pairs.
    for (int64_t process = 0; process < std::max(first.processes(), second.processes()); ++process) {
      for (ModelRun* run : {process % 2 == 0 ? &first : &second, process % 2 == 0 ? &second : &first}) {
        if (process < run->processes()) {
          AACO_TRY(run->run_process(process));
        }
      }
    }
    return {};
  };
  const Result<void> measured = measure();
  Result<RunOutcome> first_outcome = first.finish(measured);
  if (!second_prepared) {
    return second_prepared.error();
  }
  Result<RunOutcome> second_outcome = second.finish(measured);
  if (!first_outcome) {
    return first_outcome.error();
  }
  if (!second_outcome) {
    return second_outcome.error();
  }
  return std::pair(std::move(*first_outcome), std::move(*second_outcome));
}

}  // namespace aaco

// SPDX-License-Identifier: MIT
#include "kind/training/training_run.h"

#include <algorithm>
#include <fmt/format.h>
#include <iterator>
#include <map>
#include <memory>
#include <numeric>
#include <unistd.h>

#include "base/clock.h"
#include "base/json/json.h"
#include "base/version.h"
#include "device/backend.h"
#include "engine/gpu_sampling.h"
#include "engine/orchestrator.h"
#include "engine/roofs/memory_roof.h"
#include "kind/training/document/training_request.h"
#include "kind/training/training_kind.h"
#include "kind/training/worker/training_note.h"
#include "kind/training/worker/training_worker.h"
#include "observe/environment.h"
#include "record/journal/journal_rows.h"
#include "session/bundle/layout.h"
#include "session/session_document.h"

namespace aaco {

namespace {

constexpr int64_t kStepsUnderTool = 10;

std::string model_name(const TrainingRequest& request) {
  return fmt::format("tiny-llama {} v{}", request.preset, request.version);
}

SessionInfo session_info_of(const TrainingRequest& request) {
  SessionInfo info;
  info.kind = kTraining.traits;
  info.command_line = request.command_line;
  info.planes["training"] = {PlaneStatus::kRecorded, ""};
  info.planes["telemetry_gpu"] = request.telemetry ? PlaneState{PlaneStatus::kUnavailable, "the device is no GPU"}
                                                   : PlaneState{PlaneStatus::kNotRequested, ""};
  info.facts.model_name = model_name(request);
  info.facts.backend = request.device;
  info.facts.batch = request.sequences;
  info.facts.dims = {{"length", request.length}};
  info.facts.processes = request.processes;
  info.facts.warmup_minimum = request.warmup;
  info.facts.iterations = std::to_string(request.steps);
  info.facts.seed = static_cast<int64_t>(request.seed);
  return info;
}

// "cuda:0 bf16" -> what was measured for the first of several trainings.
using RoofsByDevice = std::map<std::string, TrainingRoofs>;

class TrainingRun : public Strategy {
 public:
  // `group`: the interleave_group of the bundle, or empty.
  TrainingRun(TrainingRequest request, std::string group, ProgressCallback progress, RoofsByDevice& roofs)
      : request_(std::move(request)), group_(std::move(group)), progress_(std::move(progress)), roofs_(roofs) {}

  Result<SessionStart> prepare() override {
    AACO_ASSIGN(request_, complete_request(std::move(request_)));
    AACO_ASSIGN(tools_, find_vendor_tools(request_.with));
    SessionInfo info = session_info_of(request_);
    info.facts.interleave_group = group_;
    return SessionStart{request_.sessions, std::move(info), {}, nullptr, request_.kernel_plane};
  }

  Result<void> start(Orchestrator& run) override {
    document_.version = program_version();
    document_.bundle = run.session().path().string();
    document_.created_utc = run.session().info().created_utc;
    document_.request = request_;
    document_.request.folder = run.folder();
    AACO_TRY(run.write_plan(Json(document_.request)));
    AACO_TRY(run.session().write_json_file(layout::kEnvironment, capture_environment(EnvironmentOptions())));
    AACO_ASSIGN(const Json found, step(run, role::kTrainingCheck, 0, "checking"));
    AACO_ASSIGN(TrainingInspection inspection, from_json_value<TrainingInspection>(found, role::kTrainingCheck));
    document_.work = std::move(inspection.work);
    document_.device = std::move(inspection.device);
    document_.types = std::move(inspection.types);
    document_.gates = std::move(inspection.gates);
    kernels_unavailable_ = std::move(inspection.kernels_unavailable);
    document_.notes = std::move(inspection.notes);
    if (!request_.device_choice.empty()) {
      document_.notes.push_back(request_.device_choice);
    }
    AACO_TRY(record(run));
    AACO_TRY(gates_hold());
    AACO_TRY(find_roof(run));
    if (request_.telemetry && document_.device) {
      const std::string backend = request_.device.substr(0, request_.device.find(':'));
      sampling_.start(run, backend, {&*document_.device, 1}, document_.notes);
    }
    return {};
  }

  int64_t processes() const override { return request_.processes; }

  Result<void> run_process(Orchestrator& run, int64_t process) override {
    AACO_ASSIGN(const Json json, step(run, role::kTrainingMeasure, process, "training"));
    AACO_ASSIGN(document_.processes.emplace_back(), from_json_value<TrainingProcess>(json, role::kTrainingMeasure));
    if (process == 0) {
      AACO_ASSIGN(const Json timed, step(run, role::kTrainingParts, 0, "timing the parts of"));
      AACO_ASSIGN(TrainingProcess parts, from_json_value<TrainingProcess>(timed, role::kTrainingParts));
      document_.processes.front().parts = std::move(parts.parts);
      document_.processes.front().modules = std::move(parts.modules);
    }
    return losses_are_numbers();
  }

  // Few steps: a tool may run the process many times.
  Result<void> run_tool(Orchestrator& run) override {
    if (tools_.tools.empty()) {
      return {};
    }
    document_.notes.insert(document_.notes.end(), tools_.left_out.begin(), tools_.left_out.end());
    AACO_TRY(check_interrupt());
    progress_(fmt::format("running {} under {}", model_name(request_), request_.with), 1);
    TrainingRequest plan = document_.request;
    plan.steps = std::min(plan.steps, kStepsUnderTool);
    AACO_ASSIGN(ToolRuns runs, run.run_under(tools_, Json(plan), role::kTrainingMeasure));
    document_.tools = std::move(runs.outcomes);
    return runs.failure ? Result<void>(*runs.failure) : Result<void>();
  }

  // Whatever there is by now.
  Result<SessionEnd> store(Orchestrator& run) override {
    SessionWriter& session = run.session();
    std::vector<IterationRow> iterations;
    for (const TrainingProcess& process : document_.processes) {
      AACO_TRY(keep(run, process, iterations));
    }
    AACO_TRY(keep_clocks(run, iterations));
    document_.figures = training_figures(document_.work, document_.processes, document_.roof);
    add_roof_gate();
    AACO_TRY(session.write_rows<IterationRow>(layout::kIterations, iterations));
    AACO_TRY(session.write_json_file("request.json", Json(request_)));
    AACO_TRY(write_document(session, layout::kTraining, document_, read_training_run));
    return SessionEnd();
  }

  // Errors: a gate that does not hold.
  Result<void> gates_hold() const {
    for (const TrainingGate& gate : document_.gates) {
      if (is_failed(gate)) {
        return Error{ErrorKind::kInvalid,
                     fmt::format("{}: {}: {} (must be {})", model_name(request_), gate.name, gate.found, gate.must),
                     fmt::format("no speed is said of a training that is wrong; {} has all gates", document_.bundle)};
      }
    }
    return {};
  }
  TrainingRunDocument take_document() { return std::move(document_); }

 private:
  Result<Json> step(Orchestrator& run, const char* worker_role, int64_t process, const char* what) {
    AACO_TRY(check_interrupt());
    const auto total = static_cast<double>(request_.processes + 4);
    progress_(fmt::format("{} {} on {}", what, model_name(request_), request_.device), done_ / total);
    std::optional<NoteWatch> notes;  // of the role that leaves them
    if (std::string_view(worker_role) == role::kTrainingMeasure) {
      notes.emplace(training_note_path(run.folder(), process), [&, at = done_](const TrainingNote& note) {
        const double share = static_cast<double>(note.step) / static_cast<double>(std::max<int64_t>(1, note.steps));
        progress_(fmt::format("{} {} on {}: {}", what, model_name(request_), request_.device, note_text(note)),
                  (at + share) / total);
      });
    }
    done_ += 1;
    return run.run(worker_role, process);
  }

  Result<void> find_roof(Orchestrator& run) {
    const std::string of = request_.device + " " + request_.precision;
    auto known = roofs_.find(of);
    if (known == roofs_.end()) {
      AACO_ASSIGN(const Json json, step(run, role::kTrainingRoof, 0, "measuring the roofs of"));
      AACO_ASSIGN(TrainingRoofs roofs, from_json_value<TrainingRoofs>(json, role::kTrainingRoof));
      if (!roofs.memory && request_.device.starts_with("cpu")) {
        AACO_ASSIGN(FoundMemoryRoof found,
                    host_memory_roof(request_.measure_roofs, [&](const std::string& what, double) {
                      progress_(what, done_ / static_cast<double>(request_.processes + 4));
                    }));
        roofs.memory = std::move(found.roof);
        roofs.memory_unavailable = std::move(found.unavailable);
      }
      known = roofs_.emplace(of, std::move(roofs)).first;
    }
    document_.roof = known->second.products;
    document_.memory_roof = known->second.memory;
    document_.memory_roof_unavailable = known->second.memory_unavailable;
    return {};
  }

  // The session keeps them, whatever they are.
  Result<void> losses_are_numbers() const {
    const std::string why = why_no_speed(document_);  // all gates held until here
    if (why.empty()) {
      return {};
    }
    return Error{ErrorKind::kInvalid, fmt::format("{}: {}", model_name(request_), why),
                 fmt::format("a smaller --learning-rate, or --precision fp32, may keep it finite; {} has the losses",
                             document_.bundle)};
  }

  // What the device's own records say of some steps.
  Result<void> record(Orchestrator& run) {
    if (!request_.check && !request_.profile) {
      return {};
    }
    const Result<Json> recorded = step(run, role::kTrainingActivity, 0, "recording");
    if (!recorded && (recorded.error().kind != ErrorKind::kUnavailable || request_.profile)) {
      return recorded.error();
    }
    if (recorded) {
      AACO_ASSIGN(document_.activity, from_json_value<TrainingActivity>(*recorded, role::kTrainingActivity));
    }
    if (request_.check) {
      add_record_gates(recorded ? "" : recorded.error().message);
    }
    if (!request_.profile) {
      return {};
    }
    AACO_TRY(run.keep_trace());
    return run.keep(kStepFolder, layout::kStep);
  }

  // As many kernels in every step, at least one for each operation: what was enqueued was done. And gates executed each
  // of them: what is timed was judged.
  void add_record_gates(const std::string& unavailable) {
    TrainingGate done{"the device did every operation", false, "",
                      fmt::format("a multiple of the steps, at least one for each of a step's {} operations",
                                  document_.work.operations),
                      unavailable};
    std::vector<std::string> timed;
    if (const auto& activity = document_.activity) {
      done.passed = activity->dropped == 0 && activity->same_every_step() &&
                    activity->kernels >= activity->steps * document_.work.operations;
      done.found = fmt::format("{} kernels in {} steps by the device's records, {} lost", activity->kernels,
                               activity->steps, activity->dropped);
      std::transform(activity->uses.begin(), activity->uses.end(), std::back_inserter(timed),
                     [](const KernelUse& use) { return use.name; });
    }
    document_.gates.push_back(std::move(done));
    document_.gates.push_back(
        kernels_gate(timed, document_.gates, unavailable.empty() ? kernels_unavailable_ : unavailable));
  }

  // Arithmetic faster than the device can multiply was not done.
  void add_roof_gate() {
    if (!request_.check || !document_.figures.mfu) {
      return;
    }
    const double mfu = *document_.figures.mfu;
    document_.gates.push_back({"arithmetic below the roof", mfu <= 1, fmt::format("MFU {:.1f} %", 100 * mfu),
                               "at most 100 % of the products' measured roof"});
  }

  // Of GPUs, and the power of each process's steps.
  Result<void> keep_clocks(Orchestrator& run, const std::vector<IterationRow>& iterations) {
    AACO_TRY(sampling_.stop(run, document_.notes));
    if (!sampling_.sampled()) {
      return {};
    }
    std::vector<MeasuredWindow> windows;
    for (TrainingProcess& process : document_.processes) {
      if (const auto window = measured_window(iterations, process.process, process.wall_ns)) {
        windows.push_back(*window);
        process.power =
            power_of_samples(sampling_.gpus().front(), sampling_.samples(), window->start_ns, window->end_ns);
      }
    }
    document_.clocks = device_clocks(sampling_.gpus(), sampling_.samples(), windows);
    return {};
  }

  Result<void> keep(Orchestrator& run, const TrainingProcess& process, std::vector<IterationRow>& iterations) {
    AACO_ASSIGN(const auto rows,
                read_iteration_journal(run.folder() / iteration_journal_name(process.process), process.process));
    iterations.insert(iterations.end(), rows.begin(), rows.end());
    ProcessFacts facts;
    facts.process = process.process;
    facts.role = ProcessRole::kMeasure;
    facts.pid = process.pid;
    facts.load_ms = process.load_ms;
    facts.warmup_iterations = request_.warmup;
    facts.stationary = process.stationary;
    run.session().info().facts.process_facts.push_back(facts);
    return {};
  }

  TrainingRequest request_;
  std::string group_;
  ProgressCallback progress_;
  RoofsByDevice& roofs_;
  std::string kernels_unavailable_;  // of the gates
  double done_ = 0;
  ToolSet tools_;
  GpuSampling sampling_;
  TrainingRunDocument document_;
};

// A training among others, which go on when it fails.
class AttemptedRun : public Strategy {
 public:
  explicit AttemptedRun(TrainingRun& training) : training_(training) {}

  Result<SessionStart> prepare() override { return training_.prepare(); }
  Result<void> start(Orchestrator& run) override { return go_on_after(training_.start(run)); }
  int64_t processes() const override { return failure_ ? 0 : training_.processes(); }
  Result<void> run_process(Orchestrator& run, int64_t process) override {
    return go_on_after(training_.run_process(run, process));
  }
  Result<SessionEnd> store(Orchestrator& run) override {
    Result<SessionEnd> end = training_.store(run);
    return failure_ ? Result<SessionEnd>(*failure_) : end;
  }

 private:
  Result<void> go_on_after(Result<void> done) {
    if (!done && done.error().kind != ErrorKind::kInterrupted) {
      failure_ = done.error();
      return {};
    }
    return done;
  }

  TrainingRun& training_;
  std::optional<Error> failure_;
};

// Several trainings, and how far they are together.
class TrainingRuns {
 public:
  TrainingRuns(const std::vector<TrainingRequest>& requests, const std::string& group, const ProgressCallback& progress)
      : progress_(progress), fractions_(requests.size()) {
    for (size_t i = 0; i < requests.size(); ++i) {
      runs_.push_back(std::make_unique<TrainingRun>(
          requests[i], group, [this, i](const std::string& what, double fraction) { tell(i, what, fraction); },
          roofs_));
    }
  }

  TrainingRun& operator[](size_t i) { return *runs_[i]; }
  size_t size() const { return runs_.size(); }

 private:
  void tell(size_t i, const std::string& what, double fraction) {
    fractions_[i] = fraction;
    progress_(what, std::accumulate(fractions_.begin(), fractions_.end(), 0.0) / static_cast<double>(size()));
  }

  const ProgressCallback& progress_;
  std::vector<double> fractions_;
  RoofsByDevice roofs_;
  std::vector<std::unique_ptr<TrainingRun>> runs_;
};

// No session is made where one of them cannot be.
Result<void> check_requests(const std::vector<TrainingRequest>& requests) {
  for (const TrainingRequest& request : requests) {
    AACO_TRY(complete_request(request));
    AACO_TRY(expect_device(request.device));
  }
  return {};
}

Result<void> outcome_of(const TrainingRun& run, const Result<void>& ended) { return ended ? run.gates_hold() : ended; }

std::vector<Result<TrainingRunDocument>> run_in_turns(const std::vector<TrainingRequest>& requests,
                                                      const std::string& group, const ProgressCallback& progress) {
  if (const auto checked = check_requests(requests); !checked) {
    return std::vector<Result<TrainingRunDocument>>(requests.size(), checked.error());
  }
  TrainingRuns runs(requests, group, progress);
  std::vector<Strategy*> strategies;
  for (size_t i = 0; i < runs.size(); ++i) {
    strategies.push_back(&runs[i]);
  }
  const std::vector<Result<void>> ended = orchestrate(strategies);
  std::vector<Result<TrainingRunDocument>> documents;
  for (size_t i = 0; i < runs.size(); ++i) {
    const Result<void> outcome = outcome_of(runs[i], ended[i]);
    documents.push_back(outcome ? Result<TrainingRunDocument>(runs[i].take_document()) : outcome.error());
  }
  return documents;
}

}  // namespace

std::vector<Result<TrainingRunDocument>> run_trainings(const std::vector<TrainingRequest>& requests,
                                                       const ProgressCallback& progress) {
  return run_in_turns(requests, "", progress);
}

Result<std::vector<TrainingAttempt>> attempt_trainings(const std::vector<TrainingRequest>& requests,
                                                       const ProgressCallback& progress) {
  AACO_TRY(check_requests(requests));
  TrainingRuns runs(requests, "", progress);
  std::vector<AttemptedRun> attempted;
  for (size_t i = 0; i < runs.size(); ++i) {
    attempted.emplace_back(runs[i]);
  }
  std::vector<Strategy*> strategies;
  std::transform(attempted.begin(), attempted.end(), std::back_inserter(strategies),
                 [](AttemptedRun& one) { return &one; });
  const std::vector<Result<void>> ended = orchestrate(strategies);
  std::vector<TrainingAttempt> attempts;
  for (size_t i = 0; i < runs.size(); ++i) {
    const Result<void> outcome = outcome_of(runs[i], ended[i]);
    attempts.push_back({runs[i].take_document(), outcome ? std::nullopt : std::optional(outcome.error())});
  }
  return attempts;
}

Result<TrainingRunDocument> run_training(const TrainingRequest& request, const ProgressCallback& progress) {
  return std::move(run_trainings({request}, progress).front());
}

TrainingRequest training_again(TrainingRequest recorded, const std::string& sessions) {
  recorded.sessions = sessions;
  recorded.folder.clear();
  recorded.profile = false;
  recorded.with.clear();
  return recorded;
}

Result<std::pair<std::filesystem::path, std::filesystem::path>> rerun_trainings(const std::filesystem::path& baseline,
                                                                                const std::filesystem::path& test,
                                                                                const std::string& sessions,
                                                                                const ProgressCallback& progress) {
  const std::string group = fmt::format("{}-{}", wall_clock_ns(), ::getpid());
  std::vector<TrainingRequest> requests;
  for (const std::filesystem::path& bundle : {baseline, test}) {
    const std::filesystem::path file = bundle / "request.json";
    AACO_ASSIGN(const Json json, read_json(file));
    AACO_ASSIGN(TrainingRequest request, from_json_value<TrainingRequest>(json, file.string()));
    requests.push_back(training_again(std::move(request), sessions));
  }
  std::vector<std::filesystem::path> bundles;
  for (const Result<TrainingRunDocument>& document : run_in_turns(requests, group, progress)) {
    AACO_TRY(document);
    bundles.emplace_back(document->bundle);
  }
  return std::pair(bundles.front(), bundles.back());
}

}  // namespace aaco

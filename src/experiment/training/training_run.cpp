// SPDX-License-Identifier: MIT
#include "experiment/training/training_run.h"

#include <algorithm>
#include <fmt/format.h>

#include "base/json.h"
#include "base/version.h"
#include "experiment/gpu_sampling.h"
#include "experiment/orchestrator.h"
#include "experiment/training/training_request.h"
#include "experiment/training/training_worker.h"
#include "observe/environment.h"
#include "session/journal/journal_rows.h"
#include "session/layout.h"

namespace aaco {

namespace {

constexpr int64_t kStepsUnderTool = 10;

std::string model_name(const TrainingRequest& request) {
  return fmt::format("tiny-llama {} v{}", request.preset, request.version);
}

SessionInfo session_info_of(const TrainingRequest& request) {
  SessionInfo info;
  info.kind = session_kind::kTraining;
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

class TrainingRun : public Strategy {
 public:
  TrainingRun(TrainingRequest request, const ProgressCallback& progress)
      : request_(std::move(request)), progress_(progress) {}

  Result<SessionStart> prepare() override {
    AACO_ASSIGN(request_, complete_request(std::move(request_)));
    AACO_ASSIGN(tools_, find_vendor_tools(request_.with));
    return SessionStart{request_.sessions, session_info_of(request_), {}};
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
    document_.notes = std::move(inspection.notes);
    if (!request_.device_choice.empty()) {
      document_.notes.push_back(request_.device_choice);
    }
    AACO_TRY(record(run));
    AACO_TRY(gates_hold());
    AACO_ASSIGN(const Json roof, step(run, role::kTrainingRoof, 0, "measuring the products' roof of"));
    AACO_ASSIGN(document_.roof, from_json_value<ProductRoof>(roof, role::kTrainingRoof));
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
    }
    return {};
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
    AACO_TRY(session.write_json_file(layout::kTraining, document_));
    return SessionEnd();
  }

  // Errors: a gate that does not hold.
  Result<void> gates_hold() const {
    for (const TrainingGate& gate : document_.gates) {
      if (!gate.passed) {
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
    done_ += 1;
    return run.run(worker_role, process);
  }

  // As many kernels in every step, at least one for each operation: what was enqueued was done.
  Result<void> record(Orchestrator& run) {
    if (!request_.check && !request_.profile) {
      return {};
    }
    AACO_ASSIGN(const Json json, step(run, role::kTrainingActivity, 0, "recording"));
    AACO_ASSIGN(document_.activity, from_json_value<TrainingActivity>(json, role::kTrainingActivity));
    const TrainingActivity& activity = *document_.activity;
    if (request_.check) {
      document_.gates.push_back({"the device did every operation",
                                 activity.dropped == 0 && activity.same_every_step() &&
                                     activity.kernels >= activity.steps * document_.work.operations,
                                 fmt::format("{} kernels in {} steps by the device's records, {} lost",
                                             activity.kernels, activity.steps, activity.dropped),
                                 fmt::format("a multiple of the steps, at least one for each of a step's {} operations",
                                             document_.work.operations)});
    }
    if (!request_.profile) {
      return {};
    }
    AACO_TRY(run.keep_trace());
    return run.keep(kStepFolder, layout::kStep);
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
    facts.role = "measure";
    facts.pid = process.pid;
    facts.load_ms = process.load_ms;
    facts.warmup_iterations = request_.warmup;
    facts.stationary = process.stationary;
    run.session().info().facts.process_facts.push_back(facts);
    return {};
  }

  TrainingRequest request_;
  const ProgressCallback& progress_;
  double done_ = 0;
  ToolSet tools_;
  GpuSampling sampling_;
  TrainingRunDocument document_;
};

}  // namespace

std::vector<Result<TrainingRunDocument>> run_trainings(const std::vector<TrainingRequest>& requests,
                                                       const ProgressCallback& progress) {
  // No session is made where one of them cannot be.
  for (const TrainingRequest& request : requests) {
    if (const auto complete = complete_request(request); !complete) {
      return std::vector<Result<TrainingRunDocument>>(requests.size(), complete.error());
    }
  }
  std::vector<std::unique_ptr<TrainingRun>> runs;
  std::vector<Strategy*> strategies;
  for (const TrainingRequest& request : requests) {
    runs.push_back(std::make_unique<TrainingRun>(request, progress));
    strategies.push_back(runs.back().get());
  }
  const std::vector<Result<void>> ended = orchestrate(strategies);
  std::vector<Result<TrainingRunDocument>> documents;
  for (size_t i = 0; i < runs.size(); ++i) {
    Result<void> outcome = ended[i];
    if (outcome) {
      outcome = runs[i]->gates_hold();
    }
    if (outcome) {
      documents.emplace_back(runs[i]->take_document());
    } else {
      documents.emplace_back(outcome.error());
    }
  }
  return documents;
}

Result<TrainingRunDocument> run_training(const TrainingRequest& request, const ProgressCallback& progress) {
  return std::move(run_trainings({request}, progress).front());
}

}  // namespace aaco

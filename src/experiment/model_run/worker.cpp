// SPDX-License-Identifier: MIT
// The roles of a model's worker processes.
#include <cmath>
#include <fmt/format.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/interrupt.h"
#include "base/json.h"
#include "experiment/model_run/measure_loop.h"
#include "experiment/model_run/profile_budget.h"
#include "experiment/model_run/profiler_calibration.h"
#include "experiment/process_accounting.h"
#include "experiment/worker_plan.h"
#include "experiment/worker_role.h"
#include "model/input_values.h"
#include "model/tensor_file.h"
#include "observe/cpu_quota.h"
#include "observe/telemetry/other_load.h"

namespace aaco {

namespace {

constexpr int kInspectRuns = 3;
// Twenty of the kernel's ticks: in less the load of the machine is a guess.
constexpr int64_t kShortestLoadNs = 200'000'000;

SessionRequest session_request(const WorkerPlan& plan) {
  SessionRequest request;
  request.model = plan.model;
  request.ort_library = plan.ort_library;
  request.backend = plan.backend;
  request.provider_options = plan.provider_options;
  request.session_entries = plan.session_entries;
  request.intra_op_threads = static_cast<int>(plan.intra_op_threads);
  request.inter_op_threads = static_cast<int>(plan.inter_op_threads);
  return request;
}

InputRequest input_request(const WorkerPlan& plan) {
  InputRequest request;
  request.batch = plan.batch;
  request.dims = plan.dims;
  request.shapes = plan.shapes;
  request.registered = plan.registered_shapes;
  request.command_line = plan.command_line;
  request.files.insert(plan.inputs.begin(), plan.inputs.end());
  request.index_limits = plan.index_limits;
  request.integer_dtype = plan.integer_dtype;
  request.seed = plan.seed;
  return request;
}

// Everything a role needs, and the result it fills.
class Worker {
 public:
  Worker(const WorkerPlan& plan, int64_t process) : plan_(plan), folder_(plan.folder) {
    result_.facts.process = process;
  }

  // `work` is one of those below.
  Result<WorkerResult> run(const char* worker_role, Result<void> (Worker::*work)()) {
    result_.facts.role = worker_role;
    result_.facts.pid = ::getpid();
    AACO_TRY((this->*work)());
    result_.interrupted = interrupted();
    return std::move(result_);
  }

  Result<void> inspect() {
    AACO_ASSIGN(InferenceSession session, open_for_inspection());
    if (plan_.tokens) {
      result_.batch = plan_.batch.value_or(1);
      AACO_ASSIGN(TokenGenerator generator, make_generator(session));
      AACO_TRY(generator.prefill());
      AACO_TRY(generator.step());
      result_.outputs_finite = generator.finite();
      return take_profile(session);
    }
    AACO_TRY(bind(session));
    for (int i = 0; i < kInspectRuns; ++i) {
      if (!session.run()) {
        return session.failure();
      }
    }
    AACO_TRY(check_outputs(session));
    result_.allocates_outputs = session.allocates_outputs();
    return take_profile(session);
  }

  Result<void> measure() {
    AACO_ASSIGN(InferenceSession session, open(session_request(plan_)));
    AACO_ASSIGN(Recorder recorder, Recorder::create(folder_, result_.facts.process));
    LoopPlan loop;
    loop.warmup = plan_.warmup;
    loop.iterations = plan_.iterations;
    if (plan_.tokens) {
      AACO_ASSIGN(TokenGenerator generator, make_generator(session));
      AACO_ASSIGN(const LoopOutcome outcome, measure_tokens(generator, recorder, *plan_.tokens, loop, account()));
      result_.outputs_finite = generator.finite();
      take(outcome);
      return recorder.close();
    }
    AACO_TRY(bind(session));
    AACO_ASSIGN(const LoopOutcome outcome, measure_inferences(session, recorder, loop, account()));
    take(outcome);
    AACO_TRY(recorder.close());
    return check_outputs(session);
  }

  Result<void> profile() {
    SessionRequest request = session_request(plan_);
    SessionRequest calibration = request;
    calibration.model = plan_.calibration_model;
    AACO_ASSIGN(result_.profiler_cost, calibrate_profiler(calibration, plan_.calibration_nodes, folder_));
    request.profile_prefix = folder_ / fmt::format("profile_p{}", result_.facts.process);
    AACO_ASSIGN(InferenceSession session, open(request));
    AACO_TRY(bind(session));
    AACO_ASSIGN(Recorder recorder, Recorder::create(folder_, result_.facts.process));
    LoopPlan loop;
    loop.warmup = kProfileWarmUpRuns;
    loop.test_stationarity = false;
    loop.iterations = std::to_string(plan_.profile_iterations);
    loop.phase = JournalPhase::kProfile;
    AACO_ASSIGN(const LoopOutcome outcome, measure_inferences(session, recorder, loop, account()));
    take(outcome);
    result_.profile_skip_runs = outcome.warmup_iterations;
    result_.profiler_cost->iterations = outcome.iterations;
    AACO_TRY(recorder.close());
    return take_profile(session);
  }

 private:
  Result<InferenceSession> open(const SessionRequest& request) {
    const int64_t threads_before = read_process_accounting().threads;
    const int64_t start = monotonic_ns();
    AACO_ASSIGN(InferenceSession session, InferenceSession::open(request));
    result_.facts.load_ms = static_cast<double>(monotonic_ns() - start) / 1e6;
    // The runtime's pool and the calling thread work together; other pools would be counted in, so inter-op is taken
    // out.
    const int64_t made = read_process_accounting().threads - threads_before;
    result_.intra_op_threads = request.intra_op_threads > 0
                                   ? request.intra_op_threads
                                   : made - (plan_.inter_op_threads > 1 ? plan_.inter_op_threads : 0) + 1;
    result_.runtime_version = session.runtime_version();
    result_.bound_on_device = session.bound_on_device();
    return session;
  }

  Result<void> bind(InferenceSession& session) {
    AACO_ASSIGN(inputs_, make_inputs(session.inputs(), input_request(plan_)));
    result_.batch = inputs_.batch;
    for (const InputNote& note : inputs_.notes) {
      result_.inputs.push_back({note.name, note.dtype, note.dims, note.values});
    }
    return session.bind(inputs_.tensors);
  }

  Result<TokenGenerator> make_generator(InferenceSession& session) const {
    const int64_t vocabulary = plan_.index_limits.contains("input_ids") ? plan_.index_limits.at("input_ids") : 2;
    PortInfo tokens;
    tokens.name = "input_ids";
    tokens.type = ElementType::kInt64;
    const int64_t batch = plan_.batch.value_or(1);
    tokens.dims = {batch, plan_.tokens->prompt};
    tokens.dim_names = {"", ""};
    InputRequest request;
    request.seed = plan_.seed;
    request.index_limits["input_ids"] = vocabulary;
    AACO_ASSIGN(const MadeInputs made, make_inputs({tokens}, request));
    const auto* values = reinterpret_cast<const int64_t*>(made.tensors[0].data.data());
    return TokenGenerator::create(session, std::vector<int64_t>(values, values + batch * plan_.tokens->prompt), batch);
  }

  Result<void> check_outputs(InferenceSession& session) {
    AACO_ASSIGN(const std::vector<HostTensor> outputs, session.fetch_outputs());
    for (const HostTensor& output : outputs) {
      result_.outputs.push_back({output.name, std::string(element_name(output.type)), output.dims, ""});
      result_.outputs_finite = result_.outputs_finite && all_finite(output);
      if (const auto expected = plan_.expected.find(output.name); expected != plan_.expected.end()) {
        AACO_TRY(compare(output, expected->second));
      }
    }
    for (const auto& [name, file] : plan_.expected) {
      const bool there =
          std::any_of(outputs.begin(), outputs.end(), [&](const HostTensor& output) { return output.name == name; });
      if (!there) {
        return Error{ErrorKind::kUsage, fmt::format("--expect {}: the model has no such output", name),
                     "aaco run without --expect lists the outputs in runtime/ort_config.json"};
      }
    }
    return {};
  }

  Result<void> compare(const HostTensor& output, const std::string& file) {
    AACO_ASSIGN(const HostTensor expected, read_tensor_file(file));
    if (expected.type != output.type || expected.dims != output.dims) {
      result_.mismatches.push_back(fmt::format("output {}: another type or shape than {}", output.name, file));
      return {};
    }
    const int64_t wrong = count_differences(output, expected, plan_.tolerance);
    if (wrong > 0) {
      result_.mismatches.push_back(fmt::format("output {}: {} elements differ from {} by more than {:g} relative",
                                               output.name, wrong, file, plan_.tolerance));
    }
    return {};
  }

  Result<void> take_profile(InferenceSession& session) {
    const int64_t wall_minus_session = wall_clock_ns() - monotonic_ns();
    AACO_ASSIGN(const ProfileFile file, session.end_profile());
    result_.profile_file = file.path;
    result_.profile_zero_ns = file.start_wall_ns - wall_minus_session;
    return {};
  }

  // A provider that compiles nodes cannot write its graph: the run goes on without it.
  Result<InferenceSession> open_for_inspection() {
    SessionRequest request = session_request(plan_);
    request.profile_prefix = folder_ / "inspect";
    request.optimized_model = optimized_model_path(folder_);
    auto session = open(request);
    if (!session && session.error().message.find("erializ") != std::string::npos) {
      request.optimized_model.clear();
      return open(request);
    }
    return session;
  }

  void take(const LoopOutcome& outcome) {
    result_.facts.first_run_ms = outcome.first_ns / 1e6;
    result_.facts.warmup_iterations = outcome.warmup_iterations;
    result_.facts.stationary = outcome.stationary;
    result_.facts.harness_ns = outcome.harness_ns;
    result_.facts.t_start_ns = outcome.t_start_ns;
    result_.facts.t_end_ns = outcome.t_end_ns;
    result_.iterations = outcome.iterations;
  }

  // Reads the kernel's accounting at both ends of the steady phase and keeps the differences.
  SteadyPhase account() {
    return {[this] {
              quota_before_ = read_quota(HostFiles());
              machine_before_ = processor_times(HostFiles(), {});
              before_ = read_process_accounting();
            },
            [this] {
              const ProcessAccounting after = read_process_accounting();
              const auto machine = processor_times(HostFiles(), {});
              result_.facts.quota = quota_between(quota_before_, read_quota(HostFiles()));
              ProcessFacts& facts = result_.facts;
              if (machine && machine_before_ && machine->at_ns - machine_before_->at_ns >= kShortestLoadNs) {
                facts.others_share = share_of_others(*machine_before_, *machine);
              }
              facts.run_delay_known =
                  after.run_delay_ns && before_.run_delay_ns && after.own_run_delay_ns && before_.own_run_delay_ns;
              if (facts.run_delay_known) {
                facts.run_delay_ns = *after.run_delay_ns - *before_.run_delay_ns;
                facts.cpu_time_ns = *after.cpu_ns - *before_.cpu_ns;
                const int64_t own_busy =
                    *after.own_cpu_ns - *before_.own_cpu_ns + *after.own_run_delay_ns - *before_.own_run_delay_ns;
                facts.off_cpu_ns = std::max<int64_t>(after.t_ns - before_.t_ns - own_busy, 0);
              }
              facts.voluntary_switches = after.voluntary_switches - before_.voluntary_switches;
              facts.involuntary_switches = after.involuntary_switches - before_.involuntary_switches;
            }};
  }

  const WorkerPlan& plan_;
  std::filesystem::path folder_;
  WorkerResult result_;
  MadeInputs inputs_;
  ProcessAccounting before_;
  std::optional<ProcessorTimes> machine_before_;
  QuotaFacts quota_before_;
};

Result<Json> do_role(const WorkerTask& task, const char* worker_role, Result<void> (Worker::*work)()) {
  AACO_ASSIGN(const WorkerPlan plan, from_json_value<WorkerPlan>(task.plan, task.plan_file.string()));
  AACO_ASSIGN(const WorkerResult result, Worker(plan, task.process).run(worker_role, work));
  return Json(result);
}

}  // namespace

Result<Json> inspect_role(const WorkerTask& task) { return do_role(task, role::kInspect, &Worker::inspect); }
Result<Json> measure_role(const WorkerTask& task) { return do_role(task, role::kMeasure, &Worker::measure); }
Result<Json> profile_role(const WorkerTask& task) { return do_role(task, role::kProfile, &Worker::profile); }

}  // namespace aaco

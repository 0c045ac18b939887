// SPDX-License-Identifier: MIT
// The roles of a model's worker processes.
#include <algorithm>
#include <fmt/format.h>
#include <iterator>
#include <unistd.h>

#include "base/clock.h"
#include "base/interrupt.h"
#include "base/json/json.h"
#include "base/statistics.h"
#include "base/wall_offset.h"
#include "engine/worker_role.h"
#include "kind/model_run/load/run_load.h"
#include "kind/model_run/request/profile_budget.h"
#include "kind/model_run/request/worker_plan.h"
#include "kind/model_run/worker/bound_inputs.h"
#include "kind/model_run/worker/device_activity.h"
#include "kind/model_run/worker/device_roofs.h"
#include "kind/model_run/worker/load_loop.h"
#include "kind/model_run/worker/measure_loop.h"
#include "kind/model_run/worker/nonfinite.h"
#include "kind/model_run/worker/process_accounting.h"
#include "kind/model_run/worker/profiler_calibration.h"
#include "kind/model_run/worker/token_feed.h"
#include "model/identity/tensor_hash.h"
#include "model/inputs/input_values.h"
#include "model/tensor_file.h"
#include "observe/cpu_quota.h"
#include "observe/denormal_flag.h"
#include "observe/telemetry/other_load.h"

namespace aaco {

namespace {

constexpr int kInspectRuns = 3;
constexpr const char* kDenormalsAsZero = "session.set_denormal_as_zero";
constexpr int kAsZeroWarmUp = 5;
constexpr int kAsZeroRuns = 50;
constexpr size_t kFewestAsZeroRuns = 5;
constexpr int64_t kLongestAsZeroNs = 1'000'000'000;
// Twenty of the kernel's ticks: in less the load of the machine is a guess.
constexpr int64_t kShortestLoadNs = 200'000'000;

SessionRequest session_request(const WorkerPlan& plan) {
  SessionRequest request;
  request.model = plan.model;
  request.ort_library = plan.ort_library;
  request.backend = plan.backend;
  request.provider_options = plan.provider_options;
  request.session_entries = plan.session_entries;
  request.custom_ops = plan.custom_ops;
  request.intra_op_threads = static_cast<int>(plan.intra_op_threads);
  request.inter_op_threads = static_cast<int>(plan.inter_op_threads);
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
    result_.facts.role = parse_word<ProcessRole>(worker_role).value_or(ProcessRole::kUnknown);
    result_.facts.pid = ::getpid();
    AACO_TRY((this->*work)());
    result_.interrupted = interrupted();
    return std::move(result_);
  }

  Result<void> inspect() {
    AACO_ASSIGN(InferenceSession session, open_for_inspection());
    if (plan_.tokens) {
      AACO_ASSIGN(TokenGenerator generator, make_generator(session));
      AACO_TRY(generator.prefill());
      AACO_TRY(generator.step());
      check_logits(generator);
      return take_profile(session, wall_offset());
    }
    AACO_TRY(bind(session));
    AACO_TRY(run_some(session));
    AACO_TRY(check_outputs(session));
    if (!result_.outputs_finite) {
      AACO_TRY(look_for_suspects(session));
    }
    result_.allocates_outputs = session.allocates_outputs();
    return take_profile(session, wall_offset());
  }

  Result<void> measure() {
    AACO_ASSIGN(InferenceSession session, open(session_request(plan_)));
    AACO_ASSIGN(Recorder recorder, Recorder::create(folder_, result_.facts.process));
    LoopPlan loop;
    loop.warmup = plan_.warmup;
    loop.iterations = plan_.load ? "0" : plan_.iterations;  // under load: warm-up alone
    if (plan_.tokens) {
      AACO_ASSIGN(TokenGenerator generator, make_generator(session));
      AACO_ASSIGN(LoopOutcome outcome, measure_tokens(generator, recorder, *plan_.tokens, loop, account()));
      AACO_TRY(serve_load(serve_tokens(generator, recorder, *plan_.tokens), outcome));
      check_logits(generator);
      take(outcome);
      return recorder.close();
    }
    AACO_TRY(bind(session));
    AACO_ASSIGN(LoopOutcome outcome, measure_inferences(session, recorder, loop, account()));
    AACO_TRY(serve_load(serve_inference(session, recorder), outcome));
    take(outcome);
    AACO_TRY(recorder.close());
    return check_outputs(session);
  }

  // Median latency of a few inferences in which denormal numbers count as zero.
  Result<void> as_zero() {
    SessionRequest request = session_request(plan_);
    request.session_entries[kDenormalsAsZero] = "1";
    AACO_ASSIGN(InferenceSession session, open(request));
    AACO_TRY(bind(session));
    std::vector<double> latencies;
    const int64_t start = monotonic_ns();
    for (int i = 0; i < kAsZeroWarmUp + kAsZeroRuns; ++i) {
      const int64_t before = monotonic_ns();
      if (!session.run()) {
        return session.failure();
      }
      const int64_t after = monotonic_ns();
      if (i >= kAsZeroWarmUp) {
        latencies.push_back(static_cast<double>(after - before));
      }
      if (latencies.size() >= kFewestAsZeroRuns && (after - start > kLongestAsZeroNs || interrupted())) {
        break;
      }
    }
    result_.as_zero_p50_ns = median(latencies);
    result_.as_zero_iterations = static_cast<int64_t>(latencies.size());
    return {};
  }

  Result<void> measure_roofs() {
    SessionRequest calibration = session_request(plan_);
    calibration.model = plan_.calibration_model;
    AACO_ASSIGN(const ProfilerCost cost, calibrate_profiler(calibration, plan_.calibration_nodes, folder_));
    AACO_ASSIGN(result_.device_roofs, measure_device_roofs(plan_.backend, plan_.provider_options));
    result_.device_roofs->launch_ns = cost.dispatch_ns;
    return {};
  }

  Result<void> profile() {
    SessionRequest request = session_request(plan_);
    SessionRequest calibration = request;
    calibration.model = plan_.calibration_model;
    // Before the runtime's first call of the device: a collector that comes later sees kernels, but no call of the
    // host.
    const std::unique_ptr<DeviceActivity> activity = begin_device_activity();
    AACO_ASSIGN(result_.profiler_cost, calibrate_profiler(calibration, plan_.calibration_nodes, folder_));
    if (activity) {
      result_.profiler_cost->dispatch_ns.reset();  // it slows them: the roofs have the device's
    }
    request.profile_prefix = folder_ / fmt::format("profile_p{}", result_.facts.process);
    const WallOffset before = wall_offset();
    AACO_ASSIGN(InferenceSession session, open(request));
    AACO_ASSIGN(Recorder recorder, Recorder::create(folder_, result_.facts.process));
    AACO_ASSIGN(const LoopOutcome outcome, run_profiled(session, recorder));
    take(outcome);
    result_.profiler_cost->iterations = outcome.iterations;
    AACO_TRY(recorder.close());
    if (activity) {
      AACO_TRY(activity->end());
    }
    return take_profile(session, before);
  }

 private:
  Result<LoopOutcome> run_profiled(InferenceSession& session, Recorder& recorder) {
    LoopPlan loop;
    loop.warmup = kProfileWarmUpRuns;
    loop.test_stationarity = false;
    loop.iterations = std::to_string(plan_.profile_iterations);
    loop.phase = JournalPhase::kProfile;
    if (!plan_.tokens) {
      AACO_TRY(bind(session));
      AACO_ASSIGN(const LoopOutcome outcome, measure_inferences(session, recorder, loop, account()));
      result_.profile_skip_runs = outcome.warmup_iterations;
      return outcome;
    }
    // Of sequences: a run for the prompt, and one for each token but the first.
    const int64_t runs = plan_.tokens->generated;
    loop.warmup = 1;
    loop.iterations = std::to_string(std::max<int64_t>(plan_.profile_iterations / runs, 1));
    AACO_ASSIGN(TokenGenerator generator, make_generator(session));
    AACO_ASSIGN(LoopOutcome outcome, measure_tokens(generator, recorder, *plan_.tokens, loop, account()));
    check_logits(generator);
    result_.profile_skip_runs = outcome.warmup_iterations * runs;
    outcome.iterations += outcome.iterations / std::max<int64_t>(runs - 1, 1);  // the profile has the prompts' runs too
    return outcome;
  }

  // Where the run has a load: `outcome` is that of warm-up, and becomes that of the requests.
  Result<void> serve_load(const ServeRequest& serve, LoopOutcome& outcome) {
    if (!plan_.load || interrupted()) {
      return {};
    }
    AACO_ASSIGN(auto requests,
                RowJournalWriter<RequestRow>::create(request_journal_path(folder_, result_.facts.process)));
    AACO_ASSIGN(const LoopOutcome served,
                measure_load({*plan_.load, plan_.seed, result_.facts.process, plan_.iterations, outcome.warm_ns}, serve,
                             account(), requests));
    outcome.iterations = served.iterations;
    outcome.t_start_ns = served.t_start_ns;
    outcome.t_end_ns = served.t_end_ns;
    // To be asleep until a request is due is not to be kept off the processor.
    result_.facts.awaited_ns = served.awaited_ns;
    result_.facts.off_cpu_ns = std::max<int64_t>(result_.facts.off_cpu_ns - served.awaited_ns, 0);
    return requests.close();
  }

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
    result_.runtime_library = session.runtime_library();
    result_.bound_on_device = session.bound_on_device();
    return session;
  }

  Result<void> bind(InferenceSession& session) {
    WorkerPlan plan = plan_;
    plan.flipped_masks.insert(plan.flipped_masks.end(), result_.flipped_masks.begin(), result_.flipped_masks.end());
    AACO_ASSIGN(inputs_, make_inputs_of(session, plan));
    result_.batch = inputs_.batch;
    note_inputs(inputs_.notes);
    // Only the inspecting process hashes them: a measuring one leaves caches and memory as they are.
    for (size_t i = 0; result_.facts.role == ProcessRole::kInspect && i < inputs_.tensors.size(); ++i) {
      result_.inputs[i].sha256 = hash_of_values(inputs_.tensors[i]);
    }
    return session.bind(inputs_.tensors);
  }

  Result<TokenGenerator> make_generator(InferenceSession& session) {
    InputRequest request = input_request(plan_);
    request.index_limits = plan_.index_limits;
    AACO_ASSIGN(TokenFeed feed,
                make_token_feed(session.inputs(), session.outputs(), std::move(request), plan_.tokens->prompt));
    result_.batch = feed.batch;
    note_inputs(feed.notes);
    return TokenGenerator::create(session, std::move(feed.prompt), feed.batch, std::move(feed.fixed));
  }

  void note_inputs(const std::vector<InputNote>& notes) {
    for (const InputNote& note : notes) {
      result_.inputs.push_back({note.name, note.dtype, note.dims, note.values, "", note.why});
    }
  }

  Result<void> check_outputs(InferenceSession& session) {
    AACO_ASSIGN(const std::vector<HostTensor> outputs, session.fetch_outputs());
    for (const HostTensor& output : outputs) {
      result_.outputs.push_back({output.name, std::string(element_name(output.type)), output.dims, "", "", ""});
      if (!all_finite(output)) {
        result_.outputs_finite = false;
        result_.nonfinite_outputs.push_back(output.name);
        result_.nonfinite_counts.push_back(count_nonfinite(output));
      }
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

  void check_logits(const TokenGenerator& generator) {
    if (!generator.finite()) {
      result_.outputs_finite = false;
      result_.nonfinite_outputs = {"logits"};
      result_.nonfinite_counts = {"NaN or infinity"};
    }
  }

  // The processor keeps a flag of denormal operands for the thread, which works beside those of the runtime's pool.
  Result<void> run_some(InferenceSession& session) {
    clear_denormal_flag();
    for (int i = 0; i < kInspectRuns; ++i) {
      if (!session.run()) {
        return blame_made_values(session.failure(), inputs_, plan_);
      }
    }
    result_.denormal_operands = denormal_flag();
    return {};
  }

  // Whether the outputs are finite with `tensors` in place of the inputs of their names. Others that do not run are
  // not.
  Result<bool> finite_with(InferenceSession& session, const std::vector<HostTensor>& tensors) {
    for (const HostTensor& tensor : tensors) {
      AACO_TRY(session.bind_input(tensor));
    }
    const auto outputs = session.fetch_outputs();
    for (const HostTensor& tensor : inputs_.tensors) {
      AACO_TRY(session.bind_input(tensor));
    }
    return outputs && std::ranges::all_of(*outputs, all_finite);
  }

  // NaN of our own making: a mask that leaves nothing to look at is made the other way; of other made inputs, those are
  // named with whose positive values the outputs are finite.
  Result<void> look_for_suspects(InferenceSession& session) {
    std::vector<HostTensor> masks;
    for (const auto& [tensor, note] : made_inputs()) {
      std::vector<HostTensor> other{other_values(*tensor, *note)};
      const bool mask = is_made_mask(*note);
      if (other.front().data.empty()) {
        continue;
      }
      AACO_ASSIGN(const bool finite, finite_with(session, other));
      if (finite && mask) {
        return flip(session, {note->name});
      }
      if (finite) {
        result_.suspects.push_back(note->name);
      } else if (mask) {
        masks.push_back(std::move(other.front()));
      }
    }
    if (masks.size() > 1) {
      AACO_ASSIGN(const bool finite, finite_with(session, masks));
      if (finite) {
        std::vector<std::string> names;
        std::ranges::transform(masks, std::back_inserter(names), &HostTensor::name);
        return flip(session, names);
      }
    }
    return {};
  }

  std::vector<std::pair<const HostTensor*, const InputNote*>> made_inputs() const {
    std::vector<std::pair<const HostTensor*, const InputNote*>> made;
    for (size_t i = 0; i < inputs_.tensors.size(); ++i) {
      if (!plan_.inputs.contains(inputs_.notes[i].name)) {
        made.emplace_back(&inputs_.tensors[i], &inputs_.notes[i]);
      }
    }
    return made;
  }

  // From here on the run has these masks, so that the inspection begins anew.
  Result<void> flip(InferenceSession& session, const std::vector<std::string>& masks) {
    result_.flipped_masks = masks;
    result_.inputs.clear();
    result_.outputs.clear();
    result_.mismatches.clear();
    result_.nonfinite_outputs.clear();
    result_.nonfinite_counts.clear();
    result_.suspects.clear();
    result_.outputs_finite = true;
    AACO_TRY(bind(session));
    AACO_TRY(run_some(session));
    return check_outputs(session);
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

  // None where the run's backend has no GPU, or nothing records it: the run goes on, and says why.
  std::unique_ptr<DeviceActivity> begin_device_activity() {
    if (plan_.backend == "cpu") {
      return nullptr;
    }
    const std::filesystem::path journal = folder_ / fmt::format("device_p{}.jrn", result_.facts.process);
    auto activity = DeviceActivity::begin(plan_.backend, journal);
    if (!activity) {
      result_.device_journal_missing = activity.error().message;
      return nullptr;
    }
    result_.device_journal = journal;
    return std::move(*activity);
  }

  // The profiler counts from a moment of the calendar's clock, which `before` read as the profile began.
  Result<void> take_profile(InferenceSession& session, const WallOffset& before) {
    const WallOffset now = wall_offset();
    AACO_ASSIGN(const ProfileFile file, session.end_profile());
    result_.profile_file = file.path;
    result_.profile_zero_ns = file.start_wall_ns - before.offset_ns;
    result_.profile_clock_error_ns = before.error_ns + now.error_ns + std::abs(now.offset_ns - before.offset_ns);
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

  // Reads the kernel's accounting at both ends of the steady phase and keeps the differences. Under load the phase is
  // that of the requests, accounted after that of warm-up's end.
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
              facts.others_share.reset();
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
  InputSet inputs_;
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
Result<Json> as_zero_role(const WorkerTask& task) { return do_role(task, role::kAsZero, &Worker::as_zero); }
Result<Json> roofs_role(const WorkerTask& task) { return do_role(task, role::kRoofs, &Worker::measure_roofs); }
Result<Json> profile_role(const WorkerTask& task) { return do_role(task, role::kProfile, &Worker::profile); }

}  // namespace aaco

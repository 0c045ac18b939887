// SPDX-License-Identifier: MIT
#include "kind/training/worker/gate_checks.h"

#include <fmt/format.h>
#include <functional>
#include <memory>
#include <optional>
#include <utility>

#include "base/clock.h"
#include "engine/orchestrator.h"
#include "workload/checks/hazards.h"
#include "workload/checks/verify.h"
#include "workload/training/gates/llama_gates.h"
#include "workload/training/gates/own_size_gates.h"

namespace aaco {

namespace {

using Gate = std::function<Result<GateOutcome>(const GateSubject& subject)>;

constexpr const char* kOracle = "the fp64 oracle";
constexpr const char* kOwnOperations = "operations of the run's size are the CPU's";
constexpr const char* kEveryShape = "every shape, and serial and concurrent steps alike";
constexpr const char* kOwnStep = "a step of the run's size is the reference's";
// What a thread of the host computes, and the process reads, within a fraction of a second.
constexpr ShadowLimits kHostLimits{.whole_flops = 1e8, .most_flops = 1e9, .most_bytes = 256 << 20};

class GateChecks {
 public:
  GateChecks(PreparedTraining& prepared, DispatchMode mode, ExecutedKernels& kernels)
      : prepared_(prepared),
        kernels_(kernels),
        mode_(mode),
        on_host_(prepared.device->properties().wave_lanes == 1),
        allocated_(prepared.device->memory_use().allocated_bytes) {}

  Result<std::vector<TrainingGate>> run() {
    const LlamaConfig& config = prepared_.training.config;
    add("no races", races(prepared_));
    AACO_TRY(check_small_operations());
    AACO_TRY(check("every parameter has a gradient", "", prepared_, every_parameter_has_a_gradient));
    AACO_TRY(check_small("gradients are the oracle's", oracle_config(config, false), gradients_are_the_oracles));
    AACO_TRY(check_small("gradients are the oracle's, ragged shape", oracle_config(config, true),
                         gradients_are_the_oracles));
    AACO_TRY(check_small("gradients are the oracle's, the run's heads", own_heads_config(config),
                         gradients_are_the_oracles));
    AACO_TRY(check_small("losses are the oracle's", oracle_config(config, false), losses_are_the_oracles));
    AACO_TRY(check_own_size(own_step_config(config, on_host_)));
    add("backward computes twice the forward", backward_is_twice_forward(prepared_.training));
    add("memory is the closed form's", memory_is_as_computed(config, allocated_));
    return std::move(gates_);
  }

 private:
  // One that runs nothing.
  void add(const std::string& name, const GateOutcome& outcome) {
    gates_.push_back({name, outcome.passed, outcome.observed, outcome.must});
    gates_.back().kernels.emplace();
  }

  static GateOutcome races(const PreparedTraining& prepared) {
    const std::vector<Hazard> hazards = find_hazards(prepared.training.instance->iteration, 1, 1);
    return {hazards.empty(), hazards.empty() ? "none" : hazards.front().text, "none between streams"};
  }

  // Once before: a library tries several algorithms for a new product, of which one is taken.
  static Result<void> warm(PreparedTraining& prepared) {
    AACO_ASSIGN(const auto dispatcher,
                make_dispatcher(DispatchMode::kSingle, prepared.training.instance->iteration, prepared.target));
    AACO_TRY(dispatcher->enqueue());
    AACO_TRY(synchronize(prepared.target));
    return run_setup(*prepared.training.instance, prepared.target);
  }

  // `judge` runs on the device what the gate is about.
  Result<void> record(const std::string& name, const std::string& against, PreparedTraining& prepared,
                      const std::function<Result<GateOutcome>()>& judge) {
    AACO_TRY(check_interrupt());
    const int64_t start_ns = monotonic_ns();
    AACO_TRY(warm(prepared));
    kernels_.begin();
    AACO_ASSIGN(const GateOutcome outcome, judge());
    gates_.push_back({name, outcome.passed, outcome.observed, outcome.must});
    gates_.back().against = against;
    gates_.back().kernels = kernels_.take();
    gates_.back().seconds = static_cast<double>(monotonic_ns() - start_ns) / 1e9;
    return {};
  }

  Result<void> check(const std::string& name, const std::string& against, PreparedTraining& prepared,
                     const Gate& gate) {
    return record(name, against, prepared, [&]() -> Result<GateOutcome> {
      AACO_ASSIGN(const auto reader, make_device_reader(*prepared.device));
      std::unique_ptr<Dispatcher> dispatcher;
      const auto train = [&](int64_t steps) -> Result<void> {
        int64_t done = 0;
        if (dispatcher == nullptr) {
          AACO_ASSIGN(dispatcher, make_step_dispatcher(prepared, mode_, done));
          AACO_TRY(run_setup(*prepared.training.instance, prepared.target));  // a step before a capture is not judged
        }
        for (int64_t i = 0; i < steps; ++i) {
          AACO_TRY(dispatcher->enqueue());
        }
        return synchronize(prepared.target);
      };
      return gate({prepared.training, train, *reader});
    });
  }

  Result<std::unique_ptr<PreparedTraining>> prepare(const LlamaConfig& config) const {
    return prepare_training(prepared_.device->properties().id, config);
  }

  Result<void> check_small(const std::string& name, const LlamaConfig& config, const Gate& gate) {
    AACO_ASSIGN(const auto small, prepare(config));
    return check(name, kOracle, *small, gate);
  }

  // On a small shape, where the CPU does each operation in no time.
  Result<void> check_small_operations() {
    AACO_ASSIGN(const auto small, prepare(oracle_config(prepared_.training.config, true)));
    return check_operations("operations are the CPU's", *small, VerifyLimits());
  }

  // A device that is the host itself would be compared with itself.
  std::string host_name() const { return on_host_ ? "" : "the CPU"; }

  Result<void> check_operations(const std::string& name, PreparedTraining& prepared, const VerifyLimits& limits) {
    return record(name, host_name(), prepared, [&]() -> Result<GateOutcome> {
      const auto found = verify(*prepared.training.instance, prepared.target, mode_, limits);
      if (!found && found.error().kind != ErrorKind::kInvalid) {
        return found.error();
      }
      return GateOutcome{
          found.has_value(), found ? observed(*found) : found.error().message,
          limits.each_shape_once ? kEveryShape : "every one, and serial and concurrent steps alike bit by bit"};
    });
  }

  static std::string observed(const Verification& found) {
    return fmt::format("{} of {} checked, {:.2g} of the tolerance at most{}", found.checked, found.operations,
                       found.worst_error,
                       found.too_large > 0 ? fmt::format("; {} too large for the host", found.too_large) : "");
  }

  // Null where it does not fit beside the training. That says nothing against the training, which does fit.
  Result<std::unique_ptr<PreparedTraining>> prepare_beside(const LlamaConfig& config) const {
    Result<std::unique_ptr<PreparedTraining>> beside = prepare(config);
    if (!beside && beside.error().message.starts_with(kDoesNotFit)) {
      return std::unique_ptr<PreparedTraining>();
    }
    return beside;
  }

  // None where the reference does not fit.
  Result<std::optional<StepValues>> reference_values(const LlamaConfig& config) const {
    AACO_ASSIGN(const auto reference, prepare_beside(config));
    if (reference == nullptr) {
      return std::optional<StepValues>();
    }
    AACO_ASSIGN(const auto reader, make_device_reader(*reference->device));
    AACO_ASSIGN(const auto dispatcher,
                make_dispatcher(DispatchMode::kSingle, reference->training.instance->iteration, reference->target));
    const auto train = [&](int64_t steps) -> Result<void> {
      for (int64_t i = 0; i < steps; ++i) {
        AACO_TRY(dispatcher->enqueue());
      }
      return synchronize(reference->target);
    };
    AACO_ASSIGN(StepValues values, values_of_steps({reference->training, train, *reader}));
    return std::optional(std::move(values));
  }

  // Each operation against the CPU's, where that is not too much for a thread of it, and the step as a whole against
  // another version's.
  Result<void> check_own_size(const LlamaConfig& config) {
    const LlamaConfig other = reference_config(config);
    AACO_ASSIGN(const std::optional<StepValues> expected, reference_values(other));
    AACO_ASSIGN(const auto own, prepare_beside(config));
    if (own != nullptr) {
      AACO_TRY(check_operations(kOwnOperations, *own, {.host = kHostLimits, .each_shape_once = true}));
    } else {
      gates_.push_back(gate_without_memory(kOwnOperations, kEveryShape, host_name()));
    }
    if (own == nullptr || !expected) {
      gates_.push_back(gate_without_memory(kOwnStep, fmt::format("at most {:.0e}", gradient_tolerance(config)),
                                           reference_name(other)));
      return {};
    }
    return check(kOwnStep, reference_name(other), *own, [&](const GateSubject& subject) -> Result<GateOutcome> {
      AACO_ASSIGN(const StepValues actual, values_of_steps(subject));
      return step_is_the_references(subject.training, actual, *expected);
    });
  }

  PreparedTraining& prepared_;
  ExecutedKernels& kernels_;
  DispatchMode mode_;
  bool on_host_;
  int64_t allocated_;  // before the gates took memory of their own
  std::vector<TrainingGate> gates_;
};

}  // namespace

Result<std::vector<TrainingGate>> check_gates(PreparedTraining& prepared, const TrainingRequest& request,
                                              ExecutedKernels& kernels) {
  AACO_ASSIGN(const DispatchMode mode, dispatch_mode_named(request.dispatch));
  return GateChecks(prepared, mode, kernels).run();
}

}  // namespace aaco

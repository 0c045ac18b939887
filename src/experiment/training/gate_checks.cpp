// SPDX-License-Identifier: MIT
#include "experiment/training/gate_checks.h"

#include <fmt/format.h>

#include "experiment/orchestrator.h"
#include "workload/hazards.h"
#include "workload/training/llama_gates.h"
#include "workload/verify.h"

namespace aaco {

namespace {

using Gate = Result<GateOutcome> (*)(const GateSubject& subject);

class GateChecks {
 public:
  GateChecks(PreparedTraining& prepared, DispatchMode mode)
      : prepared_(prepared), mode_(mode), allocated_(prepared.device->memory_use().allocated_bytes) {}

  Result<std::vector<TrainingGate>> run() {
    const LlamaConfig& config = prepared_.training.config;
    add("no races", races(prepared_));
    AACO_TRY(check_operations(oracle_config(config, true)));
    AACO_TRY(check("every parameter has a gradient", prepared_, every_parameter_has_a_gradient));
    AACO_TRY(check_small("gradients are the oracle's", false, gradients_are_the_oracles));
    AACO_TRY(check_small("gradients are the oracle's, ragged shape", true, gradients_are_the_oracles));
    AACO_TRY(check_small("losses are the oracle's", false, losses_are_the_oracles));
    add("backward computes twice the forward", backward_is_twice_forward(prepared_.training));
    add("memory is the closed form's", memory_is_as_computed(config, allocated_));
    return std::move(gates_);
  }

 private:
  void add(const std::string& name, const GateOutcome& outcome) {
    gates_.push_back({name, outcome.passed, outcome.found, outcome.must});
  }

  static GateOutcome races(const PreparedTraining& prepared) {
    const std::vector<Hazard> hazards = find_hazards(prepared.training.instance->iteration, 1, 1);
    return {hazards.empty(), hazards.empty() ? "none" : hazards.front().text, "none between streams"};
  }

  Result<void> check(const std::string& name, PreparedTraining& prepared, Gate gate) {
    AACO_TRY(check_interrupt());
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
    AACO_ASSIGN(const GateOutcome outcome, gate({prepared.training, train, *reader}));
    add(name, outcome);
    return {};
  }

  Result<void> check_small(const std::string& name, bool ragged, Gate gate) {
    AACO_ASSIGN(const auto small,
                prepare_training(prepared_.device->properties().id, oracle_config(prepared_.training.config, ragged)));
    return check(name, *small, gate);
  }

  // On a small shape, where the CPU does each operation in no time.
  Result<void> check_operations(const LlamaConfig& config) {
    AACO_ASSIGN(const auto small, prepare_training(prepared_.device->properties().id, config));
    const auto found = verify(*small->training.instance, small->target, mode_, VerifyLimits());
    if (!found && found.error().kind != ErrorKind::kInvalid) {
      return found.error();
    }
    add("operations are the CPU's", {found.has_value(),
                                     found ? fmt::format("{} of {} checked, {:.2g} of the tolerance at most",
                                                         found->checked, found->operations, found->worst_error)
                                           : found.error().message,
                                     "every one, and serial and concurrent steps alike bit by bit"});
    return {};
  }

  PreparedTraining& prepared_;
  DispatchMode mode_;
  int64_t allocated_;  // before the gates took memory of their own
  std::vector<TrainingGate> gates_;
};

}  // namespace

Result<std::vector<TrainingGate>> check_gates(PreparedTraining& prepared, const TrainingRequest& request) {
  AACO_ASSIGN(const DispatchMode mode, dispatch_mode_named(request.dispatch));
  return GateChecks(prepared, mode).run();
}

}  // namespace aaco

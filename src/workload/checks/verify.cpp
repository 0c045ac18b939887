// SPDX-License-Identifier: MIT
#include "workload/checks/verify.h"

#include <cmath>
#include <fmt/format.h>
#include <random>
#include <set>
#include <utility>

#include "base/json/json.h"
#include "workload/checks/memory_accesses.h"
#include "workload/command_issuer.h"

namespace aaco {

namespace {

using Bytes = std::vector<std::byte>;

constexpr int64_t kIterations = 3;  // what only the first does right shows in the second, what alternates in the third

class Verifier {
 public:
  Verifier(WorkloadInstance& instance, const ProgramTarget& target, const VerifyLimits& limits)
      : instance_(instance), target_(target), limits_(limits) {}

  Result<Verification> run(DispatchMode mode) {
    for (int32_t rank = 0; rank < instance_.ranks; ++rank) {
      Device& device = *target_.devices[static_cast<size_t>(rank) * static_cast<size_t>(instance_.streams)];
      AACO_ASSIGN(readers_.emplace_back(), make_device_reader(device));
    }
    AACO_TRY(run_setup(instance_, target_));
    AACO_TRY(run_serially());
    AACO_ASSIGN(const std::vector<Bytes> serial, read_outputs());
    AACO_TRY(run_setup(instance_, target_));
    AACO_ASSIGN(const std::unique_ptr<Dispatcher> dispatcher, make_dispatcher(mode, instance_.iteration, target_));
    AACO_TRY(dispatcher->enqueue());
    AACO_TRY(synchronize(target_));
    AACO_ASSIGN(const std::vector<Bytes> concurrent, read_outputs());
    AACO_TRY(compare_outputs(serial, concurrent));
    for (verification_.iterations = 1; verification_.iterations < kIterations; ++verification_.iterations) {
      AACO_TRY(dispatcher->enqueue());
    }
    AACO_TRY(synchronize(target_));
    for (const auto& check : instance_.checks) {
      AACO_TRY(check(*readers_.front(), verification_.iterations));
    }
    return verification_;
  }

 private:
  DeviceReader& reader_of(int32_t stream) { return *readers_[static_cast<size_t>(stream / instance_.streams)]; }

  Result<void> run_serially() {
    const Program& program = instance_.iteration;
    AACO_ASSIGN(CommandIssuer issuer, CommandIssuer::make(program, target_));
    verification_.operations = program.kernels();
    const int64_t stride =
        std::max<int64_t>(1, (verification_.operations + limits_.operations - 1) / limits_.operations);
    // One of every `stride`, by chance which: layers repeat, and a fixed one could always be the same of each layer.
    std::minstd_rand random;
    std::uniform_int_distribution<int64_t> draw(0, stride - 1);
    int64_t operation = 0;
    int64_t chosen = 0;
    for (const Command& command : program.commands()) {
      if (command.kind == CommandKind::kOp && !work_of(command.op, command.to).order_free) {
        verification_.bitwise = false;
      }
      if (command.kind == CommandKind::kOp && operation % stride == 0) {
        chosen = operation + draw(random);
      }
      if (command.kind == CommandKind::kOp && operation++ == chosen && is_wanted(command)) {
        AACO_TRY(run_checked(issuer, command));
      } else {
        AACO_TRY(issuer.issue(command));
        AACO_TRY(synchronize(target_));
      }
    }
    return {};
  }

  // Its arguments without their pointers tell shapes apart.
  bool is_wanted(const Command& command) {
    if (!limits_.each_shape_once) {
      return true;
    }
    std::string shape(static_cast<const char*>(command.to), size_of_args(command.op));
    for (const OpArray& array : work_of(command.op, command.to).arrays) {
      shape.replace(array.pointer_offset, sizeof(void*), sizeof(void*), '\0');
    }
    return shapes_.emplace(command.op, std::move(shape)).second;
  }

  Result<void> run_checked(CommandIssuer& issuer, const Command& command) {
    DeviceReader& reader = reader_of(command.stream);
    const auto number = static_cast<uint64_t>(&command - instance_.iteration.commands().data());
    AACO_ASSIGN(std::optional<ShadowOp> shadow,
                ShadowOp::make(command.op, command.to, limits_.host, number * 7919, reader));
    AACO_TRY(issuer.issue(command));
    AACO_TRY(target_.streams[static_cast<size_t>(command.stream)]->synchronize());
    if (!shadow) {
      ++verification_.too_large;
      return {};
    }
    shadow->run_on_host();
    AACO_ASSIGN(const ArrayDifference difference, shadow->compare(reader));
    ++verification_.checked;
    verification_.in_part += shadow->in_part() ? 1 : 0;
    const std::string name = fmt::format("{} (command {})", name_of(command.op), number);
    if (difference.error > verification_.worst_error) {
      verification_.worst_error = difference.error;
      verification_.worst_operation = name;
    }
    if (!(difference.error <= 1)) {
      return Error{ErrorKind::kInvalid,
                   fmt::format("{}: {} is wrong on {}: {}", instance_.info->id, name,
                               target_.devices[static_cast<size_t>(command.stream)]->properties().id, difference.worst),
                   "the device computes something else than the CPU: check its health, then report it"};
    }
    return {};
  }

  Result<std::vector<Bytes>> read_outputs() {
    std::vector<Bytes> all;
    for (const WorkloadOutput& output : instance_.outputs) {
      Bytes& bytes = all.emplace_back(static_cast<size_t>(output.tensor.bytes()));
      AACO_TRY(readers_[static_cast<size_t>(output.rank)]->bytes(bytes.data(), output.tensor.data, bytes.size()));
    }
    return all;
  }

  Result<void> compare_outputs(const std::vector<Bytes>& serial, const std::vector<Bytes>& concurrent) {
    verification_.bitwise = verification_.bitwise && instance_.iteration.collectives().empty();
    for (size_t i = 0; i < serial.size(); ++i) {
      const WorkloadOutput& output = instance_.outputs[i];
      const double tolerance = verification_.bitwise ? 0 : tolerance_of(output.tensor.dtype, false);
      const ArrayDifference difference = difference_of(concurrent[i].data(), serial[i].data(), output.tensor.elements(),
                                                       output.tensor.dtype, tolerance);
      if (!(difference.error <= 1)) {
        return Error{ErrorKind::kInvalid,
                     fmt::format("{}: output {} of the concurrent run is not that of the serial one: {}",
                                 instance_.info->id, output.name, difference.worst),
                     "work on different streams was not ordered as it was asked for: a race in the workload, the "
                     "driver or the device"};
      }
      ++verification_.outputs;
    }
    return {};
  }

  WorkloadInstance& instance_;
  const ProgramTarget& target_;
  const VerifyLimits& limits_;
  Verification verification_;
  std::vector<std::unique_ptr<DeviceReader>> readers_;  // by rank
  std::set<std::pair<OpId, std::string>> shapes_;       // that were checked
};

}  // namespace

void to_json(Json& json, const Verification& verification) {
  json = {{"operations", verification.operations},
          {"checked", verification.checked},
          {"in_part", verification.in_part},
          {"too_large", verification.too_large},
          {"outputs", verification.outputs},
          {"iterations", verification.iterations},
          {"bitwise", verification.bitwise},
          {"worst_error", verification.worst_error},
          {"worst_operation", verification.worst_operation}};
}

Result<void> run_setup(WorkloadInstance& instance, const ProgramTarget& target) {
  AACO_ASSIGN(const std::unique_ptr<Dispatcher> dispatcher,
              make_dispatcher(DispatchMode::kSingle, instance.setup, target));
  AACO_TRY(dispatcher->enqueue());
  return synchronize(target);
}

Result<Verification> verify(WorkloadInstance& instance, const ProgramTarget& target, DispatchMode mode,
                            const VerifyLimits& limits) {
  return Verifier(instance, target, limits).run(mode);
}

}  // namespace aaco

// SPDX-License-Identifier: MIT
// A workload at its sizes for tests, on devices of the double, and whether it is right.
#pragma once

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "child.h"
#include "workload/checks/verify.h"

namespace aaco {

inline constexpr int32_t kStreams = 3;
inline constexpr int32_t kEmulatedRanks = 4;

struct OnDoubles {
  std::unique_ptr<Communicator> communicator;
  std::unique_ptr<WorkloadInstance> instance;
  std::vector<std::unique_ptr<Stream>> streams;
  ProgramTarget target;

  static Result<OnDoubles> make(ModuleBackend& backend, const WorkloadInfo& info, int ranks) {
    OnDoubles made;
    WorkloadRequest request;
    for (int rank = 0; rank < ranks; ++rank) {
      AACO_ASSIGN(request.devices.emplace_back(), backend.open(rank));
      for (int32_t i = 0; i < kStreams; ++i) {
        AACO_ASSIGN(made.streams.emplace_back(), request.devices.back()->make_stream(0));
        made.target.streams.push_back(made.streams.back().get());
        made.target.devices.push_back(request.devices.back());
      }
    }
    if (ranks > 1) {
      AACO_ASSIGN(made.communicator, backend.make_communicator(request.devices));
    } else {
      made.communicator =
          make_emulated_communicator(*request.devices.front(), info.emulated_ranks > 1 ? kEmulatedRanks : 1);
    }
    made.target.communicators = {made.communicator.get()};
    request.communicator = made.communicator.get();
    request.streams = kStreams;
    std::map<std::string, std::string> values;
    for (const Parameter& parameter : info.test_parameters) {
      values[parameter.name] = parameter.default_value;
    }
    AACO_ASSIGN(request.parameters, Parameters::make(info.parameters, values, info.id));
    AACO_ASSIGN(made.instance, build_workload(info, request));
    return made;
  }

  Result<void> verify_as(DispatchMode mode) const {
    AACO_ASSIGN(const Verification verified, verify(*instance, target, mode, VerifyLimits()));
    return verified.checked > 0 && verified.checked == verified.operations && verified.outputs > 0
               ? Result<void>{}
               : wrong("not everything was checked");
  }
};

}  // namespace aaco

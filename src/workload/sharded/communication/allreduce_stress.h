// SPDX-License-Identifier: MIT
// What the public overlap tool does behind each step where it is to reproduce hangs: cycles of all-reduces among
// copies, host and device in turn, on the stream of reductions.
#pragma once

#include "workload/sharded/sharded_update.h"

namespace aaco {

class AllreduceStress {
 public:
  // Makes its memory: four arrays of 4 MiB on the device, one of the host; none where the configuration has no cycles.
  AllreduceStress(WorkloadBuilder& builder, const ShardedConfig& config);

  // A cycle: random numbers; their mean over ranks; two copies; a sum; to the host; back; a mean; a copy. Behind them,
  // `loss`: a sum, a copy, to the host, back. Where the configuration says so the host waits for each copy to and from
  // it. Of one rank there is nothing to reduce.
  void write(StepWriter& step, const Tensor& loss, const CommunicateFunction& communicate) const;

 private:
  void reduce(StepWriter& step, const Tensor& data, bool mean, const CommunicateFunction& communicate) const;
  void copy(StepWriter& step, const Tensor& to, const Tensor& from) const;
  void to_host_and_back(StepWriter& step, const Tensor& data) const;
  void wait_of_host(StepWriter& step) const;

  const ShardedConfig& config_;
  Tensor random_;  // fp32
  Tensor data_;
  Tensor clone_;
  Tensor other_;
  Tensor host_;  // pinned
};

}  // namespace aaco

// SPDX-License-Identifier: MIT
#include "kind/queue_probe/probes/queue_limit_probe.h"

#include "kind/queue_probe/probes/gate.h"

namespace aaco {

Result<std::vector<LimitProbe>> probe_queue_limit(Device& device, const QueueLimitProbe& probe) {
  if (probe.most_busy < 1 || probe.repeats < 1) {
    return Error{ErrorKind::kUsage, "the number of queues needs a busy stream and a repeat", ""};
  }
  AACO_ASSIGN(SpinStamps stamps, SpinStamps::make(device, size_t{2} * probe.most_busy + 1));
  AACO_ASSIGN(const std::vector<std::unique_ptr<Stream>> streams,
              make_streams(device, probe.most_busy + 1, device.properties().lowest_priority));
  std::vector<Stream*> busy;
  for (const std::unique_ptr<Stream>& stream : streams) {  // the first kernel of a stream pays for what is set up once
    AACO_TRY(vote_behind({}, *stream, stamps, probe.kernels));
  }
  std::vector<LimitProbe> votes;
  for (int32_t count = 1; count <= probe.most_busy; ++count) {
    busy.push_back(streams[count - 1].get());
    int32_t waited = 0;
    for (int32_t repeat = 0; repeat < probe.repeats; ++repeat) {
      AACO_ASSIGN(const ProbeVote vote, vote_behind(busy, *streams[count], stamps, probe.kernels));
      votes.push_back({count, vote});
      waited += vote == ProbeVote::kWaited ? 1 : 0;
    }
    if (waited == probe.repeats) {
      break;
    }
  }
  return votes;
}

}  // namespace aaco

// SPDX-License-Identifier: MIT
#include "kind/queue_probe/probes/queue_map_probe.h"

#include "kind/queue_probe/probes/gate.h"

namespace aaco {

Result<std::vector<BlockingProbe>> probe_queue_map(Device& device, const QueueMapProbe& probe) {
  if (probe.streams < 1 || probe.repeats < 1) {
    return Error{ErrorKind::kUsage, "the queue map needs a stream and a repeat", "give --streams 1 or more"};
  }
  AACO_ASSIGN(SpinStamps stamps, SpinStamps::make(device, 3));
  AACO_ASSIGN(const std::vector<std::unique_ptr<Stream>> streams,
              make_streams(device, probe.streams, device.properties().lowest_priority));
  std::vector<BlockingProbe> probes;
  // Round -1 is not kept: the first kernel of a stream pays for what is set up once.
  for (int32_t round = -1; round < probe.repeats; ++round) {
    for (int32_t i = 0; i < probe.streams; ++i) {
      for (int32_t j = 0; j < (round < 0 ? 1 : probe.streams); ++j) {
        Stream* const busy = streams[i].get();
        AACO_ASSIGN(const ProbeVote vote, vote_behind({&busy, 1}, *streams[j], stamps, probe.kernels));
        if (round >= 0) {
          probes.push_back({i, j, vote});
        }
      }
    }
  }
  return probes;
}

}  // namespace aaco

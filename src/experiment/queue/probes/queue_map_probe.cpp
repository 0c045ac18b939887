// SPDX-License-Identifier: MIT
#include "experiment/queue/probes/queue_map_probe.h"

#include "base/clock.h"
#include "experiment/queue/probes/gate.h"
#include "experiment/queue/probes/spin_stamps.h"

namespace aaco {

namespace {

// `enqueued_ns`: from before A1's launch until B's had returned, by the host's clock. A1 began after that moment and
// lasts long_ns, so that B was there in time if this is shorter.
ProbeVote vote_of(const std::vector<KernelStamp>& kernels, int64_t enqueued_ns, int64_t long_ns) {
  const KernelStamp& a1 = kernels[0];
  const KernelStamp& b = kernels[2];
  const bool complete = a1.start_ns >= 0 && a1.end_ns > 0 && b.start_ns >= 0 && b.end_ns > 0;
  if (!complete || enqueued_ns >= long_ns) {
    return ProbeVote::kUnknown;
  }
  return b.start_ns >= a1.end_ns ? ProbeVote::kWaited : ProbeVote::kRan;
}

Result<ProbeVote> probe_pair(Stream& first, Stream& second, SpinStamps& stamps, const QueueMapProbe& probe) {
  AACO_TRY(stamps.clear(first));
  const int64_t before_ns = monotonic_ns();
  first.launch(SpinArgs{stamps.of(0), probe.long_ns, 1});
  first.launch(SpinArgs{stamps.of(1), probe.short_ns, 1});
  second.launch(SpinArgs{stamps.of(2), probe.short_ns, 1});
  const int64_t enqueued_ns = monotonic_ns() - before_ns;
  AACO_TRY(first.synchronize());
  AACO_TRY(second.synchronize());
  AACO_ASSIGN(const std::vector<KernelStamp> kernels, stamps.read(first, {0, 0, 1}));
  return vote_of(kernels, enqueued_ns, probe.long_ns);
}

}  // namespace

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
        AACO_ASSIGN(const ProbeVote vote, probe_pair(*streams[i], *streams[j], stamps, probe));
        if (round >= 0) {
          probes.push_back({i, j, vote});
        }
      }
    }
  }
  return probes;
}

}  // namespace aaco

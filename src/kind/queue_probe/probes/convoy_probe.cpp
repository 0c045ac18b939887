// SPDX-License-Identifier: MIT
#include "kind/queue_probe/probes/convoy_probe.h"

#include <algorithm>

#include "kind/queue_probe/probes/gate.h"
#include "kind/queue_probe/probes/spin_stamps.h"

namespace aaco {

namespace {

constexpr int32_t kBlocksOnAUnit = 32;  // the most of the devices that we know
constexpr int32_t kLongStream = 0;
constexpr int32_t kShortStream = 1;

using Streams = std::vector<std::unique_ptr<Stream>>;

// The long ones first, so that the device has them when the gate opens.
std::vector<int32_t> enqueue(const Streams& streams, const SpinStamps& stamps, const ConvoyProbe& probe, bool loaded,
                             int32_t long_blocks) {
  std::vector<int32_t> stream_of;
  for (int32_t i = 0; loaded && i < probe.long_kernels; ++i) {
    streams[kLongStream]->launch(SpinArgs{stamps.of(stream_of.size()), probe.block_ns, long_blocks});
    stream_of.push_back(kLongStream);
  }
  for (int32_t i = 0; i < probe.short_kernels; ++i) {
    streams[kShortStream]->launch(SpinArgs{stamps.of(stream_of.size()), probe.short_ns, 1});
    stream_of.push_back(kShortStream);
  }
  return stream_of;
}

}  // namespace

Result<ConvoyRun> probe_convoy(Device& device, const ConvoyProbe& probe) {
  if (std::min({probe.long_kernels, probe.short_kernels, probe.waves, probe.rounds}) < 1) {
    return Error{ErrorKind::kUsage, "the convoy probe needs a kernel of each kind, a wave and a round",
                 "give numbers from 1 on"};
  }
  AACO_ASSIGN(SpinStamps stamps, SpinStamps::make(device, static_cast<size_t>(probe.long_kernels) +
                                                              static_cast<size_t>(probe.short_kernels)));
  AACO_ASSIGN(const Streams streams, make_streams(device, 2, device.properties().lowest_priority));
  AACO_ASSIGN(const std::unique_ptr<Gate> gate, Gate::make(device, probe.gate_timeout_ns));
  const int32_t long_blocks = std::max(1, device.properties().compute_units) * kBlocksOnAUnit * probe.waves;
  ConvoyRun run;
  for (int32_t round = -1; round < probe.rounds; ++round) {
    for (const bool loaded : {false, true, true, false}) {
      AACO_TRY(stamps.clear(gate->stream()));
      gate->close(streams);
      const std::vector<int32_t> stream_of = enqueue(streams, stamps, probe, loaded, long_blocks);
      gate->open();
      for (const std::unique_ptr<Stream>& stream : streams) {
        AACO_TRY(stream->synchronize());
      }
      AACO_ASSIGN(std::vector<KernelStamp> kernels, stamps.read(gate->stream(), stream_of));
      if (round >= 0) {
        run.repeats.push_back({std::move(kernels), gate->timed_out()});
      }
    }
  }
  return run;
}

}  // namespace aaco

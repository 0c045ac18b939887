// SPDX-License-Identifier: MIT
#include "kind/queue_probe/probes/priority_probe.h"

#include "kind/queue_probe/probes/gate.h"
#include "kind/queue_probe/probes/spin_stamps.h"

namespace aaco {

namespace {

// The background and, as its last two streams, the low one and the high one.
using Streams = std::vector<std::unique_ptr<Stream>>;

struct Experiment {
  SpinStamps stamps;
  Streams streams;
  std::unique_ptr<Event> marker;
  std::unique_ptr<Gate> gate;
};

// Stamps: the marker, the kernel, then the background, stream by stream in turns.
std::vector<int32_t> enqueue(Experiment& experiment, const PriorityProbe& probe, bool high) {
  const int32_t own = probe.background_streams + (high ? 1 : 0);
  const auto spin = [&](int32_t at, size_t stamp) {
    experiment.streams[at]->launch(SpinArgs{experiment.stamps.of(stamp), probe.spin_ns, 0});
  };
  std::vector<int32_t> stream_of{0, own};
  spin(0, 0);
  experiment.streams[0]->record(*experiment.marker);
  for (int32_t i = 0; i < probe.background_kernels; ++i) {
    for (int32_t at = 0; at < probe.background_streams; ++at) {
      spin(at, stream_of.size());
      stream_of.push_back(at);
    }
  }
  experiment.streams[own]->wait(*experiment.marker);
  spin(own, 1);
  return stream_of;
}

Result<PriorityRepeat> repeat_of(Experiment& experiment, const PriorityProbe& probe, bool high) {
  AACO_TRY(experiment.stamps.clear(experiment.gate->stream()));
  experiment.gate->close(experiment.streams);
  const std::vector<int32_t> stream_of = enqueue(experiment, probe, high);
  experiment.gate->open();
  for (const std::unique_ptr<Stream>& stream : experiment.streams) {
    AACO_TRY(stream->synchronize());
  }
  AACO_ASSIGN(const std::vector<KernelStamp> kernels, experiment.stamps.read(experiment.gate->stream(), stream_of));
  return PriorityRepeat{
      high, kernels[0], kernels[1], {kernels.begin() + 2, kernels.end()}, experiment.gate->timed_out()};
}

Result<Experiment> make_experiment(Device& device, const PriorityProbe& probe) {
  const auto kernels = static_cast<size_t>(probe.background_streams) * static_cast<size_t>(probe.background_kernels);
  AACO_ASSIGN(SpinStamps stamps, SpinStamps::make(device, kernels + 2));
  AACO_ASSIGN(Streams streams, make_streams(device, probe.background_streams + 1, device.properties().lowest_priority));
  AACO_ASSIGN(std::unique_ptr<Stream> high, device.make_stream(device.properties().highest_priority));
  streams.push_back(std::move(high));
  AACO_ASSIGN(std::unique_ptr<Event> marker, device.make_event(false));
  AACO_ASSIGN(std::unique_ptr<Gate> gate, Gate::make(device, probe.gate_timeout_ns));
  return Experiment{std::move(stamps), std::move(streams), std::move(marker), std::move(gate)};
}

}  // namespace

Result<PriorityRun> probe_priority(Device& device, const PriorityProbe& probe) {
  if (probe.background_streams < 1 || probe.background_kernels < 1 || probe.rounds < 1) {
    return Error{ErrorKind::kUsage, "the priority probe needs a background of one kernel and one round",
                 "give numbers from 1 on"};
  }
  PriorityRun run{device.properties().lowest_priority, device.properties().highest_priority, {}};
  if (run.lowest == run.highest) {
    return run;
  }
  AACO_ASSIGN(Experiment experiment, make_experiment(device, probe));
  for (int32_t round = -1; round < probe.rounds; ++round) {
    for (const bool high : {false, true, true, false}) {
      AACO_ASSIGN(PriorityRepeat repeat, repeat_of(experiment, probe, high));
      if (round >= 0) {
        run.repeats.push_back(std::move(repeat));
      }
    }
  }
  return run;
}

}  // namespace aaco

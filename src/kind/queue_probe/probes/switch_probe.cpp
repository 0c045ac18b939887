// SPDX-License-Identifier: MIT
#include "kind/queue_probe/probes/switch_probe.h"

#include <array>

#include "base/clock.h"
#include "kind/queue_probe/probes/clock_probe.h"
#include "kind/queue_probe/probes/gate.h"
#include "kind/queue_probe/probes/spin_stamps.h"

namespace aaco {

namespace {

class Experiment {
 public:
  static Result<std::unique_ptr<Experiment>> make(Device& device, const SwitchProbe& probe) {
    AACO_ASSIGN(SpinStamps stamps, SpinStamps::make(device, static_cast<size_t>(probe.kernels)));
    std::unique_ptr<Experiment> experiment(new Experiment(probe, std::move(stamps)));
    AACO_ASSIGN(experiment->streams_, make_streams(device, probe.streams, device.properties().lowest_priority));
    for (int32_t i = 0; i < probe.streams; ++i) {
      AACO_ASSIGN(std::unique_ptr<Event> event, device.make_event(false));
      experiment->done_.push_back(std::move(event));
    }
    AACO_ASSIGN(experiment->all_done_, device.make_event(false));
    AACO_ASSIGN(experiment->gate_, Gate::make(device, probe.gate_timeout_ns));
    return experiment;
  }

  Result<SwitchRepeat> repeat(SwitchSide side) {
    AACO_TRY(stamps_.clear(gate_->stream()));
    gate_->close(streams_);
    const std::vector<int32_t> stream_of = enqueue(side);
    join();
    SwitchRepeat repeat;
    repeat.side = side;
    const int64_t opened_ns = monotonic_ns();
    gate_->open();
    AACO_TRY(all_done_->synchronize());
    repeat.wall_ns = static_cast<double>(monotonic_ns() - opened_ns);
    for (const std::unique_ptr<Stream>& stream : streams_) {
      AACO_TRY(stream->synchronize());
    }
    AACO_ASSIGN(repeat.kernels, stamps_.read(gate_->stream(), stream_of));
    repeat.gate_timed_out = gate_->timed_out();
    return repeat;
  }

 private:
  Experiment(const SwitchProbe& probe, SpinStamps stamps) : probe_(probe), stamps_(std::move(stamps)) {}

  // The stream of each kernel.
  std::vector<int32_t> enqueue(SwitchSide side) {
    std::vector<int32_t> stream_of;
    for (int32_t i = 0; i < probe_.kernels; ++i) {
      const int32_t at = side == SwitchSide::kOneStream ? 0 : i % probe_.streams;
      Stream& stream = *streams_[at];
      if (side == SwitchSide::kHandOff && i > 0) {
        stream.wait(*done_[stream_of.back()]);
      }
      stream.launch(SpinArgs{stamps_.of(static_cast<size_t>(i)), probe_.spin_ns, 0});
      if (side == SwitchSide::kHandOff) {
        stream.record(*done_[at]);
      }
      stream_of.push_back(at);
    }
    return stream_of;
  }

  void join() {
    for (size_t i = 0; i < streams_.size(); ++i) {
      streams_[i]->record(*done_[i]);
      gate_->stream().wait(*done_[i]);
    }
    gate_->stream().record(*all_done_);
  }

  SwitchProbe probe_;
  SpinStamps stamps_;
  std::vector<std::unique_ptr<Stream>> streams_;
  std::vector<std::unique_ptr<Event>> done_;  // by stream
  std::unique_ptr<Event> all_done_;
  std::unique_ptr<Gate> gate_;  // the last: it opens and waits before the others go
};

}  // namespace

Result<SwitchRun> probe_switches(Device& device, const SwitchProbe& probe) {
  if (probe.streams < 2 || probe.kernels < 2 || probe.rounds < 1) {
    return Error{ErrorKind::kUsage, "the switch experiment needs two streams, two kernels and one round",
                 "give --streams 2 or more"};
  }
  constexpr std::array kRound{SwitchSide::kOneStream, SwitchSide::kIndependent, SwitchSide::kHandOff,
                              SwitchSide::kHandOff,   SwitchSide::kIndependent, SwitchSide::kOneStream};
  SwitchRun run;
  run.streams = probe.streams;
  AACO_ASSIGN(const std::vector<KernelStamp> readings, probe_clock(device));
  run.clock_step_ns = clock_step_ns(readings);
  AACO_ASSIGN(const std::unique_ptr<Experiment> experiment, Experiment::make(device, probe));
  for (int32_t round = -1; round < probe.rounds; ++round) {
    for (const SwitchSide side : kRound) {
      AACO_ASSIGN(SwitchRepeat repeat, experiment->repeat(side));
      if (round >= 0) {
        run.repeats.push_back(std::move(repeat));
      }
    }
  }
  return run;
}

}  // namespace aaco

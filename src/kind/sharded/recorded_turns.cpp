// SPDX-License-Identifier: MIT
#include "kind/sharded/recorded_turns.h"

#include <algorithm>

#include "engine/device_state.h"
#include "record/events/event_part.h"
#include "workload/checks/verify.h"

namespace aaco {

namespace {

// Of turns that were recorded one after the other.
class TurnTable {
 public:
  TurnTable() : tracks_(table_) { table_.recordings.push_back({"overlap", "aaco"}); }

  void add(EventTable events) {
    const std::vector<uint32_t> recordings(events.recordings.size(), 0);
    EventPart part;
    part.table() = std::move(events);
    part.append_to(table_, tracks_, recordings);
  }
  EventTable take() { return std::move(table_); }

 private:
  EventTable table_;
  TrackIndex tracks_;
};

void add_paths(const RankRecords& turn, RankRecords& records) {
  for (const CollectivePathTaken& taken : turn.paths) {
    const auto same = std::find_if(records.paths.begin(), records.paths.end(), [&](const CollectivePathTaken& other) {
      return other.collective == taken.collective && other.path == taken.path;
    });
    if (same == records.paths.end()) {
      records.paths.push_back(taken);
    } else {
      same->count += taken.count;
    }
  }
}

class TurnRecorder {
 public:
  TurnRecorder(const PreparedRank& prepared, ActivityCollector& collector, ActivityTable& sink, RankRecords& records)
      : prepared_(prepared),
        collector_(collector),
        sink_(sink),
        records_(records),
        state_(prepared.target.devices.front()->properties()) {}

  Result<void> warm_up(Dispatcher& dispatcher, int64_t steps) {
    AACO_ASSIGN(const auto loading, load_batches_of(dispatcher, prepared_.training, prepared_.target));
    AACO_TRY(enqueue(*loading, steps));
    return synchronize(prepared_.target);
  }

  // One turn, whose records go to `to`. What loads its first batch is not of it; its device's state is read when all is
  // enqueued, while the device is still at it.
  Result<void> turn(Dispatcher& dispatcher, int64_t steps, bool overlapped, TurnTable& to) {
    AACO_ASSIGN(const auto loading, load_batches_of(dispatcher, prepared_.training, prepared_.target));
    AACO_TRY(collector_.flush());
    sink_.take();
    const uint64_t dropped_before = sink_.dropped_count();
    AACO_TRY(enqueue(*loading, steps));
    const DeviceState state = state_.read();
    AACO_TRY(synchronize(prepared_.target));
    AACO_TRY(collector_.flush());
    RankRecords of_turn = records_;
    of_turn.steps = steps;
    of_turn.paths.clear();
    AACO_ASSIGN(EventTable events, events_of_rank(sink_.take(), prepared_.target, of_turn));
    events.losses.add(Loss::kDropped, sink_.dropped_count() - dropped_before);
    to.add(std::move(events));
    records_.turns.push_back({records_.rank, overlapped, state.clock_mhz, state.power_w});
    if (overlapped) {
      add_paths(of_turn, records_);
    }
    return {};
  }

 private:
  static Result<void> enqueue(Dispatcher& dispatcher, int64_t steps) {
    for (int64_t i = 0; i < steps; ++i) {
      AACO_TRY(dispatcher.enqueue());
    }
    return {};
  }

  const PreparedRank& prepared_;
  ActivityCollector& collector_;
  ActivityTable& sink_;
  RankRecords& records_;
  DeviceStateReader state_;
};

}  // namespace

Result<RecordedTurns> record_turns(const PreparedRank& prepared, const TurnsPlan& plan, ActivityCollector& collector,
                                   ActivityTable& sink, RankRecords& records) {
  const Program& step = prepared.training.instance->iteration;
  const Program serial = step.one_by_one();
  AACO_ASSIGN(const auto overlapped, make_dispatcher(plan.mode, step, prepared.target));
  AACO_ASSIGN(const auto one_by_one, make_dispatcher(DispatchMode::kSingle, serial, prepared.target));
  records.steps = kRecordedPairs * plan.turn_steps;
  records.turn_steps = plan.turn_steps;
  TurnRecorder recorder(prepared, collector, sink, records);
  AACO_TRY(recorder.warm_up(*overlapped, plan.warmup));
  AACO_TRY(recorder.warm_up(*one_by_one, plan.warmup));
  TurnTable as_is;
  TurnTable alone;
  for (int64_t pair = 0; pair < kRecordedPairs; ++pair) {
    for (const bool first : {true, false}) {
      const bool now_overlapped = first == (pair % 2 == 0);
      AACO_TRY(recorder.turn(now_overlapped ? *overlapped : *one_by_one, plan.turn_steps, now_overlapped,
                             now_overlapped ? as_is : alone));
    }
  }
  return RecordedTurns{as_is.take(), alone.take()};
}

}  // namespace aaco

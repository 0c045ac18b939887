// SPDX-License-Identifier: MIT
// Packets as events of a table.
#pragma once

#include <array>
#include <cstdint>
#include <initializer_list>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "ingest/perfetto/annotation.h"
#include "ingest/perfetto/clocks.h"
#include "ingest/perfetto/packet.h"
#include "ingest/perfetto/sequence.h"
#include "ingest/perfetto/track_event.h"
#include "ingest/perfetto/track_names.h"
#include "ingest/trace_format.h"

namespace aaco::perfetto {

class EventReader {
 public:
  EventReader(const TraceInput& input, EventTable& into);

  void take(std::string_view packet, uint64_t offset);
  void finish();

 private:
  // A value of a counter, whose track's name may come later.
  struct Sample {
    size_t event;
    uint64_t track;
  };
  // Arguments that have a meaning here, as rocprofv3 and PyTorch's profiler name them.
  enum Id : uint8_t {
    kCorrelation,
    kExternalId,
    kDevice,
    kStream,
    kRank,
    kStreamId,
    kQueue,
    kAgent,
    kSource,
    kTarget,
    kIds
  };
  struct EventIds {
    std::array<std::optional<int64_t>, kIds> id;

    int64_t first_of(std::initializer_list<Id> ids) const {
      for (const Id each : ids) {
        if (id[each]) {
          return *id[each];
        }
      }
      return kNoId;
    }
  };

  void take(const Packet& packet);
  void take_compressed(std::string_view packets);
  bool state_is_whole(const Packet& packet, Sequence& sequence);
  void take_interned(std::string_view message, Sequence& sequence);
  void take_defaults(std::string_view message, Sequence& sequence);
  void take_event(const Packet& packet, const Nanoseconds& time, Sequence& sequence);
  void add_event(const TrackEvent& event, const Packet& packet, Sequence& sequence, int64_t time_ns);
  StringId category_of(const TrackEvent& event, const Sequence& sequence);
  EventKind kind_of(StringId category);
  void end_slice(const TrackEvent& event, const Packet& packet, uint64_t track, const TraceEvent& row);
  void add_flows(const TrackEvent& event, const TraceEvent& slice);
  void add_counters(const TrackEvent& event, Sequence& sequence, const TraceEvent& row);
  void add_sample(uint64_t track, const WireField& value, Sequence& sequence, TraceEvent row);
  EventIds known_arguments() const;
  void set_track(const EventIds& known, TraceEvent& row, uint64_t track);
  std::string place() const;

  const TraceInput& input_;
  EventTable& table_;
  Annotations annotations_;
  Clocks clocks_;
  TrackNames tracks_;
  uint64_t offset_ = 0;  // of the packet at hand
  std::map<uint64_t, Sequence> sequences_;
  std::map<std::pair<uint64_t, uint64_t>, std::vector<size_t>> open_;  // begins, by track and sequence; none is empty
  std::set<uint64_t> flows_;                                           // that have begun
  GrowingArray<Sample> samples_;
  std::vector<Argument> arguments_;  // of the event at hand
  std::vector<uint8_t> meanings_;    // of arguments' names, by their ids: of an Id
  StringId value_key_;
  StringId unit_key_;
};

}  // namespace aaco::perfetto

// SPDX-License-Identifier: MIT
#include "ingest/perfetto/event_reader.h"

#include <algorithm>
#include <bit>
#include <fmt/format.h>

#include "ingest/event_time.h"
#include "ingest/perfetto/category.h"
#include "ingest/perfetto/inflate.h"
#include "ingest/perfetto/packet_stream.h"
#include "ingest/perfetto/wire.h"
#include "ingest/table/cell.h"

namespace aaco::perfetto {

EventReader::EventReader(const TraceInput& input, EventTable& into)
    : input_(input),
      table_(into),
      annotations_(into, input.name),
      tracks_(into, input.recording),
      value_key_(into.strings.intern("value")),
      unit_key_(into.strings.intern("unit")) {
  constexpr std::pair<std::string_view, Id> kNames[] = {
      {"correlation", kCorrelation}, {"corr_id", kCorrelation}, {"External id", kExternalId},
      {"device", kDevice},           {"stream", kStream},       {"rank", kRank},
      {"stream_ID", kStreamId},      {"queue", kQueue},         {"agent", kAgent},
      {"src_agent", kSource},        {"dst_agent", kTarget}};
  for (const auto& [name, id] : kNames) {
    const StringId key = table_.strings.intern(name);
    meanings_.resize(std::max<size_t>(meanings_.size(), key + 1), kIds);
    meanings_[key] = id;
  }
}

std::string EventReader::place() const { return fmt::format("{}: packet at byte {}", input_.name, offset_); }

void EventReader::take(std::string_view bytes, uint64_t offset) {
  offset_ = offset;
  Packet packet;
  if (!packet.parse(bytes)) {
    table_.losses.add(Loss::kMalformedEvent, [&] { return place(); });
  } else if (packet.compressed) {
    take_compressed(*packet.compressed);
  } else {
    take(packet);
  }
}

// Packets in a packet: compressed ones among them are not, so that no file unfolds without end.
void EventReader::take_compressed(std::string_view packets) {
  const auto inflated = inflate(packets, PacketStream::kLongestPacket);
  if (!inflated) {
    table_.losses.add(Loss::kMalformedEvent, [&] { return place() + ": cannot be inflated"; });
    return;
  }
  WireReader fields(*inflated);
  for (WireField field; fields.next(field);) {
    Packet packet;
    if (field.number == 1 && packet.parse(field.bytes) && !packet.compressed) {
      take(packet);
    } else {
      table_.losses.add(Loss::kMalformedEvent, [&] { return place() + ": within what was compressed"; });
    }
  }
  if (fields.malformed()) {
    table_.losses.add(Loss::kMalformedEvent, [&] { return place() + ": within what was compressed"; });
  }
}

void EventReader::take(const Packet& packet) {
  Sequence& sequence = sequences_[packet.sequence];
  if (packet.unread != 0) {
    table_.losses.add(Loss::kUnknownRecord, [&] { return fmt::format("{}: field {}", place(), packet.unread); });
  }
  if (!state_is_whole(packet, sequence)) {
    return;
  }
  if (packet.interned) {
    take_interned(*packet.interned, sequence);
  }
  if (packet.defaults) {
    take_defaults(*packet.defaults, sequence);
  }
  if (packet.clock_snapshot) {
    clocks_.take_snapshot(*packet.clock_snapshot, sequence);
  }
  // A clock that counts differences moves on with every time of its sequence, whatever the packet holds. A snapshot
  // alone says itself where its clocks stand.
  const bool moves_on = packet.timestamp && (packet.track_event || !packet.clock_snapshot);
  const Nanoseconds time = moves_on ? clocks_.time_of(*packet.timestamp, packet.clock, sequence) : Nanoseconds{};
  if (packet.track_descriptor) {
    tracks_.take_descriptor(*packet.track_descriptor);
  }
  if (packet.track_event) {
    take_event(packet, time, sequence);
  }
}

bool EventReader::state_is_whole(const Packet& packet, Sequence& sequence) {
  if (packet.after_loss && sequence.seen) {  // the first one has that mark anyway
    sequence.valid = false;
    table_.losses.add(Loss::kDropped, [&] { return place() + ": packets before it"; });
  }
  sequence.seen = true;
  if (packet.cleared) {
    sequence.clear();
    sequence.valid = true;
  }
  if (packet.needs_state && !sequence.valid) {
    table_.losses.add(Loss::kDropped, [&] { return place() + ": what it refers to"; });
    return false;
  }
  return true;
}

void EventReader::take_interned(std::string_view message, Sequence& sequence) {
  WireReader tables(message);
  for (WireField table; tables.next(table);) {
    const auto which = table.number == 1    ? std::optional(InternedField::kCategory)
                       : table.number == 2  ? std::optional(InternedField::kName)
                       : table.number == 3  ? std::optional(InternedField::kAnnotationName)
                       : table.number == 29 ? std::optional(InternedField::kText)
                                            : std::nullopt;  // of what is not read
    uint64_t id = 0;
    std::string_view text;
    WireReader fields(table.bytes);
    for (WireField field; which && fields.next(field);) {
      if (field.number == 1) {
        id = field.value;
      } else if (field.number == 2) {
        text = field.bytes;
      }
    }
    if (which) {
      sequence.texts[static_cast<size_t>(*which)][id] = annotations_.text_of(text);
    }
  }
}

void EventReader::take_defaults(std::string_view message, Sequence& sequence) {
  WireReader fields(message);
  for (WireField field; fields.next(field);) {
    if (field.number == 58) {
      sequence.default_clock = field.value;
    } else if (field.number == 11) {
      TrackEvent defaults;
      defaults.parse(field.bytes);
      sequence.default_track = defaults.track;
      sequence.default_counters = defaults.counters;
      sequence.default_real_counters = defaults.real_counters;
    }
  }
}

void EventReader::take_event(const Packet& packet, const Nanoseconds& time, Sequence& sequence) {
  TrackEvent event;
  event.parse(*packet.track_event);
  if (event.malformed) {
    table_.losses.add(Loss::kMalformedEvent, [&] { return place(); });
    return;
  }
  for (const uint64_t number : event.unread) {
    table_.losses.add(Loss::kUnknownRecord, [&] { return fmt::format("{}: field {} of an event", place(), number); });
  }
  const auto time_ns = time_or_loss(time, table_.losses, [&] { return place() + ": its clock is tied to no other"; });
  if (time_ns) {
    add_event(event, packet, sequence, *time_ns);
  }
}

StringId EventReader::category_of(const TrackEvent& event, const Sequence& sequence) {
  std::string all;
  const auto append = [&](std::string_view category) { (all += all.empty() ? "" : ",") += category; };
  for (const std::string_view category : event.categories) {
    append(category);
  }
  for (const uint64_t id : event.category_ids) {
    append(table_.strings[annotations_.interned(sequence, InternedField::kCategory, id)]);
  }
  return annotations_.text_of(all);
}

EventKind EventReader::kind_of(StringId category) {
  const auto kind = kind_of_perfetto_category(table_.strings[category]);
  if (!kind) {
    table_.losses.add(Loss::kUnknownCategory,
                      [&] { return fmt::format("{}: \"{}\"", place(), table_.strings[category]); });
  }
  return kind.value_or(EventKind::kOther);
}

// Agents are texts that end with their number.
EventReader::EventIds EventReader::known_arguments() const {
  EventIds known;
  for (const Argument& argument : arguments_) {
    const uint8_t meaning = argument.key < meanings_.size() ? meanings_[argument.key] : uint8_t{kIds};
    if (meaning != kIds && argument.type == ArgumentType::kInteger) {
      known.id[meaning] = static_cast<int64_t>(argument.bits);
    } else if (meaning == kAgent || meaning == kSource || meaning == kTarget) {
      known.id[meaning] =
          argument.type == ArgumentType::kText ? integer_at_end(table_.text_of(argument)) : std::nullopt;
    }
  }
  return known;
}

// Of a copy the device that it goes to, or that it comes from on its way to the host.
void EventReader::set_track(const EventIds& known, TraceEvent& row, uint64_t track) {
  int64_t device = kNoId;
  int64_t stream = kNoId;
  if (is_on_device(row.kind)) {
    const bool to_host = table_.strings[row.name].ends_with("TO_HOST");
    device = known.first_of({kDevice, kAgent, to_host ? kSource : kTarget});
    stream = known.first_of({kStream, kStreamId, kQueue});
  }
  row.track = tracks_.track_of(track, device, stream, known.first_of({kRank}));
}

void EventReader::add_event(const TrackEvent& event, const Packet& packet, Sequence& sequence, int64_t time_ns) {
  const uint64_t track = event.track.value_or(sequence.default_track.value_or(0));
  TraceEvent row;
  row.start_ns = time_ns;
  arguments_.clear();
  for (const std::string_view annotation : event.annotations) {
    annotations_.read(annotation, sequence, arguments_);
  }
  const EventIds known = known_arguments();
  row.correlation =
      known.id[kCorrelation].value_or(event.correlation ? static_cast<int64_t>(*event.correlation) : kNoId);
  row.external_id = known.first_of({kExternalId});
  const auto type = static_cast<EventType>(std::min<uint64_t>(event.type, 5));
  if (type == EventType::kCounter) {
    row.track = tracks_.track_of(track, kNoId, kNoId, kNoId);
    if (event.value) {
      add_sample(track, *event.value, sequence, row);
    } else {
      table_.losses.add(Loss::kMalformedEvent, [&] { return place() + ": a counter without a value"; });
    }
  } else if (type == EventType::kEnd) {
    row.track = tracks_.track_of(track, kNoId, kNoId, kNoId);
    end_slice(event, packet, track, row);
  } else {
    row.name = event.name_id ? annotations_.interned(sequence, InternedField::kName, *event.name_id)
                             : annotations_.text_of(event.name);
    row.category = category_of(event, sequence);
    row.kind = kind_of(row.category);
    row.shape = type == EventType::kBegin ? EventShape::kSlice : EventShape::kInstant;
    if (type != EventType::kBegin && type != EventType::kInstant) {
      table_.losses.add(Loss::kUnknownPhase, [&] { return fmt::format("{}: type {}", place(), event.type); });
    }
    set_track(known, row, track);
    table_.add(row, arguments_);
    if (type == EventType::kBegin) {
      open_[{track, packet.sequence}].push_back(table_.size() - 1);
    }
  }
  add_flows(event, row);
  add_counters(event, sequence, row);
}

void EventReader::end_slice(const TrackEvent& event, const Packet& packet, uint64_t track, const TraceEvent& row) {
  auto open = open_.find({track, packet.sequence});
  open = open == open_.end() ? open_.lower_bound({track, 0}) : open;
  if (open == open_.end() || open->first.first != track) {
    table_.losses.add(Loss::kUnmatchedBegin, [&] { return place(); });
    return;
  }
  const size_t slice = open->second.back();
  open->second.pop_back();
  if (open->second.empty()) {
    open_.erase(open);
  }
  const auto duration_ns = duration_or_loss(table_.start_ns[slice], row.start_ns - table_.start_ns[slice],
                                            table_.losses, [&] { return place(); });
  table_.duration_ns[slice] = duration_ns.value_or(0);
  if (duration_ns == 0 && is_on_device(table_.kind[slice])) {
    table_.losses.add(Loss::kZeroDuration, [&] { return place(); });
  }
  if (!event.annotations.empty()) {
    TraceEvent end = row;
    end.shape = EventShape::kSliceEnd;
    table_.add(end, arguments_);
  }
}

// The first event of a flow is its start, one that ends it its end, any other a step.
void EventReader::add_flows(const TrackEvent& event, const TraceEvent& slice) {
  const auto add = [&](uint64_t id, EventShape shape) {
    TraceEvent arrow;
    arrow.start_ns = slice.start_ns;
    arrow.track = slice.track;
    arrow.correlation = static_cast<int64_t>(id);
    arrow.shape = shape;
    table_.add(arrow, {});
  };
  for (const uint64_t id : event.flows) {
    add(id, flows_.insert(id).second ? EventShape::kFlowStart : EventShape::kFlowStep);
  }
  for (const uint64_t id : event.ending_flows) {
    flows_.erase(id);
    add(id, EventShape::kFlowEnd);
  }
}

void EventReader::add_counters(const TrackEvent& event, Sequence& sequence, const TraceEvent& row) {
  arguments_.clear();
  const auto add_all = [&](const std::vector<uint64_t>& tracks, const std::vector<uint64_t>& values, WireType type) {
    for (size_t i = 0; i < values.size(); ++i) {
      if (i < tracks.size()) {
        TraceEvent sample;
        sample.start_ns = row.start_ns;
        add_sample(tracks[i], {0, type, values[i], {}}, sequence, sample);
      } else {
        table_.losses.add(Loss::kMalformedEvent, [&] { return place() + ": a counter's value without its track"; });
      }
    }
  };
  add_all(event.counters.empty() ? sequence.default_counters : event.counters, event.counter_values, WireType::kVarint);
  add_all(event.real_counters.empty() ? sequence.default_real_counters : event.real_counters, event.real_counter_values,
          WireType::kFixed64);
}

void EventReader::add_sample(uint64_t track, const WireField& value, Sequence& sequence, TraceEvent row) {
  const TrackDescription& counter = tracks_.description(track);
  Argument argument{value_key_, ArgumentType::kReal, value.value};
  if (value.type == WireType::kVarint) {
    int64_t number = value.as_signed();
    const bool scaled = __builtin_mul_overflow(number, counter.multiplier, &number);
    int64_t& sum = sequence.counters[track];
    if (scaled || (counter.incremental && __builtin_add_overflow(number, sum, &number))) {
      table_.losses.add(Loss::kMalformedEvent, [&] { return place() + ": a counter beyond 64 bits"; });
      return;
    }
    sum = number;
    argument = {value_key_, ArgumentType::kInteger, static_cast<uint64_t>(number)};
  }
  arguments_.push_back(argument);
  if (counter.unit != kEmptyString) {
    arguments_.push_back({unit_key_, ArgumentType::kText, counter.unit});
  }
  row.shape = EventShape::kCounter;
  row.kind = EventKind::kOther;
  row.track = tracks_.track_of(track, kNoId, kNoId, kNoId);
  table_.add(row, arguments_);
  arguments_.clear();
  samples_.push_back({table_.size() - 1, track});
}

void EventReader::finish() {
  for (const auto& [writer, begins] : open_) {
    for (const size_t start : begins) {
      table_.shape[start] = EventShape::kInstant;
      table_.losses.add(Loss::kUnmatchedBegin, [&] {
        return fmt::format("{}: \"{}\" begins", input_.name, table_.strings[table_.name[start]]);
      });
    }
  }
  for (const Sample& sample : samples_) {
    table_.name[sample.event] = tracks_.description(sample.track).name;
  }
  tracks_.finish();
}

}  // namespace aaco::perfetto

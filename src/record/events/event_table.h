// SPDX-License-Identifier: MIT
// What a profiler recorded, whoever it was: events as columns on one clock, the tracks they lie on, their arguments,
// and what was lost on the way. Ingestors fill it, analyses read it.
#pragma once

#include <cstdint>
#include <limits>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/memory/growing_array.h"
#include "record/events/loss_table.h"
#include "record/events/string_table.h"

namespace aaco {

// What an event is, in the terms of every vendor.
enum class EventKind : uint8_t {
  kHostOp,     // an operator of the framework
  kHostCall,   // a call of the runtime's or driver's API
  kHostRange,  // an annotation, a Python function, a step
  kOverhead,   // of the profiler itself
  kKernel,     // on the device from here on
  kCopy,
  kSet,          // a memory set
  kDeviceRange,  // an annotation, projected on the device
  kDeviceSync,   // a stream's or the device's wait
  kOther,
};

// Whether events of that kind lie on a device's stream.
constexpr bool is_on_device(EventKind kind) {
  return kind == EventKind::kKernel || kind == EventKind::kCopy || kind == EventKind::kSet ||
         kind == EventKind::kDeviceRange || kind == EventKind::kDeviceSync;
}

// What kind of mark on the timeline.
enum class EventShape : uint8_t {
  kSlice,  // from start to start + duration
  kInstant,
  kCounter,    // its values are its arguments
  kFlowStart,  // an arrow: correlation joins start, steps and end
  kFlowStep,
  kFlowEnd,
  kAsync,     // begin, step or end of an operation across threads: "ph" and "id" are among its arguments
  kSliceEnd,  // of a slice written as two marks, for its arguments; the slice itself is the begin's row
  kMetadata,  // a track's name, order or label, in its arguments; without a time
  kUntimed,   // it happened, where in time is not recorded: a kernel whose counters were taken, a line of statistics
};

inline constexpr int64_t kNoId = std::numeric_limits<int64_t>::min();

// A row of the timeline: a host thread, or a device's stream.
struct Track {
  StringId process = kEmptyString;  // as the file names them
  StringId thread = kEmptyString;
  StringId process_name = kEmptyString;  // where the file says
  StringId thread_name = kEmptyString;
  int64_t rank = kNoId;    // of the job, where known
  int64_t device = kNoId;  // a device's stream has both
  int64_t stream = kNoId;
  uint32_t recording = 0;  // index into `recordings`
};

// What one profiler wrote of one process: ids and names of tracks hold within it. Several files may belong to one.
struct TraceRecording {
  std::string name;    // the file, or what the names of its files have in common
  std::string format;  // id of the format
};

// Of a whole recording.
struct TraceMetadata {
  uint32_t recording = 0;
  StringId key = kEmptyString;
  StringId value = kEmptyString;  // as JSON
};

enum class ArgumentType : uint8_t { kInteger, kReal, kText, kJson, kTrue, kFalse, kNull };

// One value of an event's arguments. `bits`: the integer, the double's bits, or the StringId of a text (unescaped) or
// of an array or object as JSON.
struct Argument {
  StringId key = kEmptyString;
  ArgumentType type = ArgumentType::kNull;
  uint64_t bits = 0;
};

// The arguments of all events, in order: 13 bytes a value.
class ArgumentStore {
 public:
  void add_event(std::span<const Argument> its_arguments);
  // The same one by one.
  void add(const Argument& argument) {
    keys_.push_back(argument.key);
    types_.push_back(argument.type);
    bits_.push_back(argument.bits);
  }
  void end_event() { ends_.push_back(keys_.size()); }
  // The same into places that the caller fills, from the first on: `most` of them, of which end_event() keeps `used`.
  struct Places {
    StringId* keys;
    ArgumentType* types;
    uint64_t* bits;
    size_t most;
  };
  Places places(size_t most) { return {keys_.extend(most), types_.extend(most), bits_.extend(most), most}; }
  void end_event(const Places& places, size_t used);
  // All of another store's, whose strings have the numbers `strings` here.
  void add_all(const ArgumentStore& other, std::span<const StringId> strings);
  void clear();
  size_t begin(size_t event) const { return event == 0 ? 0 : ends_[event - 1]; }
  size_t end(size_t event) const { return ends_[event]; }
  Argument operator[](size_t i) const { return {keys_[i], types_[i], bits_[i]}; }
  std::optional<Argument> find(size_t event, StringId key) const;  // the last of that name

 private:
  GrowingArray<StringId> keys_;
  GrowingArray<ArgumentType> types_;
  GrowingArray<uint64_t> bits_;
  GrowingArray<uint64_t> ends_;
};

// One event, but for its arguments: a row of the table.
struct TraceEvent {
  int64_t start_ns = 0;
  int64_t duration_ns = 0;
  int64_t correlation = kNoId;
  int64_t external_id = kNoId;
  StringId name = kEmptyString;
  StringId category = kEmptyString;
  uint32_t track = 0;
  EventKind kind = EventKind::kOther;
  EventShape shape = EventShape::kSlice;
};

// Events in the order of the files.
struct EventTable {
  StringTable strings;
  std::vector<TraceRecording> recordings;
  std::vector<Track> tracks;

  GrowingArray<int64_t> start_ns;
  GrowingArray<int64_t> duration_ns;  // 0 but of slices, and of what is untimed where its length is known
  GrowingArray<int64_t> correlation;  // joins a call and what it started on the device; a flow's id; kNoId
  GrowingArray<int64_t> external_id;  // joins an operator and the calls within; kNoId
  GrowingArray<StringId> name;
  GrowingArray<StringId> category;  // as the file says
  GrowingArray<uint32_t> track;
  GrowingArray<EventKind> kind;
  GrowingArray<EventShape> shape;
  ArgumentStore arguments;

  std::vector<TraceMetadata> metadata;
  LossTable losses;

  void add(const TraceEvent& event, std::span<const Argument> its_arguments);
  void add(const TraceEvent& event);  // its arguments are added to `arguments` apart
  void clear_events();                // strings and tracks stay
  size_t size() const { return start_ns.size(); }
  int64_t end_ns(size_t event) const { return start_ns[event] + duration_ns[event]; }
  std::string_view text_of(const Argument& argument) const { return strings[static_cast<StringId>(argument.bits)]; }
};

}  // namespace aaco

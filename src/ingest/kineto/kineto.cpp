// SPDX-License-Identifier: MIT
#include "ingest/kineto/kineto.h"

#include <algorithm>
#include <array>
#include <fmt/format.h>
#include <iterator>
#include <map>
#include <optional>
#include <span>
#include <unordered_map>
#include <utility>
#include <vector>

#include "ingest/bytes/decimal.h"
#include "ingest/chrome/argument_reader.h"
#include "ingest/chrome/read_events.h"
#include "ingest/event_time.h"
#include "ingest/kineto/begin_end_pairs.h"
#include "ingest/kineto/kineto_category.h"
#include "ingest/kineto/mended_events.h"
#include "ingest/kineto/merged_ranks.h"
#include "ingest/kineto/odd_values.h"
#include "ingest/kineto/unknown_categories.h"
#include "record/events/track_index.h"

namespace aaco {

namespace {

using chrome::integer_of;
using chrome::RawArgument;
using chrome::RawEvent;
using chrome::RawType;
using chrome::RawValue;

bool is_flow(EventShape shape) { return shape >= EventShape::kFlowStart && shape <= EventShape::kFlowEnd; }

class KinetoTable : public chrome::EventSink {
 public:
  KinetoTable(std::string name, uint32_t recording, EventTable& into)
      : name_(std::move(name)),
        recording_(recording),
        table_(into),
        first_row_(into.size()),
        first_track_(into.tracks.size()),
        tracks_(into),
        reader_(into, name_) {
    for (size_t i = 0; i < kKeys; ++i) {
      const StringId id = table_.strings.intern(kKeyNames[i]);
      meanings_.resize(std::max<size_t>(meanings_.size(), id + 1), kKeys);
      meanings_[id] = static_cast<Key>(i);
    }
  }

  bool take(const RawEvent& event) override;
  void take_metadata(std::string_view key, std::string_view json) override;
  void finish(bool lanes_are_devices);

 private:
  // Arguments that have a meaning here.
  enum Key : uint8_t { kCorrelation, kExternalId, kExternalId2021, kDevice, kStream, kRank, kName, kKeys };
  static constexpr std::array<std::string_view, kKeys> kKeyNames = {
      "correlation", "External id", "external id", "device", "stream", "rank", "name"};

  struct EventIds {
    std::array<int64_t, kKeys> integer;
    StringId name = kEmptyString;
  };
  struct Category {
    StringId id = kEmptyString;
    EventKind kind = EventKind::kOther;
    bool known = true;
  };
  // A track whose process and thread are numbers, written as such.
  struct NumberedTrack {
    int64_t process = kNoId;
    int64_t thread = kNoId;
    Track track;  // without their texts
    uint32_t number = 0;
  };
  struct Times {
    int64_t start_ns = 0;
    int64_t duration_ns = 0;
  };

  bool read_member(std::string_view key, const RawValue& value, chrome::KeySlot slot = chrome::kNoSlot) {
    const std::string name = reader_.knows(slot) ? std::string() : "event." + std::string(key);
    return reader_.read({name, value, slot}, arguments_.emplace_back());
  }
  bool take_arguments(const RawEvent& event, EventIds& known);
  void add_unread(const RawEvent& event, const chrome::UnreadValue& value);
  void add_losses_of_mending(const RawEvent& event);
  void keep(std::string_view key, const RawValue& value);
  StringId text_of(std::string_view text) { return reader_.text_of(text); }
  // What a member had before: its texts come again, and comparing the one found at its place costs less than a hash.
  template <class Entry>
  using Recent = std::array<Entry, 64>;
  static size_t place_among_recent(std::string_view text) {
    if (text.empty()) {
      return 0;
    }
    const size_t first = static_cast<unsigned char>(text.front());
    const size_t last = static_cast<unsigned char>(text.back());
    return (11 * text.size() + 3 * last + first) % 64;
  }
  static size_t place_among_recent(int64_t process, int64_t thread, int64_t stream) {
    constexpr uint64_t kOdd = 0x9E3779B97F4A7C15;  // 2^64 over the golden ratio: threads may be addresses
    const uint64_t sum =
        static_cast<uint64_t>(thread) + 3 * static_cast<uint64_t>(process) + 5 * static_cast<uint64_t>(stream);
    return (sum * kOdd) >> 58;
  }
  StringId text_again(Recent<StringId>& recent, std::string_view text) {
    StringId& id = recent[place_among_recent(text)];
    return id = table_.strings[id] == text ? id : text_of(text);
  }
  void set_category(const RawEvent& event, bool is_slice);
  uint32_t track_of(const RawEvent& event, const EventIds& known);
  uint32_t track_by_texts(const RawEvent& event, Track track);
  // False where there is none.
  bool read_time(const RawValue& value, const RawEvent& event, int64_t& time_ns);
  bool read_times(const RawEvent& event, char phase, Times& times);
  EventShape shape_of(const RawEvent& event, char phase);
  void keep_what_has_no_column(const RawEvent& event, char phase, EventShape shape);
  void name_track(const RawEvent& event, const EventIds& known);
  void append(const RawEvent& event, EventShape shape, const Times& times, const EventIds& known);
  std::string place_of(const RawEvent& event) const { return fmt::format("{}: byte {}", name_, event.offset); }

  std::string name_;
  uint32_t recording_;
  EventTable& table_;
  size_t first_row_;
  size_t first_track_;
  TrackIndex tracks_;
  chrome::ArgumentReader reader_;
  std::vector<Key> meanings_;        // by the id of an argument's name; kKeys where it has none
  std::vector<Argument> arguments_;  // of the event at hand
  std::unordered_map<StringId, Category> categories_;
  Category category_;  // of the event at hand
  bool lacks_category_ = false;
  UnknownCategories unknown_categories_;
  Recent<Category> recent_categories_;
  Recent<StringId> recent_names_ = {};
  Recent<StringId> recent_processes_ = {};
  Recent<StringId> recent_threads_ = {};
  Recent<NumberedTrack> recent_tracks_;
  bool has_marks_ = false;  // of begins and ends
  std::map<StringId, StringId> process_names_;
  std::map<std::pair<StringId, StringId>, StringId> thread_names_;
  std::optional<int64_t> file_rank_;
};

void KinetoTable::add_unread(const RawEvent& event, const chrome::UnreadValue& value) {
  if (const auto loss = loss_of_unread(value)) {
    table_.losses.add(
        *loss, [&] { return fmt::format("{}: \"{}\": {}", place_of(event), value.key, value.text.substr(0, 40)); });
  }
}

void KinetoTable::add_losses_of_mending(const RawEvent& event) {
  for (const chrome::UnreadValue& value : event.unread) {
    add_unread(event, value);
  }
  if (event.unread.empty() && arguments_.size() == event.arguments.size() + event.others.size()) {
    table_.losses.add(Loss::kMendedJson, [&] { return place_of(event); });
  }
}

bool KinetoTable::take_arguments(const RawEvent& event, EventIds& known) {
  bool twice = event.duplicate_key;
  for (const RawArgument& raw : event.arguments) {
    Argument& argument = arguments_.emplace_back();
    if (!reader_.read(raw, argument)) {
      if (!event.mended) {
        return false;
      }
      arguments_.pop_back();
      add_unread(event, {raw.key, raw.value.text, true});
      continue;
    }
    const Key key = argument.key < meanings_.size() ? meanings_[argument.key] : kKeys;
    if (key != kKeys && argument.type == ArgumentType::kInteger) {
      twice = twice || known.integer[key] != kNoId;
      known.integer[key] = static_cast<int64_t>(argument.bits);
    } else if (key == kName && argument.type == ArgumentType::kText) {
      known.name = static_cast<StringId>(argument.bits);
    } else if (key != kKeys && argument.type != ArgumentType::kNull) {
      known.integer[key] = whole_number(raw.value).value_or(kNoId);
    }
  }
  for (const RawArgument& raw : event.others) {
    if (!read_member(raw.key, raw.value, raw.slot)) {
      if (!event.mended) {
        return false;
      }
      arguments_.pop_back();
      add_unread(event, {raw.key, raw.value.text, false});
    }
  }
  if (event.mended) {
    add_losses_of_mending(event);
  }
  if (event.not_utf8) {
    table_.losses.add(Loss::kNotUtf8, [&] { return place_of(event); });
  }
  if (twice) {
    table_.losses.add(Loss::kDuplicateKey, [&] { return place_of(event); });
  }
  return true;
}

// A member of the event that no column holds becomes an argument, under its own name.
void KinetoTable::keep(std::string_view key, const RawValue& value) {
  if (value.type != RawType::kAbsent && !read_member(key, value)) {
    arguments_.pop_back();
  }
}

// Marks and counters need no category; a slice without one can be anything.
void KinetoTable::set_category(const RawEvent& event, bool is_slice) {
  Category& recent = recent_categories_[place_among_recent(event.category.text)];
  if (table_.strings[recent.id] != event.category.text) {
    const StringId id = text_of(event.category.text);
    const auto [entry, added] = categories_.try_emplace(id);
    if (added) {
      const auto kind = kind_of_category(event.category.text);
      entry->second = {id, kind.value_or(EventKind::kOther), kind.has_value()};
    }
    recent = entry->second;
  }
  category_ = recent;
  lacks_category_ = !category_.known || (is_slice && event.category.text.empty());
}

// As integers are written but for -0, whose text is another one.
bool is_plain_integer(const RawValue& value) {
  return value.is_integer() && (value.digits != 0 || value.text.size() == 1);
}

uint32_t KinetoTable::track_of(const RawEvent& event, const EventIds& known) {
  Track track;
  track.rank = known.integer[kRank];
  track.recording = recording_;
  if (is_on_device(category_.kind)) {  // where no argument says it, the process is the device and the thread the stream
    const auto or_else = [](int64_t id, const RawValue& value) {
      return id != kNoId ? id : integer_of(value).value_or(kNoId);
    };
    track.device = or_else(known.integer[kDevice], event.process);
    track.stream = or_else(known.integer[kStream], event.thread);
  }
  if (!is_plain_integer(event.process) || !is_plain_integer(event.thread)) {
    return track_by_texts(event, track);
  }
  const int64_t process = event.process.digits;
  const int64_t thread = event.thread.digits;
  NumberedTrack& recent = recent_tracks_[place_among_recent(process, thread, track.stream)];
  if (recent.process != process || recent.thread != thread || recent.track.device != track.device ||
      recent.track.stream != track.stream || recent.track.rank != track.rank) {
    recent = {process, thread, track, track_by_texts(event, track)};
  }
  return recent.number;
}

uint32_t KinetoTable::track_by_texts(const RawEvent& event, Track track) {
  track.process = text_again(recent_processes_, event.process.text);
  track.thread = text_again(recent_threads_, event.thread.text);
  return tracks_.index(track);
}

// The number's value where its digits are known, else that of its text: of some writers (Ascend's profiler) it stands
// in quotation marks.
Nanoseconds nanoseconds_of(const RawValue& microseconds) {
  constexpr std::array<int64_t, 4> kWeights = {1000, 100, 10, 1};
  int64_t value = 0;
  if (microseconds.type != RawType::kNumber && microseconds.type != RawType::kText) {
    return {};
  }
  if (microseconds.decimals < kWeights.size() &&
      !__builtin_mul_overflow(microseconds.digits, kWeights[microseconds.decimals], &value)) {
    return {value, DecimalState::kExact};
  }
  return nanoseconds_of_microseconds(microseconds.text);
}

bool KinetoTable::read_time(const RawValue& value, const RawEvent& event, int64_t& time_ns) {
  const Nanoseconds time = nanoseconds_of(value);
  if (time.state == DecimalState::kExact && time.value <= kFarthestNs && time.value >= -kFarthestNs) {
    time_ns = time.value;  // as below; an optional goes by way of memory, which costs more than the number
    return true;
  }
  if (says_nothing(event)) {
    return false;
  }
  const auto checked = time_or_loss(
      time, table_.losses, [&] { return fmt::format("{}: \"{}\"", place_of(event), value.text.substr(0, 40)); });
  time_ns = checked.value_or(0);
  return checked.has_value();
}

bool KinetoTable::read_times(const RawEvent& event, char phase, Times& times) {
  if (phase == 'M') {
    return true;
  }
  int64_t written_ns = 0;
  if (!read_time(event.time, event, times.start_ns) ||
      (phase == 'X' && !read_time(event.duration, event, written_ns))) {
    return false;
  }
  const auto place = [&] { return place_of(event); };
  if (written_ns >= 0 && written_ns <= kFarthestNs - times.start_ns) {
    times.duration_ns = written_ns;
  } else if (const auto duration_ns = duration_or_loss(times.start_ns, written_ns, table_.losses, place)) {
    times.duration_ns = *duration_ns;
  } else {
    return false;
  }
  if (phase == 'X' && written_ns == 0 && is_on_device(category_.kind)) {
    table_.losses.add(Loss::kZeroDuration, place);
  }
  return true;
}

EventShape KinetoTable::shape_of(const RawEvent& event, char phase) {
  switch (phase) {
    case 'X':
    case 'B':
      return EventShape::kSlice;
    case 'E':
      return EventShape::kSliceEnd;
    case 'i':
    case 'I':
      return EventShape::kInstant;
    case 'C':
      return EventShape::kCounter;
    case 's':
      return EventShape::kFlowStart;
    case 't':
      return EventShape::kFlowStep;
    case 'f':
      return EventShape::kFlowEnd;
    case 'b':
    case 'n':
    case 'e':
      return EventShape::kAsync;
    case 'M':
      return EventShape::kMetadata;
    default:
      table_.losses.add(Loss::kUnknownPhase,
                        [&] { return fmt::format("{}: \"{}\"", place_of(event), event.phase.text); });
      return EventShape::kInstant;
  }
}

void KinetoTable::keep_what_has_no_column(const RawEvent& event, char phase, EventShape shape) {
  if (!is_flow(shape) || !integer_of(event.id)) {
    keep("id", event.id);
  }
  if (shape == EventShape::kAsync || (shape == EventShape::kInstant && phase != 'i')) {
    keep("ph", event.phase);
  }
  if (phase != 'X') {
    keep("dur", event.duration);
  }
  if (phase == 'M') {
    keep("ts", event.time);
  }
}

// ONNX Runtime before 1.18 has three slices for each execution of a node: those for its fences execute nothing.
bool is_fence(std::string_view name) { return name.ends_with("_fence_before") || name.ends_with("_fence_after"); }

void KinetoTable::append(const RawEvent& event, EventShape shape, const Times& times, const EventIds& known) {
  TraceEvent row;
  row.start_ns = times.start_ns;
  row.duration_ns = times.duration_ns;
  row.correlation = is_flow(shape) ? integer_of(event.id).value_or(kNoId) : known.integer[kCorrelation];
  row.external_id = known.integer[kExternalId] != kNoId ? known.integer[kExternalId] : known.integer[kExternalId2021];
  row.name = text_again(recent_names_, event.name.text);
  row.category = category_.id;
  row.track = track_of(event, known);
  row.kind = category_.kind == EventKind::kHostOp && is_fence(event.name.text) ? EventKind::kHostRange : category_.kind;
  row.shape = shape;
  if (lacks_category_) {
    unknown_categories_.add(row.track, [&] { return fmt::format("{}: \"{}\"", place_of(event), event.category.text); });
  }
  table_.add(row, arguments_);
}

void KinetoTable::name_track(const RawEvent& event, const EventIds& known) {
  const StringId process = text_of(event.process.text);
  if (event.name.text == "process_name") {
    process_names_[process] = known.name;
  } else if (event.name.text == "thread_name") {
    thread_names_[{process, text_of(event.thread.text)}] = known.name;
  }
}

bool KinetoTable::take(const RawEvent& event) {
  EventIds known;
  known.integer.fill(kNoId);
  arguments_.clear();
  if (!take_arguments(event, known)) {
    return false;
  }
  const char phase = event.phase.text.size() == 1 ? event.phase.text[0] : '?';
  set_category(event, phase == 'X' || phase == 'B');
  Times times;
  if (!read_times(event, phase, times)) {
    return true;
  }
  times.duration_ns = phase == 'B' ? kOpenSliceNs : times.duration_ns;
  const EventShape shape = shape_of(event, phase);
  keep_what_has_no_column(event, phase, shape);
  append(event, shape, times, known);
  has_marks_ = has_marks_ || phase == 'B' || phase == 'E';
  if (phase == 'M') {
    name_track(event, known);
  }
  return true;
}

void KinetoTable::take_metadata(std::string_view key, std::string_view json) {
  if (key == "distributedInfo" && json.size() <= chrome::JsonTexts::kLongest) {
    bool is_json = true;
    file_rank_ = rank_of_file(json, is_json);
    if (!is_json) {
      table_.losses.add(Loss::kBadField, [&] { return fmt::format("{}: \"{}\" is no JSON", name_, key); });
    }
  }
  table_.metadata.push_back({recording_, text_of(key), text_of(json)});
}

void KinetoTable::finish(bool lanes_are_devices) {
  if (has_marks_) {
    match_begins_and_ends(table_, recording_, first_row_, name_);
  }
  for (Track& track : std::span(table_.tracks).subspan(first_track_)) {
    if (const auto process_name = process_names_.find(track.process); process_name != process_names_.end()) {
      track.process_name = process_name->second;
    }
    if (const auto thread_name = thread_names_.find({track.process, track.thread});
        thread_name != thread_names_.end()) {
      track.thread_name = thread_name->second;
    }
  }
  unknown_categories_.settle(name_, table_, first_row_, first_track_);
  give_ranks(table_.strings, file_rank_, lanes_are_devices, std::span(table_.tracks).subspan(first_track_));
}

}  // namespace

Result<void> read_kineto(ByteSource& source, const std::string& name, uint32_t recording, EventTable& into,
                         const KinetoOptions& options) {
  const size_t events_before = into.size();
  KinetoTable table(name, recording, into);
  MendedEvents mended(options.dialect, table);
  chrome::EventSink& sink = options.dialect == nullptr ? static_cast<chrome::EventSink&>(table) : mended;
  AACO_TRY(chrome::read_events(source, name, sink, into.losses, options.window_bytes));
  table.finish(options.dialect == nullptr);
  const std::vector<LossTable::Entry> lost = into.losses.entries();
  if (into.size() == events_before && !lost.empty()) {
    return Error{
        ErrorKind::kUsage,
        fmt::format("{}: holds no event of a trace ({}: {})", name, loss_info(lost[0].loss).name, lost[0].example),
        "name a trace in Chrome's JSON format, as PyTorch's profiler writes it"};
  }
  return {};
}

}  // namespace aaco

// SPDX-License-Identifier: MIT
#include "ingest/kineto/kineto.h"

#include <algorithm>
#include <array>
#include <fmt/format.h>
#include <iterator>
#include <map>
#include <optional>
#include <simdjson.h>
#include <span>
#include <unordered_map>
#include <utility>
#include <vector>

#include "ingest/bytes/decimal.h"
#include "ingest/chrome/argument_reader.h"
#include "ingest/chrome/read_events.h"
#include "ingest/event_time.h"
#include "ingest/kineto/kineto_category.h"
#include "ingest/kineto/mended_events.h"
#include "ingest/kineto/unknown_categories.h"
#include "trace/track_index.h"

namespace aaco {

namespace {

using chrome::integer_of;
using chrome::RawArgument;
using chrome::RawEvent;
using chrome::RawType;
using chrome::RawValue;

bool is_flow(EventShape shape) {
  return shape == EventShape::kFlowStart || shape == EventShape::kFlowStep || shape == EventShape::kFlowEnd;
}

class KinetoTable : public chrome::EventSink {
 public:
  KinetoTable(std::string name, uint32_t recording, EventTable& into)
      : name_(std::move(name)),
        recording_(recording),
        table_(into),
        first_track_(into.tracks.size()),
        first_event_(into.size()),
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
  void finish();

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
  void pair(const RawEvent& event, const Times& times, bool begins);
  void name_track(const RawEvent& event, const EventIds& known);
  void append(const RawEvent& event, EventShape shape, const Times& times, const EventIds& known);
  std::string place_of(const RawEvent& event) const { return fmt::format("{}: byte {}", name_, event.offset); }

  std::string name_;
  uint32_t recording_;
  EventTable& table_;
  size_t first_track_;
  size_t first_event_;
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
  std::map<std::pair<StringId, StringId>, std::vector<size_t>>
      open_;  // by process and thread: begins without an end yet
  std::map<StringId, StringId> process_names_;
  std::map<std::pair<StringId, StringId>, StringId> thread_names_;
  std::optional<int64_t> file_rank_;
};

bool KinetoTable::take_arguments(const RawEvent& event, EventIds& known) {
  bool twice = event.duplicate_key;
  for (const RawArgument& raw : event.arguments) {
    Argument& argument = arguments_.emplace_back();
    if (!reader_.read(raw, argument)) {
      return false;
    }
    const Key key = argument.key < meanings_.size() ? meanings_[argument.key] : kKeys;
    if (key != kKeys && argument.type == ArgumentType::kInteger) {
      twice = twice || known.integer[key] != kNoId;
      known.integer[key] = static_cast<int64_t>(argument.bits);
    } else if (key == kName && argument.type == ArgumentType::kText) {
      known.name = static_cast<StringId>(argument.bits);
    }
  }
  for (const RawArgument& raw : event.others) {
    if (!read_member(raw.key, raw.value, raw.slot)) {
      return false;
    }
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
    const auto [found, added] = categories_.try_emplace(id);
    if (added) {
      const auto kind = kind_of_category(event.category.text);
      found->second = {id, kind.value_or(EventKind::kOther), kind.has_value()};
    }
    recent = found->second;
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
  return tracks_.of(track);
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

// "{}", which some writers (XLA's) end the list with.
bool says_nothing(const RawEvent& event) {
  const RawValue* const members[] = {&event.phase,  &event.category, &event.name,     &event.process,
                                     &event.thread, &event.time,     &event.duration, &event.id};
  return event.arguments.empty() && event.others.empty() &&
         std::all_of(std::begin(members), std::end(members),
                     [](const RawValue* member) { return member->type == RawType::kAbsent; });
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

// A slice written as two marks, which belong together by process and thread: its row is that of the begin.
void KinetoTable::pair(const RawEvent& event, const Times& times, bool begins) {
  std::vector<size_t>& open = open_[{text_of(event.process.text), text_of(event.thread.text)}];
  if (begins) {
    open.push_back(table_.size() - 1);
    return;
  }
  if (open.empty()) {
    table_.losses.add(Loss::kUnmatchedBegin, [&] { return place_of(event); });
    return;
  }
  const size_t start = open.back();
  open.pop_back();
  const int64_t duration_ns = times.start_ns - table_.start_ns[start];
  if (duration_ns < 0) {
    table_.losses.add(Loss::kNegativeDuration, [&] { return place_of(event); });
  } else if (duration_ns == 0 && is_on_device(table_.kind[start])) {
    table_.losses.add(Loss::kZeroDuration, [&] { return place_of(event); });
  }
  table_.duration_ns[start] = std::max(duration_ns, int64_t{0});
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
  const EventShape shape = shape_of(event, phase);
  keep_what_has_no_column(event, phase, shape);
  append(event, shape, times, known);
  if (phase == 'B' || phase == 'E') {
    pair(event, times, phase == 'B');
  } else if (phase == 'M') {
    name_track(event, known);
  }
  return true;
}

void KinetoTable::take_metadata(std::string_view key, std::string_view json) {
  if (key == "distributedInfo" && json.size() <= chrome::JsonTexts::kLongest) {
    simdjson::dom::parser parser;
    simdjson::dom::element root;
    int64_t rank = 0;
    if (parser.parse(json.data(), json.size()).get(root) == simdjson::SUCCESS &&
        root["rank"].get(rank) == simdjson::SUCCESS) {
      file_rank_ = rank;
    }
  }
  table_.metadata.push_back({recording_, text_of(key), text_of(json)});
}

void KinetoTable::finish() {
  for (const auto& [track, open] : open_) {
    for (const size_t start : open) {
      table_.shape[start] = EventShape::kInstant;
      table_.losses.add(Loss::kUnmatchedBegin,
                        [&] { return fmt::format("{}: \"{}\" begins", name_, table_.strings[table_.name[start]]); });
    }
  }
  for (Track& track : std::span(table_.tracks).subspan(first_track_)) {
    if (const auto found = process_names_.find(track.process); found != process_names_.end()) {
      track.process_name = found->second;
    }
    if (const auto found = thread_names_.find({track.process, track.thread}); found != thread_names_.end()) {
      track.thread_name = found->second;
    }
    if (track.rank == kNoId && file_rank_) {
      track.rank = *file_rank_;
    }
  }
  unknown_categories_.settle(name_, table_, first_event_, first_track_);
}

}  // namespace

bool is_kineto(std::string_view head) {
  constexpr std::string_view kByteOrderMark = "\xEF\xBB\xBF";
  if (head.starts_with(kByteOrderMark)) {
    head.remove_prefix(kByteOrderMark.size());
  }
  const auto next = [&] {
    const size_t at = std::min(head.find_first_not_of(" \t\r\n"), head.size());
    const char c = at < head.size() ? head[at] : '\0';
    head.remove_prefix(std::min(at + 1, head.size()));
    return c;
  };
  const char first = next();
  const char second = next();
  return (first == '{' && (second == '"' || second == '}')) || (first == '[' && (second == '{' || second == ']'));
}

Result<void> read_kineto(ByteSource& source, const std::string& name, uint32_t recording, EventTable& into,
                         const KinetoOptions& options) {
  const size_t events_before = into.size();
  KinetoTable table(name, recording, into);
  MendedEvents mended(options.dialect, table);
  chrome::EventSink& sink = options.dialect == nullptr ? static_cast<chrome::EventSink&>(table) : mended;
  AACO_TRY(chrome::read_events(source, name, sink, into.losses, options.window_bytes));
  table.finish();
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

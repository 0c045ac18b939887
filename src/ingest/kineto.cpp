// SPDX-License-Identifier: MIT
#include "ingest/kineto.h"

#include <array>
#include <bit>
#include <charconv>
#include <cmath>
#include <cstring>
#include <fmt/format.h>
#include <map>
#include <optional>
#include <simdjson.h>
#include <unordered_map>
#include <utility>
#include <vector>

#include "ingest/chrome/decimal.h"
#include "ingest/chrome/read_events.h"

namespace aaco {

namespace {

using chrome::RawArgument;
using chrome::RawEvent;
using chrome::RawType;
using chrome::RawValue;

struct CategoryKind {
  std::string_view category;
  EventKind kind;
};

// Both dialects' categories. Source: pytorch/kineto, ActivityType.cpp; tb_plugin for that of 2021.
constexpr CategoryKind kCategories[] = {
    {"cpu_op", EventKind::kHostOp},
    {"Operator", EventKind::kHostOp},
    {"cuda_runtime", EventKind::kHostCall},
    {"cuda_driver", EventKind::kHostCall},
    {"hip_runtime", EventKind::kHostCall},
    {"xpu_runtime", EventKind::kHostCall},
    {"mtia_runtime", EventKind::kHostCall},
    {"glow_runtime", EventKind::kHostCall},
    {"privateuse1_runtime", EventKind::kHostCall},
    {"privateuse1_driver", EventKind::kHostCall},
    {"Runtime", EventKind::kHostCall},
    {"user_annotation", EventKind::kHostRange},
    {"python_function", EventKind::kHostRange},
    {"Python function", EventKind::kHostRange},
    {"cuda_profiler_range", EventKind::kDeviceRange},
    {"overhead", EventKind::kOverhead},
    {"kernel", EventKind::kKernel},
    {"Kernel", EventKind::kKernel},
    {"mtia_ccp_events", EventKind::kKernel},
    {"gpu_memcpy", EventKind::kCopy},
    {"Memcpy", EventKind::kCopy},
    {"gpu_memset", EventKind::kSet},
    {"Memset", EventKind::kSet},
    {"gpu_user_annotation", EventKind::kDeviceRange},
    {"cuda_sync", EventKind::kDeviceSync},
    {"cuda_event", EventKind::kDeviceSync},
    {"cpu_instant_event", EventKind::kOther},
    {"Trace", EventKind::kOther},
    {"async", EventKind::kOther},
    {"async_cpu_to_gpu", EventKind::kOther},
    {"ac2g", EventKind::kOther},
    {"fwdbwd", EventKind::kOther},
    {"forward_backward", EventKind::kOther},
    {"", EventKind::kOther},
};

bool on_device(EventKind kind) {
  return kind == EventKind::kKernel || kind == EventKind::kCopy || kind == EventKind::kSet ||
         kind == EventKind::kDeviceRange || kind == EventKind::kDeviceSync;
}

std::optional<int64_t> integer_of(std::string_view text) {
  int64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  return error == std::errc() && end == text.data() + text.size() ? std::optional(value) : std::nullopt;
}

// Arrays and objects by their distinct texts: checked and freed of white space once each.
class JsonTexts {
 public:
  // The id in `strings` of `json` without white space; none where it is no JSON.
  std::optional<StringId> id_of(std::string_view json, StringTable& strings) {
    const StringId raw = raw_.intern(json);
    if (raw < known_.size()) {
      return known_[raw];
    }
    known_.push_back(checked(json, strings));
    return known_.back();
  }

 private:
  std::optional<StringId> checked(std::string_view json, StringTable& strings) {
    if (parser_.parse(json.data(), json.size()).error() != simdjson::SUCCESS) {
      return std::nullopt;
    }
    std::string minified(json.size() + simdjson::SIMDJSON_PADDING, '\0');
    size_t length = 0;
    if (simdjson::minify(json.data(), json.size(), minified.data(), length) != simdjson::SUCCESS) {
      return std::nullopt;
    }
    return strings.intern({minified.data(), length});
  }

  StringTable raw_;
  std::vector<std::optional<StringId>> known_ = {kEmptyString};  // by the id in raw_
  simdjson::dom::parser parser_;
};

struct TrackKey {
  StringId process = 0;
  StringId thread = 0;
  int64_t device = kNoId;
  int64_t stream = kNoId;
  int64_t rank = kNoId;
  friend bool operator==(const TrackKey&, const TrackKey&) = default;
};

struct TrackKeyHash {
  size_t operator()(const TrackKey& key) const {
    uint64_t hash = (uint64_t{key.process} << 32) | key.thread;
    for (const int64_t part : {key.device, key.stream, key.rank}) {
      hash = (std::rotl(hash, 21) ^ static_cast<uint64_t>(part)) * 0x9E3779B97F4A7C15;
    }
    return hash;
  }
};

class KinetoTable : public chrome::EventSink {
 public:
  explicit KinetoTable(std::string name) : name_(std::move(name)) {
    for (const CategoryKind& known : kCategories) {
      kinds_[table_.strings.intern(known.category)] = known.kind;
    }
    first_key_ = static_cast<StringId>(table_.strings.size());
    for (const std::string_view key : kKeyNames) {
      table_.strings.intern(key);
    }
  }

  bool take(const RawEvent& event) override;
  void take_metadata(std::string_view key, std::string_view json) override;
  EventTable finish();

 private:
  // Arguments that have a meaning here. No category has the name of one.
  enum Key : StringId { kCorrelation, kExternalId, kExternalId2021, kDevice, kStream, kRank, kName, kKeys };
  static constexpr std::array<std::string_view, kKeys> kKeyNames = {
      "correlation", "External id", "external id", "device", "stream", "rank", "name"};

  struct Known {
    std::array<int64_t, kKeys> integer;
    StringId name = kEmptyString;
  };

  bool take_arguments(const std::vector<RawArgument>& raw, Known& known);
  std::optional<Argument> argument_of(const RawArgument& raw);
  StringId key_of(std::string_view key);
  EventKind kind_of(StringId category);  // and remembers both
  uint32_t track_of(const RawEvent& event, EventKind kind, const Known& known);
  int64_t time_of(const RawValue& value, const RawEvent& event, bool& good);
  void take_slice_mark(const RawEvent& event, uint32_t track, int64_t time_ns, bool begins);
  void name_track(const RawEvent& event, const Known& known);
  void append(const RawEvent& event, EventShape shape, EventKind kind, int64_t start_ns, int64_t duration_ns,
              const Known& known);

  std::string name_;
  EventTable table_;
  JsonTexts json_;
  StringId first_key_;  // of kKeyNames, which follow one another
  std::unordered_map<StringId, EventKind> kinds_;
  StringId last_category_ = kEmptyString;
  EventKind last_kind_ = EventKind::kOther;
  std::vector<StringId> key_after_;  // by key: the one that followed it the last time
  StringId last_key_ = kEmptyString;
  std::vector<Argument> arguments_;  // of the event at hand
  std::unordered_map<TrackKey, uint32_t, TrackKeyHash> tracks_;
  TrackKey last_track_key_;
  uint32_t last_track_ = UINT32_MAX;
  std::map<uint32_t, std::vector<size_t>> open_;  // begins without their end yet, by track
  std::map<StringId, StringId> process_names_;
  std::map<std::pair<StringId, StringId>, StringId> thread_names_;
  std::optional<int64_t> file_rank_;
};

// Keys come in the same order again and again: the successor of the last time is tried before the table is asked.
StringId KinetoTable::key_of(std::string_view key) {
  if (last_key_ < key_after_.size()) {
    const StringId guess = key_after_[last_key_];
    if (table_.strings[guess] == key) {
      return last_key_ = guess;
    }
  }
  const StringId id = table_.strings.intern(key);
  if (last_key_ >= key_after_.size()) {
    key_after_.resize(last_key_ + 1, kEmptyString);
  }
  key_after_[last_key_] = id;
  return last_key_ = id;
}

std::optional<Argument> KinetoTable::argument_of(const RawArgument& raw) {
  Argument argument{key_of(raw.key), ArgumentType::kNull, 0};
  switch (raw.value.type) {
    case RawType::kNumber:
      if (const auto integer = integer_of(raw.value.text)) {
        argument.type = ArgumentType::kInteger;
        argument.bits = static_cast<uint64_t>(*integer);
      } else {
        double real = 0;
        std::from_chars(raw.value.text.data(), raw.value.text.data() + raw.value.text.size(), real);
        argument.type = ArgumentType::kReal;
        argument.bits = std::bit_cast<uint64_t>(real);
      }
      return argument;
    case RawType::kText:
      argument.type = ArgumentType::kText;
      argument.bits = table_.strings.intern(raw.value.text);
      return argument;
    case RawType::kJson: {
      const auto id = json_.id_of(raw.value.text, table_.strings);
      argument.type = ArgumentType::kJson;
      argument.bits = id.value_or(kEmptyString);
      return id ? std::optional(argument) : std::nullopt;
    }
    case RawType::kTrue:
      argument.type = ArgumentType::kTrue;
      return argument;
    case RawType::kFalse:
      argument.type = ArgumentType::kFalse;
      return argument;
    default:
      return argument;
  }
}

bool KinetoTable::take_arguments(const std::vector<RawArgument>& raw, Known& known) {
  for (const RawArgument& one : raw) {
    const auto argument = argument_of(one);
    if (!argument) {
      return false;
    }
    arguments_.push_back(*argument);
    const StringId known_key = argument->key - first_key_;
    if (known_key < kKeys && argument->type == ArgumentType::kInteger) {
      known.integer[known_key] = static_cast<int64_t>(argument->bits);
    } else if (known_key == kName && argument->type == ArgumentType::kText) {
      known.name = static_cast<StringId>(argument->bits);
    }
  }
  return true;
}

EventKind KinetoTable::kind_of(StringId category) {
  if (category == last_category_) {
    return last_kind_;
  }
  const auto found = kinds_.find(category);
  last_category_ = category;
  last_kind_ = found == kinds_.end() ? EventKind::kOther : found->second;
  return last_kind_;
}

uint32_t KinetoTable::track_of(const RawEvent& event, EventKind kind, const Known& known) {
  TrackKey key{table_.strings.intern(event.process.text), table_.strings.intern(event.thread.text), kNoId, kNoId,
               known.integer[kRank]};
  if (on_device(
          kind)) {  // where the arguments do not say, the format has the device as process and the stream as thread
    key.device =
        known.integer[kDevice] != kNoId ? known.integer[kDevice] : integer_of(event.process.text).value_or(kNoId);
    key.stream =
        known.integer[kStream] != kNoId ? known.integer[kStream] : integer_of(event.thread.text).value_or(kNoId);
  }
  if (last_track_ != UINT32_MAX && key == last_track_key_) {
    return last_track_;
  }
  const auto [found, added] = tracks_.try_emplace(key, static_cast<uint32_t>(table_.tracks.size()));
  if (added) {
    table_.tracks.push_back({key.process, key.thread, kEmptyString, kEmptyString, key.rank, key.device, key.stream});
  }
  last_track_key_ = key;
  last_track_ = found->second;
  return last_track_;
}

int64_t KinetoTable::time_of(const RawValue& value, const RawEvent& event, bool& good) {
  const chrome::Nanoseconds time =
      value.type == RawType::kNumber ? chrome::nanoseconds_of_microseconds(value.text) : chrome::Nanoseconds{};
  const auto where = [&] {
    return fmt::format("{}: byte {}: \"{}\"", name_, event.offset, std::string(value.text.substr(0, 40)));
  };
  if (time.state == chrome::DecimalState::kCut) {
    table_.losses.add(Loss::kSubNanosecond, where);
  } else if (time.state == chrome::DecimalState::kOutOfRange) {
    table_.losses.add(Loss::kTimeRange, where);
    good = false;
  } else if (time.state == chrome::DecimalState::kNoNumber) {
    table_.losses.add(Loss::kNoTime, where);
    good = false;
  }
  return time.value;
}

void KinetoTable::append(const RawEvent& event, EventShape shape, EventKind kind, int64_t start_ns, int64_t duration_ns,
                         const Known& known) {
  const int64_t external =
      known.integer[kExternalId] != kNoId ? known.integer[kExternalId] : known.integer[kExternalId2021];
  const bool flow = shape == EventShape::kFlowStart || shape == EventShape::kFlowStep || shape == EventShape::kFlowEnd;
  table_.start_ns.push_back(start_ns);
  table_.duration_ns.push_back(duration_ns);
  table_.correlation.push_back(flow ? integer_of(event.id.text).value_or(kNoId) : known.integer[kCorrelation]);
  table_.external_id.push_back(external);
  table_.name.push_back(table_.strings.intern(event.name.text));
  table_.category.push_back(last_category_);
  table_.track.push_back(track_of(event, kind, known));
  table_.kind.push_back(kind);
  table_.shape.push_back(shape);
  for (const Argument& argument : arguments_) {
    table_.arguments.add(argument);
  }
  table_.arguments.end_event();
}

void KinetoTable::name_track(const RawEvent& event, const Known& known) {
  const StringId process = table_.strings.intern(event.process.text);
  if (event.name.text == "process_name") {
    process_names_[process] = known.name;
  } else if (event.name.text == "thread_name") {
    thread_names_[{process, table_.strings.intern(event.thread.text)}] = known.name;
  }
}

// A slice written as two marks: its row is that of the begin, whose duration the end brings.
void KinetoTable::take_slice_mark(const RawEvent& event, uint32_t track, int64_t time_ns, bool begins) {
  std::vector<size_t>& open = open_[track];
  if (begins) {
    open.push_back(table_.size() - 1);
  } else if (open.empty()) {
    table_.losses.add(Loss::kUnmatchedBegin,
                      [&] { return fmt::format("{}: byte {}: an end without its begin", name_, event.offset); });
  } else {
    table_.duration_ns[open.back()] = time_ns - table_.start_ns[open.back()];
    open.pop_back();
  }
}

bool KinetoTable::take(const RawEvent& event) {
  Known known;
  known.integer.fill(kNoId);
  arguments_.clear();
  last_key_ = kEmptyString;
  if (!take_arguments(event.arguments, known) || !take_arguments(event.others, known)) {
    return false;
  }
  if (event.duplicate_key) {
    table_.losses.add(Loss::kDuplicateKey, [&] { return fmt::format("{}: byte {}", name_, event.offset); });
  }
  const EventKind kind = kind_of(table_.strings.intern(event.category.text));
  const char phase = event.phase.type == RawType::kText && event.phase.text.size() == 1 ? event.phase.text[0] : '?';
  if (phase == 'M') {
    name_track(event, known);
    append(event, EventShape::kMetadata, EventKind::kOther, 0, 0, known);
    return true;
  }
  bool good = true;
  const int64_t start_ns = time_of(event.time, event, good);
  int64_t duration_ns = phase == 'X' && good ? time_of(event.duration, event, good) : 0;
  if (!good) {
    return true;
  }
  if (kinds_.find(last_category_) == kinds_.end()) {
    table_.losses.add(Loss::kUnknownCategory,
                      [&] { return fmt::format("{}: byte {}: \"{}\"", name_, event.offset, event.category.text); });
  }
  const auto where = [&] { return fmt::format("{}: byte {}", name_, event.offset); };
  if (duration_ns < 0) {
    table_.losses.add(Loss::kNegativeDuration, where);
    duration_ns = 0;
  } else if (duration_ns == 0 && phase == 'X' && on_device(kind)) {
    table_.losses.add(Loss::kZeroDuration, where);
  }
  int64_t end_ns = 0;
  if (__builtin_add_overflow(start_ns, duration_ns, &end_ns)) {
    table_.losses.add(Loss::kTimeRange, where);
    return true;
  }
  switch (phase) {
    case 'X':
      append(event, EventShape::kSlice, kind, start_ns, duration_ns, known);
      break;
    case 'B':
      append(event, EventShape::kSlice, kind, start_ns, 0, known);
      take_slice_mark(event, table_.track.back(), start_ns, true);
      break;
    case 'E':
      take_slice_mark(event, track_of(event, kind, known), start_ns, false);
      break;
    case 'i':
    case 'I':
      append(event, EventShape::kInstant, kind, start_ns, 0, known);
      break;
    case 'C':
      append(event, EventShape::kCounter, kind, start_ns, 0, known);
      break;
    case 's':
      append(event, EventShape::kFlowStart, EventKind::kOther, start_ns, 0, known);
      break;
    case 't':
      append(event, EventShape::kFlowStep, EventKind::kOther, start_ns, 0, known);
      break;
    case 'f':
      append(event, EventShape::kFlowEnd, EventKind::kOther, start_ns, 0, known);
      break;
    default:
      append(event, EventShape::kInstant, kind, start_ns, 0, known);
      table_.losses.add(Loss::kUnknownPhase,
                        [&] { return fmt::format("{}: byte {}: \"{}\"", name_, event.offset, event.phase.text); });
  }
  return true;
}

void KinetoTable::take_metadata(std::string_view key, std::string_view json) {
  simdjson::dom::parser parser;
  simdjson::dom::element root;
  if (parser.parse(json.data(), json.size()).get(root) != simdjson::SUCCESS) {
    table_.losses.add(Loss::kMalformedEvent, [&] { return fmt::format("{}: \"{}\" is no JSON", name_, key); });
    return;
  }
  int64_t rank = 0;
  if (key == "distributedInfo" && root["rank"].get(rank) == simdjson::SUCCESS) {
    file_rank_ = rank;
  }
  table_.metadata.emplace_back(table_.strings.intern(key), table_.strings.intern(json));
}

EventTable KinetoTable::finish() {
  for (const auto& [track, open] : open_) {
    if (!open.empty()) {
      table_.losses.add(Loss::kUnmatchedBegin, open.size());
    }
  }
  for (Track& track : table_.tracks) {
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
  return std::move(table_);
}

}  // namespace

bool is_kineto(std::string_view head) {
  const auto first = head.find_first_not_of(" \t\r\n");
  if (first == std::string_view::npos) {
    return false;
  }
  const auto second = head.find_first_not_of(" \t\r\n", first + 1);
  const char next = second == std::string_view::npos ? '\0' : head[second];
  return (head[first] == '{' && (next == '"' || next == '}')) || (head[first] == '[' && (next == '{' || next == ']'));
}

Result<EventTable> read_kineto(ByteSource& source, const std::string& name) {
  KinetoTable table(name);
  LossTable reading;
  AACO_TRY(chrome::read_events(source, name, table, reading));
  EventTable events = table.finish();
  events.losses.add_all(reading);
  const std::vector<LossTable::Entry> lost = events.losses.entries();
  if (events.size() == 0 && !lost.empty()) {
    return Error{
        ErrorKind::kUsage,
        fmt::format("{}: holds no event of a trace ({}: {})", name, loss_info(lost[0].loss).name, lost[0].example),
        "name a trace in Chrome's JSON format, as PyTorch's profiler writes it"};
  }
  return events;
}

}  // namespace aaco

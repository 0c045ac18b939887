// SPDX-License-Identifier: MIT
#include "record/journal/event_journal.h"

#include <algorithm>
#include <cstring>
#include <utility>

#include "base/json/json.h"
#include "record/journal/record_words.h"

namespace aaco {

namespace {

constexpr const char* kRows = "events";
constexpr uint64_t kHasDeviceTime = uint64_t{1} << 8;

Error damaged(const std::filesystem::path& path) {
  return {ErrorKind::kUsage, path.string() + ": a record that no journal of events has",
          "the file is damaged, or was not written by this version of aaco"};
}

bool is_text(ArgumentType type) { return type == ArgumentType::kText || type == ArgumentType::kJson; }

}  // namespace

Result<EventJournalWriter> EventJournalWriter::create(const std::filesystem::path& path) {
  AACO_ASSIGN(JournalWriter journal, JournalWriter::create(path, sizeof(Record), Json{{"rows", kRows}}));
  return EventJournalWriter(std::move(journal));
}

StringId EventJournalWriter::intern(std::string_view text) {
  const size_t known = texts_.size();
  const StringId number = texts_.intern(text);
  if (number < known) {
    return number;
  }
  for (std::string_view rest = text;;) {
    const std::string_view piece = rest.substr(0, kTextBytes);
    rest.remove_prefix(piece.size());
    Record record{kText | (rest.empty() ? 0 : kMoreText) | piece.size() << 16};
    std::memcpy(&record[1], piece.data(), piece.size());
    journal_.append(record);
    if (rest.empty()) {
      return number;
    }
  }
}

uint32_t EventJournalWriter::add_recording(const TraceRecording& recording) {
  const StringId name = intern(recording.name);
  const StringId format = intern(recording.format);
  journal_.append(Record{kRecording, pair_of(name, format)});
  return recordings_++;
}

uint32_t EventJournalWriter::add_track(const Track& track) {
  journal_.append(Record{kTrack | uint64_t{track.recording} << 32, pair_of(track.process, track.thread),
                         pair_of(track.process_name, track.thread_name), static_cast<uint64_t>(track.rank),
                         static_cast<uint64_t>(track.device), static_cast<uint64_t>(track.stream)});
  return tracks_++;
}

void EventJournalWriter::add_metadata(const TraceMetadata& metadata) {
  journal_.append(Record{kMetadata | uint64_t{metadata.recording} << 32, pair_of(metadata.key, metadata.value)});
}

void EventJournalWriter::add_loss(const LossTable::Entry& loss) {
  const StringId name = intern(loss_info(loss.loss).name);
  const StringId example = intern(loss.example);
  journal_.append(Record{kLoss | (loss.device_time_ns ? kHasDeviceTime : 0), loss.count, pair_of(name, example),
                         static_cast<uint64_t>(loss.device_time_ns.value_or(0))});
}

// They lie before their event, which is what makes them count: a kill in between leaves no event with half of them.
bool EventJournalWriter::add_arguments(std::span<const Argument> event_arguments) {
  for (size_t first = 0; first < event_arguments.size(); first += kArgumentsEach) {
    const auto part = event_arguments.subspan(first, std::min(kArgumentsEach, event_arguments.size() - first));
    Record record{kArguments | part.size() << 8};
    std::array<uint32_t, kArgumentsEach> keys{};
    for (size_t i = 0; i < part.size(); ++i) {
      record[0] |= uint64_t{static_cast<uint8_t>(part[i].type)} << (16 + 8 * i);
      keys[i] = part[i].key;
      record[3 + i] = part[i].bits;
    }
    record[1] = pair_of(keys[0], keys[1]);
    record[2] = keys[2];
    if (!journal_.append(record)) {
      return false;
    }
  }
  return true;
}

void EventJournalWriter::add_all(const EventTable& events) {
  std::vector<StringId> texts;
  texts.reserve(events.strings.size());
  for (StringId text = 0; text < events.strings.size(); ++text) {
    texts.push_back(intern(events.strings[text]));
  }
  std::vector<uint32_t> recordings;
  for (const TraceRecording& recording : events.recordings) {
    recordings.push_back(add_recording(recording));
  }
  std::vector<uint32_t> tracks;
  for (Track track : events.tracks) {
    for (StringId* const text : {&track.process, &track.thread, &track.process_name, &track.thread_name}) {
      *text = texts[*text];
    }
    track.recording = recordings[track.recording];
    tracks.push_back(add_track(track));
  }
  for (const TraceMetadata& metadata : events.metadata) {
    add_metadata({recordings[metadata.recording], texts[metadata.key], texts[metadata.value]});
  }
  std::vector<Argument> event_arguments;
  for (size_t i = 0; i < events.size(); ++i) {
    event_arguments.clear();
    for (size_t at = events.arguments.begin(i); at < events.arguments.end(i); ++at) {
      Argument argument = events.arguments[at];
      argument.key = texts[argument.key];
      argument.bits = is_text(argument.type) ? texts[argument.bits] : argument.bits;
      event_arguments.push_back(argument);
    }
    if (!add({events.start_ns[i], events.duration_ns[i], events.correlation[i], events.external_id[i],
              texts[events.name[i]], texts[events.category[i]], tracks[events.track[i]], events.kind[i],
              events.shape[i]},
             event_arguments)) {
      return;  // close() says why
    }
  }
  for (const LossTable::Entry& loss : events.losses.entries()) {
    add_loss(loss);
  }
}

Result<EventRecords> EventRecords::open(const std::filesystem::path& path) {
  AACO_ASSIGN(JournalReader journal, JournalReader::open(path));
  if (journal.row_bytes() != sizeof(Record) || !journal.description()->is_object() ||
      journal.description()->value("rows", Json()) != kRows) {
    return Error{ErrorKind::kUsage, path.string() + ": no journal of events", "name another file"};
  }
  return EventRecords(std::move(journal));
}

Result<std::span<const EventRecords::Record>> EventRecords::next() {
  rows_.clear();
  AACO_ASSIGN(const size_t count, journal_.read(rows_));
  records_.resize(count);
  if (count > 0) {
    std::memcpy(records_.data(), rows_.data(), count * sizeof(Record));
  }
  return std::span<const Record>(records_);
}

Result<EventJournalReader> EventJournalReader::open(const std::filesystem::path& path) {
  AACO_ASSIGN(EventRecords records, EventRecords::open(path));
  return EventJournalReader(std::move(records), path);
}

Result<void> EventJournalReader::read(EventTable& events) {
  if (texts_.empty()) {
    texts_.push_back(kEmptyString);
  }
  for (;;) {
    AACO_ASSIGN(const std::span<const Record> records, records_.next());
    if (records.empty()) {
      return {};
    }
    for (const Record& record : records) {
      if (!take(record, events)) {
        return damaged(path_);
      }
    }
  }
}

bool EventJournalReader::take(const Record& record, EventTable& events) {
  const uint8_t kind = byte_of(record[0], 0);
  if (!text_.empty() && kind != EventJournalWriter::kText) {
    return false;
  }
  switch (kind) {
    case EventJournalWriter::kText:
      return take_text(record, events);
    case EventJournalWriter::kRecording:
      return take_recording(record, events);
    case EventJournalWriter::kTrack:
      return take_track(record, events);
    case EventJournalWriter::kMetadata:
      return take_metadata(record, events);
    case EventJournalWriter::kLoss:
      return take_loss(record, events);
    case EventJournalWriter::kArguments:
      return take_arguments(record);
    case EventJournalWriter::kEvent:
      return take_event(record, events);
    default:
      return false;
  }
}

bool EventJournalReader::take_text(const Record& record, EventTable& events) {
  const uint64_t size = record[0] >> 16;
  if (size == 0 || size > EventJournalWriter::kTextBytes) {
    return false;
  }
  text_.append(reinterpret_cast<const char*>(&record[1]), size);
  if ((record[0] & EventJournalWriter::kMoreText) == 0) {
    texts_.push_back(events.strings.intern(text_));
    text_.clear();
  }
  return true;
}

bool EventJournalReader::take_recording(const Record& record, EventTable& events) {
  const uint32_t name = low_half(record[1]);
  const uint32_t format = high_half(record[1]);
  if (!has_text(name) || !has_text(format)) {
    return false;
  }
  recordings_.push_back(static_cast<uint32_t>(events.recordings.size()));
  events.recordings.push_back({std::string(events.strings[texts_[name]]), std::string(events.strings[texts_[format]])});
  return true;
}

bool EventJournalReader::take_track(const Record& record, EventTable& events) {
  const uint32_t texts[] = {low_half(record[1]), high_half(record[1]), low_half(record[2]), high_half(record[2])};
  if (high_half(record[0]) >= recordings_.size() ||
      !std::all_of(std::begin(texts), std::end(texts), [&](uint32_t text) { return has_text(text); })) {
    return false;
  }
  tracks_.push_back(static_cast<uint32_t>(events.tracks.size()));
  events.tracks.push_back({texts_[texts[0]], texts_[texts[1]], texts_[texts[2]], texts_[texts[3]],
                           static_cast<int64_t>(record[3]), static_cast<int64_t>(record[4]),
                           static_cast<int64_t>(record[5]), recordings_[high_half(record[0])]});
  return true;
}

bool EventJournalReader::take_metadata(const Record& record, EventTable& events) {
  if (high_half(record[0]) >= recordings_.size() || !has_text(low_half(record[1])) || !has_text(high_half(record[1]))) {
    return false;
  }
  events.metadata.push_back(
      {recordings_[high_half(record[0])], texts_[low_half(record[1])], texts_[high_half(record[1])]});
  return true;
}

bool EventJournalReader::take_loss(const Record& record, EventTable& events) {
  if (record[1] == 0 || !has_text(low_half(record[2])) || !has_text(high_half(record[2]))) {
    return false;
  }
  const std::optional<Loss> loss = find_loss(events.strings[texts_[low_half(record[2])]]);
  if (!loss) {
    return false;
  }
  const std::string example(events.strings[texts_[high_half(record[2])]]);
  if (!example.empty()) {
    events.losses.add(*loss, [&] { return example; });
  }
  events.losses.add(*loss, record[1] - (example.empty() ? 0 : 1));
  if ((record[0] & kHasDeviceTime) != 0) {
    events.losses.add_device_time(*loss, static_cast<int64_t>(record[3]));
  }
  return true;
}

bool EventJournalReader::take_arguments(const Record& record) {
  const size_t count = byte_of(record[0], 1);
  const uint32_t keys[] = {low_half(record[1]), high_half(record[1]), low_half(record[2])};
  if (count == 0 || count > EventJournalWriter::kArgumentsEach) {
    return false;
  }
  for (size_t i = 0; i < count; ++i) {
    const uint8_t type = byte_of(record[0], static_cast<int>(2 + i));
    if (!has_text(keys[i]) || type > static_cast<uint8_t>(ArgumentType::kNull)) {
      return false;
    }
    Argument argument{texts_[keys[i]], static_cast<ArgumentType>(type), record[3 + i]};
    if (is_text(argument.type)) {
      if (!has_text(argument.bits)) {
        return false;
      }
      argument.bits = texts_[argument.bits];
    }
    arguments_.push_back(argument);
  }
  return true;
}

bool EventJournalReader::take_event(const Record& record, EventTable& events) {
  const uint8_t kind = byte_of(record[0], 1);
  const uint8_t shape = byte_of(record[0], 2);
  const uint32_t track = high_half(record[0]);
  const uint32_t name = low_half(record[5]);
  const uint32_t category = high_half(record[5]);
  if (kind > static_cast<uint8_t>(EventKind::kOther) || shape > static_cast<uint8_t>(EventShape::kUntimed) ||
      track >= tracks_.size() || !has_text(name) || !has_text(category)) {
    return false;
  }
  events.add({static_cast<int64_t>(record[1]), static_cast<int64_t>(record[2]), static_cast<int64_t>(record[3]),
              static_cast<int64_t>(record[4]), texts_[name], texts_[category], tracks_[track],
              static_cast<EventKind>(kind), static_cast<EventShape>(shape)},
             arguments_);
  arguments_.clear();
  return true;
}

Result<void> write_event_journal(const std::filesystem::path& path, const EventTable& events) {
  AACO_ASSIGN(EventJournalWriter writer, EventJournalWriter::create(path));
  writer.add_all(events);
  return writer.close();
}

Result<EventTable> read_event_journal(const std::filesystem::path& path, bool* torn) {
  AACO_ASSIGN(EventJournalReader reader, EventJournalReader::open(path));
  EventTable events;
  AACO_TRY(reader.read(events));
  if (torn != nullptr) {
    AACO_ASSIGN(*torn, reader.torn());
  }
  return events;
}

}  // namespace aaco

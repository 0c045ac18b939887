// SPDX-License-Identifier: MIT
#include "export/perfetto/packets.h"

#include <bit>
#include <utility>

#include "base/json/json.h"
#include "base/text/utf8.h"

namespace aaco::perfetto {

namespace {

// Numbers of fields in protos/perfetto/trace.
constexpr uint32_t kPacket = 1;
constexpr uint32_t kTimestamp = 8;
constexpr uint32_t kSequence = 10;
constexpr uint32_t kTrackEvent = 11;
constexpr uint32_t kInternedData = 12;
constexpr uint32_t kSequenceFlags = 13;
constexpr uint32_t kTrackDescriptor = 60;

constexpr uint64_t kThisSequence = 1;
constexpr uint64_t kCleared = 1;
constexpr uint64_t kNeedsState = 2;

constexpr size_t kLongestText = size_t{1} << 24;  // readers take packets of 64 MiB

}  // namespace

void Packets::packet(const Message& fields) {
  Message framed;
  framed.message(kPacket, fields);
  file_.append(framed.bytes());
}

void Packets::begin_sequence() {
  fields_.clear();
  fields_.number(kSequence, kThisSequence);
  fields_.number(kSequenceFlags, kCleared);
  packet(fields_);
}

void Packets::descriptor(const Message& track) {
  fields_.clear();
  fields_.number(kSequence, kThisSequence);
  fields_.message(kTrackDescriptor, track);
  packet(fields_);
}

// Of a text that was not seen before.
std::string_view Packets::readable(StringId id) {
  std::string_view text = strings_[id];
  if (text.size() > kLongestText) {
    ++cut_;
    text = text.substr(0, kLongestText);
  }
  if (is_utf8(text)) {
    return text;
  }
  ++mended_;
  mended_text_ = as_utf8(text);
  return mended_text_;
}

uint64_t Packets::intern(Table table, StringId id) {
  constexpr uint32_t kFields[] = {2, 3, 29};
  const uint64_t number = uint64_t{id} + 1;  // 0 is none
  const auto bit = static_cast<uint8_t>(1U << static_cast<unsigned>(table));
  if ((written_[id] & bit) == 0) {
    written_[id] |= bit;
    Message entry;
    entry.number(1, number);
    entry.text(2, readable(id));
    interned_.message(kFields[static_cast<size_t>(table)], entry);
  }
  return number;
}

bool Packets::is_json(StringId id) {
  if (jsons_[id] == Json::kUnseen) {
    const bool good = strings_[id].size() <= kLongestText && aaco::Json::accept(strings_[id]);
    jsons_[id] = good ? Json::kGood : Json::kBad;
  }
  return jsons_[id] == Json::kGood;
}

void Packets::begin_event(EventType type, uint64_t track) {
  event_.clear();
  event_.number(9, static_cast<uint64_t>(type));
  event_.number(11, track);
}

void Packets::name(StringId name) {
  if (name != kEmptyString) {
    event_.number(10, intern(Table::kName, name));
  }
}

void Packets::category(std::string_view category) {
  if (!category.empty()) {
    event_.text(22, is_utf8(category) ? category : std::string_view(mended_text_ = as_utf8(category)));
  }
}

void Packets::set_value(const Argument& argument) {
  const auto id = static_cast<StringId>(argument.bits);
  switch (argument.type) {
    case ArgumentType::kInteger:
      return annotation_.number(4, argument.bits);
    case ArgumentType::kReal:
      return annotation_.fixed(5, argument.bits);
    case ArgumentType::kJson:
      if (is_json(id)) {
        return annotation_.text(9, strings_[id]);
      }
      [[fallthrough]];
    case ArgumentType::kText:
      return annotation_.number(17, intern(Table::kText, id));
    case ArgumentType::kTrue:
    case ArgumentType::kFalse:
      return annotation_.number(2, argument.type == ArgumentType::kTrue ? 1 : 0);
    case ArgumentType::kNull:
      return;
  }
}

void Packets::annotation(std::string_view prefix, const Argument& argument, std::string_view suffix) {
  annotation_.clear();
  if (prefix.empty() && suffix.empty()) {
    annotation_.number(1, intern(Table::kKey, argument.key));
  } else {
    annotation_.text(10, as_utf8(std::string(prefix).append(strings_[argument.key]).append(suffix)));
  }
  set_value(argument);
  event_.message(4, annotation_);
}

void Packets::annotation(std::string_view name, int64_t value) {
  annotation_.clear();
  annotation_.text(10, name);
  annotation_.number(4, static_cast<uint64_t>(value));
  event_.message(4, annotation_);
}

void Packets::annotation(std::string_view name, StringId text) {
  annotation_.clear();
  annotation_.text(10, name);
  set_value({kEmptyString, ArgumentType::kText, text});
  event_.message(4, annotation_);
}

void Packets::json_annotation(std::string_view name, std::string_view json) {
  annotation_.clear();
  annotation_.text(10, as_utf8(name));
  annotation_.text(aaco::Json::accept(json) ? 9 : 6, as_utf8(json.substr(0, kLongestText)));
  event_.message(4, annotation_);
}

void Packets::value(const Argument& number) {
  if (number.type == ArgumentType::kInteger) {
    event_.number(30, number.bits);
  } else {
    event_.fixed(44, number.bits);
  }
}

void Packets::end_event(int64_t time_ns) {
  if (!interned_.bytes().empty()) {
    fields_.clear();
    fields_.number(kSequence, kThisSequence);
    fields_.number(kSequenceFlags, kNeedsState);
    fields_.message(kInternedData, interned_);
    packet(fields_);
    interned_.clear();
  }
  fields_.clear();
  fields_.number(kTimestamp, static_cast<uint64_t>(time_ns));
  fields_.number(kSequence, kThisSequence);
  fields_.number(kSequenceFlags, kNeedsState);
  fields_.message(kTrackEvent, event_);
  packet(fields_);
}

}  // namespace aaco::perfetto

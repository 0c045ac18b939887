// SPDX-License-Identifier: MIT
#include "export/chrome/arguments.h"

#include <algorithm>
#include <string>

#include "analysis/timeline/lookup/event_arguments.h"
#include "export/flow_marks.h"

namespace aaco::chrome {

namespace {

constexpr std::string_view kMemberPrefix = "event.";

}  // namespace

bool ArgumentWriter::named_as_member(StringId key) {
  Place& place = places_[key];
  if (place == Place::kUnseen) {
    place = events_.strings[key].starts_with(kMemberPrefix) ? Place::kMember : Place::kArgument;
  }
  return place == Place::kMember;
}

// What the writer of the event says itself is no member; and names that have another place.
bool ArgumentWriter::is_member(size_t event, StringId key) const {
  const EventShape shape = events_.shape[event];
  const std::string_view name = events_.strings[key].substr(kMemberPrefix.size());
  if (name == "ts") {
    return shape == EventShape::kMetadata;
  }
  if (name == "dur") {
    return shape != EventShape::kSlice;
  }
  if (name == "id") {
    return !is_flow(shape) || events_.correlation[event] == kNoId;
  }
  constexpr std::string_view kElsewhere[] = {"", "ph", "name", "cat", "pid", "tid", "args"};
  return std::find(std::begin(kElsewhere), std::end(kElsewhere), name) == std::end(kElsewhere);
}

std::string_view ArgumentWriter::member(size_t event, std::string_view name) const {
  const auto text = text_argument(events_, event, std::string(kMemberPrefix).append(name));
  return text ? events_.strings[*text] : std::string_view();
}

std::string_view ArgumentWriter::phase(size_t event) const {
  const std::string_view own = member(event, "ph");
  const auto among = [&](std::string_view phases) { return own.size() == 1 && phases.find(own) != phases.npos; };
  switch (events_.shape[event]) {
    case EventShape::kSlice:
      return "X";
    case EventShape::kCounter:
      return "C";
    case EventShape::kFlowStart:
      return "s";
    case EventShape::kFlowStep:
      return "t";
    case EventShape::kFlowEnd:
      return "f";
    case EventShape::kMetadata:
      return "M";
    case EventShape::kAsync:
      return among("bne") ? own : "n";
    default:
      return among("IR") ? own : "i";
  }
}

void ArgumentWriter::key(std::string_view prefix, StringId key, std::string_view suffix) {
  json_.raw(first_ ? "" : ",");
  first_ = false;
  if (prefix.empty() && suffix.empty()) {
    json_.text(key);
  } else {
    json_.text(std::string(prefix).append(events_.strings[key]).append(suffix));
  }
  json_.raw(":");
}

void ArgumentWriter::key(std::string_view name) {
  json_.raw(first_ ? "\"" : ",\"");
  first_ = false;
  json_.raw(name);
  json_.raw("\":");
}

void ArgumentWriter::argument(size_t event, const Argument& argument) {
  if (named_as_member(argument.key)) {
    if (is_member(event, argument.key)) {
      has_members_ = true;
      return;
    }
    if (events_.strings[argument.key] == "event.ph" && argument.type == ArgumentType::kText &&
        events_.text_of(argument) == phase(event)) {
      return;
    }
  }
  key(ids_.says_otherwise(argument) ? IdArguments::kOtherName : "", argument.key, "");
  json_.value(argument);
}

void ArgumentWriter::end_argument(size_t event, const Argument& argument) {
  const bool there = events_.arguments.find(event, argument.key).has_value();
  key(ids_.is_id(argument.key) ? IdArguments::kOtherName : "", argument.key, there ? " (end)" : "");
  json_.value(argument);
}

void ArgumentWriter::members(size_t event) {
  for (size_t i = events_.arguments.begin(event); i < events_.arguments.end(event); ++i) {
    const Argument argument = events_.arguments[i];
    if (named_as_member(argument.key) && is_member(event, argument.key)) {
      json_.raw(",");
      json_.text(events_.strings[argument.key].substr(kMemberPrefix.size()));
      json_.raw(":");
      json_.value(argument);
    }
  }
}

void ArgumentWriter::write(size_t event, const Categories::Category& category, std::optional<uint64_t> end) {
  ids_.begin(event);
  first_ = true;
  has_members_ = false;
  json_.raw(",\"args\":{");
  for (size_t i = events_.arguments.begin(event); i < events_.arguments.end(event); ++i) {
    argument(event, events_.arguments[i]);
  }
  for (size_t i = end ? events_.arguments.begin(*end) : 0; end && i < events_.arguments.end(*end); ++i) {
    end_argument(event, events_.arguments[i]);
  }
  ids_.add_missing([&](std::string_view name, int64_t value) {
    key(name);
    json_.integer(value);
  });
  if (category.changed && events_.category[event] != kEmptyString) {
    key("source category");
    json_.text(events_.category[event]);
  }
  json_.raw("}");
  if (has_members_) {
    members(event);
  }
}

}  // namespace aaco::chrome

// SPDX-License-Identifier: MIT
#include "analysis/timeline/communication/collective_arguments.h"

#include <algorithm>
#include <charconv>
#include <optional>
#include <string_view>
#include <utility>

namespace aaco {

namespace {

enum Meaning : uint8_t {
  kUnseen,
  kNothing,
  kName,
  kGroup,
  kGroupRanks,
  kElement,
  kGroupSize,
  kInElements,
  kOutElements,
  kSequence,
  kCommunicator
};

constexpr std::pair<std::string_view, Meaning> kKeys[] = {
    {"Collective name", kName},           {"Process Group Name", kGroup},
    {"Process Group Ranks", kGroupRanks}, {"dtype", kElement},
    {"Group size", kGroupSize},           {"In msg nelems", kInElements},
    {"Out msg nelems", kOutElements},     {"Seq", kSequence},
    {"comm id", kCommunicator},           {"comm_id", kCommunicator},
    {"commHash", kCommunicator},          {"Communicator ID", kCommunicator}};

bool is_text(const Argument& argument) {
  return argument.type == ArgumentType::kText || argument.type == ArgumentType::kJson;
}

// A number may stand in quotation marks.
std::optional<int64_t> integer_of(const EventTable& events, const Argument& argument) {
  if (argument.type == ArgumentType::kInteger) {
    return static_cast<int64_t>(argument.bits);
  }
  if (!is_text(argument)) {
    return std::nullopt;
  }
  const std::string_view text = events.text_of(argument);
  int64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  return error == std::errc() && end == text.data() + text.size() ? std::optional(value) : std::nullopt;
}

void set_text(const Argument& argument, StringId& member) {
  member = is_text(argument) ? static_cast<StringId>(argument.bits) : member;
}

void set_integer(const EventTable& events, const Argument& argument, int64_t& member) {
  member = integer_of(events, argument).value_or(member);
}

}  // namespace

uint8_t CollectiveArguments::meaning_of(StringId key) {
  uint8_t& meaning = meanings_[key];
  if (meaning == kUnseen) {
    const auto* const position = std::find_if(std::begin(kKeys), std::end(kKeys),
                                              [&](const auto& known) { return known.first == events_.strings[key]; });
    meaning = position == std::end(kKeys) ? kNothing : position->second;
  }
  return meaning;
}

KernelCollective CollectiveArguments::collective(size_t event) {
  meanings_.resize(events_.strings.size(), kUnseen);
  KernelCollective recorded;
  CollectiveKind& kind = recorded.kind;
  kind.name = events_.name[event];
  for (size_t i = events_.arguments.begin(event); i < events_.arguments.end(event); ++i) {
    const Argument argument = events_.arguments[i];
    switch (static_cast<Meaning>(meaning_of(argument.key))) {
      case kUnseen:
      case kNothing:
        break;
      case kName:
        set_text(argument, kind.name);
        break;
      case kGroup:
        set_text(argument, kind.group);
        break;
      case kGroupRanks:
        set_text(argument, kind.group_ranks);
        break;
      case kElement:
        set_text(argument, kind.element);
        break;
      case kGroupSize:
        set_integer(events_, argument, kind.group_size);
        break;
      case kInElements:
        set_integer(events_, argument, kind.in_elements);
        break;
      case kOutElements:
        set_integer(events_, argument, kind.out_elements);
        break;
      case kSequence:
        set_integer(events_, argument, recorded.sequence);
        break;
      case kCommunicator:
        if (argument.type == ArgumentType::kInteger || is_text(argument)) {
          kind.communicator = static_cast<int64_t>(argument.bits);
        }
        break;
    }
  }
  recorded.sequence = recorded.sequence < 0 ? operators_.sequence(event) : recorded.sequence;
  return recorded;
}

}  // namespace aaco

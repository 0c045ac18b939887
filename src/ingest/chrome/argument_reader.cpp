// SPDX-License-Identifier: MIT
#include "ingest/chrome/argument_reader.h"

#include <bit>
#include <charconv>
#include <fmt/format.h>
#include <simdjson.h>

namespace aaco::chrome {

std::optional<int64_t> integer_of(std::string_view text) {
  int64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  return error == std::errc() && end == text.data() + text.size() ? std::optional(value) : std::nullopt;
}

ArgumentReader::Known& ArgumentReader::known_of(const RawArgument& raw) {
  if (raw.slot >= known_.size()) {
    known_.resize(raw.slot + 1);
  }
  Known& known = known_[raw.slot];
  if (known.key == kEmptyString || raw.slot == kNoSlot) {
    known = {text_of(raw.key), kEmptyString, kEmptyString};
  }
  return known;
}

StringId ArgumentReader::text_of(std::string_view text) {
  const size_t known = table_.strings.size();
  const StringId id = table_.strings.intern(text);
  if (id == known && !simdjson::validate_utf8(text.data(), text.size())) {
    table_.losses.add(Loss::kNotUtf8, [&] { return fmt::format("{}: {} bytes", name_, text.size()); });
  }
  return id;
}

// An integer or a real number that is exactly the text's; digits that neither holds stay a text.
Argument ArgumentReader::number_of(Argument argument, const RawValue& value) {
  const std::string_view text = value.text;
  if (const auto integer = integer_of(value)) {
    argument.type = ArgumentType::kInteger;
    argument.bits = static_cast<uint64_t>(*integer);
    return argument;
  }
  double real = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), real);
  if (error == std::errc() && text.find_first_of(".eE") != std::string_view::npos) {
    argument.type = ArgumentType::kReal;
    argument.bits = std::bit_cast<uint64_t>(real);
  } else {
    argument.type = ArgumentType::kText;
    argument.bits = text_of(text);
  }
  return argument;
}

std::optional<Argument> ArgumentReader::read(const RawArgument& raw) {
  const RawValue& value = raw.value;
  Known& known = known_of(raw);
  Argument argument{known.key, ArgumentType::kNull, 0};
  switch (value.type) {
    case RawType::kNumber:
      return number_of(argument, value);
    case RawType::kText:
      argument.type = ArgumentType::kText;
      known.text = table_.strings[known.text] == value.text ? known.text : text_of(value.text);
      argument.bits = known.text;
      return argument;
    case RawType::kJson: {
      const auto text = json_.text_of(value.text, known.json, table_.strings);
      if (!text) {
        return std::nullopt;
      }
      argument.type = text->checked ? ArgumentType::kJson : ArgumentType::kText;
      argument.bits = text->id;
      if (!text->checked) {
        table_.losses.add(Loss::kTooLong, [&] { return fmt::format("{}: \"{}\"", name_, raw.key); });
      }
      return argument;
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

}  // namespace aaco::chrome

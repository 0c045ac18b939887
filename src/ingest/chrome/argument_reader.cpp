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

// Keys come in the same order again and again: the successor of the last time is tried before the table is asked.
StringId ArgumentReader::key_of(std::string_view key) {
  if (last_key_ < key_after_.size()) {
    const StringId guess = key_after_[last_key_];
    if (table_.strings[guess] == key) {
      return last_key_ = guess;
    }
  }
  const StringId id = text_of(key);
  if (last_key_ >= key_after_.size()) {
    key_after_.resize(last_key_ + 1, kEmptyString);
  }
  key_after_[last_key_] = id;
  return last_key_ = id;
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
Argument ArgumentReader::number_of(Argument argument, std::string_view text) {
  if (const auto integer = integer_of(text)) {
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

std::optional<Argument> ArgumentReader::read(std::string_view key, const RawValue& value) {
  Argument argument{key_of(key), ArgumentType::kNull, 0};
  switch (value.type) {
    case RawType::kNumber:
      return number_of(argument, value.text);
    case RawType::kText:
      argument.type = ArgumentType::kText;
      argument.bits = text_of(value.text);
      return argument;
    case RawType::kJson: {
      const auto text = json_.text_of(value.text, table_.strings);
      if (!text) {
        return std::nullopt;
      }
      argument.type = text->checked ? ArgumentType::kJson : ArgumentType::kText;
      argument.bits = text->id;
      if (!text->checked) {
        table_.losses.add(Loss::kTooLong, [&] { return fmt::format("{}: \"{}\"", name_, key); });
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

// SPDX-License-Identifier: MIT
#include "ingest/chrome/argument_reader.h"

#include <array>
#include <bit>
#include <charconv>
#include <fmt/format.h>

namespace aaco::chrome {

namespace {

// Where digits and power of ten are doubles exactly, their quotient is rounded once, as the text's value is (Clinger,
// How to read floating point numbers accurately, 1990). A zero may be negative, which the digits do not say.
std::optional<double> quotient_of(const RawValue& value) {
  constexpr std::array<double, 16> kTens = {1e0, 1e1, 1e2,  1e3,  1e4,  1e5,  1e6,  1e7,
                                            1e8, 1e9, 1e10, 1e11, 1e12, 1e13, 1e14, 1e15};
  constexpr int64_t kMost = int64_t{1} << 53;
  if (value.decimals >= kTens.size() || value.digits > kMost || value.digits < -kMost || value.digits == 0) {
    return std::nullopt;
  }
  return static_cast<double>(value.digits) / kTens[value.decimals];
}

}  // namespace

std::optional<int64_t> integer_of(std::string_view text) {
  int64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  return error == std::errc() && end == text.data() + text.size() ? std::optional(value) : std::nullopt;
}

ArgumentReader::KeyCache& ArgumentReader::cache_of(const RawArgument& raw) {
  if (raw.slot >= known_.size()) {
    known_.resize(raw.slot + 1);
  }
  KeyCache& known = known_[raw.slot];
  if (known.key == kEmptyString || raw.slot == kNoSlot) {
    known = {text_of(raw.key), kEmptyString, kEmptyString};
  }
  return known;
}

// An integer or a real number that is exactly the text's; digits that neither holds stay a text.
void ArgumentReader::read_number(const RawValue& value, Argument& into) {
  if (value.is_integer()) {
    into.type = ArgumentType::kInteger;
    into.bits = static_cast<uint64_t>(value.digits);
    return;
  }
  const std::string_view text = value.text;
  if (const auto integer = integer_of(text)) {
    into.type = ArgumentType::kInteger;
    into.bits = static_cast<uint64_t>(*integer);
    return;
  }
  if (const auto quotient = quotient_of(value)) {
    into.type = ArgumentType::kReal;
    into.bits = std::bit_cast<uint64_t>(*quotient);
    return;
  }
  double real = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), real);
  if (error == std::errc() && text.find_first_of(".eE") != std::string_view::npos) {
    into.type = ArgumentType::kReal;
    into.bits = std::bit_cast<uint64_t>(real);
  } else {
    into.type = ArgumentType::kText;
    into.bits = text_of(text);
  }
}

bool ArgumentReader::read_any(const RawArgument& raw, Argument& into) {
  const RawValue& value = raw.value;
  KeyCache& known = cache_of(raw);
  into.key = known.key;
  into.bits = 0;
  switch (value.type) {
    case RawType::kNumber:
      read_number(value, into);
      return true;
    case RawType::kText:
      into.type = ArgumentType::kText;
      known.text = table_.strings[known.text] == value.text ? known.text : text_of(value.text);
      into.bits = known.text;
      return true;
    case RawType::kJson: {
      const auto text = json_.text_of(value.text, known.json, table_.strings);
      if (!text) {
        return false;
      }
      into.type = text->unread ? ArgumentType::kText : ArgumentType::kJson;
      into.bits = text->id;
      for (const auto& loss : {text->unread, text->bytes}) {
        if (loss) {
          table_.losses.add(*loss, [&] { return fmt::format("{}: \"{}\"", name_, raw.key); });
        }
      }
      return true;
    }
    case RawType::kTrue:
      into.type = ArgumentType::kTrue;
      return true;
    case RawType::kFalse:
      into.type = ArgumentType::kFalse;
      return true;
    default:
      into.type = ArgumentType::kNull;
      return true;
  }
}

}  // namespace aaco::chrome

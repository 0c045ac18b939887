// SPDX-License-Identifier: MIT
#include "export/json_writer.h"

#include <algorithm>
#include <bit>
#include <charconv>
#include <cmath>
#include <fmt/format.h>

#include "base/json/json_text.h"
#include "base/text/utf8.h"

namespace aaco {

namespace {

constexpr size_t kLongestNumber = 32;

bool is_plain(std::string_view text) {
  return std::all_of(text.begin(), text.end(), [](char c) { return c >= ' ' && c <= '~' && c != '"' && c != '\\'; });
}

void escape(char c, std::string& into) {
  constexpr std::string_view kLetters = "btn?fr";  // of 8 to 13, without 11
  const auto byte = static_cast<unsigned char>(c);
  if (c == '"' || c == '\\') {
    into += '\\';
    into += c;
  } else if (byte >= 8 && byte <= 13 && byte != 11) {
    into += '\\';
    into += kLetters[byte - 8U];
  } else if (byte < 0x20) {
    into += fmt::format("\\u{:04x}", byte);
  } else {
    into += c;
  }
}

}  // namespace

void JsonWriter::text(std::string_view text) {
  if (is_plain(text)) {
    raw("\"");
    raw(text);
    raw("\"");
    return;
  }
  escaped_ = '"';
  while (!text.empty()) {
    if (static_cast<unsigned char>(text.front()) < 0x80) {
      escape(text.front(), escaped_);
      text.remove_prefix(1);
      continue;
    }
    const size_t bytes = utf8_character(text);
    if (bytes == 0) {
      escaped_ += escaped_bytes(text.substr(0, 1));
    } else {
      escaped_ += text.substr(0, bytes);
    }
    text.remove_prefix(std::max<size_t>(bytes, 1));
  }
  escaped_ += '"';
  raw(escaped_);
}

void JsonWriter::odd_text(StringId id) {
  const std::string_view content = strings_[id];
  if (texts_[id] == Text::kUnseen) {
    texts_[id] = is_plain(content) ? Text::kPlain : Text::kEscaped;
    mended_ += is_utf8(content) ? 0 : 1;
  }
  text(content);
}

void JsonWriter::json(StringId id) {
  const std::string_view content = strings_[id];
  if (jsons_[id] == Json::kUnseen) {
    jsons_[id] = is_json_text(content) ? Json::kGood : Json::kBad;
  }
  if (jsons_[id] == Json::kGood) {
    raw(content);
  } else {
    text(id);
  }
}

void JsonWriter::integer(int64_t value) {
  char* const room = file_.room(kLongestNumber);
  file_.advance(static_cast<size_t>(std::to_chars(room, room + kLongestNumber, value).ptr - room));
}

// Times of a layout are not negative.
void JsonWriter::microseconds(int64_t ns) {
  char* const room = file_.room(kLongestNumber);
  char* end = std::to_chars(room, room + kLongestNumber, ns / 1000).ptr;
  const auto thousandths = static_cast<int>(ns % 1000);
  *end++ = '.';
  *end++ = static_cast<char>('0' + thousandths / 100);
  *end++ = static_cast<char>('0' + thousandths / 10 % 10);
  *end++ = static_cast<char>('0' + thousandths % 10);
  file_.advance(static_cast<size_t>(end - room));
}

// The shortest digits that mean this number, with a point or an exponent, so that it is read as real again.
void JsonWriter::real(double value) {
  if (!std::isfinite(value)) {
    ++no_numbers_;
    raw(std::isnan(value) ? "\"NaN\"" : value > 0 ? "\"Infinity\"" : "\"-Infinity\"");
    return;
  }
  char* const room = file_.room(kLongestNumber);
  char* end = std::to_chars(room, room + kLongestNumber, value).ptr;
  if (std::string_view(room, static_cast<size_t>(end - room)).find_first_of(".e") == std::string_view::npos) {
    *end++ = '.';
    *end++ = '0';
  }
  file_.advance(static_cast<size_t>(end - room));
}

void JsonWriter::value(const Argument& argument) {
  switch (argument.type) {
    case ArgumentType::kInteger:
      return integer(static_cast<int64_t>(argument.bits));
    case ArgumentType::kReal:
      return real(std::bit_cast<double>(argument.bits));
    case ArgumentType::kText:
      return text(static_cast<StringId>(argument.bits));
    case ArgumentType::kJson:
      return json(static_cast<StringId>(argument.bits));
    case ArgumentType::kTrue:
      return raw("true");
    case ArgumentType::kFalse:
      return raw("false");
    case ArgumentType::kNull:
      return raw("null");
  }
}

}  // namespace aaco

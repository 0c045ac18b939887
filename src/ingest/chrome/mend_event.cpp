// SPDX-License-Identifier: MIT
#include "ingest/chrome/mend_event.h"

#include <algorithm>
#include <new>
#include <optional>
#include <string_view>

#include "base/text/utf8.h"
#include "ingest/chrome/members.h"

namespace aaco::chrome {

namespace {

constexpr std::ptrdiff_t kMostQuoted = 4096;  // of a text with quotes in it, in bytes
constexpr std::ptrdiff_t kNearKeys = 1024;    // an event has its "ph" within so many bytes

Place next_of(Place p, Place end, char wanted) { return std::find(p, end, wanted); }

// Whether what follows a quote makes it the closing one; nothing where the text ends before that is known.
std::optional<bool> closes(Place quote, Place end, TextPlace place, bool at_end) {
  constexpr std::string_view kBehindComma = "\"{[}],-IN";  // a member, an element, a comma too many
  const auto undecided = [&] { return at_end ? std::optional(false) : std::nullopt; };
  Place next = skip_space(quote + 1);
  if (next >= end) {
    return undecided();
  }
  if (*next == ':' || place == TextPlace::kKey) {
    return *next == ':' && place != TextPlace::kValue;
  }
  if (*next != ',') {
    return *next == '}' || *next == ']';
  }
  next = skip_space(next + 1);
  if (next >= end) {
    return undecided();
  }
  return kBehindComma.find(*next) != std::string_view::npos || is_digit(*next) || (*next >= 'a' && *next <= 'z');
}

// The first quote behind no backslash that escapes it.
Place strict_quote(Place p, Place end) {
  for (; p < end; ++p) {
    if (*p == '"') {
      return p;
    }
    p += *p == '\\' ? 1 : 0;
  }
  return nullptr;
}

std::string_view between(Place first, Place last) { return {first, static_cast<size_t>(last - first)}; }

}  // namespace

Place end_of_text(Place p, Place end, TextPlace place, bool at_end, bool& as_written) {
  const Place first = p + 1;
  const Place strict = strict_quote(first, end);
  if (strict == nullptr && !at_end) {
    return nullptr;
  }
  const auto strict_closes = strict == nullptr ? std::optional(false) : closes(strict, end, place, at_end);
  if (!strict_closes) {
    return nullptr;
  }
  if (*strict_closes) {
    return strict + 1;
  }
  // A backslash before the closing quote, which is then the first that something closing follows.
  const Place last = strict == nullptr ? end : strict;
  for (Place quote = next_of(first, last, '"'); quote < last; quote = next_of(quote + 1, last, '"')) {
    if (closes(quote, end, place, at_end).value_or(false)) {
      as_written = true;
      return quote + 1;
    }
  }
  if (strict == nullptr) {
    return nullptr;
  }
  // Quotes within the text, up to the first that can be a key's.
  const Place far = std::min(end, strict + kMostQuoted);
  for (Place quote = next_of(strict + 1, far, '"'); quote < far; quote = next_of(quote + 1, far, '"')) {
    const auto closing = closes(quote, end, place, at_end);
    if (!closing || *skip_space(quote + 1) == ':') {
      break;
    }
    if (*closing) {
      as_written = true;
      return quote + 1;
    }
  }
  return strict + 1;
}

Place find_event(Place p, Place end) {
  constexpr std::string_view kPhase = "\"ph\"";
  for (Place comma = next_of(p, end, ','); comma < end; comma = next_of(comma + 1, end, ',')) {
    const Place start = skip_space(comma + 1);
    if (start < end && *start == '{' &&
        between(start, std::min(end, start + kNearKeys)).find(kPhase) != std::string_view::npos) {
      return start;
    }
  }
  return nullptr;
}

bool EventMender::cut() {
  failure_ = MendState::kNeedsMore;
  return false;
}

bool EventMender::at_space_end() {
  at_ = skip_space(at_);
  return at_ >= end_;
}

void EventMender::lose(std::string_view key, bool is_arguments, std::string_view text) {
  damaged_ = true;
  event_->unread.push_back({key, text, is_arguments});
}

// JSON's escapes resolved; the text as it stands there where one of them is none, or bytes are not UTF-8.
std::string_view EventMender::unescaped(std::string_view text, bool as_written) {
  std::string& own = texts_.emplace_back(utf8_of_bytes(text));
  event_->not_utf8 = event_->not_utf8 || own != text;
  if (as_written) {
    return own;
  }
  std::string_view content;
  const simdjson::error_code error = parser_.parse("\"" + own + "\"").get(content);
  if (error == simdjson::MEMALLOC) {
    throw std::bad_alloc();
  }
  if (error == simdjson::SUCCESS) {
    own = std::string(content);
  } else {
    damaged_ = true;
  }
  return own;
}

// The text at the opening quote.
bool EventMender::read_text(TextPlace place, std::string_view& text) {
  bool as_written = false;
  const Place first = at_ + 1;
  const Place behind = end_of_text(at_, end_, place, at_end_, as_written);
  if (behind == nullptr) {
    return cut();
  }
  damaged_ = damaged_ || as_written;
  text = between(first, behind - 1);
  const bool plain = std::all_of(text.begin(), text.end(), [](char c) { return c >= ' ' && c != '\\'; });  // ASCII
  text = plain ? text : unescaped(text, as_written);
  at_ = behind;
  return true;
}

// To behind the closing bracket; what lies between is checked by who keeps it.
bool EventMender::skip_container() {
  int64_t depth = 0;
  while (at_ < end_) {
    const char c = *at_;
    if (c == '"') {
      bool as_written = false;
      at_ = end_of_text(at_, end_, TextPlace::kEither, at_end_, as_written);
      if (at_ == nullptr) {
        return cut();
      }
      damaged_ = damaged_ || as_written;
      continue;
    }
    ++at_;
    depth += c == '[' || c == '{' ? 1 : c == ']' || c == '}' ? -1 : 0;
    if (depth == 0) {
      return true;
    }
  }
  return cut();
}

// What is no value, up to the comma or bracket behind it: "tensor([1, 2])" as a whole.
std::string_view EventMender::take_junk() {
  const Place first = at_;
  int depth = 0;
  for (; at_ < end_; ++at_) {
    if (depth == 0 && (*at_ == ',' || *at_ == '}' || *at_ == ']' || *at_ == '"')) {
      break;
    }
    depth += *at_ == '(' || *at_ == '[' ? 1 : *at_ == ')' || *at_ == ']' ? -1 : 0;
  }
  Place last = at_;
  while (last > first && static_cast<unsigned char>(last[-1]) <= ' ') {
    --last;
  }
  return between(first, last);
}

void EventMender::put(std::string_view key, bool is_arguments, const RawValue& value) {
  RawValue RawEvent::* const place = is_arguments ? nullptr : member_of(key);
  if (place == nullptr) {
    (is_arguments ? event_->arguments : event_->others).push_back({key, value});
    return;
  }
  RawValue& member = event_->*place;
  event_->duplicate_key = event_->duplicate_key || member.type != RawType::kAbsent;
  member = value;
}

bool EventMender::read_value(std::string_view key, bool is_arguments) {
  const Place first = at_;
  if (*at_ == '"') {
    RawValue value;
    if (!read_text(TextPlace::kValue, value.text)) {
      return false;
    }
    value.type = RawType::kText;
    put(key, is_arguments, value);
    return true;
  }
  if (*at_ == '{' && !is_arguments && key == "args") {
    event_->duplicate_key = event_->duplicate_key || !event_->arguments.empty();
    event_->arguments.clear();
    return read_object(true);
  }
  if (*at_ == '{' || *at_ == '[') {
    if (!skip_container()) {
      return false;
    }
    put(key, is_arguments, {RawType::kJson, between(first, at_)});
    return true;
  }
  const std::string_view text = take_junk();
  if (at_ >= end_) {
    return cut();
  }
  RawValue value(RawType::kNumber, text);
  if (text == "true" || text == "false" || text == "null") {
    value = {text == "true" ? RawType::kTrue : text == "false" ? RawType::kFalse : RawType::kNull, {}};
  } else if (!is_number(text)) {
    lose(key, is_arguments, text);
    return true;
  }
  put(key, is_arguments, value);
  return true;
}

// A key and the colon behind it; quotes may be missing around a name.
bool EventMender::read_key(std::string_view& key) {
  if (*at_ == '"') {
    if (!read_text(TextPlace::kKey, key)) {
      return false;
    }
  } else {
    const Place first = at_;
    at_ = std::find_if(at_, end_, [](char c) {
      return !(is_digit(c) || c == '_' || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'));
    });
    key = between(first, at_);
    damaged_ = true;
  }
  if (at_space_end()) {
    return cut();
  }
  if (key.empty() || *at_ != ':') {
    return false;
  }
  ++at_;
  return at_space_end() ? cut() : true;
}

// At {. Where its } is missing the next event begins, and this one ends.
bool EventMender::read_object(bool is_arguments) {
  ++at_;
  bool has_member = false;
  Place comma = nullptr;  // behind the last member
  for (;;) {
    if (at_space_end()) {
      return cut();
    }
    if (*at_ == '}') {
      damaged_ = damaged_ || comma != nullptr;
      ++at_;
      return true;
    }
    if (*at_ == ',') {
      damaged_ = damaged_ || comma != nullptr || !has_member;
      comma = at_++;
      continue;
    }
    if ((*at_ == '{' && comma != nullptr) || *at_ == ']') {
      damaged_ = event_closed_ = true;
      at_ = comma == nullptr ? at_ : comma;
      return true;
    }
    damaged_ = damaged_ || (has_member && comma == nullptr);
    std::string_view key;
    if (!read_key(key) || !read_value(key, is_arguments)) {
      return false;
    }
    if (event_closed_) {
      return true;
    }
    has_member = true;
    comma = nullptr;
  }
}

MendState EventMender::mend(Place p, Place end, bool at_end, RawEvent& event, Place& behind) {
  event.clear();
  texts_.clear();
  at_ = p;
  end_ = end;
  at_end_ = at_end;
  damaged_ = event_closed_ = false;
  failure_ = MendState::kNoEvent;
  event_ = &event;
  if (read_object(false)) {
    event.mended = true;
    behind = at_;
    return MendState::kMended;
  }
  const bool too_long = damaged_ && static_cast<size_t>(end - p) > kLongest;
  return failure_ == MendState::kNeedsMore && !at_end && !too_long ? MendState::kNeedsMore : MendState::kNoEvent;
}

}  // namespace aaco::chrome

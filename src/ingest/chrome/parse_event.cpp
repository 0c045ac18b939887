// SPDX-License-Identifier: MIT
#include "ingest/chrome/parse_event.h"

#include <new>
#include <string_view>
#include <utility>

#include "base/text/utf8.h"
#include "ingest/chrome/members.h"

namespace aaco::chrome {

namespace {

namespace od = simdjson::ondemand;

// simdjson's raw texts reach to the next token.
std::string_view without_space_behind(std::string_view text) {
  while (!text.empty() && static_cast<unsigned char>(text.back()) <= ' ') {
    text.remove_suffix(1);
  }
  return text;
}

template <class Container>
bool take_json(simdjson::simdjson_result<Container> result, RawValue& out) {
  Container container;
  std::string_view json;
  if (std::move(result).get(container) != simdjson::SUCCESS || container.raw_json().get(json) != simdjson::SUCCESS) {
    return false;
  }
  out = {RawType::kJson, without_space_behind(json)};
  return true;
}

bool take_number(od::value value, RawValue& out) {
  out = {RawType::kNumber, without_space_behind(value.raw_json_token())};
  return is_number(out.text);
}

bool take(od::value value, RawValue& out) {
  od::json_type type = od::json_type::null;
  if (value.type().get(type) != simdjson::SUCCESS) {
    return false;
  }
  switch (type) {
    case od::json_type::number:
      return take_number(value, out);
    case od::json_type::string:
      out.type = RawType::kText;
      return value.get_string().get(out.text) == simdjson::SUCCESS;
    case od::json_type::boolean: {
      bool truth = false;
      if (value.get_bool().get(truth) != simdjson::SUCCESS) {
        return false;
      }
      out = {truth ? RawType::kTrue : RawType::kFalse, {}};
      return true;
    }
    case od::json_type::null: {
      bool null = false;
      out = {RawType::kNull, {}};
      return value.is_null().get(null) == simdjson::SUCCESS && null;
    }
    case od::json_type::array:
      return take_json(value.get_array(), out);
    case od::json_type::object:
      return take_json(value.get_object(), out);
    default:
      return false;
  }
}

template <class Take>
bool each_member(od::object object, Take take_member) {
  for (auto field : object) {
    std::string_view key;
    od::value value;
    if (field.unescaped_key().get(key) != simdjson::SUCCESS || field.value().get(value) != simdjson::SUCCESS ||
        !take_member(key, value)) {
      return false;
    }
  }
  return true;
}

bool is_object(od::value& value) {
  od::json_type type = od::json_type::null;
  return value.type().get(type) == simdjson::SUCCESS && type == od::json_type::object;
}

}  // namespace

bool EventParser::parse(Place p, Place end, RawEvent& event) {
  const std::string_view text(p, static_cast<size_t>(end - p));
  if (simdjson::validate_utf8(text.data(), text.size())) {
    return parse_utf8(text, event);
  }
  mended_ = utf8_of_bytes(text);
  const size_t size = mended_.size();
  mended_.append(kPadding, '\0');
  const bool read = parse_utf8({mended_.data(), size}, event);
  event.not_utf8 = true;
  return read;
}

bool EventParser::parse_utf8(std::string_view text, RawEvent& event) {
  event.clear();
  od::document document;
  od::object object;
  const simdjson::padded_string_view padded(text.data(), text.size(), text.size() + kPadding);
  const simdjson::error_code error = parser_.iterate(padded).get(document);
  if (error == simdjson::MEMALLOC) {
    throw std::bad_alloc();
  }
  if (error != simdjson::SUCCESS || document.get_object().get(object) != simdjson::SUCCESS) {
    return false;
  }
  const bool read = each_member(object, [&](std::string_view key, od::value value) {
    if (RawValue RawEvent::* const place = member_of(key)) {
      RawValue& member = event.*place;
      event.duplicate_key = event.duplicate_key || member.type != RawType::kAbsent;
      return take(value, member);
    }
    if (key == "args" && is_object(value)) {
      event.duplicate_key = event.duplicate_key || !event.arguments.empty();
      event.arguments.clear();
      od::object arguments;
      return value.get_object().get(arguments) == simdjson::SUCCESS &&
             each_member(arguments, [&](std::string_view name, od::value argument) {
               return take(argument, event.arguments.emplace_back(RawArgument{name, {}}).value);
             });
    }
    return take(value, event.others.emplace_back(RawArgument{key, {}}).value);
  });
  const char* behind = nullptr;
  return read && document.current_location().get(behind) == simdjson::OUT_OF_BOUNDS;  // nothing follows
}

}  // namespace aaco::chrome

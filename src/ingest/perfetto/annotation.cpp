// SPDX-License-Identifier: MIT
#include "ingest/perfetto/annotation.h"

#include <bit>
#include <fmt/format.h>
#include <nlohmann/json.hpp>
#include <optional>
#include <utility>

#include "ingest/bytes/utf8_texts.h"
#include "ingest/perfetto/wire.h"

namespace aaco::perfetto {

namespace {

using nlohmann::json;

constexpr int kDeepest = 32;  // what lies further down is null

enum Field : uint8_t {
  kNameId = 1,
  kBool = 2,
  kUnsigned = 3,
  kSigned = 4,
  kReal = 5,
  kText = 6,
  kPointer = 7,
  kNested = 8,
  kJson = 9,
  kName = 10,
  kEntries = 11,
  kElements = 12,
  kTextId = 17
};

// The NestedValue message of old traces.
json nested_of(std::string_view message, int depth) {
  json value;
  std::vector<std::string> keys;
  size_t values = 0;
  WireReader fields(message);
  for (WireField field; depth < kDeepest && fields.next(field);) {
    switch (field.number) {
      case 2:
        keys.emplace_back(field.bytes);
        break;
      case 3:
        if (value.is_null() || value.is_object()) {
          value[values < keys.size() ? keys[values] : std::to_string(values)] = nested_of(field.bytes, depth + 1);
          ++values;
        }
        break;
      case 4:
        if (value.is_null() || value.is_array()) {
          value.push_back(nested_of(field.bytes, depth + 1));
        }
        break;
      case 5:
        value = field.as_signed();
        break;
      case 6:
        value = field.as_double();
        break;
      case 7:
        value = field.value != 0;
        break;
      case 8:
        value = std::string(field.bytes);
        break;
      default:
        break;
    }
  }
  return value;
}

}  // namespace

StringId Annotations::text_of(std::string_view text) { return intern_utf8(table_, text, file_); }

StringId Annotations::interned(const Sequence& sequence, InternedField table, uint64_t id) {
  const auto& texts = sequence.texts[static_cast<size_t>(table)];
  const auto text = texts.find(id);
  if (text != texts.end()) {
    return text->second;
  }
  table_.losses.add(Loss::kUnknownName, [&] { return fmt::format("{}: interned text {}", file_, id); });
  return text_of(fmt::format("text {}", id));
}

namespace {

class Reader {
 public:
  Reader(Annotations& texts, const StringTable& strings, const Sequence& sequence)
      : texts_(texts), strings_(strings), sequence_(sequence) {}

  StringId name_of(std::string_view message) {
    StringId name = kEmptyString;
    WireReader fields(message);
    for (WireField field; fields.next(field);) {
      if (field.number == kNameId) {
        name = texts_.interned(sequence_, InternedField::kAnnotationName, field.value);
      } else if (field.number == kName) {
        name = texts_.text_of(field.bytes);
      }
    }
    return name;
  }

  // Of a dictionary's entry or an array's element.
  json json_of(std::string_view message, int depth) {
    json value;
    WireReader fields(message);
    for (WireField field; depth < kDeepest && fields.next(field);) {
      if (field.number == kEntries && (value.is_null() || value.is_object())) {
        value[std::string(strings_[name_of(field.bytes)])] = json_of(field.bytes, depth + 1);
      } else if (field.number == kElements && (value.is_null() || value.is_array())) {
        value.push_back(json_of(field.bytes, depth + 1));
      } else if (const auto plain = plain_of(field)) {
        value = *plain;
      }
    }
    return value;
  }

  std::optional<json> plain_of(const WireField& field) {
    switch (field.number) {
      case kBool:
        return json(field.value != 0);
      case kUnsigned:
        return json(field.value);
      case kSigned:
        return json(field.as_signed());
      case kReal:
        return json(field.as_double());
      case kText:
      case kJson:
        return json(std::string(field.bytes));
      case kPointer:
        return json(fmt::format("{:#x}", field.value));
      case kTextId:
        return json(std::string(strings_[texts_.interned(sequence_, InternedField::kText, field.value)]));
      case kNested:
        return nested_of(field.bytes, 0);
      default:
        return std::nullopt;
    }
  }

 private:
  Annotations& texts_;
  const StringTable& strings_;
  const Sequence& sequence_;
};

std::string dump(const json& value) { return value.dump(-1, ' ', false, json::error_handler_t::replace); }

// Where the whole value is JSON as a text.
std::optional<std::string_view> json_text(std::string_view message) {
  std::optional<std::string_view> text;
  WireReader fields(message);
  for (WireField field; fields.next(field);) {
    if (field.number != kNameId && field.number != kName) {
      text = field.number == kJson ? std::optional(field.bytes) : std::nullopt;
    }
  }
  const bool composed = text && (text->starts_with('{') || text->starts_with('['));
  return composed && json::accept(*text) ? text : std::nullopt;
}

}  // namespace

void Annotations::read(std::string_view message, const Sequence& sequence, std::vector<Argument>& into) {
  Reader reader(*this, table_.strings, sequence);
  Argument argument{reader.name_of(message), ArgumentType::kNull, 0};
  if (const auto text = json_text(message)) {
    argument.type = ArgumentType::kJson;
    argument.bits = text_of(*text);
    into.push_back(argument);
    return;
  }
  const json value = reader.json_of(message, 0);
  const auto set = [&](ArgumentType type, uint64_t bits) {
    argument.type = type;
    argument.bits = bits;
  };
  if (value.is_boolean()) {
    set(value.get<bool>() ? ArgumentType::kTrue : ArgumentType::kFalse, 0);
  } else if (value.is_number_unsigned() && value.get<uint64_t>() > INT64_MAX) {
    set(ArgumentType::kText, text_of(dump(value)));
  } else if (value.is_number_integer()) {
    set(ArgumentType::kInteger, value.get<uint64_t>());
  } else if (value.is_number_float()) {
    set(ArgumentType::kReal, std::bit_cast<uint64_t>(value.get<double>()));
  } else if (value.is_string()) {
    set(ArgumentType::kText, text_of(value.get_ref<const std::string&>()));
  } else if (!value.is_null()) {
    set(ArgumentType::kJson, text_of(dump(value)));
  }
  into.push_back(argument);
}

}  // namespace aaco::perfetto

// SPDX-License-Identifier: MIT
#include "base/json/json_value.h"

#include <utility>

#include "base/json/json.h"

namespace aaco {

JsonValue::JsonValue() : JsonValue(Json()) {}
JsonValue::JsonValue(Json value) : value_(std::make_unique<Json>(std::move(value))) {}
JsonValue::JsonValue(const JsonValue& other) : JsonValue(*other) {}
JsonValue::JsonValue(JsonValue&& other) noexcept = default;
JsonValue& JsonValue::operator=(const JsonValue& other) { return *this = JsonValue(other); }
JsonValue& JsonValue::operator=(JsonValue&& other) noexcept = default;
JsonValue::~JsonValue() = default;

void from_json(const Json& json, JsonValue& value) { value = json; }

}  // namespace aaco

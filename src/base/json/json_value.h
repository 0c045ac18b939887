// SPDX-License-Identifier: MIT
// A JSON value as a member of a struct, in headers that include json_fwd.h alone: its type is not complete there.
#pragma once

#include <memory>

#include "base/json/json_fwd.h"

namespace aaco {

// Null until one is assigned. Moved from, it may only be assigned or destroyed.
class JsonValue {
 public:
  JsonValue();
  JsonValue(Json value);
  JsonValue(const JsonValue& other);
  JsonValue(JsonValue&& other) noexcept;
  JsonValue& operator=(const JsonValue& other);
  JsonValue& operator=(JsonValue&& other) noexcept;
  ~JsonValue();

  Json& operator*() { return *value_; }
  const Json& operator*() const { return *value_; }
  Json* operator->() { return value_.get(); }
  const Json* operator->() const { return value_.get(); }
  operator const Json&() const { return *value_; }

 private:
  std::unique_ptr<Json> value_;
};

void from_json(const Json& json, JsonValue& value);

}  // namespace aaco

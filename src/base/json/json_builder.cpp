// SPDX-License-Identifier: MIT
#include "base/json/json_builder.h"

#include <algorithm>
#include <map>
#include <string_view>
#include <utility>

namespace aaco {

namespace {

// Which members have the same key; most objects are small, and most keys distinct.
bool has_equal_keys(const Json::object_t& members) {
  std::vector<std::string_view> keys;
  keys.reserve(members.size());
  for (const auto& [key, value] : members) {
    keys.emplace_back(key);
  }
  std::sort(keys.begin(), keys.end());
  return std::adjacent_find(keys.begin(), keys.end()) != keys.end();
}

}  // namespace

void keep_distinct_keys(Json::object_t& members) {
  if (members.size() < 2 || !has_equal_keys(members)) {
    return;
  }
  Json::object_t distinct;
  std::map<std::string, size_t, std::less<>> places;
  for (auto& [key, value] : members) {
    const auto [place, added] = places.try_emplace(key, distinct.size());
    if (added) {
      distinct.emplace_back(key, std::move(value));
    } else {
      distinct.begin()[static_cast<std::ptrdiff_t>(place->second)].second = std::move(value);
    }
  }
  members = std::move(distinct);
}

bool JsonBuilder::key(std::string& name) {
  levels_.back().key = std::move(name);
  return true;
}

bool JsonBuilder::add(Json value) {
  if (levels_.empty()) {
    root_ = std::move(value);
  } else if (Level& level = levels_.back(); level.value.is_array()) {
    level.value.push_back(std::move(value));
  } else {
    level.value.get_ref<Json::object_t&>().emplace_back(std::move(level.key), std::move(value));
  }
  return true;
}

bool JsonBuilder::open(Json value) {
  is_too_deep_ = levels_.size() >= max_depth_;
  levels_.push_back({std::move(value), ""});
  return !is_too_deep_;
}

bool JsonBuilder::end_object() {
  keep_distinct_keys(levels_.back().value.get_ref<Json::object_t&>());
  return close();
}

bool JsonBuilder::close() {
  Json value = std::move(levels_.back().value);
  levels_.pop_back();
  return add(std::move(value));
}

bool JsonBuilder::parse_error(size_t byte, const std::string& /*token*/, const nlohmann::json::exception& error) {
  constexpr int kOutOfRange = 406;  // 1e400 is well-formed and yet no double
  is_out_of_range_ = error.id == kOutOfRange;
  error_byte_ = byte;
  return false;
}

}  // namespace aaco

// SPDX-License-Identifier: MIT
// Values out of a parser's events, in linear time: nlohmann's ordered object looks through all its members for each new
// key, so that a damaged document of a megabyte would take seconds, and one of 64 MiB hours.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "base/json/json.h"

namespace aaco {

// Of a key that is there several times, the last value stays, where the first one was.
void keep_distinct_keys(Json::object_t& members);

// Handler of Json::sax_parse().
class JsonBuilder {
 public:
  explicit JsonBuilder(size_t max_depth) : max_depth_(max_depth) {}

  Json take_root() { return std::move(root_); }
  bool is_too_deep() const { return is_too_deep_; }
  std::optional<size_t> error_byte() const { return error_byte_; }   // where the text is no JSON
  bool has_number_out_of_range() const { return is_out_of_range_; }  // which is well-formed

  bool null() { return add(nullptr); }
  bool boolean(bool value) { return add(value); }
  bool number_integer(int64_t value) { return add(value); }
  bool number_unsigned(uint64_t value) { return add(value); }
  bool number_float(double value, const std::string& /*text*/) { return add(value); }
  bool string(std::string& value) { return add(std::move(value)); }
  bool binary(Json::binary_t& /*value*/) { return false; }  // not of JSON's text
  bool start_object(size_t /*members*/) { return open(Json::object()); }
  bool key(std::string& name);
  bool end_object();
  bool start_array(size_t /*elements*/) { return open(Json::array()); }
  bool end_array() { return close(); }
  bool parse_error(size_t byte, const std::string& token, const nlohmann::json::exception& error);

 private:
  struct Level {
    Json value;
    std::string key;  // of the next member
  };

  bool add(Json value);
  bool open(Json value);
  bool close();

  size_t max_depth_;
  std::vector<Level> levels_;  // that are open
  Json root_;
  bool is_too_deep_ = false;
  bool is_out_of_range_ = false;
  std::optional<size_t> error_byte_;
};

}  // namespace aaco

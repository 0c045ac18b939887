// SPDX-License-Identifier: MIT
#include "kernel_metadata.h"

#include <limits>
#include <nlohmann/json.hpp>

namespace aaco::amd {
namespace {

using nlohmann::json;

Error damaged(const std::string& what) {
  return {ErrorKind::kUsage, "a code object's metadata is damaged: " + what, "build the HIP module anew"};
}

// The library reads nested values by recursion: what is too deep for the stack is refused before.
class ShallowValues : public nlohmann::json_sax<json> {
 public:
  bool null() override { return true; }
  bool boolean(bool /*value*/) override { return true; }
  bool number_integer(json::number_integer_t /*value*/) override { return true; }
  bool number_unsigned(json::number_unsigned_t /*value*/) override { return true; }
  bool number_float(json::number_float_t /*value*/, const json::string_t& /*text*/) override { return true; }
  bool string(json::string_t& /*text*/) override { return true; }
  bool binary(json::binary_t& /*bytes*/) override { return true; }
  bool start_object(std::size_t /*size*/) override { return ++depth_ <= kDeepest; }
  bool key(json::string_t& /*text*/) override { return true; }
  bool end_object() override { return --depth_ >= 0; }
  bool start_array(std::size_t /*size*/) override { return ++depth_ <= kDeepest; }
  bool end_array() override { return --depth_ >= 0; }
  bool parse_error(std::size_t /*place*/, const std::string& /*token*/, const json::exception& /*error*/) override {
    return false;
  }

 private:
  static constexpr int kDeepest = 16;
  int depth_ = 0;
};

// Reads fields, and keeps the name of the first that is missing or of another type.
class FieldReader {
 public:
  void number(const json& from, const char* key, std::uint32_t& to) {
    const auto found = from.find(key);
    if (found == from.end() || !found->is_number_integer() || *found < 0 ||
        *found > std::numeric_limits<std::uint32_t>::max()) {
      return fail(key);
    }
    to = found->get<std::uint32_t>();
  }
  // Zero where the architecture has no such registers.
  void optional_number(const json& from, const char* key, std::uint32_t& to) {
    if (from.contains(key)) {
      number(from, key, to);
    }
  }
  void text(const json& from, const char* key, std::string& to) {
    const auto found = from.find(key);
    if (found == from.end() || !found->is_string()) {
      return fail(key);
    }
    to = found->get<std::string>();
  }
  void fail(const char* key) { missing_ = missing_.empty() ? key : missing_; }
  const std::string& missing() const { return missing_; }

 private:
  std::string missing_;
};

KernelMetadata kernel_from(const json& value, FieldReader& reader) {
  KernelMetadata kernel;
  if (!value.is_object()) {
    reader.fail("amdhsa.kernels");
    return kernel;
  }
  reader.text(value, ".name", kernel.name);
  reader.text(value, ".symbol", kernel.symbol);
  reader.number(value, ".kernarg_segment_size", kernel.kernarg_bytes);
  reader.number(value, ".group_segment_fixed_size", kernel.lds_bytes);
  reader.number(value, ".private_segment_fixed_size", kernel.scratch_bytes);
  reader.number(value, ".vgpr_count", kernel.vgprs);
  reader.optional_number(value, ".agpr_count", kernel.agprs);
  reader.number(value, ".sgpr_count", kernel.sgprs);
  reader.optional_number(value, ".vgpr_spill_count", kernel.vgpr_spills);
  reader.optional_number(value, ".sgpr_spill_count", kernel.sgpr_spills);
  reader.number(value, ".wavefront_size", kernel.wave_lanes);
  reader.number(value, ".max_flat_workgroup_size", kernel.most_threads);
  const auto arguments = value.find(".args");
  if (arguments == value.end()) {
    return kernel;  // a kernel without any
  }
  if (!arguments->is_array()) {
    reader.fail(".args");
    return kernel;
  }
  for (const json& each : *arguments) {
    KernelArgument argument;
    if (!each.is_object()) {
      reader.fail(".args");
      break;
    }
    reader.text(each, ".value_kind", argument.kind);
    reader.number(each, ".offset", argument.offset);
    reader.number(each, ".size", argument.bytes);
    if (argument.offset > kernel.kernarg_bytes || argument.bytes > kernel.kernarg_bytes - argument.offset) {
      reader.fail(".args beyond .kernarg_segment_size");
    }
    kernel.arguments.push_back(std::move(argument));
  }
  return kernel;
}

}  // namespace

Result<std::vector<KernelMetadata>> read_metadata(std::span<const std::byte> msgpack) {
  const auto* begin = reinterpret_cast<const std::uint8_t*>(msgpack.data());
  ShallowValues shallow;
  if (!json::sax_parse(begin, begin + msgpack.size(), &shallow, json::input_format_t::msgpack)) {
    return damaged("no msgpack, or nested too deep");
  }
  const json whole = json::from_msgpack(begin, begin + msgpack.size(), true, false);
  if (!whole.is_object() || !whole.contains("amdhsa.kernels") || !whole["amdhsa.kernels"].is_array()) {
    return damaged("amdhsa.kernels");
  }
  std::vector<KernelMetadata> kernels;
  FieldReader reader;
  for (const json& value : whole["amdhsa.kernels"]) {
    kernels.push_back(kernel_from(value, reader));
  }
  if (!reader.missing().empty()) {
    return damaged(reader.missing());
  }
  return kernels;
}

}  // namespace aaco::amd

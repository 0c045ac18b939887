// SPDX-License-Identifier: MIT
#include "guard/subject/machine_slug.h"

#include <fmt/format.h>
#include <set>

#include "base/files/file.h"
#include "base/json/json.h"
#include "base/json/json_text.h"
#include "guard/store/slug.h"
#include "verdict/identity/machine_difference.h"

namespace aaco {

namespace {

constexpr size_t kHashDigits = 8;
constexpr size_t kMostNameCharacters = 40;

std::string text_at(const Json& lockbox, const char* pointer) {
  const Json::json_pointer path(pointer);
  if (!lockbox.is_object() || !lockbox.contains(path)) {
    return "";
  }
  const Json& value = lockbox[path];
  return value.is_string() ? value.get<std::string>() : json_text(value);
}

}  // namespace

std::string machine_slug(const Json& lockbox, bool on_gpu) {
  if (!names_machine(lockbox)) {
    return "unknown";
  }
  const std::string name = text_at(lockbox, "/cpu/model");
  const std::string cores = text_at(lockbox, "/cpu/topology/cores");
  std::string identity = name + "\n" + text_at(lockbox, "/cpu/family_model_stepping") + "\n" + cores;
  if (on_gpu && lockbox.contains("gpus") && lockbox["gpus"].is_array()) {
    std::set<std::string> kinds;
    for (const Json& card : lockbox["gpus"]) {
      kinds.insert(text_at(card, "/model"));
    }
    for (const std::string& kind : kinds) {
      identity += "\n" + kind;
    }
  }
  return slug_of(fmt::format("{}-{}c-{}", slug_of(name).substr(0, kMostNameCharacters), cores,
                             sha256_of(identity).substr(0, kHashDigits)));
}

}  // namespace aaco

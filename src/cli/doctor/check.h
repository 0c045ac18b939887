// SPDX-License-Identifier: MIT
// What `aaco doctor` looks at: a plain list of functions, each of which appends what it found. To add one: write it,
// and give it a line in all_checks.cpp.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/json/json_fwd.h"
#include "base/result.h"
#include "base/text/enum_words.h"
#include "observe/host_files.h"
#include "observe/telemetry/plane.h"

namespace aaco::doctor {

enum class State { kOk, kMissing, kWrongVersion, kNotNeeded };

}  // namespace aaco::doctor

template <>
inline constexpr aaco::EnumWords<aaco::doctor::State, 4> aaco::kWordsOf<aaco::doctor::State>{
    {"ok", "missing", "wrong version", "not needed"}};

namespace aaco::doctor {

struct Finding {
  std::string
      group;  // "tools", "libraries", "drivers", "permissions", "registries", "folders", "machine", "training", "guard"
  std::string name;
  State state = State::kMissing;
  std::string detail;      // what was found: version, path, value; or what is wrong
  std::string remedy;      // what to do; empty when ok
  bool essential = false;  // without it `aaco run --backend cpu` does not work
  std::string vendor;      // whose GPUs it is for; empty: not for one vendor's
};
void to_json(Json& json, const Finding& finding);

Finding finding_of(std::string group, std::string name, std::string detail);
Finding missing(std::string group, std::string name, std::string detail, std::string remedy, bool essential = false);

// `finding` as one that only machines with GPUs of `vendor` need.
Finding of_vendor(std::string vendor, Finding finding);
// A vendor of which nothing is here becomes one finding, not needed, in place of its first.
std::vector<Finding> without_absent_vendors(const std::vector<Finding>& findings);

struct Context {
  std::string sessions_folder = "sessions";
  std::string ort_library;        // --ort-library
  std::string history = "guard";  // of aaco guard
  HostFiles host;                 // where /proc, /sys and /dev are; tests give a folder
};

using Check = void (*)(const Context& context, std::vector<Finding>& findings);
std::span<const Check> all_checks();

void check_tools(const Context& context, std::vector<Finding>& findings);
void check_duckdb(const Context& context, std::vector<Finding>& findings);
void check_onnx_runtime(const Context& context, std::vector<Finding>& findings);
void check_drivers(const Context& context, std::vector<Finding>& findings);
void check_permissions(const Context& context, std::vector<Finding>& findings);
void check_registries(const Context& context, std::vector<Finding>& findings);
void check_folders(const Context& context, std::vector<Finding>& findings);
void check_machine(const Context& context, std::vector<Finding>& findings);
void check_workshop(const Context& context, std::vector<Finding>& findings);
void check_kernel_plane(const Context& context, std::vector<Finding>& findings);
void check_guard(const Context& context, std::vector<Finding>& findings);

// Of the source that was opened, or why none was: a source that is not the best is no error, and is not ok either.
Finding kernel_plane_finding(const Result<PlaneSource>& source);

}  // namespace aaco::doctor

// SPDX-License-Identifier: MIT
// `aaco devices`: what work can run on here, and why not on more; and whether it computes right.
#include <fmt/format.h>
#include <memory>

#include "cli/command/command.h"
#include "cli/command/progress_line.h"

#include "base/interrupt.h"
#include "base/json/json.h"
#include "base/json/json_text.h"
#include "base/text/characters.h"
#include "device/backend.h"
#include "device/check/check_op.h"
#include "report/values.h"

namespace aaco {

namespace {

constexpr int kGivenUpAfter = 5;

// The CPU's devices share its cores: the first stands for all.
Json backend_json(Backend& backend) {
  Json json = {{"backend", backend.name()}};
  const auto count = backend.device_count();
  if (!count) {
    json["state"] = "unavailable";
    json["reason"] = count.error().message;
    json["remedy"] = count.error().hint;
    return json;
  }
  json["state"] = "available";
  json["count"] = *count;
  json["devices"] = Json::array();
  const int shown = std::string(backend.name()) == "cpu" ? 1 : *count;
  for (int i = 0; i < shown; ++i) {
    const auto device = backend.open(i);
    if (!device) {
      json["devices"].push_back({{"id", fmt::format("{}:{}", backend.name(), i)}, {"problem", device.error().message}});
      continue;
    }
    const DeviceProperties& properties = (*device)->properties();
    json["devices"].push_back({{"id", properties.id},
                               {"name", properties.name},
                               {"architecture", properties.architecture},
                               {"memory_bytes", properties.memory_bytes},
                               {"compute_units", properties.compute_units},
                               {"wave_lanes", properties.wave_lanes},
                               {"priorities", {properties.lowest_priority, properties.highest_priority}},
                               {"driver", properties.driver},
                               {"runtime", properties.runtime},
                               {"gemm_library", properties.gemm_library},
                               {"conv_library", properties.conv_library}});
  }
  return json;
}

void print_backend(const Json& backend) {
  const std::string name = backend["backend"];
  if (!backend.contains("devices")) {
    fmt::print("{}: unavailable: {}\n  {}\n", name, printable(backend["reason"].get<std::string>()),
               printable(backend["remedy"].get<std::string>()));
    return;
  }
  for (const Json& device : backend["devices"]) {
    if (device.contains("problem")) {
      fmt::print("{}: {}\n", device["id"].get<std::string>(), printable(device["problem"].get<std::string>()));
      continue;
    }
    fmt::print("{}: {} ({}), {} of memory, {} compute units, GEMM by {}, convolution by {}\n",
               device["id"].get<std::string>(), printable(device["name"].get<std::string>()),
               device["architecture"].get<std::string>(),
               report::shown_text(report::number_cell(device["memory_bytes"].get<double>(), "B")),
               device["compute_units"].get<int>(), printable(device["gemm_library"].get<std::string>()),
               printable(device["conv_library"].get<std::string>()));
  }
  if (name == "cpu") {
    fmt::print("  cpu:0 to cpu:{} are this one machine, a rank each\n", backend["count"].get<int>() - 1);
  }
}

constexpr const char* kReference =
    "values were not compared: those of the CPU are the reference. Its inputs, what lies around its arrays and the "
    "bytes that it writes were checked";

// Every operation against the CPU, on fresh inputs; of the CPU itself, what it writes and leaves alone.
Result<int> check_device(const std::string& id, uint64_t seed, const Invocation& invocation) {
  AACO_ASSIGN(Device * device, open_device(id));
  ProgressLine progress(invocation.quiet);
  Json failures = Json::array();
  int64_t passed = 0;
  int in_a_row = 0;  // that the device refused: after some, it will refuse all
  size_t done = 0;
  const std::vector<OpCase> cases = all_op_cases();
  const bool is_reference = device->properties().id.starts_with("cpu:");
  for (const OpCase& op_case : cases) {
    if (interrupted()) {
      return Error{ErrorKind::kInterrupted, "interrupted", ""};
    }
    progress.show(op_case.name, static_cast<double>(done++) / static_cast<double>(cases.size()));
    const auto result = check_case(*device, op_case, seed);
    if (result && result->passed()) {
      ++passed;
    } else {
      failures.push_back({{"case", op_case.name}, {"failure", result ? result->failure : result.error().message}});
    }
    in_a_row = result ? 0 : in_a_row + 1;
    if (in_a_row >= kGivenUpAfter) {
      break;
    }
  }
  progress.wipe();
  if (invocation.json) {
    fmt::print("{}", indented_json_text({{"device", id},
                                         {"seed", seed},
                                         {"values", is_reference ? kReference : "compared with the CPU's"},
                                         {"passed", passed},
                                         {"cases", cases.size()},
                                         {"failures", failures}}));
  } else {
    for (const Json& failure : failures) {
      fmt::print("{}: {}\n", failure["case"].get<std::string>(), failure["failure"].get<std::string>());
    }
    const size_t not_tried = cases.size() - static_cast<size_t>(passed) - failures.size();
    if (is_reference) {
      fmt::print("{}: {} cases write what they should, {} do not, {} not tried; {}\n", id, passed, failures.size(),
                 not_tried, kReference);
    } else {
      fmt::print("{}: {} operations as on the CPU, {} not, {} not tried\n", id, passed, failures.size(), not_tried);
    }
  }
  return failures.empty() ? 0 : 1;
}

Result<int> list_devices(bool json) {
  Json all = Json::array();
  for (Backend* backend : all_backends()) {
    all.push_back(backend_json(*backend));
  }
  if (json) {
    fmt::print("{}", indented_json_text(all));
  } else {
    for (const Json& backend : all) {
      print_backend(backend);
    }
  }
  return 0;
}

}  // namespace

void add_devices_command(cli::Command app, Invocation& invocation) {
  struct Flags {
    std::string check;
    uint64_t seed = 1;
  };
  auto flags = std::make_shared<Flags>();
  cli::Command command = app.add_subcommand("devices", "What work can run on here, and why not on more");
  command
      .add_option("--check", flags->check,
                  "Hold every operation of a device against the CPU's; of cpu:N check what is written, not values")
      .type_name("ID");
  command.add_option("--seed", flags->seed, {}, "Of the inputs of --check").capture_default_str();
  add_quiet_flag(command, invocation);
  add_json_flag(command, invocation);
  set_examples(command, "  aaco devices\n  aaco devices --check cuda:0");
  command.callback([flags, &invocation] {
    invocation.finish(flags->check.empty() ? list_devices(invocation.json)
                                           : check_device(flags->check, flags->seed, invocation));
  });
}

}  // namespace aaco

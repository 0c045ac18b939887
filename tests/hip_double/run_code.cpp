// SPDX-License-Identifier: MIT
// run_amd_code ARCHITECTURE FOLDER SEED all|part [TEXT]: what code_units.h lists, or of that what has TEXT in its name,
// with the machine code of that architecture. FOLDER/units.jsonl gets a line for each, FOLDER/launches.jsonl one for
// each kernel that ran. Exit code 1: something was wrong. For scripts/amd_code.
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "child.h"
#include "code_units.h"

namespace aaco {
namespace {

struct CodeRun {
  std::vector<CodeUnit> units;
  std::string results;  // a file
  Environment environment;
};

void append(const std::string& file, const nlohmann::json& line) {
  std::ofstream(file, std::ios::app) << line.dump() + "\n";
}

void write_result(const CodeRun& run, size_t index, const std::string& failure, double seconds) {
  const CodeUnit& unit = run.units[index];
  append(run.results, {{"group", unit.group}, {"name", unit.name}, {"failure", failure}, {"seconds", seconds}});
  if (!failure.empty()) {
    std::printf("%s: %s: %s\n", unit.group.c_str(), unit.name.c_str(), failure.c_str());
  }
}

// In a process of its own, up to the first unit that fails: with it its device has failed.
std::string run_from(const CodeRun& run, size_t first) {
  ModuleBackend backend(hip_vendor());
  for (size_t i = first; i < run.units.size(); ++i) {
    const auto began = std::chrono::steady_clock::now();
    const auto done = run.units[i].run(backend);
    const std::chrono::duration<double> took = std::chrono::steady_clock::now() - began;
    write_result(run, i, done ? "" : text_of(done.error()), took.count());
    std::fflush(stdout);
    if (!done) {
      break;
    }
  }
  return "";
}

size_t lines_of(const std::string& file) {
  std::ifstream stream(file);
  size_t lines = 0;
  for (std::string line; std::getline(stream, line);) {
    ++lines;
  }
  return lines;
}

void run_all(const CodeRun& run) {
  const size_t before = lines_of(run.results);
  for (size_t next = 0; next < run.units.size();) {
    const std::string died = in_child(run.environment, [&] { return run_from(run, next); });
    next = lines_of(run.results) - before;
    if (!died.empty() && next < run.units.size()) {
      write_result(run, next, died, 0);
      ++next;
    }
  }
}

// Whose group and name have the text in them.
std::vector<CodeUnit> units_with(std::vector<CodeUnit> units, const std::string& text) {
  std::erase_if(units,
                [&](const CodeUnit& unit) { return (unit.group + ": " + unit.name).find(text) == std::string::npos; });
  return units;
}

bool all_passed(const std::string& results) {
  std::ifstream stream(results);
  bool passed = true;
  for (std::string line; std::getline(stream, line);) {
    passed = passed && nlohmann::json::parse(line)["failure"] == "";
  }
  return passed;
}

}  // namespace
}  // namespace aaco

int main(int argc, char** argv) {
  if (argc < 5) {
    std::fputs("usage: run_amd_code ARCHITECTURE FOLDER SEED all|part [TEXT]\n", stderr);
    return 2;
  }
  const std::string folder = argv[2];
  const uint64_t seed = std::strtoull(argv[3], nullptr, 10);
  const std::string text = argc > 5 ? argv[5] : "";
  aaco::CodeRun run{{},
                    folder + "/units.jsonl",
                    {{"AACO_HIP_DOUBLE_ARCH", argv[1]},
                     {"AACO_HIP_DOUBLE_RUN", "code"},
                     {"AACO_HIP_DOUBLE_SEED", argv[3]},
                     {"AACO_HIP_DOUBLE_LOG", folder + "/launches.jsonl"}}};
  std::remove(run.results.c_str());
  std::remove(run.environment["AACO_HIP_DOUBLE_LOG"].c_str());
  run.units = aaco::units_with(aaco::code_units(seed, std::string(argv[4]) == "all"), text);
  aaco::run_all(run);
  run.units = aaco::units_with(aaco::units_of_own_convolutions(seed), text);
  run.environment["AACO_CONV_LIBRARY"] = "0";
  aaco::run_all(run);
  return aaco::all_passed(run.results) ? 0 : 1;
}

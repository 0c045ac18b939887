// SPDX-License-Identifier: MIT
#include <fmt/format.h>
#include <fmt/ranges.h>

#include "cli/doctor/check.h"

#include "engine/tool/programs.h"
#include "model/runtime/describe_library.h"
#include "model/runtime/runtime_packages.h"
#include "session/parquet/parquet.h"

namespace aaco::doctor {

namespace {

// What this program is built and tested against.
const std::vector<int> kDuckdbMinimum{1, 4};
const std::vector<int> kOrtMinimum{1, 31};

Finding library(const char* name, const std::string& detail, const std::string& version,
                const std::vector<int>& minimum, const std::string& remedy) {
  Finding finding = finding_of("libraries", name, detail);
  const std::vector<int> have = version_in(version);
  finding.essential = true;
  if (have.empty() || have < minimum) {
    finding.state = State::kWrongVersion;
    finding.detail += fmt::format("; {} or newer is needed", fmt::join(minimum, "."));
    finding.remedy = remedy;
  }
  return finding;
}

}  // namespace

void check_duckdb(const Context&, std::vector<Finding>& findings) {
  const Result<std::string> version = duckdb_version();
  if (!version) {
    findings.push_back(missing("libraries", "DuckDB", version.error().message, version.error().hint, true));
    return;
  }
  findings.push_back(library("DuckDB", *version, *version, kDuckdbMinimum,
                             "run scripts/setup, or set AACO_DUCKDB_LIBRARY to a newer libduckdb.so"));
}

void check_onnx_runtime(const Context& context, std::vector<Finding>& findings) {
  const Result<OrtLibraryInfo> info = describe_ort_library(context.ort_library);
  if (!info) {
    findings.push_back(missing("libraries", "ONNX Runtime", info.error().message, info.error().hint, true));
    return;
  }
  findings.push_back(library("ONNX Runtime", fmt::format("{} ({})", info->version, info->path.string()), info->version,
                             kOrtMinimum, "run scripts/setup, or give a newer one with --ort-library"));
  const std::vector<std::string> owners = owners_of_runtime(info->path);
  if (const std::string clash = runtime_clash(owners); !clash.empty()) {
    findings.push_back(finding_of("libraries", "ONNX Runtime's packages", clash));
    findings.back().state = State::kWrongVersion;
    findings.back().remedy = clash_remedy(owners);
  }
  for (const std::string& provider : info->providers) {
    const auto problem = info->provider_libraries.find(provider);
    if (problem == info->provider_libraries.end() || problem->second.empty()) {
      findings.push_back(finding_of("libraries", provider, "available"));
    } else {
      findings.push_back(missing("libraries", provider, problem->second,
                                 "install what it names, or put the folder that holds it on LD_LIBRARY_PATH"));
    }
  }
}

}  // namespace aaco::doctor

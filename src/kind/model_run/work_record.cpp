// SPDX-License-Identifier: MIT
#include "kind/model_run/work_record.h"

#include <fmt/format.h>
#include <system_error>

#include "model/identity/default_options.h"
#include "model/identity/external_data.h"

namespace aaco {

namespace {

namespace fs = std::filesystem;

std::string hash_value(const std::string& sha256) { return "sha256:" + sha256; }

bool is_file(const std::string& text) {
  std::error_code failed;
  return fs::is_regular_file(text, failed);
}

// Hashes a file, and remembers it for the look at the end.
Result<std::string> add_file(const fs::path& path, WorkRecord& record) {
  AACO_ASSIGN(HashedFile file, hash_file(path));
  std::string value = hash_value(file.sha256);
  record.files.push_back(std::move(file));
  return value;
}

void add_weights(const ResolvedRun& run, WorkRecord& record) {
  const auto locations = external_locations(run.plan.model);
  std::string why = locations ? "" : locations.error().message;
  std::map<std::string, WorkFact> weights;
  for (const std::string& location : locations ? *locations : std::vector<std::string>()) {
    const Result<std::string> value = add_file(external_file(run.plan.model, location), record);
    if (!value) {
      why = value.error().message;
      break;
    }
    weights[location] = {*value, ""};
  }
  if (!why.empty()) {
    record.notes.push_back("whether weights lie outside the model file is not recorded: " + why);
    return;
  }
  record.facts[work_group::kWeights] = std::move(weights);
}

// With --tokens all that is not given is made from the seed and the numbers of tokens.
Result<void> add_token_inputs(const ResolvedRun& run, WorkRecord& record) {
  std::map<std::string, WorkFact>& inputs = record.facts[work_group::kInputs];
  inputs["made from the seed"] = {std::to_string(run.plan.seed), ""};
  for (const auto& [name, given] : run.plan.inputs) {
    inputs[name] = {given, ""};
    if (is_file(given)) {
      AACO_ASSIGN(inputs[name].value, add_file(given, record));
      inputs[name].words = given;
    }
  }
  return {};
}

Result<void> add_inputs(const ResolvedRun& run, const Inspection& inspection, WorkRecord& record) {
  if (run.plan.tokens) {
    return add_token_inputs(run, record);
  }
  std::map<std::string, WorkFact> inputs;
  for (const PortNote& note : inspection.result.inputs) {
    if (note.sha256.empty()) {
      record.notes.push_back(fmt::format("the values of the inputs are not recorded: {} was not hashed", note.name));
      return {};
    }
    const auto given = run.plan.inputs.find(note.name);
    inputs[note.name] = {hash_value(note.sha256), given != run.plan.inputs.end()
                                                      ? given->second
                                                      : fmt::format("{}, seed {}", note.values, run.plan.seed)};
  }
  for (const auto& [name, given] : run.plan.inputs) {
    if (is_file(given)) {
      AACO_TRY(add_file(given, record));
    }
  }
  record.facts[work_group::kInputs] = std::move(inputs);
  return {};
}

Result<void> add_options(const ResolvedRun& run, WorkRecord& record) {
  std::map<std::string, WorkFact>& options = record.facts[work_group::kOptions];
  for (const auto& [key, value] :
       options_set(run.provider->provider, run.plan.provider_options, run.plan.session_entries)) {
    options[key] = {value, ""};
    if (is_file(value)) {  // its content counts, wherever it lies
      AACO_ASSIGN(options[key].value, add_file(value, record));
      options[key].words = value;
    }
  }
  for (const std::string& library : run.plan.custom_ops) {
    WorkFact& fact = options["custom_ops " + fs::path(library).filename().string()];
    fact = {library, ""};
    if (is_file(library)) {
      AACO_ASSIGN(fact.value, add_file(library, record));
      fact.words = library;
    }
  }
  return {};
}

}  // namespace

Result<WorkRecord> record_work(const ResolvedRun& run, const Inspection& inspection) {
  WorkRecord record;
  record.files.push_back(run.model_file);
  add_weights(run, record);
  AACO_TRY(add_inputs(run, inspection, record));
  AACO_TRY(add_options(run, record));
  return record;
}

std::string changed_file(const WorkRecord& record) {
  for (const HashedFile& file : record.files) {
    const Result<bool> unchanged = is_unchanged(file);
    if (!unchanged || !*unchanged) {
      return file.path.string();
    }
  }
  return "";
}

}  // namespace aaco

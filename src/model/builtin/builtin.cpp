// SPDX-License-Identifier: MIT
#include "model/builtin/builtin.h"

#include <algorithm>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <new>

#include "base/files/cache_folder.h"
#include "base/files/file.h"
#include "model/builtin/onnx_writer.h"
#include "model/builtin/unfinished_file.h"

namespace aaco {

namespace {

using Parameters = std::map<std::string, int64_t>;

// Goes into the file's name: raise it whenever a generator writes other bytes for the same request.
constexpr int kGeneratorVersion = 1;

template <class Range>
std::string names_of(const Range& range) {
  std::vector<std::string> names;
  for (const auto& item : range) {
    names.emplace_back(item.name);
  }
  return fmt::format("{}", fmt::join(names, ", "));
}

Result<std::string> resolve_precision(const BuiltinModel& model, const std::string& wanted) {
  if (wanted.empty()) {
    return model.precisions.front();
  }
  if (std::find(model.precisions.begin(), model.precisions.end(), wanted) == model.precisions.end()) {
    return Error{ErrorKind::kUsage, fmt::format("built-in model {} has no precision '{}'", model.name, wanted),
                 fmt::format("it has {}", fmt::join(model.precisions, ", "))};
  }
  return wanted;
}

Result<Parameters> resolve_parameters(const BuiltinModel& model, const Parameters& wanted) {
  Parameters resolved;
  for (const BuiltinParameter& parameter : model.parameters) {
    const auto given = wanted.find(parameter.name);
    const int64_t value = given == wanted.end() ? parameter.standard : given->second;
    if (value < parameter.lowest || value > parameter.highest) {
      return Error{ErrorKind::kUsage, fmt::format("built-in model {}: {} is {}", model.name, parameter.name, value),
                   fmt::format("choose {} from {} to {}", parameter.name, parameter.lowest, parameter.highest)};
    }
    resolved[parameter.name] = value;
  }
  for (const auto& [name, value] : wanted) {
    if (!resolved.contains(name)) {
      return Error{ErrorKind::kUsage, fmt::format("built-in model {} has no parameter '{}'", model.name, name),
                   model.parameters.empty() ? "it has none" : fmt::format("it has {}", names_of(model.parameters))};
    }
  }
  return resolved;
}

std::string file_name(const BuiltinModel& model, const std::string& precision, uint64_t seed,
                      const Parameters& parameters) {
  std::string name = fmt::format("{}-{}-seed{}", model.name, precision, seed);
  for (const auto& [parameter, value] : parameters) {
    name += fmt::format("-{}{}", parameter, value);
  }
  return name + fmt::format("-g{}.onnx", kGeneratorVersion);
}

Result<void> generate(const BuiltinModel& model, const std::string& precision, uint64_t seed,
                      const Parameters& parameters, const std::filesystem::path& file) {
  try {
    OnnxWriter writer(model.name, precision == "fp16" ? ElementType::kFloat16 : ElementType::kFloat, seed);
    writer.add_metadata("generator", fmt::format("aaco built-in models, version {}", kGeneratorVersion));
    writer.add_metadata("weights", fmt::format("random, seed {}", seed));
    AACO_TRY(model.build(parameters, writer));
    return writer.write(file);
  } catch (const std::bad_alloc&) {
    return Error{ErrorKind::kResource, fmt::format("built-in model {}: not enough memory to generate it", model.name),
                 "free some memory, or choose smaller parameters"};
  }
}

}  // namespace

const BuiltinModel* find_builtin_model(const std::string& name) {
  const auto models = all_builtin_models();
  const auto position =
      std::find_if(models.begin(), models.end(), [&](const auto& model) { return model.name == name; });
  return position == models.end() ? nullptr : &*position;
}

Result<std::filesystem::path> builtin_model_file(const std::string& name, const BuiltinRequest& request,
                                                 const std::filesystem::path& folder) {
  const BuiltinModel* model = find_builtin_model(name);
  if (model == nullptr) {
    return Error{
        ErrorKind::kUsage, fmt::format("no built-in model '{}'", name),
        fmt::format("built in are {}; anything else is a path to an .onnx file", names_of(all_builtin_models()))};
  }
  AACO_ASSIGN(const std::string precision, resolve_precision(*model, request.precision));
  AACO_ASSIGN(const Parameters parameters, resolve_parameters(*model, request.parameters));
  const std::filesystem::path file = folder / file_name(*model, precision, request.seed, parameters);
  std::error_code ignored;
  if (!std::filesystem::is_regular_file(file, ignored)) {
    AACO_TRY(make_folders(folder));
    remove_abandoned_files(folder);  // of generations that were killed
    AACO_TRY(generate(*model, precision, request.seed, parameters, file));
  }
  return file;
}

std::filesystem::path model_cache_folder() { return cache_folder() / "models"; }

}  // namespace aaco

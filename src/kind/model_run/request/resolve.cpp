// SPDX-License-Identifier: MIT
#include "kind/model_run/request/resolve.h"

#include <algorithm>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <unistd.h>

#include "base/files/file.h"
#include "base/format.h"
#include "base/text/nearest_word.h"
#include "model/builtin/builtin.h"
#include "model/model_file.h"
#include "model/registry.h"
#include "model/tensor.h"
#include "observe/cgroup.h"
#include "observe/host_files.h"

namespace aaco {

namespace {

namespace fs = std::filesystem;

constexpr int64_t kDefaultWarmUp = 10;
constexpr const char* kCpu = "cpu";
constexpr int64_t kLargestCount = 1'000'000;
constexpr int64_t kCalibrationNodes = 200;

// "float16" of a registry and "fp16" of the command line are the same thing.
std::string short_precision(const std::string& dtype) {
  if (dtype == "float16") {
    return "fp16";
  }
  return dtype == "float32" ? "fp32" : dtype == "bfloat16" ? "bf16" : dtype == "float64" ? "fp64" : dtype;
}

bool is_integer_dtype(const std::string& dtype) {
  const auto type = element_of_name(dtype);
  return type && !is_floating(*type);
}

// The kernel would leave out, without a word, processors that it does not grant.
Result<void> check_pin(const std::vector<int>& pin) {
  const std::vector<int> allowed = allowed_processors();
  for (const int processor : pin) {
    if (!allowed.empty() && std::find(allowed.begin(), allowed.end(), processor) == allowed.end()) {
      return Error{ErrorKind::kUsage,
                   fmt::format("--pin {}: processor {} is not there, or not for this process",
                               format_processor_list(pin), processor),
                   fmt::format("it may run on {}", format_processor_list(allowed))};
    }
  }
  return {};
}

Result<void> check_numbers(const RunRequest& request) {
  const auto within = [](const char* flag, int64_t value, int64_t low, int64_t high) -> Result<void> {
    if (value < low || value > high) {
      return Error{ErrorKind::kUsage, fmt::format("{} {}: must be from {} to {}", flag, value, low, high),
                   "correct the number"};
    }
    return {};
  };
  AACO_TRY(within("--batch", request.batch.value_or(1), 1, kLargestCount));
  AACO_TRY(within("--processes", request.processes, 1, 1000));
  AACO_TRY(within("--warmup", request.warmup.value_or(0), 0, kLargestCount));
  AACO_TRY(within("--threads", request.threads.value_or(0), 0, 4096));
  AACO_TRY(within("--inter-op-threads", request.inter_op_threads.value_or(0), 0, 4096));
  for (const auto& [name, size] : request.dims) {
    AACO_TRY(within(fmt::format("--dim {}", name).c_str(), size, 0, int64_t{1} << 40));
  }
  for (const auto& [name, sizes] : request.shapes) {
    for (const int64_t size : sizes) {
      AACO_TRY(within(fmt::format("--shape {}", name).c_str(), size, 0, int64_t{1} << 40));
    }
  }
  if (request.tokens) {
    AACO_TRY(within("--tokens prompt", request.tokens->prompt, 1, kLargestCount));
    AACO_TRY(within("--tokens generated", request.tokens->generated, 2, kLargestCount));
  }
  return request.iterations ? check_iterations(*request.iterations, "--iterations") : Result<void>();
}

Result<fs::path> generate(const std::string& name, const std::string& precision, const RunRequest& request) {
  return builtin_model_file(name, {precision, request.seed, request.parameters}, model_cache_folder());
}

std::vector<std::string> known_models(const std::map<std::string, ModelEntry>& registry) {
  std::vector<std::string> names;
  for (const BuiltinModel& model : all_builtin_models()) {
    names.emplace_back(model.name);
  }
  for (const auto& [name, entry] : registry) {
    if (std::find(names.begin(), names.end(), name) == names.end()) {
      names.push_back(name);
    }
  }
  return names;
}

// Sizes of the registry hold where the user gives none at all: a mixture would be nobody's choice.
std::map<std::string, int64_t> dims_of(const RunRequest& request, const ModelEntry& entry, ResolvedRun& run) {
  const bool has_own = !request.dims.empty() || !request.shapes.empty() || !request.inputs.empty() || request.tokens;
  if (has_own || entry.dims.empty()) {
    return request.dims;
  }
  std::vector<std::string> sizes;
  for (const auto& [name, size] : entry.dims) {
    sizes.push_back(fmt::format("{}={}", name, size));
  }
  run.notes.push_back(
      fmt::format("sizes of configs/models.yaml: {}; --dim NAME=N gives others", fmt::join(sizes, ", ")));
  return entry.dims;
}

Result<void> resolve_model(const RunRequest& request, ResolvedRun& run) {
  AACO_ASSIGN(const auto registry, load_models());
  const auto found = registry.find(request.model);
  const ModelEntry entry = found == registry.end() ? ModelEntry{} : found->second;
  const bool integer_dtype = is_integer_dtype(entry.dtype);
  run.precision = !request.precision.empty() ? short_precision(request.precision)
                  : integer_dtype            ? ""
                                             : short_precision(entry.dtype);
  run.plan.registered_shapes = entry.input_shapes;
  run.plan.dims = dims_of(request, entry, run);
  run.plan.integer_dtype = integer_dtype ? entry.dtype : "";
  run.plan.warmup = request.warmup.value_or(entry.warmup.value_or(kDefaultWarmUp));
  run.plan.iterations = request.iterations.value_or(entry.iterations.value_or("auto"));
  run.model_name = request.model;
  std::error_code error;
  if (!entry.path.empty() && fs::exists(entry.path, error)) {
    run.plan.model = entry.path;
  } else if (find_builtin_model(request.model) != nullptr) {
    if (request.precision.empty() && run.precision == "fp16" && request.backend == kCpu) {
      run.precision = "fp32";
      run.notes.push_back(fmt::format("{} in fp32: a CPU executes fp16 through casts (--precision fp16 measures those)",
                                      request.model));
    }
    AACO_ASSIGN(const fs::path generated, generate(request.model, run.precision, request));
    run.plan.model = generated;
    if (!entry.path.empty()) {
      run.notes.push_back(fmt::format("{} is the built-in one; a file {} would come first", request.model, entry.path));
    }
  } else if (fs::exists(request.model, error)) {
    run.plan.model = request.model;
    run.model_name = fs::path(request.model).stem();
  } else if (!entry.path.empty()) {
    return Error{ErrorKind::kUsage, fmt::format("model {}: {} does not exist", request.model, entry.path),
                 "correct path in configs/models.yaml"};
  } else {
    const std::vector<std::string> known = known_models(registry);
    return Error{ErrorKind::kUsage,
                 fmt::format("model '{}': no such file, registry entry or built-in model", request.model),
                 fmt::format("{}there are {}", did_you_mean(request.model, known), fmt::join(known, ", "))};
  }
  if (!request.parameters.empty() && find_builtin_model(request.model) == nullptr) {
    return Error{ErrorKind::kUsage, "--param is for built-in models", fmt::format("{} is a file", run.plan.model)};
  }
  if (fs::is_directory(run.plan.model, error)) {
    return Error{ErrorKind::kUsage, fmt::format("{} is a folder", run.plan.model), "name the .onnx file"};
  }
  return check_model_file(run.plan.model);
}

// Precision of a file is what the file is; a provider may be asked to execute in another.
Result<void> apply_precision(const RunRequest& request, ResolvedRun& run, std::map<std::string, std::string>& options) {
  const bool generated = find_builtin_model(request.model) != nullptr && run.plan.model != request.model;
  if (generated || request.precision.empty()) {
    return {};
  }
  const std::string alias = run.precision + "_enable";
  if (run.provider->aliases.contains(alias)) {
    options[alias] = "1";
    return {};
  }
  return Error{ErrorKind::kUsage,
               fmt::format("--precision {}: {} is a file, and backend {} has no option that changes its precision",
                           run.precision, run.plan.model, run.provider->backend),
               "convert the model, or leave --precision out"};
}

// Left to itself ONNX Runtime makes a thread for each core of the machine and binds it there, wherever the process may
// run (taskset, --pin, a container): the run would have more processors than it says. Told a number, it binds none.
void keep_to_processors(const RunRequest& request, ResolvedRun& run) {
  int64_t usable = usable_processors(HostFiles());
  if (!request.pin.empty()) {
    usable = std::min(usable, static_cast<int64_t>(request.pin.size()));
  }
  const int64_t online = ::sysconf(_SC_NPROCESSORS_ONLN);
  if (run.plan.intra_op_threads == 0 && usable < online) {
    run.plan.intra_op_threads = usable;
    run.notes.push_back(fmt::format("{} within an operator: the run may use so many of the machine's {} processors",
                                    counted(usable, "thread", "threads"), online));
  }
}

Result<void> resolve_backend(const RunRequest& request, ResolvedRun& run) {
  AACO_ASSIGN(const auto registry, load_backends());
  std::map<std::string, std::string> options;
  const auto entry = registry.find(request.backend);
  run.provider = find_provider(entry == registry.end() ? request.backend : entry->second.provider);
  if (run.provider == nullptr) {
    std::vector<std::string> names;
    for (const ProviderInfo& provider : all_providers()) {
      names.emplace_back(provider.backend);
    }
    return Error{ErrorKind::kUsage,
                 entry == registry.end()
                     ? fmt::format("unknown backend '{}'", request.backend)
                     : fmt::format("backend {}: unknown provider '{}'", request.backend, entry->second.provider),
                 fmt::format("there are {}", fmt::join(names, ", "))};
  }
  if (entry != registry.end()) {
    options = entry->second.options;
  }
  for (const auto& [key, value] : request.options) {
    options[key] = value;
  }
  AACO_TRY(apply_precision(request, run, options));
  AACO_ASSIGN(const SortedOptions sorted, sort_options(*run.provider, options));
  run.plan.backend = run.provider->backend;
  run.plan.provider_options = sorted.provider_options;
  run.plan.session_entries = sorted.session_entries;
  run.plan.intra_op_threads = request.threads.value_or(sorted.intra_op_threads.value_or(0));
  run.plan.inter_op_threads = request.inter_op_threads.value_or(sorted.inter_op_threads.value_or(0));
  keep_to_processors(request, run);
  return {};
}

// Workers open them, wherever they run.
Result<std::vector<std::string>> libraries(const std::vector<std::string>& names) {
  std::vector<std::string> paths;
  for (const std::string& name : names) {
    std::error_code error;
    if (!fs::is_regular_file(name, error)) {
      return Error{ErrorKind::kUsage, fmt::format("--custom-ops {}: no such file", name),
                   "name the shared library that holds the operators"};
    }
    const fs::path path = fs::absolute(name, error);
    if (error) {
      return file_error(name, "find", error.value());
    }
    paths.push_back(path);
  }
  return paths;
}

}  // namespace

Result<ResolvedRun> resolve_run(const RunRequest& request) {
  AACO_TRY(check_numbers(request));
  AACO_TRY(check_pin(request.pin));
  ResolvedRun run;
  AACO_TRY(resolve_model(request, run));
  AACO_TRY(resolve_backend(request, run));
  WorkerPlan& plan = run.plan;
  plan.ort_library = request.ort_library;
  AACO_ASSIGN(plan.custom_ops, libraries(request.custom_ops));
  plan.batch = request.batch;
  plan.shapes = request.shapes;
  plan.command_line = request.command_line;
  plan.inputs = request.inputs;
  plan.expected = request.expected;
  plan.tolerance = request.tolerance;
  plan.seed = request.seed;
  plan.tokens = request.tokens;
  plan.load = request.load;
  if (request.load && !request.tokens && (request.load->ttft_ms || request.load->tpot_ms)) {
    return Error{ErrorKind::kUsage, "--goodput ttft or tpot without --tokens: the model gives no tokens one by one",
                 "limit whole requests, as --goodput e2el:200ms, or give --tokens P,G for a decoder"};
  }
  run.pin = request.pin;
  if (request.profile && request.tokens && run.provider->device_kind != DeviceKind::kGpu) {
    return Error{ErrorKind::kUsage, "--profile with --tokens: only a GPU's kernels are told by token",
                 "profile the model without --tokens, with --dim for the lengths"};
  }
  if (request.profile) {
    plan.calibration_nodes = kCalibrationNodes;
    AACO_ASSIGN(const fs::path calibration,
                builtin_model_file("chain-tiny", {"", 0, {{"nodes", kCalibrationNodes}}}, model_cache_folder()));
    plan.calibration_model = calibration;
  }
  AACO_ASSIGN(run.model_file, hash_file(plan.model));
  return run;
}

}  // namespace aaco

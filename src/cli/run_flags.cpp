// SPDX-License-Identifier: MIT
#include "cli/run_flags.h"

#include <algorithm>
#include <fmt/format.h>

#include "cli/command/key_value.h"
#include "cli/command/shape_flag.h"
#include "cli/command/until_flag.h"

#include "base/number_range.h"

namespace aaco {

namespace {

constexpr int64_t kMostTokens = 1'000'000'000;

Result<std::map<std::string, int64_t>> sizes(const char* flag, const std::vector<std::string>& texts) {
  constexpr NumberRange<int64_t> kSizes{0, int64_t{1} << 40};
  AACO_ASSIGN(const auto named, key_values(flag, texts));
  std::map<std::string, int64_t> result;
  for (const auto& [name, text] : named) {
    AACO_ASSIGN(result[name], number_within(fmt::format("{} {}", flag, name), text, kSizes));
  }
  return result;
}

Result<TokenRequest> token_request(const std::string& text) {
  const size_t comma = text.find(',');
  if (comma == std::string::npos) {
    return Error{ErrorKind::kUsage, fmt::format("--tokens {}: not P,G", text),
                 "write the prompt's length and the tokens to generate: --tokens 128,64"};
  }
  TokenRequest tokens;
  AACO_ASSIGN(tokens.prompt, number_within<int64_t>("--tokens prompt", text.substr(0, comma), {1, kMostTokens}));
  AACO_ASSIGN(tokens.generated, number_within<int64_t>("--tokens generated", text.substr(comma + 1), {2, kMostTokens}));
  return tokens;
}

}  // namespace

void add_run_flags(cli::Command command, RunFlags& flags) {
  RunRequest& request = flags.request;
  command
      .add_option("--model,model", request.model, "An .onnx file, a built-in model, or a name in configs/models.yaml")
      .type_name("MODEL|PATH");
  command
      .add_option("--backend", request.backend,
                  "cpu, cuda, tensorrt, migraphx, rocm, openvino, dnnl, or a name in configs/backends.yaml")
      .capture_default_str()
      .type_name("BACKEND");
  command.add_option("--dim", flags.dims, "Size of a symbolic dimension; the batch is --batch").type_name("NAME=N");
  command.add_option("--shape", flags.shapes, "Whole shape of an input; a 1 for the batch takes --batch")
      .type_name("NAME=1x3x48x192");
  command.add_option("--precision", request.precision, "fp32 or fp16, where model or provider can");
  command.add_option("--iterations", request.iterations,
                     "Measured iterations of a process, or how long: 0.5s; auto: two seconds");
  command.add_option("--warmup", request.warmup, {0, 1'000'000'000},
                     "Warm-up iterations, a minimum: warm-up ends where the series is stationary");
  command
      .add_option("--processes", request.processes, {1, 1000},
                  "Fresh processes; the figure is the median of their medians")
      .capture_default_str();
  command.add_flag("--quick", flags.quick, "An answer in seconds: 3 processes of 0.5 s, no roofs")
      .excludes("--iterations")
      .excludes("--processes");
  command
      .add_option("--duration", flags.duration_s, {kLeastAboveZero, 86'400},
                  fmt::format("Seconds that are measured, all processes together, warm-up apart{}",
                              flags.takes_until ? "; with --until: at most so many, all included" : ""))
      .type_name("SECONDS")
      .excludes("--quick");
  command.add_flag("--telemetry", request.telemetry, "Sample the host and the GPUs meanwhile");
  command
      .add_option("--telemetry-hz", request.telemetry_hz, {0.1, 1'000},
                  "Samples a second; more than a source refreshes gives the same value again, with its age")
      .needs("--telemetry")
      .capture_default_str();
  add_kernel_plane_flag(command, request.kernel_plane);
  command
      .add_option("--microkernel-us", request.microkernel_us, {kLeastAboveZero, 1e9},
                  "A dispatch shorter than this is a microkernel, in microseconds")
      .capture_default_str();
  command.add_flag("--no-roofs", flags.no_roofs,
                   "Do not measure this machine's roofs first where none are kept for it (some seconds, once)");
  add_sessions_folder(command, request.sessions);
  command.add_option("--seed", request.seed, {}, "Of the inputs, and of a built-in model's weights")
      .capture_default_str();
  command.add_option("--threads", request.threads, {0, 4096}, "Threads within an operator; 0: the runtime's choice");
  command.add_option("--inter-op-threads", request.inter_op_threads, {0, 4096},
                     "Threads across operators; above 1 executes in parallel");
  command.add_option("--pin", flags.pin, "Processors that the measured processes may use, as 0-3,8");
  command
      .add_option("--input", flags.inputs,
                  "An input's values: a file, one for every element (k=50), or one each (ids=1,2,3)")
      .type_name("NAME=FILE.npy|.pb|1,2,3");
  command.add_option("--expect", flags.expected, "What an output must be; a difference is exit 1")
      .type_name("NAME=FILE.npy|.pb");
  command.add_option("--tolerance", request.tolerance, {0}, "Of --expect: |a - e| <= tolerance * (1 + |e|)")
      .capture_default_str();
  command.add_option("--option", flags.options, "Provider or session option, as in configs/backends.yaml")
      .type_name("KEY=VALUE");
  command.add_option("--param", flags.parameters, "Parameter of a built-in model").type_name("KEY=N");
  command.add_option("--custom-ops", request.custom_ops, "Library of custom operators (exports RegisterCustomOps)")
      .type_name("LIB.so");
  command
      .add_option("--ort-library", request.ort_library,
                  "Another libonnxruntime.so, or its folder (also AACO_ORT_LIBRARY)")
      .type_name("PATH");
  command.rare({"--microkernel-us", "--telemetry-hz", "--no-roofs", "--seed", "--threads", "--inter-op-threads",
                "--pin", "--input", "--expect", "--tolerance", "--option", "--param", "--custom-ops", "--ort-library",
                "--warmup", "--duration"});
}

void give_model_back(std::vector<std::string>& values, bool (*of_the_flag)(const std::string&), RunFlags& flags) {
  const auto word = std::ranges::find_if_not(values, of_the_flag);
  if (flags.request.model.empty() && word != values.end()) {
    flags.request.model = *word;
    values.erase(word);
  }
}

Result<RunRequest> to_request(RunFlags flags, const Invocation& invocation) {
  const auto is_assignment = [](const std::string& word) { return word.find('=') != std::string::npos; };
  for (std::vector<std::string>* values :
       {&flags.dims, &flags.inputs, &flags.expected, &flags.options, &flags.parameters}) {
    give_model_back(*values, is_assignment, flags);
  }
  give_model_back(flags.shapes, is_shape, flags);
  if (flags.request.model.empty()) {
    return Error{ErrorKind::kUsage, "no model is named", "name it first: aaco run resnet50, or aaco run model.onnx"};
  }
  RunRequest request = flags.request;
  request.command_line = invocation.command_line;
  request.measure_roofs = !flags.no_roofs && !flags.quick;
  if (flags.quick) {
    request.iterations = fmt::format("{}s", kQuickSeconds);
    request.processes = kQuickProcesses;
    request.warmup = request.warmup.value_or(kQuickWarmUp);
  }
  AACO_ASSIGN(request.until, until_request(flags.until, flags.duration_s, request.processes));
  if (flags.duration_s && !request.until && request.iterations) {
    return Error{ErrorKind::kUsage,
                 fmt::format("--iterations excludes --duration{}", flags.takes_until ? ", but with --until" : ""),
                 "give one of them"};
  }
  if (flags.duration_s && !request.until) {
    request.iterations = fmt::format("{}s", *flags.duration_s / static_cast<double>(request.processes));
  }
  AACO_ASSIGN(request.dims, sizes("--dim", flags.dims));
  AACO_ASSIGN(request.shapes, shapes_of(flags.shapes));
  AACO_ASSIGN(request.inputs, key_values("--input", flags.inputs));
  AACO_ASSIGN(request.expected, key_values("--expect", flags.expected));
  AACO_ASSIGN(request.options, key_values("--option", flags.options));
  AACO_ASSIGN(request.parameters, sizes("--param", flags.parameters));
  if (!flags.pin.empty()) {
    AACO_ASSIGN(request.pin, parse_processors(flags.pin));
  }
  if (!flags.tokens.empty()) {
    AACO_ASSIGN(request.tokens, token_request(flags.tokens));
  }
  return request;
}

}  // namespace aaco

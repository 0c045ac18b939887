// SPDX-License-Identifier: MIT
#include "cli/run_flags.h"

#include <algorithm>
#include <charconv>
#include <fmt/format.h>

#include "cli/command/key_value.h"
#include "cli/command/shape_flag.h"

namespace aaco {

namespace {

Result<std::map<std::string, int64_t>> numbers(const char* flag, const std::vector<std::string>& texts) {
  AACO_ASSIGN(const auto named, key_values(flag, texts));
  std::map<std::string, int64_t> result;
  for (const auto& [name, text] : named) {
    AACO_ASSIGN(result[name], whole_number(fmt::format("{} {}", flag, name), text));
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
  AACO_ASSIGN(tokens.prompt, whole_number("--tokens prompt", text.substr(0, comma)));
  AACO_ASSIGN(tokens.generated, whole_number("--tokens generated", text.substr(comma + 1)));
  return tokens;
}

}  // namespace

Result<int64_t> whole_number(const std::string& what, const std::string& text) {
  int64_t value = 0;
  const auto [end, problem] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (problem != std::errc() || end != text.data() + text.size()) {
    return Error{ErrorKind::kUsage, fmt::format("{}: '{}' is not a whole number, or too large", what, text),
                 "correct the number"};
  }
  return value;
}

void add_run_flags(cli::Command command, RunFlags& flags) {
  RunRequest& request = flags.request;
  command
      .add_option("--model,model", request.model,
                  "Built-in model, name in configs/models.yaml, or path of an .onnx file")
      .type_name("MODEL|PATH");
  command
      .add_option(
          "--backend", request.backend,
          "Execution provider: cpu, migraphx, rocm, cuda, tensorrt, openvino, dnnl, or a name in configs/backends.yaml")
      .capture_default_str()
      .type_name("BACKEND");
  command
      .add_option("--dim", flags.dims,
                  "Value of a symbolic dimension; those named batch, batch_size, bs or N, else the leading one, are "
                  "the batch")
      .type_name("NAME=N");
  command
      .add_option("--shape", flags.shapes,
                  "The whole shape of an input, also NAME:1x3x48x192, and of several with commas; a 1 for the batch "
                  "takes --batch")
      .type_name("NAME=1x3x48x192");
  command.add_option("--precision", request.precision,
                     "fp32, fp16, ...: of a built-in model, or of a provider that converts");
  command.add_option("--iterations", request.iterations, "Measured iterations a process, or auto (about two seconds)");
  command.add_option("--warmup", request.warmup,
                     "Warm-up iterations, a minimum: warm-up ends where the series is stationary");
  command.add_option("--processes", request.processes, "Fresh processes; the figure is the median of their medians")
      .capture_default_str();
  command.add_flag("--telemetry", request.telemetry, "Sample the host while measuring");
  command
      .add_option("--microkernel-us", request.microkernel_us,
                  "A dispatch shorter than this is a microkernel, in microseconds")
      .positive()
      .capture_default_str();
  command.add_flag("--no-roofs", flags.no_roofs,
                   "Do not measure this machine's roofs first where none are kept for it (some seconds, once)");
  add_sessions_folder(command, request.sessions);
  command.add_option("--seed", request.seed, "Of the inputs, and of a built-in model's weights").capture_default_str();
  command.add_option("--threads", request.threads, "Threads within an operator; 0: the runtime's choice");
  command.add_option("--inter-op-threads", request.inter_op_threads,
                     "Threads across operators; above 1 executes in parallel");
  command.add_option("--pin", flags.pin, "Processors that the measured processes may use, as 0-3,8");
  command
      .add_option("--input", flags.inputs,
                  "An input's values: a file, one for every element (k=50), or one each (ids=1,2,3)")
      .type_name("NAME=FILE.npy|.pb|1,2,3");
  command.add_option("--expect", flags.expected, "What an output must be; a difference is exit 1")
      .type_name("NAME=FILE.npy|.pb");
  command.add_option("--tolerance", request.tolerance, "Of --expect: |a - e| <= tolerance * (1 + |e|)")
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
  request.measure_roofs = !flags.no_roofs;
  AACO_ASSIGN(request.dims, numbers("--dim", flags.dims));
  AACO_ASSIGN(request.shapes, shapes_of(flags.shapes));
  AACO_ASSIGN(request.inputs, key_values("--input", flags.inputs));
  AACO_ASSIGN(request.expected, key_values("--expect", flags.expected));
  AACO_ASSIGN(request.options, key_values("--option", flags.options));
  AACO_ASSIGN(request.parameters, numbers("--param", flags.parameters));
  if (!flags.pin.empty()) {
    AACO_ASSIGN(request.pin, parse_processors(flags.pin));
  }
  if (!flags.tokens.empty()) {
    AACO_ASSIGN(request.tokens, token_request(flags.tokens));
  }
  return request;
}

}  // namespace aaco

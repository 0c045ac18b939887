// SPDX-License-Identifier: MIT
#include "model/runtime/load_remedy.h"

#include <array>
#include <fmt/format.h>
#include <string_view>

namespace aaco {

namespace {

// The word before `suffix`, and behind the last space or colon-and-space before that: "ai.onnx.contrib:BertTokenizer".
std::string word_before(const std::string& message, const std::string& suffix) {
  const size_t end = message.find(suffix);
  if (end == std::string::npos || end == 0) {
    return "";
  }
  const size_t space = message.rfind(' ', end - 1);
  std::string word =
      message.substr(space == std::string::npos ? 0 : space + 1, end - (space == std::string::npos ? 0 : space + 1));
  return word.substr(0, word.find('('));
}

// Domains of operators that are known to lie in a library of their own.
struct Domain {
  std::string_view name;
  const char* where;
};
constexpr std::array kDomains{
    Domain{"ai.onnx.contrib",
           "onnxruntime-extensions holds it: give its library for C, libortextensions.so (NuGet package "
           "Microsoft.ML.OnnxRuntime.Extensions), to --custom-ops; that of the Python package works "
           "with LD_PRELOAD=libpython3.X.so"},
    Domain{"TRT",
           "it is a TensorRT plugin: run with --backend tensorrt, or export without it (the box suppression of "
           "ONNX itself is NonMaxSuppression)"},
    Domain{"com.microsoft.extensions",
           "onnxruntime-extensions holds it: give its library for C, libortextensions.so (NuGet package "
           "Microsoft.ML.OnnxRuntime.Extensions), to --custom-ops; that of the Python package works "
           "with LD_PRELOAD=libpython3.X.so"},
};

std::string missing_operator(const std::string& message) {
  const std::string name = word_before(message, " is not a registered function/op");
  if (name.empty()) {
    return "";
  }
  const std::string domain = name.substr(0, name.find(':'));
  for (const Domain& known : kDomains) {
    if (domain == known.name) {
      return fmt::format("operator {} is not part of ONNX Runtime; {}", name, known.where);
    }
  }
  return domain.empty() || domain == name || domain == "ai.onnx"
             ? fmt::format(
                   "this ONNX Runtime does not have operator {}: export for an opset that has it, or use a newer "
                   "runtime (--ort-library)",
                   name)
             : fmt::format("operator {} is a custom one: name the library that holds it, --custom-ops LIB.so", name);
}

}  // namespace

std::string load_remedy(const std::string& message, const std::string& version) {
  const auto says = [&](std::string_view text) { return message.find(text) != std::string::npos; };
  if (says("Unsupported model IR version")) {
    return fmt::format(
        "the file's format is newer than ONNX Runtime {} reads: use a newer runtime (--ort-library), or "
        "save it with an older IR version (model.ir_version = 10; onnx.save)",
        version);
  }
  if (says("is under development and support for this is limited") || says("opset version") || says("Opset ")) {
    return fmt::format(
        "the model's opset is newer than ONNX Runtime {} knows: use a newer runtime (--ort-library), or "
        "export for an older opset (onnx.version_converter.convert_version)",
        version);
  }
  if (std::string missing = missing_operator(message); !missing.empty()) {
    return missing;
  }
  if (says("No Op registered for") || says("NOT_IMPLEMENTED") || says("Could not find an implementation for")) {
    return "this backend has no kernel for that operator at that type or opset: export for another opset or precision, "
           "use another --backend, or name a library that holds it (--custom-ops LIB.so)";
  }
  if (says("Protobuf parsing failed")) {
    return "the file is damaged, cut short, or no ONNX model: download or export it again "
           "(onnx.checker.check_model tells more)";
  }
  if (says("External data path") || says("external data") || says("External initializer")) {
    return "the weights lie in a file of their own, which must be beside the model under the name that it was saved "
           "with";
  }
  return "";
}

}  // namespace aaco

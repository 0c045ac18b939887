// SPDX-License-Identifier: MIT
#include "cli/first_words.h"

#include <algorithm>
#include <filesystem>
#include <fmt/format.h>
#include <system_error>

#include "session/bundle/layout.h"
#include "session/catalog/catalog.h"

namespace aaco {

namespace {

namespace fs = std::filesystem;

bool is_there(const fs::path& path) {
  std::error_code error;
  return fs::exists(path, error);
}

// Device files of the vendors' drivers: looking at them costs nothing, opening the drivers takes seconds.
const char* gpu_backend() { return is_there("/dev/nvidiactl") ? "cuda" : is_there("/dev/kfd") ? "migraphx" : nullptr; }

bool is_given(const std::vector<std::string>& words, const char* flag) {
  return std::ranges::any_of(
      words, [&](const std::string& word) { return word == flag || word.starts_with(std::string(flag) + '='); });
}

}  // namespace

std::string first_steps() {
  std::string text =
      "aaco shows where the time of an AI workload goes, what limits it, and what to do about it.\n\nTry:\n";
  const auto add = [&](const std::string& command, const char* what) {
    text += fmt::format("  {:<45} {}\n", command, what);
  };
  const char* backend = gpu_backend();
  if (is_there(fs::path("sessions") / layout::kLatest)) {
    add("aaco sessions/latest", "look at the newest session in this folder");
  }
  add(backend != nullptr ? fmt::format("aaco run resnet50 --backend {} --profile", backend)
                         : "aaco run resnet50 --profile",
      backend != nullptr ? "profile a model on this machine's GPU" : "profile a model on this machine's CPU");
  if (backend != nullptr && std::string_view(backend) == "cuda") {
    add("aaco observe -- python3 train.py", "watch what any program does on the GPU");
  } else {
    add("aaco trace.json.gz", "read a trace of PyTorch, Nsight Systems or rocprofv3");
  }
  if (!is_there(fs::path("sessions") / layout::kLatest)) {
    add("aaco doctor", "what is missing on this machine");
  }
  return text + "\naaco --help lists all commands.\n";
}

std::vector<std::string> meant_command(const std::vector<std::string>& words) {
  fs::path path(words.front());
  if (!is_there(path)) {
    const bool may_be_id = words.front() == layout::kLatest || words.front().starts_with("20");
    const Result<fs::path> session = may_be_id ? find_session("sessions", words.front()) : Error{};
    if (!session) {
      return words;
    }
    path = *session;
  }
  std::vector<std::string> meant;
  if (path.extension() == ".onnx") {
    meant = {"run"};
  } else if (is_there(path / layout::kSession)) {
    meant = {"report"};
  } else {
    meant = {"trace", "report"};
  }
  meant.insert(meant.end(), words.begin(), words.end());
  if (meant.front() == "report" && !is_given(words, "--format") && !is_given(words, "--json")) {
    meant.insert(meant.end(), {"--format", "text"});
  }
  return meant;
}

}  // namespace aaco

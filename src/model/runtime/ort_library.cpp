// SPDX-License-Identifier: MIT
#include "model/runtime/ort_library.h"

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <dlfcn.h>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <mutex>
#include <onnxruntime_c_api.h>
#include <utility>

#include "base/files/file.h"
#include "base/files/installation.h"
#include "base/process/limit_error.h"

namespace aaco {

namespace {

namespace fs = std::filesystem;

constexpr const char* kLibraryName = "libonnxruntime.so";
constexpr const char* kRuntimeInPackages = "onnxruntime/capi";  // of each of its packages on PyPI

// A folder may be given for a library: the newest libonnxruntime.so* in it is meant.
fs::path library_in(const fs::path& place) {
  std::error_code error;
  if (!fs::is_directory(place, error)) {
    return place;
  }
  fs::path best;
  for (const auto& entry : fs::directory_iterator(place, error)) {
    if (entry.path().filename().string().starts_with(kLibraryName) && entry.path() > best) {
      best = entry.path();
    }
  }
  return best.empty() ? place / kLibraryName : best;
}

std::vector<fs::path> default_places() {
  std::vector<fs::path> places;
  for (const fs::path& folder : library_folders()) {
    places.push_back(folder);
  }
  for (const fs::path& packages : own_python_packages()) {
    places.push_back(packages / kRuntimeInPackages);
  }
  for (fs::path folder = program_folder(); folder.has_relative_path(); folder = folder.parent_path()) {
    places.push_back(folder / ".deps/onnxruntime/lib");
  }
  return places;
}

struct OpenLibrary {
  void* handle = nullptr;
  fs::path path;
};

Result<OpenLibrary> open_named(const fs::path& place, const std::string& named_by) {
  const fs::path library = library_in(place);
  if (void* handle = ::dlopen(library.c_str(), RTLD_NOW | RTLD_LOCAL)) {
    return OpenLibrary{handle, library};
  }
  return Error{ErrorKind::kUnavailable, fmt::format("cannot open ONNX Runtime: {}", ::dlerror()),
               fmt::format("{} names it: point it at a libonnxruntime.so, or leave it out", named_by)};
}

Result<OpenLibrary> open_somewhere(const std::string& override_path) {
  if (!override_path.empty()) {
    return open_named(override_path, "--ort-library");
  }
  if (const char* variable = std::getenv("AACO_ORT_LIBRARY"); variable != nullptr && *variable != '\0') {
    return open_named(variable, "AACO_ORT_LIBRARY");
  }
  for (const fs::path& place : default_places()) {
    const fs::path library = library_in(place);
    std::error_code error;
    if (fs::exists(library, error)) {
      return open_named(library, "the installation");
    }
  }
  if (void* handle = ::dlopen(kLibraryName, RTLD_NOW | RTLD_LOCAL)) {
    return OpenLibrary{handle, kLibraryName};
  }
  if (!own_python_packages().empty()) {
    return Error{ErrorKind::kUnavailable, "ONNX Runtime (libonnxruntime.so) was not found in this Python",
                 "pip install 'aaco[cpu]' (or [cuda], [migraphx]) with the same pip as aaco, or name one with "
                 "--ort-library"};
  }
  for (const fs::path& packages : other_python_packages()) {
    const fs::path library = library_in(packages / kRuntimeInPackages);
    std::error_code error;
    if (fs::exists(library, error)) {
      return open_named(library, "a Python");
    }
  }
  return Error{
      ErrorKind::kUnavailable, "ONNX Runtime (libonnxruntime.so) was not found",
      "run scripts/setup, or set AACO_ORT_LIBRARY or --ort-library to one (the PyPI package onnxruntime holds it)"};
}

}  // namespace

// Collects what the runtime logs as errors, from any of its threads; the newest kLines.
class OrtLog {
 public:
  static void ORT_API_CALL receive(void* self, OrtLoggingLevel, const char*, const char*, const char*,
                                   const char* message) {
    auto* log = static_cast<OrtLog*>(self);
    const std::lock_guard<std::mutex> lock(log->mutex_);
    if (log->lines_.size() == kLines) {
      log->lines_.erase(log->lines_.begin());
    }
    log->lines_.emplace_back(message);
  }
  std::vector<std::string> take() {
    const std::lock_guard<std::mutex> lock(mutex_);
    return std::exchange(lines_, {});
  }

 private:
  static constexpr size_t kLines = 20;
  std::mutex mutex_;
  std::vector<std::string> lines_;
};

Result<std::shared_ptr<OrtLibrary>> OrtLibrary::open(const std::string& override_path) {
  // Some builds report usage to their maker, from a thread of their own and with files in the home folder: not while we
  // measure, unless the user has said so.
  ::setenv("ORT_DISABLE_TELEMETRY", "1", 0);
  AACO_ASSIGN(const OpenLibrary opened, open_somewhere(override_path));
  using GetApiBase = const OrtApiBase* (*)();
  const auto get_base = reinterpret_cast<GetApiBase>(::dlsym(opened.handle, "OrtGetApiBase"));
  if (get_base == nullptr) {
    return Error{ErrorKind::kUnavailable, opened.path.string() + " is not ONNX Runtime (no OrtGetApiBase)",
                 "name a libonnxruntime.so"};
  }
  std::shared_ptr<OrtLibrary> library(new OrtLibrary);
  library->version_ = get_base()->GetVersionString();
  library->api_ = get_base()->GetApi(ORT_API_VERSION);
  if (library->api_ == nullptr) {
    return Error{ErrorKind::kUnavailable,
                 fmt::format("ONNX Runtime {} at {} is too old: aaco needs 1.{}", library->version_,
                             opened.path.string(), ORT_API_VERSION),
                 "use ONNX Runtime 1.31"};
  }
  library->path_ = opened.path;
  OrtEnv* environment = nullptr;
  library->log_ = std::make_shared<OrtLog>();
  // Errors come back as statuses, their causes in the log: kept here, not repeated on stderr.
  AACO_TRY(library->check(library->api_->CreateEnvWithCustomLogger(OrtLog::receive, library->log_.get(),
                                                                   ORT_LOGGING_LEVEL_ERROR, "aaco", &environment),
                          "start ONNX Runtime", ErrorKind::kUnavailable));
  library->environment_ = std::shared_ptr<OrtEnv>(environment, library->api_->ReleaseEnv);
  return library;
}

std::vector<std::string> OrtLibrary::providers() const {
  char** names = nullptr;
  int count = 0;
  std::vector<std::string> result;
  if (check(api_->GetAvailableProviders(&names, &count), "list providers")) {
    result.assign(names, names + count);
    (void)check(api_->ReleaseAvailableProviders(names, count), "release the list of providers");
  }
  return result;
}

Result<void> OrtLibrary::check(OrtStatus* status, const std::string& doing, ErrorKind kind) const {
  if (status == nullptr) {
    return {};
  }
  std::string message = api_->GetErrorMessage(status);
  const OrtErrorCode code = api_->GetErrorCode(status);
  api_->ReleaseStatus(status);
  for (char& character : message) {  // one line
    character = character == '\n' ? ' ' : character;
  }
  if (code == ORT_NO_SUCHFILE) {
    kind = ErrorKind::kUsage;
  }
  const auto says = [&](const char* words) { return message.find(words) != std::string::npos; };
  if (says("pthread_create failed")) {
    Error error = limit_error("start a thread", EAGAIN);
    error.message = fmt::format("cannot {}: {}", doing, error.message);
    return error;
  }
  if (says("std::bad_alloc") || says("bad allocation") || says("Failed to allocate memory")) {
    kind = ErrorKind::kResource;
  }
  return Error{kind, fmt::format("cannot {}: {}", doing, message), "the message is ONNX Runtime's own"};
}

std::vector<std::string> OrtLibrary::take_log() const { return log_->take(); }

}  // namespace aaco

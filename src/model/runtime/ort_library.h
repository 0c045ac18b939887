// SPDX-License-Identifier: MIT
// ONNX Runtime, opened at run time. One library a process: the first one opened stays.
#pragma once

#include <filesystem>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "base/result.h"

struct OrtApi;
struct OrtEnv;
struct OrtStatus;

namespace aaco {

struct OrtLibraryInfo {
  std::filesystem::path path;
  std::string version;
  std::vector<std::string> providers;  // as the library names them, "CPUExecutionProvider"
  // Of each provider that lives in a library of its own: "" when it starts, else why not.
  std::map<std::string, std::string> provider_libraries;
};

class OrtLog;

// The loaded library with its environment. Shared by all sessions of the process.
class OrtLibrary {
 public:
  // Looks at `override_path`, $AACO_ORT_LIBRARY, the installation (beside the program, ../lib/aaco), the Python that
  // started aaco, .deps/ of a source checkout, the loader's path, and where no wheel is installed other Pythons, in
  // this order; a named path that cannot be used is an error, never skipped. Errors: kUnavailable.
  static Result<std::shared_ptr<OrtLibrary>> open(const std::string& override_path);

  const OrtApi& api() const { return *api_; }
  OrtEnv* environment() const { return environment_.get(); }
  const std::filesystem::path& path() const { return path_; }
  const std::string& version() const { return version_; }
  std::vector<std::string> providers() const;

  // Takes ownership of `status`. `doing` begins the message: "load model.onnx".
  Result<void> check(OrtStatus* status, const std::string& doing, ErrorKind kind = ErrorKind::kUsage) const;

  // The runtime's own errors since the last call, one line each: what a status leaves out (which library a provider
  // missed).
  std::vector<std::string> take_log() const;

 private:
  OrtLibrary() = default;
  const OrtApi* api_ = nullptr;
  std::filesystem::path path_;
  std::string version_;
  std::shared_ptr<OrtLog> log_;  // before the environment, which writes to it to its end
  std::shared_ptr<OrtEnv> environment_;
};

}  // namespace aaco

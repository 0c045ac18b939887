// SPDX-License-Identifier: MIT
// The ONNX project's recorded models, for tests: extracted into a temporary folder that goes away with the object.
#pragma once

#include <cstdlib>
#include <filesystem>
#include <initializer_list>
#include <string>

namespace aaco::testing {

class ConformanceData {
 public:
  // `parts`: the folders to extract of light, node, simple, pytorch-operator, pytorch-converted.
  explicit ConformanceData(std::initializer_list<const char*> parts) {
    const char* data = std::getenv("AACO_DATA");
    archive_ = data != nullptr ? std::filesystem::path(data)
                               : std::filesystem::path(AACO_SOURCE_DIR) / ".." / "shared" / "data";
    archive_ /= "onnx/onnx-v1.20.0-backend-test-data.tar.gz";
    std::string pattern = (std::filesystem::temp_directory_path() / "aaco_onnx_XXXXXX").string();
    if (!std::filesystem::exists(archive_) || mkdtemp(pattern.data()) == nullptr) {
      return;
    }
    root_ = pattern;
    std::string command = "tar -xzf '" + archive_.string() + "' -C '" + root_.string() + "'";
    for (const char* part : parts) {
      command += std::string(" onnx/backend/test/data/") + part;
    }
    extracted_ = std::system(command.c_str()) == 0;  // NOLINT(bugprone-command-processor): no one else's words in it
  }
  ConformanceData(const ConformanceData&) = delete;
  ConformanceData& operator=(const ConformanceData&) = delete;
  ~ConformanceData() {
    std::error_code ignored;
    if (!root_.empty()) {
      std::filesystem::remove_all(root_, ignored);
    }
  }

  bool is_here() const { return std::filesystem::exists(archive_); }
  bool extracted() const { return extracted_; }
  const std::filesystem::path& archive() const { return archive_; }
  std::filesystem::path folder() const { return root_ / "onnx/backend/test/data"; }

 private:
  std::filesystem::path archive_;
  std::filesystem::path root_;
  bool extracted_ = false;
};

}  // namespace aaco::testing

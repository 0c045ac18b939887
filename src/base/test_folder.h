// SPDX-License-Identifier: MIT
// For tests: a folder that goes away with the test, and a small disk that can be filled.
#pragma once

#include <filesystem>
#include <string>
#include <sys/mount.h>
#include <unistd.h>

namespace aaco {

class TestFolder {
 public:
  TestFolder() {
    std::string text = (std::filesystem::temp_directory_path() / "aaco_test_XXXXXX").string();
    path_ = ::mkdtemp(text.data());
  }
  ~TestFolder() {
    std::error_code ignored;
    std::filesystem::remove_all(path_, ignored);
  }
  TestFolder(const TestFolder&) = delete;
  TestFolder& operator=(const TestFolder&) = delete;
  const std::filesystem::path& path() const { return path_; }

 private:
  std::filesystem::path path_;
};

// A tmpfs of `size` ("3m"); needs root.
class SmallDisk {
 public:
  SmallDisk(std::filesystem::path path, const std::string& size) : path_(std::move(path)) {
    std::filesystem::create_directories(path_);
    mounted_ = ::mount("tmpfs", path_.c_str(), "tmpfs", 0, ("size=" + size).c_str()) == 0;
  }
  ~SmallDisk() {
    if (mounted_) {
      ::umount2(path_.c_str(), MNT_DETACH);
    }
  }
  SmallDisk(const SmallDisk&) = delete;
  SmallDisk& operator=(const SmallDisk&) = delete;
  bool mounted() const { return mounted_; }
  const std::filesystem::path& path() const { return path_; }

 private:
  std::filesystem::path path_;
  bool mounted_ = false;
};

}  // namespace aaco

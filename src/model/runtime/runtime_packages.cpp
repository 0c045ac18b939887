// SPDX-License-Identifier: MIT
#include "model/runtime/runtime_packages.h"

#include <algorithm>
#include <fmt/format.h>
#include <fmt/ranges.h>

#include "base/files/file.h"

namespace aaco {

namespace {

namespace fs = std::filesystem;

constexpr size_t kLargestRecord = size_t{16} << 20;
constexpr std::string_view kInfo = ".dist-info";

// "onnxruntime_gpu-1.31.1.dist-info" is "onnxruntime-gpu 1.31.1".
std::string package_name(std::string folder) {
  folder.resize(folder.size() - kInfo.size());
  const size_t dash = folder.find('-');
  std::string name = folder.substr(0, dash);
  std::ranges::replace(name, '_', '-');
  return dash == std::string::npos ? name : fmt::format("{} {}", name, folder.substr(dash + 1));
}

}  // namespace

std::vector<std::string> owners_of_runtime(const fs::path& library) {
  const fs::path capi = library.parent_path();
  if (capi.filename() != "capi" || capi.parent_path().filename() != "onnxruntime") {
    return {};
  }
  std::vector<std::string> owners;
  std::error_code error;
  for (const auto& entry : fs::directory_iterator(capi.parent_path().parent_path(), error)) {
    const std::string name = entry.path().filename().string();
    if (!name.starts_with("onnxruntime") || !name.ends_with(kInfo)) {
      continue;
    }
    const Result<std::string> record = read_file(entry.path() / "RECORD", kLargestRecord);
    if (record && record->find("onnxruntime/capi/libonnxruntime.so") != std::string::npos) {
      owners.push_back(package_name(name));
    }
  }
  std::ranges::sort(owners);
  return owners;
}

std::string runtime_clash(const std::vector<std::string>& owners) {
  if (owners.size() < 2) {
    return "";
  }
  return fmt::format("{} are installed in one folder: the one installed last overwrote files of the other",
                     fmt::join(owners, " and "));
}

std::string clash_remedy(const std::vector<std::string>& owners) {
  std::vector<std::string> names;
  for (const std::string& owner : owners) {
    names.push_back(owner.substr(0, owner.find(' ')));
  }
  return fmt::format("pip uninstall {}, then pip install the one that you need", fmt::join(names, " "));
}

}  // namespace aaco

// SPDX-License-Identifier: MIT
#include "model/runtime/runtime_packages.h"

#include <gtest/gtest.h>

#include "base/files/file.h"
#include "base/test_folder.h"

namespace aaco {

namespace {

namespace fs = std::filesystem;

class RuntimePackages : public testing::Test {
 protected:
  void install(const std::string& name, const std::string& file) {
    fs::create_directories(packages_ / (name + ".dist-info"));
    ASSERT_TRUE(write_file_atomically(packages_ / (name + ".dist-info") / "RECORD", file + ",sha256=x,1\n"));
  }
  TestFolder folder_;
  fs::path packages_ = folder_.path();
  fs::path library_ = folder_.path() / "onnxruntime/capi/libonnxruntime.so.1.31.1";
};

TEST_F(RuntimePackages, OnePackageIsNoClash) {
  install("onnxruntime-1.31.1", "onnxruntime/capi/libonnxruntime.so.1.31.1");
  install("onnxruntime_extensions-0.15.0", "onnxruntime_extensions/__init__.py");  // owns another folder
  EXPECT_EQ(owners_of_runtime(library_), std::vector<std::string>{"onnxruntime 1.31.1"});
  EXPECT_EQ(runtime_clash(owners_of_runtime(library_)), "");
}

TEST_F(RuntimePackages, TwoPackagesAreNamedWithTheRemedy) {
  install("onnxruntime-1.31.1", "onnxruntime/capi/libonnxruntime.so.1.31.1");
  install("onnxruntime_gpu-1.30.0", "onnxruntime/capi/libonnxruntime.so.1.30.0");
  const auto owners = owners_of_runtime(library_);
  EXPECT_EQ(runtime_clash(owners),
            "onnxruntime 1.31.1 and onnxruntime-gpu 1.30.0 are installed in one folder: the one installed last "
            "overwrote files of the other");
  EXPECT_EQ(clash_remedy(owners), "pip uninstall onnxruntime onnxruntime-gpu, then pip install the one that you need");
}

TEST_F(RuntimePackages, ALibraryElsewhereBelongsToNoPackage) {
  install("onnxruntime-1.31.1", "onnxruntime/capi/libonnxruntime.so.1.31.1");
  EXPECT_TRUE(owners_of_runtime(folder_.path() / "lib/libonnxruntime.so").empty());
}

}  // namespace

}  // namespace aaco

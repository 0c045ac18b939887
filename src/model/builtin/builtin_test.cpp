// SPDX-License-Identifier: MIT
#include "model/builtin/builtin.h"

#include <csignal>
#include <cstdlib>
#include <fstream>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <mutex>
#include <onnx.pb.h>
#include <optional>
#include <sys/resource.h>
#include <thread>

#include "base/files/cache_folder.h"
#include "base/files/file.h"

namespace aaco {
namespace {

namespace fs = std::filesystem;
using testing::HasSubstr;

const BuiltinRequest kSmallGemm{"fp32", 7, {{"m", 8}, {"n", 16}, {"k", 16}}};

// A folder of its own for each test.
class Builtin : public testing::Test {
 protected:
  void SetUp() override {
    std::string name = testing::TempDir() + "builtin_XXXXXX";
    ASSERT_NE(::mkdtemp(name.data()), nullptr);
    folder_ = name;
  }
  void TearDown() override { fs::remove_all(folder_); }

  size_t files() const {
    return static_cast<size_t>(std::distance(fs::directory_iterator(folder_), fs::directory_iterator()));
  }
  Error error_of(const std::string& name, const BuiltinRequest& request) const {
    const auto file = builtin_model_file(name, request, folder_);
    EXPECT_FALSE(file);
    EXPECT_EQ(files(), 0U);
    return file ? Error{} : file.error();
  }
  std::string digest(const std::string& name, const BuiltinRequest& request, const char* subfolder) const {
    const auto file = builtin_model_file(name, request, folder_ / subfolder);
    EXPECT_TRUE(file);
    return file ? sha256_of_file(*file).value() : "";
  }

  fs::path folder_;
};

TEST_F(Builtin, WritesAModelThatParses) {
  const auto file = builtin_model_file("gemm", kSmallGemm, folder_ / "new" / "folders");
  ASSERT_TRUE(file) << file.error().message;
  onnx::ModelProto model;
  std::ifstream stream(*file, std::ios::binary);
  ASSERT_TRUE(model.ParseFromIstream(&stream));
  EXPECT_EQ(model.graph().name(), "gemm");
  EXPECT_EQ(model.graph().initializer(0).raw_data().size(), 16U * 16U * 4U);
}

TEST_F(Builtin, GivesTheSameBytesForTheSameRequestOnly) {
  const BuiltinRequest request{"fp32", 1, {{"layers", 1}, {"hidden", 64}}};
  const std::string first = digest("tiny-llama", request, "a");
  EXPECT_EQ(first, digest("tiny-llama", request, "b"));
  BuiltinRequest other = request;
  other.seed = 2;
  EXPECT_NE(first, digest("tiny-llama", other, "a"));
  other = request;
  other.precision = "fp16";
  EXPECT_NE(first, digest("tiny-llama", other, "a"));
  other = request;
  other.parameters["vocabulary"] = 999;
  EXPECT_NE(first, digest("tiny-llama", other, "a"));
}

TEST_F(Builtin, NamesAFileByWhatItHoldsWhetherOrNotTheDefaultsAreWritten) {
  const auto spelled = builtin_model_file("chain-tiny", {"fp32", 3, {{"nodes", 1000}, {"elements", 16}}}, folder_);
  const auto plain = builtin_model_file("chain-tiny", {"", 3, {}}, folder_);
  ASSERT_TRUE(spelled && plain);
  EXPECT_EQ(*spelled, *plain);
  EXPECT_THAT(plain->filename().string(),
              testing::MatchesRegex("chain-tiny-fp32-seed3-elements16-nodes1000-g[0-9]+.onnx"));
}

TEST_F(Builtin, UsesTheFileThatIsThere) {
  const auto file = builtin_model_file("gemm", kSmallGemm, folder_);
  ASSERT_TRUE(file);
  std::ofstream(*file) << "kept";
  ASSERT_TRUE(builtin_model_file("gemm", kSmallGemm, folder_));
  EXPECT_EQ(read_file(*file).value(), "kept");
}

TEST_F(Builtin, RefusesWhatItDoesNotKnowAndListsWhatThereIs) {
  Error error = error_of("alexnet", {});
  EXPECT_EQ(error.kind, ErrorKind::kUsage);
  EXPECT_THAT(error.message, HasSubstr("'alexnet'"));
  for (const BuiltinModel& model : all_builtin_models()) {
    EXPECT_THAT(error.hint, HasSubstr(model.name));
  }
  error = error_of("resnet50", {"int8", 0, {}});
  EXPECT_EQ(error.kind, ErrorKind::kUsage);
  EXPECT_THAT(error.message, HasSubstr("'int8'"));
  EXPECT_THAT(error.hint, HasSubstr("fp32, fp16"));
  error = error_of("gemm", {"", 0, {{"q", 1}}});
  EXPECT_EQ(error.kind, ErrorKind::kUsage);
  EXPECT_THAT(error.message, HasSubstr("'q'"));
  EXPECT_THAT(error.hint, HasSubstr("m, n, k, count"));
  error = error_of("resnet50", {"", 0, {{"layers", 18}}});
  EXPECT_EQ(error.kind, ErrorKind::kUsage);
  EXPECT_THAT(error.hint, HasSubstr("none"));
}

TEST_F(Builtin, RefusesParametersOutOfRange) {
  for (const int64_t value : {int64_t{0}, int64_t{-1}, INT64_MIN, INT64_MAX}) {
    const Error error = error_of("gemm", {"", 0, {{"m", value}}});
    EXPECT_EQ(error.kind, ErrorKind::kUsage);
    EXPECT_THAT(error.message, HasSubstr(std::to_string(value)));
    EXPECT_THAT(error.hint, HasSubstr("from 1 to 65536"));
  }
}

// 65536 x 65536 floats are 16 GiB: refused before they are made.
TEST_F(Builtin, RefusesWeightsThatNoFileHolds) {
  const Error error = error_of("gemm", {"", 0, {{"n", 65536}, {"k", 65536}, {"count", 10'000}}});
  EXPECT_EQ(error.kind, ErrorKind::kUsage);
  EXPECT_THAT(error.message, HasSubstr("2000000000 bytes"));
}

TEST_F(Builtin, SaysThatTheFolderCannotBeWritten) {
  std::ofstream(folder_ / "file") << "x";
  const auto below_a_file = builtin_model_file("gemm", kSmallGemm, folder_ / "file" / "models");
  ASSERT_FALSE(below_a_file);
  EXPECT_EQ(below_a_file.error().kind, ErrorKind::kUsage);
  EXPECT_THAT(below_a_file.error().message, HasSubstr((folder_ / "file").string()));
  EXPECT_FALSE(below_a_file.error().hint.empty());
}

TEST_F(Builtin, LeavesNothingWhenTheTargetIsAFolder) {
  const auto file = builtin_model_file("gemm", kSmallGemm, folder_);
  ASSERT_TRUE(file);
  fs::remove(*file);
  fs::create_directory(*file);
  const auto refused = builtin_model_file("gemm", kSmallGemm, folder_);
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().kind, ErrorKind::kUsage);
  EXPECT_EQ(files(), 1U);  // that folder alone
}

// Limits the size of files that this process may write, as a full disk does.
class SmallFilesOnly {
 public:
  explicit SmallFilesOnly(rlim_t bytes) : handler_(std::signal(SIGXFSZ, SIG_IGN)) {
    ::getrlimit(RLIMIT_FSIZE, &before_);
    const rlimit limited{bytes, before_.rlim_max};
    ::setrlimit(RLIMIT_FSIZE, &limited);
  }
  ~SmallFilesOnly() {
    ::setrlimit(RLIMIT_FSIZE, &before_);
    std::signal(SIGXFSZ, handler_);
  }
  SmallFilesOnly(const SmallFilesOnly&) = delete;
  SmallFilesOnly& operator=(const SmallFilesOnly&) = delete;

 private:
  void (*handler_)(int);
  rlimit before_{};
};

TEST_F(Builtin, LeavesNothingWhenTheDiskIsFull) {
  Error error;
  {
    const SmallFilesOnly limit(1 << 20);
    error = error_of("gemm", {"fp32", 7, {}});  // 4 MiB
  }
  EXPECT_EQ(error.kind, ErrorKind::kResource);
  EXPECT_THAT(error.message, HasSubstr(folder_.string()));
  EXPECT_TRUE(builtin_model_file("gemm", {"fp32", 7, {}}, folder_));
}

TEST_F(Builtin, LetsSeveralAskForTheSameModelAtOnce) {
  std::vector<std::thread> threads;
  std::vector<bool> done(4, false);
  std::mutex mutex;
  for (size_t i = 0; i < done.size(); ++i) {
    threads.emplace_back([&, i] {
      const bool written = builtin_model_file("gemm", kSmallGemm, folder_).has_value();
      const std::lock_guard lock(mutex);
      done[i] = written;
    });
  }
  for (std::thread& thread : threads) {
    thread.join();
  }
  EXPECT_EQ(done, std::vector<bool>(4, true));
  EXPECT_EQ(files(), 1U);
}

TEST(ModelCacheFolder, LiesInTheCacheFolder) { EXPECT_EQ(model_cache_folder(), cache_folder() / "models"); }

}  // namespace
}  // namespace aaco

// SPDX-License-Identifier: MIT
#include "model/identity/external_data.h"

#include <fstream>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <onnx.pb.h>

#include "base/files/temporary_folder.h"

namespace aaco {
namespace {

namespace fs = std::filesystem;
using testing::ElementsAre;
using testing::IsEmpty;

void put_outside(onnx::TensorProto* tensor, const std::string& location) {
  tensor->set_data_type(onnx::TensorProto::FLOAT);
  tensor->add_dims(4);
  tensor->set_data_location(onnx::TensorProto::EXTERNAL);
  for (const auto& [key, value] : {std::pair<std::string, std::string>{"offset", "0"}, {"location", location}}) {
    auto* entry = tensor->add_external_data();
    entry->set_key(key);
    entry->set_value(value);
  }
}

class ExternalData : public testing::Test {
 protected:
  fs::path write(const onnx::ModelProto& model, const char* name = "model.onnx") {
    const fs::path file = folder_.path() / name;
    std::ofstream(file, std::ios::binary) << model.SerializeAsString();
    return file;
  }
  TemporaryFolder folder_ = TemporaryFolder::create().value();
};

// Wherever a tensor can lie: graph, attribute, body, sparse tensor, function.
TEST_F(ExternalData, EveryTensorCounts) {
  onnx::ModelProto model;
  auto* graph = model.mutable_graph();
  put_outside(graph->add_initializer(), "w.bin");
  put_outside(graph->add_initializer(), "w.bin");
  put_outside(graph->add_sparse_initializer()->mutable_values(), "sparse.bin");
  put_outside(graph->add_node()->add_attribute()->mutable_t(), "sub/constant.bin");
  put_outside(graph->add_node()->add_attribute()->mutable_g()->add_initializer(), "body.bin");
  put_outside(model.add_functions()->add_node()->add_attribute()->add_tensors(), "function.bin");
  auto* inside = graph->add_initializer();
  inside->set_data_type(onnx::TensorProto::FLOAT);
  inside->set_raw_data(std::string(100'000, '\x6a'));
  const auto locations = external_locations(write(model));
  ASSERT_TRUE(locations) << locations.error().message;
  EXPECT_THAT(*locations, ElementsAre("body.bin", "function.bin", "sparse.bin", "sub/constant.bin", "w.bin"));
}

TEST_F(ExternalData, AModelWithoutHasNoneAndADamagedOneIsRefused) {
  onnx::ModelProto model;
  put_outside(model.mutable_graph()->add_initializer(), "w.bin");
  model.mutable_graph()->mutable_initializer(0)->set_data_location(onnx::TensorProto::DEFAULT);
  EXPECT_THAT(*external_locations(write(model)), IsEmpty());
  std::ofstream(folder_.path() / "damaged.onnx") << "\x3a\x7f not so long";
  EXPECT_FALSE(external_locations(folder_.path() / "damaged.onnx"));
  EXPECT_FALSE(external_locations(folder_.path() / "absent.onnx"));
  EXPECT_FALSE(external_locations(folder_.path()));
}

// As the cache of a hub lays it out: names in one folder, content in another.
TEST_F(ExternalData, AFileIsLookedForWhereTheModelIsNamedThenWhereItLies) {
  fs::create_directories(folder_.path() / "blobs");
  fs::create_directories(folder_.path() / "snapshot");
  std::ofstream(folder_.path() / "blobs/f00d") << "model";
  std::ofstream(folder_.path() / "blobs/w.bin") << "weights";
  fs::create_symlink("../blobs/f00d", folder_.path() / "snapshot/model.onnx");
  const fs::path model = folder_.path() / "snapshot/model.onnx";
  EXPECT_EQ(external_file(model, "w.bin").filename(), "w.bin");
  EXPECT_TRUE(fs::equivalent(external_file(model, "w.bin"), folder_.path() / "blobs/w.bin"));
  fs::create_symlink("../blobs/w.bin", folder_.path() / "snapshot/w.bin");
  EXPECT_EQ(external_file(model, "w.bin"), folder_.path() / "snapshot/w.bin");
}

}  // namespace
}  // namespace aaco

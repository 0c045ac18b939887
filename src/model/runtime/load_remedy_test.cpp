// SPDX-License-Identifier: MIT
#include "model/runtime/load_remedy.h"

#include <gtest/gtest.h>

namespace aaco {
namespace {

// The messages are those of ONNX Runtime 1.31.
TEST(LoadRemedy, MissingOperators) {
  const auto remedy = [](const std::string& name) {
    return load_remedy("Load model from m.onnx failed:Fatal error: " + name + "(-1) is not a registered function/op",
                       "1.31.1");
  };
  EXPECT_EQ(remedy("my.domain:Fast"),
            "operator my.domain:Fast is a custom one: name the library that holds it, --custom-ops LIB.so");
  EXPECT_NE(remedy("ai.onnx.contrib:BertTokenizer").find("libortextensions.so"), std::string::npos);
  EXPECT_NE(remedy("TRT:EfficientNMS_TRT").find("--backend tensorrt"), std::string::npos);
  EXPECT_NE(remedy("ai.onnx:Newer").find("does not have operator ai.onnx:Newer"), std::string::npos);
}

TEST(LoadRemedy, TooNewFiles) {
  EXPECT_NE(load_remedy("Unsupported model IR version: 99, max supported IR version: 13", "1.31.1")
                .find("newer than ONNX Runtime 1.31.1 reads"),
            std::string::npos);
  EXPECT_NE(load_remedy("ONNX Runtime only *guarantees* support for models stamped with official released onnx opset "
                        "versions. Opset 99 is under development and support for this is limited.",
                        "1.31.1")
                .find("export for an older opset"),
            std::string::npos);
  EXPECT_NE(load_remedy("Load model from m.onnx failed:Protobuf parsing failed.", "1").find("damaged"),
            std::string::npos);
}

TEST(LoadRemedy, NothingIsSaidOfWhatIsNotKnown) { EXPECT_EQ(load_remedy("something else", "1"), ""); }

}  // namespace
}  // namespace aaco

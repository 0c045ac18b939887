// SPDX-License-Identifier: MIT
#include "model/model_file.h"

#include <gtest/gtest.h>
#include <string>

#include "model/graph/model_making.h"

namespace aaco {
namespace {

std::string what(std::string head) {
  const uint64_t size = head.size();
  return not_a_model(head, size).what;
}

TEST(ModelFile, WhatItIsInstead) {
  EXPECT_EQ(what("version https://git-lfs.github.com/spec/v1\noid sha256:abab\nsize 12\n"),
            "a pointer of Git LFS: the model itself was not downloaded");
  EXPECT_EQ(what("\n\n<!DOCTYPE html>\n<html lang=\"en\">"), "an HTML page");
  EXPECT_EQ(what("\xEF\xBB\xBF<HTML><head>"), "an HTML page");
  EXPECT_EQ(what("<?xml version=\"1.0\"?><Error>AccessDenied"),
            "an XML text (a server's answer, or an OpenVINO model)");
  EXPECT_EQ(what("{\"error\": \"Repository not found\"}"), "a JSON text");
  EXPECT_EQ(what("Entry not found"), "a text");
  EXPECT_EQ(what("GGUF\3\0\0\0"), "a GGUF file (llama.cpp)");
  EXPECT_EQ(what(std::string("PK\3\4....archive/data.pkl")), "a PyTorch checkpoint");
  EXPECT_EQ(what(std::string("PK\3\4....model.onnx")), "a zip archive");
  EXPECT_EQ(what(std::string("\x80\x02\x8a\x0a")),
            "a Python pickle (an old PyTorch checkpoint, or a scikit-learn model)");
  EXPECT_EQ(what(std::string("\x15\0\0\0\0\0\0\0", 8) + "{\"w\":{\"dtype\":\"F32\"}}......"),
            "a safetensors file: weights without a graph");
  EXPECT_EQ(what(std::string(257, '\0') + "ustar  "), "a tar archive");
  EXPECT_EQ(what(""), "empty");
  for (const char* head : {"version https://git-lfs.github.com/spec/v1\n", "<html><head>", "GGUF\3\0\0\0"}) {
    EXPECT_NE(not_a_model(head, 100).remedy, "") << head;
  }
}

// A model has no mark: whatever its first field is, it is left to the runtime.
TEST(ModelFile, AModelIsNothingElse) {
  EXPECT_EQ(what(testing::empty_model().SerializeAsString()), "");
  onnx::ModelProto without_version;
  without_version.set_producer_name("an exporter with a long name");
  EXPECT_EQ(what(without_version.SerializeAsString()), "");
  EXPECT_EQ(what(std::string("\x08\x08\x12\x07pytorch")), "");
}

}  // namespace
}  // namespace aaco

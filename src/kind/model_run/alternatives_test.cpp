// SPDX-License-Identifier: MIT
#include "kind/model_run/alternatives.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace aaco {
namespace {

using testing::HasSubstr;

RunRequest request_on(const std::string& backend) {
  RunRequest request;
  request.model = "resnet50";
  request.backend = backend;
  request.batch = 4;
  request.profile = true;
  return request;
}

TEST(Alternatives, EachWordChangesOneThing) {
  const auto tried = alternatives_of(request_on("cuda"),
                                     "cuda-graph,tf32,batch,batch=16,threads=2,precision=fp16,other.onnx,session.x=1");
  ASSERT_TRUE(tried) << tried.error().message;
  ASSERT_EQ(tried->size(), 8U);
  EXPECT_EQ((*tried)[0].request.options.at("enable_cuda_graph"), "1");
  EXPECT_FALSE((*tried)[1].request.options.contains("enable_cuda_graph"));
  EXPECT_EQ((*tried)[1].request.options.at("use_tf32"), "1");
  EXPECT_EQ((*tried)[2].request.batch, 32);
  EXPECT_EQ((*tried)[3].request.batch, 16);
  EXPECT_EQ((*tried)[4].request.threads, 2);
  EXPECT_EQ((*tried)[5].request.precision, "fp16");
  EXPECT_EQ((*tried)[6].request.model, "other.onnx");
  EXPECT_EQ((*tried)[7].request.options.at("session.x"), "1");
  for (const Alternative& alternative : *tried) {
    EXPECT_FALSE(alternative.request.profile);
  }
}

TEST(Alternatives, WhatCannotBeTriedIsSaid) {
  for (const auto& [words, why] :
       {std::pair{"cuda-graph", "needs --backend cuda"}, std::pair{"faster", "not known"}, std::pair{"", "not known"},
        std::pair{"batch=0", "not a number"}, std::pair{"=1", "no name"}, std::pair{"threads=2,", "not known"},
        std::pair{"precision=", "nothing behind it"}, std::pair{"threads=2, threads=2", "twice"}}) {
    const auto tried = alternatives_of(request_on("cpu"), words);
    ASSERT_FALSE(tried) << words;
    EXPECT_EQ(tried.error().kind, ErrorKind::kUsage);
    EXPECT_THAT(tried.error().message, HasSubstr(why)) << words;
  }
  RunRequest request = request_on("cuda");
  request.options["use_tf32"] = "1";
  EXPECT_THAT(alternatives_of(request, "tf32").error().message, HasSubstr("has it already"));
}

}  // namespace
}  // namespace aaco

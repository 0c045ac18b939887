// SPDX-License-Identifier: MIT
#include "model/inputs/input_shapes.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "model/test_port.h"

namespace aaco {
namespace {

using test::port;
using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::Not;

// rapidocr's detector, of which only the channels are fixed.
std::vector<PortInfo> detector() { return {port("x", ElementType::kFloat, {-1, 3, -1, -1}, {"?", "", "?", "?"})}; }

// A recurrent network: its state has the batch in the middle.
std::vector<PortInfo> recurrent() {
  return {port("input", ElementType::kFloat, {-1, -1}, {"batch", "length"}),
          port("state", ElementType::kFloat, {2, -1, 128}, {"", "batch", ""})};
}

std::string message_of(const std::vector<PortInfo>& ports, const ShapeRequest& request) {
  const auto shapes = resolve_shapes(ports, request);
  EXPECT_FALSE(shapes);
  return shapes ? "" : shapes.error().message;
}

std::string hint_of(const std::vector<PortInfo>& ports, const ShapeRequest& request) {
  const auto shapes = resolve_shapes(ports, request);
  EXPECT_FALSE(shapes);
  return shapes ? "" : shapes.error().hint;
}

TEST(InputShapes, TakeTheBatchTheFlagOrTheRegistry) {
  const std::vector<PortInfo> ports{port("x", ElementType::kFloat, {-1, 3, -1, -1}, {"N", "", "H", "W"})};
  ShapeRequest request;
  request.batch = 4;
  request.dims["H"] = 5;
  request.registered["x"] = {1, 3, 7, 9};
  const auto shapes = resolve_shapes(ports, request);
  ASSERT_TRUE(shapes) << shapes.error().message;
  EXPECT_THAT(shapes->dims.at("x"), ElementsAre(4, 3, 5, 9));
  EXPECT_EQ(shapes->batch, 4);
}

TEST(InputShapes, AreThoseThatWereGiven) {
  ShapeRequest request;
  request.shapes["x"] = {1, 3, 48, 192};
  auto shapes = resolve_shapes(detector(), request);
  ASSERT_TRUE(shapes) << shapes.error().message;
  EXPECT_THAT(shapes->dims.at("x"), ElementsAre(1, 3, 48, 192));
  EXPECT_EQ(shapes->batch, 1);
  request.shapes["x"] = {6, 3, 48, 192};  // its leading dimension is the batch
  shapes = resolve_shapes(detector(), request);
  ASSERT_TRUE(shapes) << shapes.error().message;
  EXPECT_EQ(shapes->batch, 6);
}

// A sweep goes over batches with one shape.
TEST(InputShapes, OfABatchOfOneTakeTheBatchOfTheFlag) {
  ShapeRequest request;
  request.shapes["x"] = {1, 3, 48, 192};
  request.batch = 8;
  const auto shapes = resolve_shapes(detector(), request);
  ASSERT_TRUE(shapes) << shapes.error().message;
  EXPECT_THAT(shapes->dims.at("x"), ElementsAre(8, 3, 48, 192));
  EXPECT_EQ(shapes->batch, 8);
  request.shapes["x"] = {2, 3, 48, 192};
  EXPECT_THAT(message_of(detector(), request), HasSubstr("a batch of 2 where --batch is 8"));
}

TEST(InputShapes, HaveTheBatchWhereverADimensionHasItsName) {
  for (const char* name : {"batch", "batch_size", "Batch_Size", "bs", "N"}) {
    const std::vector<PortInfo> ports{port("state", ElementType::kFloat, {2, -1, 128}, {"", name, ""})};
    ShapeRequest request;
    request.batch = 3;
    const auto shapes = resolve_shapes(ports, request);
    ASSERT_TRUE(shapes) << name << ": " << shapes.error().message;
    EXPECT_THAT(shapes->dims.at("state"), ElementsAre(2, 3, 128)) << name;
  }
  // N is the number of samples beside a batch.
  const std::vector<PortInfo> sound{port("waveforms", ElementType::kFloat, {-1, -1}, {"batch_size", "N"})};
  EXPECT_THAT(message_of(sound, {}), HasSubstr("waveforms [1, N]"));
  EXPECT_THAT(hint_of(sound, {}), HasSubstr("--dim N=16000 "));
  // Time first: the leading dimension is not the batch where another is.
  const std::vector<PortInfo> time_first{port("x", ElementType::kFloat, {-1, -1, 80}, {"time", "batch", ""})};
  ShapeRequest request;
  request.dims["time"] = 50;
  request.batch = 4;
  const auto shapes = resolve_shapes(time_first, request);
  ASSERT_TRUE(shapes) << shapes.error().message;
  EXPECT_THAT(shapes->dims.at("x"), ElementsAre(50, 4, 80));
  EXPECT_THAT(message_of(time_first, {}), HasSubstr("x [time, 1, 80]"));
}

TEST(InputShapes, OfOneInputTellThoseOfOthers) {
  ShapeRequest request;
  request.shapes["input"] = {5, 512};
  const auto shapes = resolve_shapes(recurrent(), request);
  ASSERT_TRUE(shapes) << shapes.error().message;
  EXPECT_THAT(shapes->dims.at("state"), ElementsAre(2, 5, 128));
  EXPECT_EQ(shapes->batch, 5);
  request.dims["batch"] = 4;
  EXPECT_THAT(message_of(recurrent(), request), HasSubstr("dimension batch would be 5 here and 4 elsewhere"));
  ShapeRequest by_name;
  by_name.dims = {{"batch", 4}, {"length", 9}};
  const auto named = resolve_shapes(recurrent(), by_name);
  ASSERT_TRUE(named) << named.error().message;
  EXPECT_THAT(named->dims.at("state"), ElementsAre(2, 4, 128));
  EXPECT_EQ(named->batch, 4);
  by_name.batch = 2;
  EXPECT_THAT(message_of(recurrent(), by_name), HasSubstr("a batch of 4 where --batch is 2"));
}

// Leading dimensions that differ are no batch: there is none to tell.
TEST(InputShapes, OfDifferentLengthsHaveNoBatch) {
  const std::vector<PortInfo> graph{port("nodes", ElementType::kFloat, {-1, 16}),
                                    port("edges", ElementType::kInt64, {-1, 2})};
  ShapeRequest request;
  request.shapes = {{"nodes", {100, 16}}, {"edges", {300, 2}}};
  const auto shapes = resolve_shapes(graph, request);
  ASSERT_TRUE(shapes) << shapes.error().message;
  EXPECT_THAT(shapes->dims.at("edges"), ElementsAre(300, 2));
  EXPECT_EQ(shapes->batch, 1);
}

TEST(MissingSizes, AreToldAllAtOnceWithTheCommandLine) {
  std::vector<PortInfo> ports = recurrent();
  ports.push_back(detector()[0]);
  ShapeRequest request;
  request.command_line = {"aaco", "run", "my model.onnx"};
  EXPECT_THAT(message_of(ports, request), AllOf(HasSubstr("inputs open: input [1, length], x [1, 3, ?, ?]")));
  EXPECT_THAT(hint_of(ports, request),
              HasSubstr("aaco run 'my model.onnx' --shape x=1x3x224x224 --dim length=128 (the sizes are examples"));
}

TEST(MissingSizes, OfferedAreEnough) {
  std::vector<PortInfo> ports = recurrent();
  ports.push_back(detector()[0]);
  ShapeRequest request;
  request.shapes["x"] = {1, 3, 224, 224};
  request.dims["length"] = 128;
  const auto shapes = resolve_shapes(ports, request);
  EXPECT_TRUE(shapes) << shapes.error().message;
}

TEST(MissingSizes, OfferedFitTheInput) {
  const auto offered = [](const PortInfo& port_info) { return hint_of({port_info}, {}); };
  EXPECT_THAT(offered(port("x", ElementType::kFloat, {-1, 3, 48, -1})), HasSubstr("--shape x=1x3x48x48 "));
  EXPECT_THAT(offered(port("x", ElementType::kFloat, {-1, -1, -1, 3})), HasSubstr("--shape x=1x224x224x3 "));
  EXPECT_THAT(offered(port("waveforms", ElementType::kFloat, {-1, -1})), HasSubstr("--shape waveforms=1x16000 "));
  EXPECT_THAT(offered(port("ids", ElementType::kInt64, {-1, -1})), HasSubstr("--shape ids=1x128 "));
  EXPECT_THAT(offered(port("state", ElementType::kFloat, {2, -1, 128})), HasSubstr("--shape state=2x1x128 "));
  EXPECT_THAT(offered(port("hidden", ElementType::kFloat, {1, -1, 256}, {"", "length", ""})),
              HasSubstr("--dim length=128 "));
  // A name is given once for all inputs, and not again where a shape says it.
  const std::vector<PortInfo> named{port("a", ElementType::kInt64, {-1, -1}, {"batch", "n"}),
                                    port("b", ElementType::kInt64, {-1, -1, -1}, {"batch", "", "n"})};
  EXPECT_THAT(hint_of(named, {}), AllOf(HasSubstr("--shape b=1x128x128 "), Not(HasSubstr("--dim"))));
}

std::vector<PortInfo> with_cache() {
  return {
      port("input_ids", ElementType::kInt64, {-1, -1}, {"batch_size", "sequence_length"}),
      port("attention_mask", ElementType::kInt64, {-1, -1}, {"batch_size", "past_sequence_length + sequence_length"}),
      port("past.key", ElementType::kFloat, {-1, 2, -1, 8}, {"batch_size", "", "past_sequence_length", ""})};
}

TEST(InputShapes, OfAnExpressionAreComputed) {
  ShapeRequest request;
  request.dims = {{"sequence_length", 3}, {"past_sequence_length", 5}};
  const auto shapes = resolve_shapes(with_cache(), request);
  ASSERT_TRUE(shapes) << shapes.error().message;
  EXPECT_THAT(shapes->dims.at("attention_mask"), ElementsAre(1, 8));
  // The whole expression may be given, if it agrees.
  request.dims["past_sequence_length + sequence_length"] = 8;
  EXPECT_TRUE(resolve_shapes(with_cache(), request));
  request.dims["past_sequence_length + sequence_length"] = 9;
  EXPECT_THAT(message_of(with_cache(), request), HasSubstr("would be 9, and 8 by its parts"));
  const std::vector<PortInfo> heads{port("x", ElementType::kFloat, {-1, 4}, {"batch*2", ""}),
                                    port("y", ElementType::kFloat, {-1, 4}, {"batch", ""})};
  ShapeRequest batch;
  batch.batch = 3;
  const auto twice = resolve_shapes(heads, batch);
  ASSERT_TRUE(twice) << twice.error().message;
  EXPECT_THAT(twice->dims.at("x"), ElementsAre(6, 4));
}

TEST(InputShapes, OfATotalArePastAndNew) {
  const std::vector<PortInfo> decoder{
      port("ids", ElementType::kInt64, {-1, -1}, {"batch", "sequence"}),
      port("mask", ElementType::kInt64, {-1, -1}, {"batch", "total_sequence"}),
      port("past", ElementType::kFloat, {-1, 2, -1, 8}, {"batch", "", "past_sequence", ""})};
  EXPECT_THAT(hint_of(decoder, {}), HasSubstr("add --dim past_sequence=128 --dim sequence=128 "));
  ShapeRequest request;
  request.dims = {{"sequence", 3}, {"past_sequence", 5}};
  const auto computed = resolve_shapes(decoder, request);
  ASSERT_TRUE(computed) << computed.error().message;
  EXPECT_THAT(computed->dims.at("mask"), ElementsAre(1, 8));
  request.dims["total_sequence"] = 64;  // of a buffer
  const auto given = resolve_shapes(decoder, request);
  ASSERT_TRUE(given) << given.error().message;
  EXPECT_THAT(given->dims.at("mask"), ElementsAre(1, 64));
}

TEST(MissingSizes, OfAnExpressionAreThoseOfItsParts) {
  EXPECT_THAT(hint_of(with_cache(), {}),
              AllOf(HasSubstr("--dim past_sequence_length=128 --dim sequence_length=128 "), Not(HasSubstr("+"))));
  ShapeRequest request;
  request.dims["past_sequence_length"] = 5;
  EXPECT_THAT(hint_of(with_cache(), request),
              AllOf(HasSubstr("--dim sequence_length=128 "), Not(HasSubstr("past_sequence_length="))));
}

TEST(InputShapes, OfALeadingDimensionThatIsNoBatchAreAskedFor) {
  const std::vector<PortInfo> network{port("x", ElementType::kFloat, {-1, 8}, {"num_nodes", ""}),
                                      port("edge_index", ElementType::kInt64, {2, -1}, {"", "num_edges"})};
  EXPECT_THAT(message_of(network, {}), HasSubstr("x [num_nodes, 8], edge_index [2, num_edges]"));
  const std::vector<PortInfo> steps{port("ids", ElementType::kInt64, {-1}, {"sequence"})};
  EXPECT_THAT(message_of(steps, {}), HasSubstr("ids [sequence]"));
  const std::vector<PortInfo> pairs{port("a", ElementType::kFloat, {-1, 8}, {"users", ""}),
                                    port("b", ElementType::kFloat, {-1, 8}, {"items", ""})};
  EXPECT_THAT(message_of(pairs, {}), HasSubstr("a [users, 8], b [items, 8]"));
  const std::vector<PortInfo> elsewhere{port("a", ElementType::kFloat, {-1, -1}, {"M", "K"}),
                                        port("b", ElementType::kFloat, {-1, -1}, {"K", "M"})};
  EXPECT_THAT(message_of(elsewhere, {}), HasSubstr("a [M, K], b [K, M]"));
  ShapeRequest batch;
  batch.batch = 2;
  EXPECT_THAT(message_of(network, batch), HasSubstr("no open dimension of the model's inputs is the batch"));
}

// Names of an exporter's making, or of samples, tell nothing against it.
TEST(InputShapes, OfOtherLeadingDimensionsAreTheBatch) {
  for (const char* name : {"", "?", "unk__12", "x_dynamic_axes_1", "s0", "None", "num_samples", "M", "decoder_batch"}) {
    const auto shapes = resolve_shapes({port("x", ElementType::kFloat, {-1, 4}, {name, ""})}, {});
    ASSERT_TRUE(shapes) << name << ": " << shapes.error().message;
    EXPECT_THAT(shapes->dims.at("x"), ElementsAre(1, 4)) << name;
  }
  const auto two = resolve_shapes({port("x", ElementType::kFloat, {-1, 4}, {"x_dynamic_axes_1", ""}),
                                   port("y", ElementType::kFloat, {-1, 4}, {"y_dynamic_axes_1", ""})},
                                  {});
  EXPECT_TRUE(two) << two.error().message;
}

TEST(InputShapes, OfUnknownRankAreAskedFor) {
  PortInfo any = port("x", ElementType::kFloat, {});
  EXPECT_TRUE(resolve_shapes({any}, {}));  // a scalar
  any.rank_known = false;
  EXPECT_THAT(message_of({any}, {}), HasSubstr("open: x of unknown rank"));
  EXPECT_THAT(hint_of({any}, {}), HasSubstr("--shape x=1x3x224x224 "));
  ShapeRequest request;
  request.shapes["x"] = {2, 5};
  const auto shapes = resolve_shapes({any}, request);
  ASSERT_TRUE(shapes) << shapes.error().message;
  EXPECT_THAT(shapes->dims.at("x"), ElementsAre(2, 5));
}

TEST(InputShapes, RefuseWhatIsNotKnown) {
  const std::vector<PortInfo> symbolic{port("x", ElementType::kFloat, {-1, -1}, {"N", "length"})};
  EXPECT_THAT(message_of(symbolic, {}), HasSubstr("input open: x [1, length]"));
  ShapeRequest other;
  other.dims["width"] = 2;
  EXPECT_THAT(message_of(symbolic, other), HasSubstr("--dim width"));
  EXPECT_THAT(hint_of(symbolic, other), HasSubstr("it has N, length"));
  other.dims = {{"?", 2}};
  EXPECT_THAT(hint_of(detector(), other), HasSubstr("none of its dimensions has a name"));
  ShapeRequest huge;
  huge.dims["length"] = int64_t{1} << 40;
  EXPECT_THAT(message_of(symbolic, huge), HasSubstr("more than 64 GiB"));
  ShapeRequest batch;
  batch.batch = 2;
  EXPECT_THAT(message_of({port("x", ElementType::kFloat, {1, 4})}, batch), HasSubstr("--batch 2"));
  ShapeRequest contradicting;
  contradicting.registered["x"] = {1, 5};
  EXPECT_THAT(message_of({port("x", ElementType::kFloat, {1, 4})}, contradicting),
              HasSubstr("axis 1 is 4 in the model and 5 in the registry"));
  PortInfo sequence = port("x", ElementType::kFloat, {1});
  sequence.is_tensor = false;
  EXPECT_THAT(message_of({sequence}, {}), HasSubstr("is a sequence"));
  const PortInfo newer = port("x", static_cast<ElementType>(27), {4});
  EXPECT_THAT(message_of({newer}, {}), HasSubstr("element type 27"));
}

TEST(InputShapes, RefuseShapesThatAreNotTheModels) {
  ShapeRequest request;
  request.shapes["y"] = {1, 3, 48, 192};
  EXPECT_THAT(message_of(detector(), request), HasSubstr("--shape y: the model has no such input"));
  request.shapes = {{"x", {3, 48, 192}}};
  EXPECT_THAT(message_of(detector(), request), HasSubstr("--shape x=3x48x192: the model's input has 4 dimensions"));
  request.shapes = {{"x", {1, 4, 48, 192}}};
  EXPECT_THAT(message_of(detector(), request), HasSubstr("--shape x=1x4x48x192: axis 1 is 3 in the model"));
  request.shapes = {{"x", {1, 3, 48, 192}}};
  request.files["x"] = "x.npy";
  EXPECT_THAT(message_of(detector(), request), HasSubstr("a file brings its shape"));
}

}  // namespace
}  // namespace aaco

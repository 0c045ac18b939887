// SPDX-License-Identifier: MIT
#include "model/tensor_file.h"

#include <gtest/gtest.h>
#include <onnx.pb.h>

namespace aaco {
namespace {

std::string npy(const std::string& header, const std::string& data) {
  std::string bytes("\x93NUMPY\x01\x00", 8);
  bytes += static_cast<char>(header.size() & 0xFF);
  bytes += static_cast<char>(header.size() >> 8);
  return bytes + header + data;
}

const std::string kTwoShorts = "{'descr': '<i2', 'fortran_order': False, 'shape': (2,), }\n";

TEST(TensorFile, ReadsAnArray) {
  const auto tensor = parse_npy(npy(kTwoShorts, std::string("\x01\x00\xFF\xFF", 4)), "x.npy");
  ASSERT_TRUE(tensor) << tensor.error().message;
  EXPECT_EQ(tensor->type, ElementType::kInt16);
  EXPECT_EQ(tensor->dims, std::vector<int64_t>{2});
  EXPECT_EQ(element_as_double(*tensor, 0), 1);
  EXPECT_EQ(element_as_double(*tensor, 1), -1);
}

TEST(TensorFile, AScalarHasNoDimensions) {
  const auto tensor = parse_npy(npy("{'descr': '|u1', 'fortran_order': False, 'shape': (), }\n", "\x07"), "x.npy");
  ASSERT_TRUE(tensor) << tensor.error().message;
  EXPECT_TRUE(tensor->dims.empty());
  EXPECT_EQ(element_as_double(*tensor, 0), 7);
}

TEST(TensorFile, WhatIsNoSuchArrayIsNamed) {
  const auto refused = [](const std::string& bytes) {
    const auto tensor = parse_npy(bytes, "x.npy");
    return tensor ? std::string() : tensor.error().message;
  };
  EXPECT_NE(refused("").find("not a NumPy file"), std::string::npos);
  const std::string whole = npy(kTwoShorts, std::string(4, '\0'));
  for (size_t cut = 0; cut < whole.size(); ++cut) {
    EXPECT_NE(refused(whole.substr(0, cut)), "") << cut;
  }
  EXPECT_NE(refused(whole + "x").find("5 bytes of data where the shape needs 4"), std::string::npos);
  EXPECT_NE(refused(npy("{'descr': '>i2', 'fortran_order': False, 'shape': (2,), }\n", "1234")).find("'>i2'"),
            std::string::npos);
  EXPECT_NE(refused(npy("{'descr': '<i2', 'fortran_order': True, 'shape': (2,), }\n", "1234")).find("Fortran"),
            std::string::npos);
}

// NumPy keeps a text as UTF-32 (U) or bytes (S) of one length, filled up with zeros.
TEST(TensorFile, ReadsTexts) {
  const auto wide =
      parse_npy(npy("{'descr': '<U2', 'fortran_order': False, 'shape': (2, 1), }\n", std::string("1\0\0\0"
                                                                                                 "2\0\0\0"
                                                                                                 "\xe4\0\0\0"
                                                                                                 "\0\0\0\0",
                                                                                                 16)),
                "x.npy");
  ASSERT_TRUE(wide) << wide.error().message;
  EXPECT_EQ(wide->type, ElementType::kString);
  EXPECT_EQ(wide->dims, (std::vector<int64_t>{2, 1}));
  EXPECT_EQ(wide->strings, (std::vector<std::string>{"12", "\xc3\xa4"}));
  const auto narrow = parse_npy(npy("{'descr': '|S3', 'fortran_order': False, 'shape': (2,), }\n", std::string("abc"
                                                                                                               "d\0\0",
                                                                                                               6)),
                                "x.npy");
  ASSERT_TRUE(narrow) << narrow.error().message;
  EXPECT_EQ(narrow->strings, (std::vector<std::string>{"abc", "d"}));
  const auto short_one = parse_npy(npy("{'descr': '<U2', 'fortran_order': False, 'shape': (2,), }\n", "1234"), "x.npy");
  EXPECT_FALSE(short_one);
  EXPECT_FALSE(parse_npy(npy("{'descr': '<U0', 'fortran_order': False, 'shape': (99999999999,), }\n", ""), "x.npy"));
}

onnx::TensorProto proto_of(ElementType type, const std::vector<int64_t>& dims) {
  onnx::TensorProto proto;
  proto.set_name("y");
  proto.set_data_type(static_cast<int32_t>(type));
  for (const int64_t dim : dims) {
    proto.add_dims(dim);
  }
  return proto;
}

// onnx.proto widens small types to 32 bits, and packs the elements of sub-byte ones.
TEST(TensorFile, TypedFieldsAreNarrowed) {
  onnx::TensorProto half = proto_of(ElementType::kFloat16, {1});
  half.add_int32_data(0x3C00);
  const auto tensor = parse_tensor_proto(half.SerializeAsString(), "x.pb");
  ASSERT_TRUE(tensor) << tensor.error().message;
  EXPECT_EQ(tensor->name, "y");
  EXPECT_EQ(element_as_double(*tensor, 0), 1);

  onnx::TensorProto nibbles = proto_of(ElementType::kInt4, {3});
  nibbles.add_int32_data(0x2F);
  nibbles.add_int32_data(0x07);
  const auto three = parse_tensor_proto(nibbles.SerializeAsString(), "x.pb");
  ASSERT_TRUE(three) << three.error().message;
  EXPECT_EQ(element_as_double(*three, 0), -1);
  EXPECT_EQ(element_as_double(*three, 1), 2);
  EXPECT_EQ(element_as_double(*three, 2), 7);

  onnx::TensorProto words = proto_of(ElementType::kUint32, {1});
  words.add_uint64_data(0xFFFFFFFF);
  const auto word = parse_tensor_proto(words.SerializeAsString(), "x.pb");
  ASSERT_TRUE(word) << word.error().message;
  EXPECT_EQ(element_as_double(*word, 0), 4294967295.0);
}

TEST(TensorFile, StringsAreTakenAsBytes) {
  onnx::TensorProto proto = proto_of(ElementType::kString, {2});
  proto.add_string_data(std::string("a\0b", 3));
  EXPECT_FALSE(parse_tensor_proto(proto.SerializeAsString(), "x.pb"));
  proto.add_string_data("");
  const auto tensor = parse_tensor_proto(proto.SerializeAsString(), "x.pb");
  ASSERT_TRUE(tensor) << tensor.error().message;
  EXPECT_EQ(tensor->strings, (std::vector<std::string>{std::string("a\0b", 3), ""}));
}

TEST(TensorFile, AShapeThatDoesNotFitTheDataIsRefused) {
  onnx::TensorProto proto = proto_of(ElementType::kFloat, {2});
  proto.add_float_data(1);
  const auto tensor = parse_tensor_proto(proto.SerializeAsString(), "x.pb");
  ASSERT_FALSE(tensor);
  EXPECT_NE(tensor.error().message.find("4 bytes of data where the shape needs 8"), std::string::npos);
  EXPECT_FALSE(parse_tensor_proto(proto_of(ElementType::kFloat, {-2}).SerializeAsString(), "x.pb"));
  EXPECT_FALSE(parse_tensor_proto(proto_of(ElementType::kFloat, {INT64_MAX, 8}).SerializeAsString(), "x.pb"));
}

}  // namespace
}  // namespace aaco

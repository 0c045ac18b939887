// SPDX-License-Identifier: MIT
#include "kind/training/lab/lab_measurement.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/json/json.h"

namespace aaco {
namespace {

using testing::HasSubstr;

LabMeasurement of_a_number() {
  LabMeasurement measurement;
  measurement.version = "1";
  measurement.setup = {3, "nano", "cpu:0", "fp32", 2, 7, 9, 4};
  measurement.facts = {{"a", "b"}};
  measurement.table = {{"x"}, {"1"}};
  measurement.value = 20;
  measurement.tolerance = 0.1;
  measurement.way = "w";
  measurement.meaning = "m";
  measurement.sessions = {"s"};
  measurement.solved = true;
  return measurement;
}

LabMeasurement of_a_word() {
  LabMeasurement measurement = of_a_number();
  measurement.value.reset();
  measurement.words = {"swiglu", "norms"};
  measurement.choices = {"products", "swiglu", "norms"};
  return measurement;
}

// 20 within a tenth: from 18 to 22.
TEST(LabMeasurement, NumbersAreRightWithinTheTolerance) {
  for (const char* right : {"20", " 18 ", "22", "2.1e1", "20 %", "19.5%"}) {
    EXPECT_EQ(*is_right_answer(of_a_number(), right), true) << right;
  }
  for (const char* wrong : {"17.9", "22.1", "-20", "0"}) {
    EXPECT_EQ(*is_right_answer(of_a_number(), wrong), false) << wrong;
  }
  LabMeasurement exact = of_a_number();
  exact.tolerance = 0;
  EXPECT_TRUE(*is_right_answer(exact, "20"));
  EXPECT_FALSE(*is_right_answer(exact, "20.001"));
}

TEST(LabMeasurement, WordsAreRightWhereTheyAreNamed) {
  EXPECT_TRUE(*is_right_answer(of_a_word(), "swiglu"));
  EXPECT_TRUE(*is_right_answer(of_a_word(), "norms "));
  EXPECT_FALSE(*is_right_answer(of_a_word(), "products"));
  const auto unknown = is_right_answer(of_a_word(), "prodcts");
  ASSERT_FALSE(unknown);
  EXPECT_EQ(unknown.error().kind, ErrorKind::kUsage);
  EXPECT_THAT(unknown.error().hint, HasSubstr("products, swiglu, norms"));
}

TEST(LabMeasurement, RefusesWhatIsNoNumber) {
  for (const char* text : {"", "x", "12x", "nan", "inf", "1e999", "%"}) {
    const auto answer = is_right_answer(of_a_number(), text);
    ASSERT_FALSE(answer) << text;
    EXPECT_EQ(answer.error().kind, ErrorKind::kUsage);
  }
}

TEST(LabMeasurement, ReadsWhatItWrites) {
  for (const LabMeasurement& measurement : {of_a_number(), of_a_word()}) {
    const Json written = measurement;
    const auto read = read_lab_measurement(written, "x.json");
    ASSERT_TRUE(read) << read.error().message;
    EXPECT_EQ(Json(*read).dump(), written.dump());
    EXPECT_EQ(read->setup, measurement.setup);
  }
}

TEST(LabMeasurement, RefusesOtherDocuments) {
  Json without = of_a_number();
  without["value"] = nullptr;  // and there are no words
  Json mistyped = of_a_number();
  mistyped["facts"] = 3;
  Json missing = of_a_number();
  missing.erase("way");
  Json negative = of_a_number();
  negative["tolerance"] = -1;
  for (const Json& json : {Json(), Json::array(), Json{{"kind", "x"}}, without, mistyped, missing, negative}) {
    const auto read = read_lab_measurement(json, "x.json");
    ASSERT_FALSE(read);
    EXPECT_EQ(read.error().kind, ErrorKind::kUsage);
    EXPECT_THAT(read.error().message, HasSubstr("x.json"));
  }
}

}  // namespace
}  // namespace aaco

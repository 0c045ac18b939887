// SPDX-License-Identifier: MIT
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "kind/training/report/test_training.h"
#include "kind/training/report/training_sections.h"
#include "report/sinks.h"
#include "report/test_markup.h"
#include "report/values.h"

namespace aaco::report {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::Not;

KernelUse use_of(const char* name, int64_t launches, double total_ns) {
  KernelUse use;
  use.name = name;
  use.launches = launches;
  use.total_ns = total_ns;
  return use;
}

// Two kernels in two steps: 30 and 10 ms of each; the second's resources are not told.
TrainingRunDocument document_with_kernels() {
  TrainingRunDocument document = test::training_document();
  document.activity = TrainingActivity();
  document.activity->steps = 2;
  document.activity->kernels = 6;
  KernelUse gemm = use_of("gemm<bf16>", 4, 6e7);
  gemm.registers = 168;
  gemm.local_bytes = 48;
  gemm.shared_bytes = 99'000;
  gemm.block_threads = 256;
  gemm.occupancy = 0.125;
  gemm.limited_by = "registers";
  document.activity->uses = {gemm, use_of("norm", 2, 2e7)};
  return document;
}

std::string text_of(const TrainingRunDocument& document, size_t most = 100) {
  Report report;
  report.sections = {training_kernels_section(training_view(document), most)};
  EXPECT_EQ(test::markup_problem(render_html(report)), "");
  return render_text(report);
}

TEST(TrainingKernelsSection, ShowsWhatAKernelTakes) {
  const TrainingRunDocument document = document_with_kernels();
  const Section section = training_kernels_section(training_view(document), 100);
  const auto& table = std::get<TableBlock>(section.blocks.at(0));
  ASSERT_EQ(table.rows.size(), 2U);
  EXPECT_EQ(shown_text(table.rows[0][1]), "2") << "launches of a step";
  EXPECT_EQ(sort_key(table.rows[0][2]), 3e7) << "of a step";
  EXPECT_EQ(sort_key(table.rows[0][3]), 75);
  EXPECT_EQ(shown_text(table.rows[0][5]), "168");
  EXPECT_EQ(shown_text(table.rows[0][8]), "12.5 %");
  EXPECT_EQ(shown_text(table.rows[0][9]), "registers");
  for (size_t column = 4; column < 10; ++column) {
    EXPECT_EQ(shown_text(table.rows[1][column]), "unknown") << column;
  }
  EXPECT_THAT(text_of(document), AllOf(HasSubstr("1 of 2 use local memory"), HasSubstr("gemm<bf16>")));
}

TEST(TrainingKernelsSection, ShowsTheFirstOfMany) {
  EXPECT_THAT(text_of(document_with_kernels(), 1), AllOf(HasSubstr("1 of 2, the"), Not(HasSubstr("norm"))));
}

// A CPU has no compute units: one sentence, no columns of nothing.
TEST(TrainingKernelsSection, WhereNoKernelTellsOneSentenceSaysSo) {
  TrainingRunDocument document = document_with_kernels();
  document.activity->uses = {use_of("gemm", 4, 6e7)};
  EXPECT_THAT(text_of(document), AllOf(HasSubstr("are unknown: the device's records do not tell"),
                                       Not(HasSubstr("limited by")), HasSubstr("100.0 %")));
}

TEST(TrainingKernelsSection, WithoutRecordsThereIsAReason) {
  EXPECT_THAT(text_of(test::training_document()), HasSubstr("No data: the device's records were not asked for."));
}

}  // namespace
}  // namespace aaco::report

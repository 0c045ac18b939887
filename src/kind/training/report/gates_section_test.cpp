// SPDX-License-Identifier: MIT
#include "kind/training/report/gates_section.h"

#include <gtest/gtest.h>

#include "report/values.h"

namespace aaco::report {
namespace {

TrainingGate gate(const std::string& name, std::optional<std::vector<std::string>> kernels) {
  TrainingGate result{name, true, "1e-06", "at most 1e-04"};
  result.against = "the oracle";
  result.kernels = std::move(kernels);
  result.seconds = 0.5;
  return result;
}

TEST(GatesSection, FoldsTheKernelsOfGatesThatRanTheSame) {
  const Section section =
      gates_section({gate("a", {{"void k<1>(int)", "void k<2>(int)"}}),
                     gate("b", {{"void k<3>(int)", "void k<4>(int)"}}), gate("c", {{"j"}}), gate("d", std::nullopt)});
  const auto& table = std::get<TableBlock>(section.blocks.at(0));
  EXPECT_EQ(table.note, "All together took 2 s.");
  EXPECT_EQ(shown_text(table.rows[0][5]), "2");
  EXPECT_EQ(shown_text(table.rows[3][5]), "not recorded");
  EXPECT_EQ(std::get<Bullets>(section.blocks.at(1)).items, (std::vector<std::string>{"a; b: k (2)", "c: j"}));
}

TEST(GatesSection, WhatCouldNotBeJudgedHasNeitherPassedNorFailed) {
  TrainingGate unknown{"kernels", false, "", "each in a gate", "no CUPTI"};
  const Section section = gates_section({gate("a", {{"k"}}), unknown});
  EXPECT_EQ(section.badges.at(0).text, "1 of 2 passed");
  EXPECT_EQ(section.badges.at(0).tone, Tone::kWarning);
  const auto& row = std::get<TableBlock>(section.blocks.at(0)).rows.at(1);
  EXPECT_EQ(shown_text(row[1]), "not known");
  EXPECT_EQ(shown_text(row[2]), "no CUPTI");
  unknown.unknown.clear();
  EXPECT_EQ(gates_badge({gate("a", {{"k"}}), unknown}).tone, Tone::kBad);
}

}  // namespace
}  // namespace aaco::report

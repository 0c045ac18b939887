// SPDX-License-Identifier: MIT
#include "analysis/model_run/profile/nameless_nodes.h"

#include <gtest/gtest.h>
#include <vector>

namespace aaco {
namespace {

class Nameless : public testing::Test {
 protected:
  // Two products behind each other, and two independent Erf behind the second; one sum.
  void SetUp() override {
    for (const char* op_type : {"MatMul", "MatMul", "Erf", "Erf", "Add"}) {
      GraphNodeRow node;
      node.node_id = static_cast<int64_t>(recording_.nodes.size());
      node.graph = GraphForm::kOptimized;
      node.op_type = op_type;
      node.executions = 1;
      recording_.nodes.push_back(node);
    }
    for (const auto& [from, to] : {std::pair{0, 1}, {1, 2}, {1, 3}, {2, 4}, {3, 4}}) {
      recording_.edges.push_back({GraphForm::kOptimized, from, to, "t", "", ""});
    }
    for (int64_t iteration = 0; iteration < 2; ++iteration) {
      int64_t start_ns = iteration * 1000;
      for (const char* name : {"MatMul_9", "MatMul_2", "Erf_4", "Erf_3", "Add_5"}) {
        KernelRow kernel;
        kernel.iter_idx = iteration;
        kernel.activity = NodeActivity::kHostKernel;
        kernel.node_name = name;
        kernel.op_type = kernel.node_name.substr(0, kernel.node_name.find('_'));
        kernel.t_start_ns = start_ns += 10;
        recording_.kernels.push_back(kernel);
      }
    }
  }

  // -1 where it is tied to none.
  int64_t node_of(const std::string& name) {
    const NamelessNodes links = nameless_nodes(recording_);
    const auto link = links.find({name, name.substr(0, name.find('_'))});
    return link == links.end() ? -1 : link->second->node_id;
  }

  Recording recording_;
};

TEST_F(Nameless, TheOnlyOneOfItsOperatorIsTied) { EXPECT_EQ(node_of("Add_5"), 4); }

TEST_F(Nameless, NodesBehindEachOtherAreTiedInTheOrderOfTheirStarts) {
  EXPECT_EQ(node_of("MatMul_9"), 0) << "which ran first, whatever its number";
  EXPECT_EQ(node_of("MatMul_2"), 1);
}

TEST_F(Nameless, IndependentNodesAreNotTied) {
  EXPECT_EQ(node_of("Erf_3"), -1);
  EXPECT_EQ(node_of("Erf_4"), -1);
}

TEST_F(Nameless, StartsThatAreEqualTieNothing) {
  for (KernelRow& kernel : recording_.kernels) {
    kernel.t_start_ns = kernel.iter_idx;
  }
  EXPECT_EQ(node_of("MatMul_9"), -1);
  EXPECT_EQ(node_of("Add_5"), 4);
}

TEST_F(Nameless, ANameThatRanTwiceInARunIsNotTied) {
  recording_.kernels.push_back(recording_.kernels[0]);
  EXPECT_EQ(node_of("MatMul_9"), -1);
  EXPECT_EQ(node_of("Add_5"), 4);
}

TEST_F(Nameless, AsManyNamesAsNodesAreNeeded) {
  recording_.nodes[0].executions = 0;  // did not run, and yet two names are recorded
  EXPECT_EQ(node_of("MatMul_9"), -1);
  EXPECT_EQ(node_of("MatMul_2"), -1);
}

TEST_F(Nameless, ANodeOfThatNameOrInABodyLeavesItOpen) {
  Recording before = recording_;
  recording_.nodes[4].name = "Add_5";
  EXPECT_EQ(node_of("Add_5"), -1) << "it has a name, and is found by it";
  recording_ = before;
  recording_.nodes[4].scope = "loop.body";
  EXPECT_EQ(node_of("Add_5"), -1);
}

TEST_F(Nameless, ACycleOrdersNothing) {
  recording_.edges.push_back({GraphForm::kOptimized, 4, 0, "t", "", ""});
  EXPECT_EQ(node_of("MatMul_9"), -1);
}

}  // namespace
}  // namespace aaco

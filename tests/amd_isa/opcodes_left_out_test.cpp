// SPDX-License-Identifier: MIT
// That the other tests of this program execute every opcode of the table: an instruction is decoded when it is first
// reached. Asked for by AACO_OPCODES_LEFT_OUT, where all of them run in one process; CoverageTest decodes what nothing
// executes, and has to be left out then.
#include <cstdlib>
#include <gtest/gtest.h>
#include <string>

#include "fixture/assembler.h"
#include "instruction.h"

namespace aaco::amd {
namespace {

// The table has some names for both; the assembler knows which an architecture has, whatever operands they want.
bool is_there(Architecture architecture, const std::string& name) {
  std::string problem;
  assemble(architecture, name, problem);
  return problem.find("invalid instruction") == std::string::npos &&
         problem.find("not supported on this GPU") == std::string::npos;
}

class NoOpcodeIsLeftOut : public testing::Environment {
 public:
  void TearDown() override {
    for (const char* name : {"gfx942", "gfx1100"}) {
      const Architecture architecture = *architecture_of(name);
      std::string left_out;
      for (const Opcode& opcode : all_opcodes(architecture)) {
        left_out += opcode.decoded || !is_there(architecture, opcode.name) ? "" : " " + opcode.name;
      }
      EXPECT_EQ(left_out, "") << "no test executes these opcodes of " << name;
    }
  }
};

const bool kAsked = [] {
  if (std::getenv("AACO_OPCODES_LEFT_OUT") != nullptr) {
    testing::AddGlobalTestEnvironment(new NoOpcodeIsLeftOut);  // gtest deletes it
  }
  return true;
}();

}  // namespace
}  // namespace aaco::amd

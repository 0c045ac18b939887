// SPDX-License-Identifier: MIT
#include "base/process/group_witness.h"

#include <csignal>
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

namespace aaco {
namespace {

// In a group of its own: that of the tests must not be signalled.
TEST(GroupWitness, TellsAGroupsSignalFromOneForThisProcess) {
  const pid_t child = ::fork();
  if (child == 0) {
    bool right = ::setpgid(0, 0) == 0 && ::signal(SIGINT, SIG_IGN) != SIG_ERR && ::signal(SIGTERM, SIG_IGN) != SIG_ERR;
    const Result<GroupWitness> witness = GroupWitness::start();
    right = right && witness && ::kill(::getpid(), SIGINT) == 0 && !witness->has_seen(SIGINT);
    right = right && ::kill(0, SIGINT) == 0 && witness->has_seen(SIGINT) && !witness->has_seen(SIGTERM);
    ::_exit(right ? 3 : 4);  // the witness ends with it
  }
  int status = 0;
  ASSERT_EQ(::waitpid(child, &status, 0), child);
  EXPECT_EQ(WEXITSTATUS(status), 3);
}

}  // namespace
}  // namespace aaco

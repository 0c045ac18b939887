// SPDX-License-Identifier: MIT
#include "base/confined/confinement.h"

#include <cerrno>
#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>

#include "base/files/file.h"
#include "base/test_folder.h"
#include "base/test_skip.h"

namespace aaco {
namespace {

// What a child that is confined finds: bits of `check`, or 255 where it could not be confined.
int in_confined_child(const std::filesystem::path& readable,
                      int (*check)(const std::filesystem::path&, const Confinement&)) {
  const pid_t child = ::fork();
  if (child == 0) {
    const Result<Confinement> confinement = confine_process({.readable = {readable}});
    ::_exit(confinement ? check(readable, *confinement) : 255);
  }
  int status = 0;
  EXPECT_EQ(::waitpid(child, &status, 0), child);
  return WIFEXITED(status) ? WEXITSTATUS(status) : 254;
}

int opened(const char* path, int flags) {
  const int file = ::open(path, flags | O_CLOEXEC, 0600);
  return file;
}

TEST(Confinement, ReadsItsFolderAndNothingElse) {
  const TestFolder folder;
  ASSERT_TRUE(write_file_atomically(folder.path() / "own", "text"));
  const int result =
      in_confined_child(folder.path(), [](const std::filesystem::path& readable, const Confinement& state) {
        if (!state.files) {
          return 100;
        }
        const bool reads_own = opened((readable / "own").c_str(), O_RDONLY) >= 0;
        const bool reads_other = opened("/etc/passwd", O_RDONLY) >= 0;
        const bool writes = opened((readable / "made").c_str(), O_WRONLY | O_CREAT) >= 0;
        return (reads_own ? 1 : 0) | (reads_other ? 2 : 0) | (writes ? 4 : 0);
      });
  if (result == 100) {
    AACO_SKIP("the kernel has no Landlock");
  }
  EXPECT_EQ(result, 1);
}

TEST(Confinement, HasNoSocketsAndNoProcesses) {
  const TestFolder folder;
  const int result = in_confined_child(folder.path(), [](const std::filesystem::path&, const Confinement& state) {
    if (!state.calls) {
      return 100;
    }
    const bool connects = ::socket(AF_INET, SOCK_STREAM, 0) >= 0;
    const pid_t process = ::fork();
    if (process == 0) {
      ::_exit(0);
    }
    int value = 0;
    std::thread([&value] { value = 8; }).join();  // threads are allowed
    return (connects ? 1 : 0) | (process > 0 ? 2 : 0) | value;
  });
  if (result == 100) {
    AACO_SKIP("the kernel has no seccomp filters");
  }
  EXPECT_EQ(result, 8);
}

}  // namespace
}  // namespace aaco

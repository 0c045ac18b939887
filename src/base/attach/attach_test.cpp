// SPDX-License-Identifier: MIT
#include <array>
#include <csignal>
#include <cstdlib>
#include <dlfcn.h>
#include <fstream>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/attach/elf_symbols.h"
#include "base/attach/loader_code.h"
#include "base/attach/process_maps.h"
#include "base/attach/safe_point.h"
#include "base/attach/target_process.h"
#include "base/test_folder.h"

namespace aaco {
namespace {

using testing::HasSubstr;

TEST(ProcessMaps, AreReadLineByLine) {
  const std::vector<Mapping> maps = parse_maps(
      "7f0000001000-7f0000003000 r-xp 00026000 08:01 1234       /usr/lib/libc.so.6\n"
      "no line\n"
      "7ffc00000000-7ffc00021000 rw-p 00000000 00:00 0          [stack]\n"
      "7ffc00030000-7ffc00031000 rw-p 00000000 00:00 0 \n"
      "10-20 r--p 00000000 08:01 1234       /tmp/a name (deleted)");
  ASSERT_EQ(maps.size(), 4U);
  EXPECT_EQ(maps[0].start, 0x7f0000001000U);
  EXPECT_EQ(maps[0].end, 0x7f0000003000U);
  EXPECT_EQ(maps[0].offset, 0x26000U);
  EXPECT_TRUE(maps[0].executable);
  EXPECT_EQ(maps[1].path, "[stack]");
  EXPECT_FALSE(maps[1].executable);
  EXPECT_EQ(maps[2].path, "");
  EXPECT_EQ(maps[3].path, "/tmp/a name (deleted)");
  EXPECT_EQ(mapping_at(maps, 0x7f0000002fff), &maps[0]);
  EXPECT_EQ(mapping_at(maps, 0x7f0000003000), nullptr);
  EXPECT_EQ(mapping_of_file(maps, "libc.so"), &maps[0]);
  EXPECT_EQ(mapping_of_file(maps, "ibc.so"), nullptr);
}

// What the file says must be where the loader put it.
TEST(ElfSymbols, AreWhereTheLoaderFindsThem) {
  std::ifstream file("/proc/self/maps");
  const std::string text{std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
  const std::vector<Mapping> maps = parse_maps(text);
  const Mapping* libc = mapping_of_file(maps, "libc.so.6");
  ASSERT_NE(libc, nullptr);
  const Result<ElfFile> elf = read_elf(libc->path, {"getpid", "munmap", "no_such_function"});
  ASSERT_TRUE(elf) << elf.error().message;
  EXPECT_EQ(elf->machine, ElfMachine::kX86_64);
  // Of libc itself: a sanitizer has a munmap of its own before it.
  void* loaded = dlopen(libc->path.c_str(), RTLD_NOW | RTLD_NOLOAD);
  ASSERT_NE(loaded, nullptr);
  for (const char* name : {"getpid", "munmap"}) {
    ASSERT_NE(elf->find(name), nullptr) << name;
    EXPECT_EQ(libc->start - elf->linked_at + elf->find(name)->address, reinterpret_cast<uint64_t>(dlsym(loaded, name)))
        << name;
  }
  dlclose(loaded);
  EXPECT_EQ(elf->find("no_such_function"), nullptr);
}

TEST(ElfSymbols, OfOtherFilesAreAnError) {
  const TestFolder folder;
  const std::filesystem::path path = folder.path() / "file";
  EXPECT_FALSE(read_elf(path, {}));
  std::ofstream(path) << "#!/bin/sh, and some more words";
  EXPECT_FALSE(read_elf(path, {}));
  std::string header =
      "\x7f"
      "ELF\x01\x01\x01";  // 32 bits
  std::ofstream(path) << header << std::string(60, '\0');
  EXPECT_EQ(read_elf(path, {})->machine, ElfMachine::k32Bit);
  header[4] = 2;
  std::ofstream(path) << header << std::string(60, '\xff');  // tables far outside of the file
  EXPECT_EQ(read_elf(path, {})->machine, ElfMachine::kOther);
}

UnsafeCode unsafe_code() {
  UnsafeCode code;
  code.ranges = {{0x1000, 0x1100}};  // malloc, say
  code.libc = {0x1000, 0x9000};
  code.signal_return = 0x8000;
  return code;
}

bool is_safe(uint64_t instruction, int64_t system_call, std::vector<uint64_t> stack, const UnsafeCode& code) {
  return is_safe_point({instruction, system_call, stack}, code, [](uint64_t) { return true; });
}

TEST(SafePoint, IsAWaitOutsideOfLockingCode) {
  EXPECT_TRUE(is_safe(0x5000, SYS_poll, {0x5100, 0x20000}, unsafe_code()));
  EXPECT_TRUE(is_safe(0x5000, SYS_futex, {0x5100}, unsafe_code()));
}

TEST(SafePoint, IsNoneBelowLockingCode) {
  EXPECT_FALSE(is_safe(0x1010, SYS_futex, {}, unsafe_code()));           // in malloc itself
  EXPECT_FALSE(is_safe(0x5000, SYS_futex, {7, 0x1050}, unsafe_code()));  // called by it
  EXPECT_FALSE(is_safe(0x5000, SYS_mmap, {}, unsafe_code()));            // as allocators do
  EXPECT_FALSE(is_safe(0x5000, SYS_poll, {0x8000}, unsafe_code()));  // in a handler: what it interrupted is not known
  const std::vector<uint64_t> stack{0x1050};
  EXPECT_TRUE(is_safe_point({0x5000, SYS_poll, stack}, unsafe_code(), [](uint64_t) { return false; }));  // no call's
}

TEST(SafePoint, IsInTheProgramsOwnCodeOnly) {
  EXPECT_TRUE(is_safe(0x20000, -1, {0x20100}, unsafe_code()));
  EXPECT_FALSE(is_safe(0x5000, -1, {0x20100}, unsafe_code()));  // in libc, who knows where
  UnsafeCode own = unsafe_code();
  own.program_allocates = true;
  EXPECT_FALSE(is_safe(0x20000, -1, {0x20100}, own));
  EXPECT_FALSE(is_safe(0x5000, SYS_futex, {0x20100}, own));
  EXPECT_TRUE(is_safe(0x5000, SYS_poll, {0x20100}, own));
}

TEST(SafePoint, KnowsCallInstructions) {
  const auto ends = [](std::array<uint8_t, 7> bytes) { return ends_with_call(bytes); };
  EXPECT_TRUE(ends({0, 0, 0xe8, 1, 2, 3, 4}));        // call rel32
  EXPECT_TRUE(ends({0, 0, 0, 0, 0, 0xff, 0xd0}));     // call *%rax
  EXPECT_TRUE(ends({0, 0xff, 0x15, 1, 2, 3, 4}));     // call *x(%rip)
  EXPECT_TRUE(ends({0, 0, 0, 0, 0xff, 0x53, 0x20}));  // call *32(%rbx)
  EXPECT_FALSE(ends({0x90, 0x90, 0x90, 0x90, 0x90, 0x90, 0xc3}));
  EXPECT_FALSE(ends({0, 0, 0, 0, 0, 0xff, 0xe0}));  // jmp *%rax
}

TEST(LoaderCode, StartsWithTheTrapThatCallsReturnTo) {
  ASSERT_GT(loader_code().size(), loader_thread());
  EXPECT_EQ(static_cast<uint8_t>(loader_code()[loader_trap()]), 0xcc);
  EXPECT_EQ(loader_thread() % 16, 0U);
}

TEST(TargetProcess, OfThisProcess) {
  const Result<TargetProcess> own = read_target(::getpid());
  ASSERT_TRUE(own) << own.error().message;
  EXPECT_TRUE(own->is_alive());
  EXPECT_EQ(own->user, ::geteuid());
  EXPECT_TRUE(own->shares_mounts);
  ASSERT_TRUE(refuse_target(*own));
  EXPECT_THAT(refuse_target(*own)->message, HasSubstr("itself"));
  TargetProcess earlier = *own;
  --earlier.start_ticks;
  EXPECT_FALSE(earlier.is_alive());  // another process of the same number
}

TEST(TargetProcess, SaysWhyItCannotBe) {
  const auto refusal = [](auto change) {
    TargetProcess target;
    target.pid = 7;
    target.name = "worker";
    change(target);
    const std::optional<Error> error = refuse_target(target);
    return error ? error->message : "";
  };
  EXPECT_EQ(refusal([](TargetProcess&) {}), "");
  EXPECT_EQ(refusal([](TargetProcess& target) { target.is_kernel_thread = true; }),
            "cannot attach to process 7 (worker): it is a thread of the kernel");
  EXPECT_THAT(refusal([](TargetProcess& target) { target.state = 'Z'; }), HasSubstr("it has ended"));
  EXPECT_THAT(refusal([](TargetProcess& target) { target.shares_mounts = false; }), HasSubstr("another container"));
  EXPECT_THAT(read_target(999'999'999).error().message, HasSubstr("there is no process 999999999"));
}

TEST(TargetProcess, NamesYamaAndTheWayWithoutPtrace) {
  const TestFolder proc;
  std::filesystem::create_directories(proc.path() / "sys/kernel/yama");
  TargetProcess target;
  target.pid = 7;
  for (const char* scope : {"1", "2", "3"}) {
    std::ofstream(proc.path() / "sys/kernel/yama/ptrace_scope") << scope << '\n';
    const Error error = tracing_forbidden(target, proc.path());
    EXPECT_EQ(error.kind, ErrorKind::kUnavailable);
    EXPECT_THAT(error.message, HasSubstr(std::string("ptrace_scope is ") + scope));
    EXPECT_THAT(error.hint, HasSubstr("--dormant"));
  }
  std::ofstream(proc.path() / "sys/kernel/yama/ptrace_scope") << "0\n";
  EXPECT_THAT(tracing_forbidden(target, proc.path()).hint, HasSubstr("CAP_SYS_PTRACE"));
}

}  // namespace
}  // namespace aaco

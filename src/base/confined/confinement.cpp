// SPDX-License-Identifier: MIT
#include "base/confined/confinement.h"

#include <array>
#include <cerrno>
#include <cstddef>
#include <cstring>
#include <fcntl.h>
#include <fmt/format.h>
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/landlock.h>
#include <linux/seccomp.h>
#include <sched.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/process/limit_error.h"

namespace aaco {

namespace {

namespace fs = std::filesystem;

// Rights by the version of Landlock that knows them: 1 the first thirteen, 2 to move files, 3 to cut them.
constexpr uint64_t kFirstRights = (uint64_t{1} << 13) - 1;
constexpr uint64_t kMoving = uint64_t{1} << 13;
constexpr uint64_t kCutting = uint64_t{1} << 14;

Result<void> limit(int resource, uint64_t most, const char* what) {
  const rlimit limits{most, most};
  return ::setrlimit(static_cast<__rlimit_resource_t>(resource), &limits) == 0 ? Result<void>()
                                                                               : limit_error(what, errno);
}

// Allows reading below `path`. False with errno set.
bool allow_reading(int rules, const fs::path& path) {
  const int folder = ::open(path.c_str(), O_PATH | O_CLOEXEC);
  if (folder < 0) {
    return errno == ENOENT;
  }
  struct stat status{};
  const bool is_folder = ::fstat(folder, &status) == 0 && S_ISDIR(status.st_mode);
  landlock_path_beneath_attr below{};
  below.allowed_access = LANDLOCK_ACCESS_FS_READ_FILE | (is_folder ? LANDLOCK_ACCESS_FS_READ_DIR : 0);
  below.parent_fd = folder;
  const bool added = ::syscall(SYS_landlock_add_rule, rules, LANDLOCK_RULE_PATH_BENEATH, &below, 0) == 0;
  const int failure = errno;
  ::close(folder);
  errno = failure;
  return added;
}

// Why files are not confined; empty: they are.
std::string confine_files(const std::vector<fs::path>& readable) {
  const long version = ::syscall(SYS_landlock_create_ruleset, nullptr, 0, LANDLOCK_CREATE_RULESET_VERSION);
  if (version < 1) {
    return fmt::format("Landlock: {}", std::strerror(errno));
  }
  landlock_ruleset_attr rights{};
  rights.handled_access_fs = kFirstRights | (version >= 2 ? kMoving : 0) | (version >= 3 ? kCutting : 0);
  const int rules = static_cast<int>(::syscall(SYS_landlock_create_ruleset, &rights, sizeof rights, 0));
  if (rules < 0) {
    return fmt::format("Landlock: {}", std::strerror(errno));
  }
  bool holds = true;
  for (const fs::path& path : readable) {
    holds = holds && allow_reading(rules, path);
  }
  holds = holds && ::syscall(SYS_landlock_restrict_self, rules, 0) == 0;
  const std::string problem = holds ? "" : fmt::format("Landlock: {}", std::strerror(errno));
  ::close(rules);
  return problem;
}

#if defined(__x86_64__)
constexpr uint32_t kArchitecture = AUDIT_ARCH_X86_64;
constexpr uint32_t kForeignNumbers = 0x40000000;  // from here on those of x32
#else
constexpr uint32_t kArchitecture = AUDIT_ARCH_AARCH64;
constexpr uint32_t kForeignNumbers = UINT32_MAX;
#endif

// Each fails with EPERM: sockets, programs, other processes, what changes the system, and what goes around this list.
constexpr int kRefused[] = {SYS_socket,
                            SYS_socketpair,
                            SYS_connect,
                            SYS_bind,
                            SYS_listen,
                            SYS_accept,
                            SYS_accept4,
                            SYS_sendto,
                            SYS_sendmsg,
                            SYS_execve,
                            SYS_execveat,
                            SYS_ptrace,
                            SYS_kill,
                            SYS_tkill,
                            SYS_process_vm_readv,
                            SYS_process_vm_writev,
                            SYS_pidfd_open,
                            SYS_pidfd_getfd,
                            SYS_pidfd_send_signal,
                            SYS_mount,
                            SYS_umount2,
                            SYS_pivot_root,
                            SYS_chroot,
                            SYS_setns,
                            SYS_unshare,
                            SYS_bpf,
                            SYS_perf_event_open,
                            SYS_io_uring_setup,
                            SYS_keyctl,
                            SYS_add_key,
                            SYS_request_key,
                            SYS_init_module,
                            SYS_finit_module,
                            SYS_delete_module,
                            SYS_kexec_load,
                            SYS_reboot,
                            SYS_open_by_handle_at,
                            SYS_userfaultfd,
                            SYS_personality,
                            SYS_setrlimit,
#ifdef SYS_fork
                            SYS_fork,
                            SYS_vfork,
#endif
                            SYS_shmget,
                            SYS_msgget,
                            SYS_semget,
                            SYS_memfd_create};

// Why calls are not confined; empty: they are.
std::string confine_calls() {
  const auto refuse = [](int error) {
    return sock_filter BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | static_cast<uint32_t>(error));
  };
  const sock_filter number = BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(seccomp_data, nr));
  std::vector<sock_filter> program{
      BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(seccomp_data, arch)),
      BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, kArchitecture, 1, 0),
      BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_KILL_PROCESS),
      number,
      BPF_JUMP(BPF_JMP | BPF_JGE | BPF_K, kForeignNumbers, 0, 1),
      BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_KILL_PROCESS),
  };
  for (const int call : kRefused) {
    program.push_back(sock_filter BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, static_cast<uint32_t>(call), 0, 1));
    program.push_back(refuse(EPERM));
  }
  // A filter cannot read what clone3 points to; the C library then takes clone, of which threads alone are allowed.
  program.push_back(sock_filter BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_clone3, 0, 1));
  program.push_back(refuse(ENOSYS));
  program.push_back(sock_filter BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_clone, 0, 3));
  program.push_back(sock_filter BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(seccomp_data, args)));
  program.push_back(sock_filter BPF_JUMP(BPF_JMP | BPF_JSET | BPF_K, CLONE_THREAD, 1, 0));
  program.push_back(refuse(EPERM));
  program.push_back(sock_filter BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW));
  const sock_fprog filter{static_cast<unsigned short>(program.size()), program.data()};
  return ::syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, SECCOMP_FILTER_FLAG_TSYNC, &filter) == 0
             ? ""
             : fmt::format("seccomp: {}", std::strerror(errno));
}

}  // namespace

Result<Confinement> confine_process(const ConfinementRequest& request) {
  AACO_TRY(limit(RLIMIT_CORE, 0, "limit memory images"));
  if (request.memory_bytes > 0) {
    AACO_TRY(limit(RLIMIT_DATA, request.memory_bytes, "limit the memory"));
  }
  if (request.processor_seconds > 0) {
    AACO_TRY(limit(RLIMIT_CPU, request.processor_seconds, "limit the processor time"));
  }
  Confinement confinement;
  if (::prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0) {
    confinement.missing = fmt::format("no new privileges: {}", std::strerror(errno));
    return confinement;
  }
  const std::string files = confine_files(request.readable);
  const std::string calls = confine_calls();
  confinement.files = files.empty();
  confinement.calls = calls.empty();
  confinement.missing = files + (files.empty() || calls.empty() ? "" : "; ") + calls;
  return confinement;
}

}  // namespace aaco

// SPDX-License-Identifier: MIT
// Cases as processes of their own: the double reads its environment once, and a device that failed stays so.
#pragma once

#include <cstdlib>
#include <functional>
#include <map>
#include <string>
#include <sys/wait.h>
#include <unistd.h>

#include "device/backends/module_backend.h"

namespace aaco {

using Environment = std::map<std::string, std::string>;

// What `body` returns in a child that has this environment too; what it died of otherwise.
inline std::string in_child(const Environment& environment, const std::function<std::string()>& body) {
  int ends[2] = {-1, -1};
  if (pipe(ends) != 0) {
    return "no pipe";
  }
  const pid_t child = fork();
  if (child == 0) {
    setenv("AACO_MODULES", MODULE_FOLDER, 1);
    setenv("AACO_HIP_DOUBLE_KERNELS", KERNEL_FOLDER, 1);
    for (const auto& [name, value] : environment) {
      setenv(name.c_str(), value.c_str(), 1);
    }
    const std::string said = body();
    const ssize_t written = write(ends[1], said.data(), said.size());
    _exit(written == static_cast<ssize_t>(said.size()) ? 0 : 1);
  }
  close(ends[1]);
  std::string said;
  char part[4096];
  for (ssize_t got = 0; (got = read(ends[0], part, sizeof(part))) > 0;) {
    said.append(part, static_cast<size_t>(got));
  }
  close(ends[0]);
  int status = 0;
  waitpid(child, &status, 0);
  return status == 0 ? said : "the child ended with status " + std::to_string(status) + ": " + said;
}

inline std::string text_of(const Error& error) { return std::to_string(error.exit_code()) + " " + error.message; }

// Empty, or the exit code and message of its error.
inline std::string in_child_with_backend(const Environment& environment,
                                         const std::function<Result<void>(ModuleBackend&)>& body) {
  return in_child(environment, [&]() -> std::string {
    static ModuleBackend backend(hip_vendor());
    const auto done = body(backend);
    return done ? "" : text_of(done.error());
  });
}

inline std::string in_child_with_device(const Environment& environment,
                                        const std::function<Result<void>(Device&)>& body) {
  return in_child_with_backend(environment, [&](ModuleBackend& backend) -> Result<void> {
    AACO_ASSIGN(Device * device, backend.open(0));
    return body(*device);
  });
}

inline Error wrong(const std::string& what) { return {ErrorKind::kBug, what, ""}; }

}  // namespace aaco

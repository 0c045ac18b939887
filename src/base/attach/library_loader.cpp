// SPDX-License-Identifier: MIT
#include "base/attach/library_loader.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstring>
#include <fmt/format.h>
#include <iterator>
#include <optional>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <thread>
#include <unistd.h>
#include <vector>

#include "base/attach/loader_code.h"
#include "base/attach/process_maps.h"
#include "base/attach/remote_memory.h"
#include "base/attach/safe_point.h"
#include "base/attach/stopped_thread.h"
#include "base/clock.h"
#include "base/process/thread_start.h"
#include "base/text/characters.h"

namespace aaco {

namespace {

namespace fs = std::filesystem;

constexpr int64_t kTryNs = 10'000'000'000;   // to find a safe point
constexpr int64_t kLoadNs = 30'000'000'000;  // of dlopen, which may wait for the program's own
constexpr size_t kPageBytes = 4096;
constexpr size_t kStackBytes = size_t{64} << 10;
constexpr size_t kRegionBytes = 2 * kPageBytes + kStackBytes;
constexpr size_t kStackWords = size_t{32} << 10;  // that are searched: 256 KiB
constexpr int kPatientRounds = 20;                // before threads are stopped that would rather not be

Error cannot(const TargetProcess& target, std::string_view why, std::string hint) {
  return {ErrorKind::kUnavailable, fmt::format("cannot attach to {}: {}", target.text(), why), std::move(hint)};
}

// Addresses in the process.
struct RemoteFunctions {
  uint64_t create_thread = 0;
  uint64_t errno_place = 0;
  uint64_t system_call = 0;  // an instruction
  uint64_t open = 0;
  uint64_t symbol = 0;
  uint64_t problem = 0;
  uint64_t self = 0;
  uint64_t detach = 0;
  uint64_t unmap = 0;
};

struct RemoteFunction {
  const char* name;
  uint64_t RemoteFunctions::* place;
};
constexpr std::array<RemoteFunction, 8> kFunctions{{{"pthread_create", &RemoteFunctions::create_thread},
                                                    {"__errno_location", &RemoteFunctions::errno_place},
                                                    {"dlopen", &RemoteFunctions::open},
                                                    {"dlsym", &RemoteFunctions::symbol},
                                                    {"dlerror", &RemoteFunctions::problem},
                                                    {"pthread_self", &RemoteFunctions::self},
                                                    {"pthread_detach", &RemoteFunctions::detach},
                                                    {"munmap", &RemoteFunctions::unmap}}};

// glibc before 2.34 has some in libraries beside it.
Result<RemoteFunctions> find_functions(const TargetProcess& target, const std::vector<Mapping>& maps,
                                       const UnsafeCode& code, const RemoteMemory& memory) {
  RemoteFunctions functions;
  std::vector<std::string_view> names;
  std::transform(kFunctions.begin(), kFunctions.end(), std::back_inserter(names),
                 [](const RemoteFunction& function) { return function.name; });
  for (const char* library : {"libc.so.6", "libc-2.", "libpthread", "libdl"}) {
    const Mapping* first = mapping_of_file(maps, library);
    if (first == nullptr) {
      continue;
    }
    const Result<ElfFile> file = read_elf(first->path, names);
    if (!file) {
      return cannot(target, fmt::format("its {} cannot be read any more", printable(first->path)),
                    "was it replaced by an update since? Restart the program");
    }
    for (const RemoteFunction& function : kFunctions) {
      if (const ElfSymbol* symbol = file->find(function.name); symbol != nullptr && functions.*function.place == 0) {
        functions.*function.place = first->start - file->linked_at + symbol->address;
      }
    }
  }
  for (const RemoteFunction& function : kFunctions) {
    if (functions.*function.place == 0) {
      return cannot(target, fmt::format("its C library has no {}", function.name),
                    "start it with aaco observe -- CMD instead");
    }
  }
  constexpr std::array<char, 2> kSystemCall{0x0f, 0x05};
  std::vector<char> bytes(code.libc.end - code.libc.start);
  bytes.resize(memory.read(code.libc.start, bytes.data(), bytes.size()));
  const auto place = std::search(bytes.begin(), bytes.end(), kSystemCall.begin(), kSystemCall.end());
  functions.system_call = code.libc.start + static_cast<uint64_t>(place - bytes.begin());
  if (place == bytes.end()) {
    return cannot(target, "its C library cannot be read", "start it with aaco observe -- CMD instead");
  }
  return functions;
}

// "35 0x7ffe..."; "running", or nothing: not known.
int64_t system_call_of(pid_t pid, pid_t thread) {
  const std::string text = read_proc_text(fmt::format("/proc/{}/task/{}/syscall", pid, thread));
  return text.empty() || text.front() < '0' || text.front() > '9' ? -1 : std::strtoll(text.c_str(), nullptr, 10);
}

struct Candidate {
  pid_t thread = 0;
  WaitKind kind = WaitKind::kUnsafe;
};

// The best first.
std::vector<Candidate> threads_of(pid_t pid) {
  std::vector<Candidate> threads;
  for (const pid_t thread : read_threads(pid)) {
    threads.push_back({thread, wait_kind(system_call_of(pid, thread))});
  }
  std::stable_sort(threads.begin(), threads.end(),
                   [](const Candidate& a, const Candidate& b) { return a.kind < b.kind; });
  return threads;
}

bool is_at_safe_point(const StoppedThread& thread, const std::vector<Mapping>& maps, const UnsafeCode& code,
                      const RemoteMemory& memory) {
  const user_regs_struct& registers = thread.registers();
  const Mapping* stack = mapping_at(maps, registers.rsp);
  const uint64_t room = stack != nullptr ? (stack->end - registers.rsp) / sizeof(uint64_t) : kStackWords;
  std::vector<uint64_t> words(std::min<uint64_t>(room, kStackWords));
  words.resize(memory.read(registers.rsp, words.data(), words.size() * sizeof(uint64_t)) / sizeof(uint64_t));
  if (words.empty()) {
    return false;
  }
  return is_safe_point({registers.rip, thread.system_call(), words}, code, [&](uint64_t address) {
    std::array<uint8_t, 7> bytes{};
    return memory.read(address - bytes.size(), bytes.data(), bytes.size()) != bytes.size() || ends_with_call(bytes);
  });
}

// The pages of the call, in the process.
struct Region {
  uint64_t start = 0;
  uint64_t data() const { return start + kPageBytes; }
  uint64_t stack_end() const { return start + kRegionBytes; }
};

bool fill(const Region& region, const RemoteFunctions& functions, const LibraryRequest& request,
          const RemoteMemory& memory) {
  LoaderData data;
  data.open = functions.open;
  data.symbol = functions.symbol;
  data.problem = functions.problem;
  data.self = functions.self;
  data.detach = functions.detach;
  data.unmap = functions.unmap;
  data.region = region.start;
  data.region_bytes = kRegionBytes;
  std::string texts;
  const auto place = [&](const std::string& text) {
    const uint64_t address = region.data() + sizeof data + texts.size();
    texts += text;
    texts += '\0';
    return address;
  };
  data.library = place(request.library);
  data.function = place(request.function);
  data.argument = place(request.argument);
  const std::span<const char> code = loader_code();
  return sizeof data + texts.size() <= kPageBytes && memory.write(region.start, code.data(), code.size()) &&
         memory.write_value(region.data(), data) &&
         memory.write(region.data() + sizeof data, texts.data(), texts.size());
}

// With the thread at a safe point: the pages, and the thread that does the rest. None where it did not work.
std::optional<Region> start_loader(StoppedThread& thread, const RemoteFunctions& functions,
                                   const LibraryRequest& request, const RemoteMemory& memory) {
  if (!thread.begin_calls()) {
    return std::nullopt;
  }
  const auto map = thread.call_kernel(functions.system_call, {SYS_mmap, 0, kRegionBytes, PROT_READ | PROT_WRITE,
                                                              MAP_PRIVATE | MAP_ANONYMOUS, ~uint64_t{0}, 0});
  if (!map || (*map < 0 && *map > -4096)) {
    return std::nullopt;
  }
  const Region region{static_cast<uint64_t>(*map)};
  const auto remove = [&] {
    static_cast<void>(thread.call_kernel(functions.system_call, {SYS_munmap, region.start, kRegionBytes}));
  };
  const auto execute =
      thread.call_kernel(functions.system_call, {SYS_mprotect, region.start, kPageBytes, PROT_READ | PROT_EXEC});
  if (!execute || *execute != 0 || !fill(region, functions, request, memory)) {
    remove();
    return std::nullopt;
  }
  const uint64_t trap = region.start + loader_trap();
  const auto errno_place = thread.call_function(functions.errno_place, trap, region.stack_end(), {});
  const auto errno_before = errno_place ? memory.read_value<int>(*errno_place) : std::nullopt;
  if (!errno_before) {
    return std::nullopt;
  }
  const uint64_t number = region.data() + offsetof(LoaderData, thread);
  const auto created = thread.call_function(functions.create_thread, trap, region.stack_end(),
                                            {number, 0, region.start + loader_thread(), region.data()});
  if (!created) {
    return std::nullopt;  // the pages stay: the call may have got as far as to use them
  }
  static_cast<void>(memory.write_value(*errno_place, *errno_before));  // it was read there
  if (*created != 0) {
    remove();
    return std::nullopt;
  }
  return region;
}

// Until the function has returned.
Result<void> wait_for_loader(const TargetProcess& target, const Region& region, const LibraryRequest& request,
                             const RemoteMemory& memory) {
  const uint64_t state_place = region.data() + offsetof(LoaderData, state);
  const uint64_t go_place = region.data() + offsetof(LoaderData, go);
  // The pages stay until kSeen, so that this fails only where the process has ended, which is_alive() tells.
  static_cast<void>(memory.write_value<uint32_t>(go_place, LoaderData::kGo));
  for (const int64_t until_ns = monotonic_ns() + kLoadNs; monotonic_ns() < until_ns;) {
    const std::optional<uint32_t> state = memory.read_value<uint32_t>(state_place);
    if (!target.is_alive()) {
      return cannot(target, "it ended meanwhile", "name one that runs");
    }
    if (state == LoaderData::kCalled) {
      static_cast<void>(memory.write_value<uint32_t>(go_place, LoaderData::kSeen));  // or it has ended
      return {};
    }
    if (state == LoaderData::kGaveUp) {
      return cannot(target, "it waited for aaco, which did not come on in time", "try again on a machine less busy");
    }
    if (state == LoaderData::kFailed) {
      const auto text = memory.read_value<uint64_t>(region.data() + offsetof(LoaderData, text));
      return cannot(target,
                    fmt::format("it could not load {}: {}", printable(request.library),
                                printable(text ? memory.read_text(*text, 512) : std::string("no reason told"))),
                    "make the library readable for its user");
    }
    ::usleep(500);
  }
  return cannot(target, "its dynamic loader is busy, since 30 s",
                "it goes on, and is observed as soon as its loader is free; is it within a dlopen that never ends?");
}

// What is known of the process.
struct Surroundings {
  const UnsafeCode& code;
  const RemoteMemory& memory;
  const RemoteFunctions& functions;
};

// Of one thread, where it is at a safe point.
std::optional<Region> start_in(StoppedThread& thread, const fs::path& folder, pid_t number, const Surroundings& around,
                               const LibraryRequest& request) {
  const std::vector<Mapping> maps = parse_maps(read_proc_text(folder / "maps"));  // stacks come and go
  if (filters_system_calls(read_proc_text(folder / "task" / std::to_string(number) / "status")) ||
      !is_at_safe_point(thread, maps, around.code, around.memory)) {
    return std::nullopt;
  }
  return start_loader(thread, around.functions, request, around.memory);
}

// It is started by the first thread that is at a safe point. All of it by the calling thread.
Result<Region> start_in_some_thread(const TargetProcess& target, const Surroundings& around,
                                    const LibraryRequest& request, AttachFacts& facts) {
  const fs::path folder = fmt::format("/proc/{}", target.pid);
  std::vector<pid_t> late;  // that did not stop yet: in an uninterruptible call
  const int64_t until_ns = monotonic_ns() + kTryNs;
  for (int round = 0; monotonic_ns() < until_ns; ++round) {
    for (const Candidate& candidate : threads_of(target.pid)) {
      std::erase_if(late, StoppedThread::release_late);
      if (candidate.kind > (round < kPatientRounds ? WaitKind::kWaitsOnLock : WaitKind::kRuns)) {
        break;
      }
      if (std::find(late.begin(), late.end(), candidate.thread) != late.end()) {
        continue;
      }
      const int64_t stopped_ns = monotonic_ns();
      auto problem = StoppedThread::Problem::kNone;
      std::unique_ptr<StoppedThread> thread = StoppedThread::stop(candidate.thread, problem);
      if (problem == StoppedThread::Problem::kForbidden) {
        return tracing_forbidden(target);
      }
      if (problem == StoppedThread::Problem::kBusy) {
        late.push_back(candidate.thread);
      }
      if (!thread) {
        continue;
      }
      ++facts.stops;
      const std::optional<Region> region = start_in(*thread, folder, candidate.thread, around, request);
      thread.reset();
      facts.stopped_ns += monotonic_ns() - stopped_ns;
      if (region) {
        return *region;
      }
    }
    if (!target.is_alive()) {
      return cannot(target, "it ended meanwhile", "name one that runs");
    }
    ::usleep(round < kPatientRounds ? 2'000 : 20'000);
  }
  return cannot(target,
                fmt::format("in 10 s none of its threads was where it could be interrupted safely ({} were looked at)",
                            facts.stops),
                "try again, or start it with aaco observe --dormant -- CMD: that is woken without ptrace");
}

}  // namespace

Result<AttachFacts> load_into(const TargetProcess& target, const LibraryRequest& request) {
  const fs::path folder = fmt::format("/proc/{}", target.pid);
  const std::vector<Mapping> maps = parse_maps(read_proc_text(folder / "maps"));
  const RemoteMemory memory(target.pid);
  std::error_code error;
  const std::string program = fs::read_symlink(folder / "exe", error).string();
  const std::vector<std::string_view> locking(locking_functions().begin(), locking_functions().end());
  const UnsafeCode code = find_unsafe_code(
      maps, program,
      [&](const Mapping& first) -> std::optional<ElfFile> {
        Result<ElfFile> file = read_elf(first.path, locking);
        return file ? std::optional(std::move(*file)) : std::nullopt;
      },
      memory);
  AACO_ASSIGN(const RemoteFunctions functions, find_functions(target, maps, code, memory));
  AttachFacts facts;
  // Threads that never stopped are let go when the thread ends that traces them.
  Result<Region> region = cannot(target, "nothing was tried", "");
  AACO_ASSIGN(std::thread tracer,
              start_thread([&] { region = start_in_some_thread(target, {code, memory, functions}, request, facts); }));
  tracer.join();
  if (!region) {
    return region.error();
  }
  AACO_TRY(wait_for_loader(target, *region, request, memory));
  return facts;
}

}  // namespace aaco

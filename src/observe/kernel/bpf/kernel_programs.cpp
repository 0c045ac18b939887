// SPDX-License-Identifier: MIT
#include "observe/kernel/bpf/kernel_programs.h"

#include <array>
#include <bpf/bpf.h>
#include <bpf/btf.h>
#include <bpf/libbpf.h>
#include <cerrno>
#include <cstdarg>
#include <cstdio>
#include <cstring>
#include <fmt/format.h>
#include <string_view>
#include <sys/stat.h>
#include <unistd.h>
#include <utility>

#include "base/clock.h"
#include "observe/kernel/bpf/program_object.h"

namespace aaco {

namespace {

// PROC_PID_INIT_INO: the first PID namespace, whose numbers are the kernel's own.
constexpr uint32_t kFirstNamespace = 0xEFFFFFFC;
constexpr const char* kRights =
    "run it as root, or once: sudo setcap cap_bpf,cap_perfmon+ep on aaco; a container needs both in its "
    "own rights";

// The library's last complaint, for a hint; it has one place to print for all threads.
std::string& last_complaint() {
  static thread_local std::string text;
  return text;
}
__attribute__((format(printf, 2, 0))) int keep_complaint(libbpf_print_level level, const char* format, va_list values) {
  if (level == LIBBPF_WARN) {
    std::array<char, 300> line{};
    (void)std::vsnprintf(line.data(), line.size(), format, values);
    std::string& text = last_complaint();
    text = line.data();
    text.erase(text.find_last_not_of('\n') + 1);
  }
  return 0;
}

constexpr std::string_view kRawTracepoint = "raw_tp/";

// What a user without the right is told by a kernel or a container's filter.
bool is_refusal(int error) { return error == EPERM || error == EACCES || error == ENOSYS; }

Error load_error(const char* step, int error) {
  if (is_refusal(error)) {
    return {ErrorKind::kUnavailable, fmt::format("eBPF is not allowed ({}: {})", step, std::strerror(error)), kRights};
  }
  return {ErrorKind::kUnavailable, fmt::format("eBPF: {}: {}", step, std::strerror(error)),
          last_complaint().empty() ? kRights : last_complaint()};
}

uint32_t own_namespace() {
  struct stat status{};
  const bool known = ::stat("/proc/self/ns/pid", &status) == 0;
  return known && status.st_ino != kFirstNamespace ? static_cast<uint32_t>(status.st_ino) : 0;
}

// How many arguments a raw tracepoint has; -1: this kernel has none of that name.
int argument_count(const btf* types, const std::string& tracepoint) {
  const int type = btf__find_by_name_kind(types, ("btf_trace_" + tracepoint).c_str(), BTF_KIND_TYPEDEF);
  const btf_type* alias = type > 0 ? btf__type_by_id(types, type) : nullptr;
  const btf_type* pointer = alias != nullptr ? btf__type_by_id(types, alias->type) : nullptr;
  const btf_type* function = pointer != nullptr ? btf__type_by_id(types, pointer->type) : nullptr;
  return function != nullptr ? btf_vlen(function) - 1 : -1;
}

int take_record(void* context, void* data, size_t bytes) {
  (**static_cast<const std::function<void(std::span<const std::byte>)>**>(context))(
      {static_cast<const std::byte*>(data), bytes});
  return 0;
}

}  // namespace

Result<std::unique_ptr<KernelPrograms>> KernelPrograms::load(bool stacks) {
  libbpf_set_print(keep_complaint);
  last_complaint().clear();
  auto programs = std::unique_ptr<KernelPrograms>(new KernelPrograms());
  AACO_TRY(programs->load_object(stacks));
  AACO_TRY(programs->attach());
  return programs;
}

KernelPrograms::~KernelPrograms() {
  for (bpf_link* link : links_) {
    bpf_link__destroy(link);
  }
  ring_buffer__free(rings_);
  bpf_object__close(object_);
  count_cost(false);
}

Result<void> KernelPrograms::load_object(bool stacks) {
  const std::unique_ptr<btf, decltype(&btf__free)> types(btf__load_vmlinux_btf(), btf__free);
  if (!types) {
    return Error{ErrorKind::kUnavailable,
                 fmt::format("eBPF: the kernel does not describe its types ({})", std::strerror(errno)),
                 "a kernel with CONFIG_DEBUG_INFO_BTF has /sys/kernel/btf/vmlinux"};
  }
  object_ = bpf_object__open_mem(kKernelPrograms, kKernelProgramsBytes, nullptr);
  if (object_ == nullptr) {
    return load_error("opening the programs", errno);
  }
  size_t bytes = 0;
  bpf_map* settings_map = bpf_object__find_map_by_name(object_, ".rodata.settings");
  void* initial = settings_map != nullptr ? const_cast<void*>(bpf_map__initial_value(settings_map, &bytes)) : nullptr;
  if (initial == nullptr || bytes != sizeof(kernel_settings)) {
    return Error{ErrorKind::kBug, "eBPF: the programs have other settings than aaco", ""};
  }
  auto* settings = static_cast<kernel_settings*>(initial);
  settings->own_namespace = own_namespace();
  settings->own_process = ::getpid();
  settings->switch_tells_state = argument_count(types.get(), "sched_switch") >= 4 ? 1 : 0;
  settings->io_names_queue = argument_count(types.get(), "block_rq_issue") == 2 ? 1 : 0;
  settings->stacks = stacks ? 1 : 0;
  bpf_program* program = nullptr;
  bpf_object__for_each_program(program, object_) {
    const std::string_view section = bpf_program__section_name(program);
    if (!section.starts_with(kRawTracepoint)) {
      continue;
    }
    const std::string tracepoint(section.substr(kRawTracepoint.size()));
    if (argument_count(types.get(), tracepoint) < 0) {
      bpf_program__set_autoload(program, false);
      missing_.push_back(tracepoint);
    }
  }
  const int loaded = bpf_object__load(object_);
  return loaded == 0 ? Result<void>() : load_error("loading the programs", -loaded);
}

Result<void> KernelPrograms::attach() {
  rings_ = ring_buffer__new(map("spans"), take_record, &take_, nullptr);
  if (rings_ == nullptr || ring_buffer__add(rings_, map("events"), take_record, &take_) != 0) {
    return load_error("mapping the rings", errno);
  }
  bpf_program* program = nullptr;
  bpf_object__for_each_program(program, object_) {
    const std::string_view section = bpf_program__section_name(program);
    if (!bpf_program__autoload(program) || !section.starts_with(kRawTracepoint)) {
      continue;  // probes are attached where there is a library
    }
    bpf_link* link = bpf_program__attach(program);
    if (link == nullptr) {
      return load_error(fmt::format("attaching to {}", bpf_program__section_name(program)).c_str(), errno);
    }
    links_.push_back(link);
  }
  attached_ns_ = monotonic_ns();
  return {};
}

int KernelPrograms::map(const char* name) const {
  const bpf_map* map = bpf_object__find_map_by_name(object_, name);
  return map != nullptr ? bpf_map__fd(map) : -1;
}

void KernelPrograms::observe(int process) {
  const char yes = 1;
  (void)bpf_map_update_elem(map("observed"), &process, &yes, BPF_ANY);  // full: the programs count processes too
}

std::vector<int> KernelPrograms::observed_processes() const {
  const int observed = map("observed");
  std::vector<int> processes;
  int key = 0, next = 0;
  for (int* from = nullptr; bpf_map_get_next_key(observed, from, &next) == 0; from = &key) {
    key = next;
    processes.push_back(key);
  }
  return processes;
}

Result<void> KernelPrograms::probe(const char* program, const std::string& file, const char* function, bool returns) {
  bpf_uprobe_opts options{};
  options.sz = sizeof(options);
  options.retprobe = returns;
  options.func_name = function;
  constexpr int kAnyProcess = -1;  // the program itself looks whether its process is observed
  bpf_link* link = bpf_program__attach_uprobe_opts(bpf_object__find_program_by_name(object_, program), kAnyProcess,
                                                   file.c_str(), 0, &options);
  if (link == nullptr) {
    return load_error(fmt::format("probing {} of {}", function, file).c_str(), errno);
  }
  links_.push_back(link);
  return {};
}

void KernelPrograms::read(const std::function<void(std::span<const std::byte>)>& take) {
  take_ = &take;
  (void)ring_buffer__consume(rings_);
  take_ = nullptr;
}

std::vector<uint64_t> KernelPrograms::stack(int stack) const {
  std::vector<uint64_t> frames(KERNEL_STACK_FRAMES);
  if (stack < 0 || bpf_map_lookup_elem(map("stacks"), &stack, frames.data()) != 0) {
    return {};
  }
  while (!frames.empty() && frames.back() == 0) {
    frames.pop_back();
  }
  return frames;
}

kernel_losses KernelPrograms::losses() const {
  kernel_losses losses{};
  const int zero = 0;
  (void)bpf_map_lookup_elem(map(".data.losses"), &zero, &losses);
  return losses;
}

int64_t KernelPrograms::open_spans() const {
  const int threads = map("threads");
  const bpf_map* map = bpf_object__find_map_by_name(object_, "threads");
  std::vector<std::byte> state(bpf_map__value_size(map));
  int64_t open = 0;
  int key = 0, next = 0;
  for (int* from = nullptr; bpf_map_get_next_key(threads, from, &next) == 0; from = &key) {
    key = next;
    uint64_t off_ns = 0;  // the state's first field
    if (bpf_map_lookup_elem(threads, &key, state.data()) == 0) {
      std::memcpy(&off_ns, state.data(), sizeof(off_ns));
    }
    open += off_ns != 0 ? 1 : 0;
  }
  return open;
}

void KernelPrograms::count_cost(bool counts) {
  if (counts && statistics_ < 0) {
    counted_from_ns_ = monotonic_ns();
    statistics_ = bpf_enable_stats(BPF_STATS_RUN_TIME);
  } else if (!counts && statistics_ >= 0) {
    ::close(std::exchange(statistics_, -1));
    counted_ns_ += monotonic_ns() - counted_from_ns_;
  }
}

KernelPrograms::Cost KernelPrograms::cost() const {
  Cost cost;
  cost.counted_ns = counted_ns_ + (statistics_ >= 0 ? monotonic_ns() - counted_from_ns_ : 0);
  cost.attached_ns = monotonic_ns() - attached_ns_;
  bpf_program* program = nullptr;
  bpf_object__for_each_program(program, object_) {
    bpf_prog_info info{};
    uint32_t bytes = sizeof(info);
    if (bpf_program__autoload(program) && bpf_obj_get_info_by_fd(bpf_program__fd(program), &info, &bytes) == 0) {
      cost.runs += static_cast<int64_t>(info.run_cnt);
      cost.misses += static_cast<int64_t>(info.recursion_misses);
      cost.ns += static_cast<int64_t>(info.run_time_ns);
    }
  }
  return cost;
}

}  // namespace aaco

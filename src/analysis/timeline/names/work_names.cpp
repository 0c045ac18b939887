// SPDX-License-Identifier: MIT
#include "analysis/timeline/names/work_names.h"

#include <algorithm>
#include <array>
#include <iterator>
#include <span>
#include <string>

namespace aaco {

namespace {

// In lower case and without '_' and '-', anywhere in a function's name or namespaces.
constexpr std::array<std::string_view, 18> kCommunicationMarks = {"nccl",
                                                                  "rccl",
                                                                  "msccl",
                                                                  "oneccl",
                                                                  "hccl",
                                                                  "nvshmem",
                                                                  "barrieronstream",  // NVSHMEM's
                                                                  "rocshmem",
                                                                  "crossdevicereduce",
                                                                  "allreduce",
                                                                  "allgather",
                                                                  "reducescatter",
                                                                  "alltoall",
                                                                  "all2all",
                                                                  "moea2a",             // TensorRT-LLM's
                                                                  "collectivepermute",  // XLA's
                                                                  "collectivebroadcast",
                                                                  "userbuffers"};  // of Transformer Engine
// A name or namespace begins so.
constexpr std::array<std::string_view, 4> kCommunicationBegins = {"hcom", "ishmem", "epdispatchint", "epcombineint"};
// A namespace is that: of DeepEP and its forks, MoRI and pplx.
constexpr std::array<std::string_view, 5> kCommunicationSpaces = {"internode", "intranode", "internodell", "mori",
                                                                  "pplx"};
// Of DeepEP's hybrid_ep, which also counts and scans.
constexpr std::string_view kHybrid = "hybridep";
constexpr std::array<std::string_view, 2> kHybridBegins = {"dispatch", "combine"};

char lower(char c) { return static_cast<char>(c >= 'A' && c <= 'Z' ? c - 'A' + 'a' : c); }

// By PyTorch's Inductor, which names a kernel after the operators around it too: "triton_poi_fused_add_all_reduce_1".
bool is_generated(std::string_view kernel_name) {
  constexpr std::string_view kBegin = "triton_";
  constexpr std::string_view kFused = "_fused";
  constexpr size_t kKind = 3;  // poi, red, per, tem, for
  return kernel_name.starts_with(kBegin) &&
         kernel_name.substr(std::min(kernel_name.size(), kBegin.size() + kKind)).starts_with(kFused);
}

// "a:b:" of a mangled name (Itanium's ABI: "_ZN1a1bI...", each with its length before it); empty of another.
std::string mangled_path(std::string_view name) {
  constexpr std::string_view kBegin = "_Z";
  if (!name.starts_with(kBegin)) {
    return "";
  }
  name.remove_prefix(kBegin.size());
  while (!name.empty() && std::string_view("NKVrL").find(name.front()) != std::string_view::npos) {
    name.remove_prefix(1);
  }
  std::string path;
  while (!name.empty() && name.front() >= '0' && name.front() <= '9') {
    size_t length = 0;
    while (!name.empty() && name.front() >= '0' && name.front() <= '9' && length < name.size()) {
      length = 10 * length + static_cast<size_t>(name.front() - '0');
      name.remove_prefix(1);
    }
    length = std::min(length, name.size());
    path.append(name.substr(0, length)).append(":");
    name.remove_prefix(length);
  }
  return path;
}

// The same of a name as compilers print it, without what stands in brackets; up to the call's arguments.
std::string printed_path(std::string_view name) {
  constexpr std::string_view kNoName = "(anonymous namespace)";
  std::string path;
  int depth = 0;
  for (size_t i = 0; i < name.size(); ++i) {
    const char c = name[i];
    if (c == '<') {
      ++depth;
    } else if (c == '>' && depth > 0 && name[i - 1] != '-') {
      --depth;
    } else if (depth == 0 && name.substr(i).starts_with(kNoName)) {
      i += kNoName.size() - 1;
    } else if (depth == 0 && c == '(') {
      break;
    } else if (depth == 0) {
      path += c == ' ' ? ':' : c;
    }
  }
  return path + ":";
}

// A kernel's function in lower case, its parts apart by ':'. Where a type stands for the kernel (SYCL), all of it.
std::string function_of(std::string_view kernel_name) {
  const bool is_type = kernel_name.starts_with("_ZTS") || kernel_name.starts_with("typeinfo name for");
  std::string path = is_type ? std::string(kernel_name) : mangled_path(kernel_name);
  path = path.empty() ? printed_path(kernel_name) : path;
  std::erase_if(path, [](char c) { return c == '_' || c == '-'; });
  std::transform(path.begin(), path.end(), path.begin(), lower);
  return path;
}

bool holds_any(std::string_view text, std::span<const std::string_view> marks) {
  return std::any_of(marks.begin(), marks.end(),
                     [&](std::string_view mark) { return text.find(mark) != std::string_view::npos; });
}

bool begins_with_any(std::string_view text, std::span<const std::string_view> marks) {
  return std::any_of(marks.begin(), marks.end(), [&](std::string_view mark) { return text.starts_with(mark); });
}

}  // namespace

bool is_communication(std::string_view kernel_name) {
  if (is_generated(kernel_name)) {
    return false;
  }
  const std::string path = function_of(kernel_name);
  if (holds_any(path, kCommunicationMarks)) {
    return true;
  }
  bool is_hybrid = false;
  for (size_t first = 0, end = 0; first < path.size(); first = end + 1) {
    end = std::min(path.find(':', first), path.size());
    const std::string_view part = std::string_view(path).substr(first, end - first);
    const bool is_space =
        std::find(kCommunicationSpaces.begin(), kCommunicationSpaces.end(), part) != kCommunicationSpaces.end();
    if (is_space || begins_with_any(part, kCommunicationBegins) ||
        (is_hybrid && begins_with_any(part, kHybridBegins))) {
      return true;
    }
    is_hybrid = is_hybrid || part == kHybrid;
  }
  return false;
}

bool crosses_to_host(std::string_view copy_name) {
  static constexpr std::array<std::string_view, 8> kMarks = {
      "htod", "dtoh", "htoa", "atoh", "hosttodevice", "devicetohost", "hosttoarray", "arraytohost"};
  std::string letters;  // of "Host-to-Device", HOST_TO_DEVICE and HostToDevice the same
  std::copy_if(copy_name.begin(), copy_name.end(), std::back_inserter(letters),
               [](char c) { return c != '-' && c != '_' && c != ' '; });
  std::transform(letters.begin(), letters.end(), letters.begin(), lower);
  return holds_any(letters, kMarks);
}

bool is_migration(std::string_view copy_name) { return copy_name.find("Unified") != std::string_view::npos; }

}  // namespace aaco

// SPDX-License-Identifier: MIT
#include "observe/roofs/triad.h"

#include <algorithm>
#include <atomic>
#include <charconv>
#include <cstring>
#include <fmt/format.h>
#include <set>
#include <sys/mman.h>

#include "base/clock.h"
#include "base/interrupt.h"
#include "observe/roofs/team.h"

namespace aaco {

namespace {

constexpr size_t kLineDoubles = 8;
// Checked elements lie this far apart: a prime, so that they fall on every place of a line and a page.
constexpr size_t kCheckStride = 4093;

// Memory from the kernel, in huge pages where it gives them: the walk of page tables is not what is measured.
class Array {
 public:
  explicit Array(size_t bytes)
      : bytes_(bytes), data_(::mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0)) {
    if (data_ != MAP_FAILED) {
      (void)::madvise(data_, bytes_, MADV_HUGEPAGE);  // slower without
    }
  }
  ~Array() {
    if (data_ != MAP_FAILED) {
      ::munmap(data_, bytes_);
    }
  }
  Array(const Array&) = delete;
  Array& operator=(const Array&) = delete;
  double* doubles() const { return data_ == MAP_FAILED ? nullptr : static_cast<double*>(data_); }

 private:
  size_t bytes_;
  void* data_;
};

double b_value(size_t i) { return static_cast<double>(i % 1024); }
double c_value(size_t i) { return static_cast<double>(i % 509 + 1); }

// One line of 64 bytes a turn. Assembly, so that what is measured does not depend on how this program was compiled.
#define AACO_TRIAD(name, store)                                                             \
  void name(double* a, const double* b, const double* c, double scale, size_t lines) {      \
    asm volatile(                                                                           \
        "unpcklpd %[scale], %[scale]\n"                                                     \
        ".balign 64\n"                                                                      \
        "1:\n"                                                                              \
        "movapd (%[c]), %%xmm0\n movapd 16(%[c]), %%xmm1\n"                                 \
        "movapd 32(%[c]), %%xmm2\n movapd 48(%[c]), %%xmm3\n"                               \
        "mulpd %[scale], %%xmm0\n mulpd %[scale], %%xmm1\n"                                 \
        "mulpd %[scale], %%xmm2\n mulpd %[scale], %%xmm3\n"                                 \
        "addpd (%[b]), %%xmm0\n addpd 16(%[b]), %%xmm1\n"                                   \
        "addpd 32(%[b]), %%xmm2\n addpd 48(%[b]), %%xmm3\n" store " %%xmm0, (%[a])\n" store \
        " %%xmm1, 16(%[a])\n" store " %%xmm2, 32(%[a])\n" store                             \
        " %%xmm3, 48(%[a])\n"                                                               \
        "add $64, %[a]\n add $64, %[b]\n add $64, %[c]\n"                                   \
        "dec %[lines]\n"                                                                    \
        "jnz 1b\n"                                                                          \
        "sfence\n"                                                                          \
        : [a] "+r"(a), [b] "+r"(b), [c] "+r"(c), [lines] "+r"(lines), [scale] "+x"(scale)   \
        :                                                                                   \
        : "memory", "cc", "xmm0", "xmm1", "xmm2", "xmm3");                                  \
  }

AACO_TRIAD(triad_streaming, "movntpd")
AACO_TRIAD(triad_plain, "movapd")

struct Variant {
  const char* stores;
  void (*run)(double* a, const double* b, const double* c, double scale, size_t lines);
  double scale;  // differs, so that a store that did not happen leaves the other variant's value
};
constexpr Variant kVariants[] = {{"non-temporal stores", triad_streaming, 3}, {"plain stores", triad_plain, 5}};

struct Share {
  size_t first = 0;  // element
  size_t count = 0;
};

Share share_of(size_t lines, size_t workers, size_t index) {
  const size_t first = lines * index / workers;
  const size_t end = lines * (index + 1) / workers;
  return {first * kLineDoubles, (end - first) * kLineDoubles};
}

struct Arrays {
  double* a;
  double* b;
  double* c;
  size_t lines;
};

// Elapsed nanoseconds from the first thread's start to the last one's end.
Result<int64_t> run_once(const std::vector<int>& processors, const Arrays& arrays, const Variant& variant) {
  std::vector<int64_t> starts(processors.size()), ends(processors.size());
  AACO_TRY(run_team(processors, [&](size_t index) {
    const Share share = share_of(arrays.lines, processors.size(), index);
    starts[index] = monotonic_ns();
    if (share.count > 0) {
      variant.run(arrays.a + share.first, arrays.b + share.first, arrays.c + share.first, variant.scale,
                  share.count / kLineDoubles);
    }
    ends[index] = monotonic_ns();
  }));
  return std::max(int64_t{1},
                  *std::max_element(ends.begin(), ends.end()) - *std::min_element(starts.begin(), starts.end()));
}

Result<void> check(const Arrays& arrays, const Variant& variant) {
  const size_t count = arrays.lines * kLineDoubles;
  for (size_t i = 0; i < count; i += std::min(kCheckStride, std::max<size_t>(1, count - 1 - i))) {
    const double expected = b_value(i) + variant.scale * c_value(i);
    if (arrays.a[i] != expected) {
      return Error{ErrorKind::kInvalid, fmt::format("memory triad: element {} is {}, not {}", i, arrays.a[i], expected),
                   "the memory or a processor of this machine is faulty"};
    }
    if (i + 1 == count) {
      break;
    }
  }
  return {};
}

}  // namespace

int64_t last_level_cache_bytes(const HostFiles& host, const std::vector<int>& processors) {
  std::set<std::string> seen;
  int64_t total = 0;
  for (const int processor : processors) {
    const std::string folder = fmt::format("sys/devices/system/cpu/cpu{}/cache", processor);
    int64_t highest = 0, bytes = 0;
    std::string shared;
    for (const std::string& index : host.names(folder)) {
      const int64_t level = host.number(folder + "/" + index + "/level").value_or(0);
      const std::string size = host.text(folder + "/" + index + "/size").value_or("");  // "32768K"
      int64_t kib = 0;
      const auto [end, error] = std::from_chars(size.data(), size.data() + size.size(), kib);
      if (level > highest && error == std::errc{} && *end == 'K') {
        highest = level;
        bytes = kib * 1024;
        shared = host.text(folder + "/" + index + "/shared_cpu_list").value_or(std::to_string(processor));
      }
    }
    if (highest == 0) {
      return 0;
    }
    total += seen.insert(shared).second ? bytes : 0;
  }
  return total;
}

Result<TriadRun> run_triad(const std::vector<int>& processors, int64_t array_bytes, int trials) {
  const size_t lines = std::max<size_t>(1, static_cast<size_t>(array_bytes) / 64);
  const Array a(lines * 64), b(lines * 64), c(lines * 64);
  const Arrays arrays{a.doubles(), b.doubles(), c.doubles(), lines};
  if (arrays.a == nullptr || arrays.b == nullptr || arrays.c == nullptr) {
    return Error{ErrorKind::kResource, fmt::format("memory triad: no memory for three arrays of {} bytes", array_bytes),
                 "free some memory"};
  }
  AACO_TRY(run_team(processors, [&](size_t index) {
    const Share share = share_of(lines, processors.size(), index);
    for (size_t i = share.first; i < share.first + share.count; ++i) {
      arrays.a[i] = 0;
      arrays.b[i] = b_value(i);
      arrays.c[i] = c_value(i);
    }
  }));
  TriadRun best;
  for (const Variant& variant : kVariants) {
    for (int trial = 0; trial < trials; ++trial) {
      if (interrupted()) {
        return Error{ErrorKind::kInterrupted, "interrupted while measuring the memory", ""};
      }
      AACO_ASSIGN(const int64_t elapsed_ns, run_once(processors, arrays, variant));
      const double bytes_per_s = static_cast<double>(3 * lines * 64) * 1e9 / static_cast<double>(elapsed_ns);
      if (bytes_per_s > best.bytes_per_s) {
        best = {bytes_per_s, variant.stores};
      }
    }
    AACO_TRY(check(arrays, variant));
  }
  return best;
}

}  // namespace aaco

// SPDX-License-Identifier: MIT
#include "device/cpu/blas.h"

#include <algorithm>
#include <atomic>
#include <climits>
#include <cstdlib>
#include <cstring>
#include <dlfcn.h>
#include <new>
#include <semaphore>
#include <string>
#include <string_view>
#include <sys/mman.h>

namespace aaco::cpu {

namespace {

// The C interface of BLAS (cblas.h), row-major.
enum CblasOrder : int { kRowMajor = 101 };
enum CblasTranspose : int { kNoTranspose = 111, kTranspose = 112 };
using Sgemm = void (*)(CblasOrder, CblasTranspose, CblasTranspose, int m, int n, int k, float alpha, const float* a,
                       int lda, const float* b, int ldb, float beta, float* c, int ldc);

struct OpenBlas {
  Sgemm sgemm = nullptr;  // null: not there
  std::string name = "reference";
  std::ptrdiff_t calls_at_once = 1;
};

// "OpenBLAS 0.3.21 NO_LAPACKE DYNAMIC_ARCH NO_AFFINITY Haswell MAX_THREADS=64". A library built for N threads has 2 N
// buffers, one per call under way, and ends the process when they run out: N calls at once stay well below.
void read_config(std::string_view config, OpenBlas& library) {
  const size_t name_end = config.find(' ', config.find(' ') + 1);
  library.name = config.substr(0, name_end);
  constexpr std::string_view kMaxThreads = "MAX_THREADS=";
  if (const size_t at = config.find(kMaxThreads); at != std::string_view::npos) {
    const long threads = std::strtol(std::string(config.substr(at + kMaxThreads.size())).c_str(), nullptr, 10);
    library.calls_at_once = std::max(1L, threads);
  }
}

OpenBlas load() {
  OpenBlas library;
  const char* asked = std::getenv("AACO_REFERENCE_GEMM");
  if (asked != nullptr && std::strcmp(asked, "1") == 0) {
    return library;
  }
  // Before it starts threads that none of our calls uses; where it gets none, it raises SIGINT, and waits for them
  // later.
  if (::setenv("OPENBLAS_NUM_THREADS", "1", 1) != 0) {
    return library;
  }
  void* handle = dlopen("libopenblas.so.0", RTLD_NOW | RTLD_LOCAL);
  if (handle == nullptr) {
    return library;
  }
  const auto sgemm = reinterpret_cast<Sgemm>(dlsym(handle, "cblas_sgemm"));
  const auto config = reinterpret_cast<const char* (*)()>(dlsym(handle, "openblas_get_config"));
  const auto set_threads = reinterpret_cast<void (*)(int)>(dlsym(handle, "openblas_set_num_threads"));
  if (sgemm != nullptr && config != nullptr && set_threads != nullptr) {
    set_threads(1);
    read_config(config(), library);
    library.sgemm = sgemm;
  }
  return library;
}

const OpenBlas& open_blas() {
  static const OpenBlas library = load();
  return library;
}

std::counting_semaphore<>& calls_left() {
  static std::counting_semaphore<> semaphore(open_blas().calls_at_once);
  return semaphore;
}

// A call under way. OpenBLAS keeps a buffer for each that there are at once, and tries for ever where the system gives
// none: whether it would is asked before. Throws std::bad_alloc.
class BlasCall {
 public:
  BlasCall() {
    calls_left().acquire();
    const int now = ++under_way;
    if (now > buffers && !there_is_room()) {
      leave();
      throw std::bad_alloc();
    }
    for (int had = buffers; had < now && !buffers.compare_exchange_weak(had, now);) {
    }
  }
  ~BlasCall() { leave(); }
  BlasCall(const BlasCall&) = delete;
  BlasCall& operator=(const BlasCall&) = delete;

 private:
  static constexpr size_t kBufferBytes = (size_t{128} << 20) + (size_t{1} << 16);
  static inline std::atomic<int> under_way = 0;
  static inline std::atomic<int> buffers = 0;  // that it has

  static bool there_is_room() {
    void* const room = ::mmap(nullptr, kBufferBytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (room == MAP_FAILED) {
      return false;
    }
    ::munmap(room, kBufferBytes);
    return true;
  }
  static void leave() {
    --under_way;
    calls_left().release();
  }
};

bool fits_int(const MatrixProduct& p) { return std::max({p.m, p.n, p.k, p.lda, p.ldb, p.ldc}) <= INT_MAX; }

}  // namespace

void multiply(const MatrixProduct& p) {
  const OpenBlas& library = open_blas();
  if (library.sgemm == nullptr || !fits_int(p)) {
    multiply_by_reference(p);
    return;
  }
  if (p.m == 0 || p.n == 0) {
    return;
  }
  // BLAS refuses a row length below the matrix's own, which an empty matrix may come with.
  const auto row_length = [](int64_t ld) { return static_cast<int>(std::max<int64_t>(1, ld)); };
  const BlasCall call;
  library.sgemm(kRowMajor, p.transpose_a ? kTranspose : kNoTranspose, p.transpose_b ? kTranspose : kNoTranspose,
                static_cast<int>(p.m), static_cast<int>(p.n), static_cast<int>(p.k), p.alpha, p.a, row_length(p.lda),
                p.b, row_length(p.ldb), p.beta, p.c, row_length(p.ldc));
}

const std::string& gemm_library() { return open_blas().name; }

}  // namespace aaco::cpu

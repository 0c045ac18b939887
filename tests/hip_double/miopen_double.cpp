// SPDX-License-Identifier: MIT
// The part of MIOpen that the HIP module calls, on the streams of the double: the definition, summed in fp32. Of the
// four solutions that it names for every convolution, the first two must never be used, the third not for 16-bit types.
// A wrong use fails, and is counted.
#include <algorithm>
#include <atomic>
#include <compare>
#include <cstring>
#include <iterator>
#include <set>
#include <utility>

#include "device/ops/dtype.h"
#include "memory.h"
#include "queue.h"

namespace aaco::hip_double {
namespace {

enum Status : int { kSuccess = 0, kBadParameter = 3, kInternalError = 5 };
enum Type : int { kHalf = 0, kFloat = 1, kBfloat16 = 5 };
enum Algorithm : int { kGemm = 0, kFourier = 2, kWinograd = 3, kImplicitGemm = 5 };
constexpr int kDeterministic = 1;

struct Tensor {
  int type = -1;
  int n = 0, c = 0, h = 0, w = 0;  // NOLINT(readability-isolate-declaration): the usual four

  auto operator<=>(const Tensor&) const = default;
  int64_t elements() const { return int64_t{n} * c * h * w; }
  size_t bytes() const { return static_cast<size_t>(elements()) * (type == kFloat ? 4 : 2); }
};

struct Convolution {
  int pad_h = 0, pad_w = 0, stride_h = 0, stride_w = 0;  // NOLINT(readability-isolate-declaration)
  bool deterministic = false;

  auto operator<=>(const Convolution&) const = default;
};

// As the header lays it out.
struct Solution {
  float time;
  size_t workspace_bytes;
  uint64_t id;
  int algorithm;
};
constexpr Solution kSolutions[] = {
    {0.1F, 64, 100, kFourier},
    {0.2F, size_t{1} << 30, 101, kImplicitGemm},
    {0.3F, 128, 102, kWinograd},
    {0.4F, 4096, 103, kGemm},
};

std::atomic<int> live{0};
std::atomic<int> misuses{0};
std::atomic<int> convolutions{0};

int misuse(const char* what) {
  ++misuses;
  say(std::string("miopen: ") + what);
  return kBadParameter;
}

float value_at(const void* data, int64_t i, int type) {
  switch (type) {
    case kHalf:
      return to_float(static_cast<const Half*>(data)[i]);
    case kBfloat16:
      return to_float(static_cast<const Bfloat16*>(data)[i]);
    default:
      return static_cast<const float*>(data)[i];
  }
}

void put(void* data, int64_t i, int type, float value) {
  switch (type) {
    case kHalf:
      static_cast<Half*>(data)[i] = to_half(value);
      break;
    case kBfloat16:
      static_cast<Bfloat16*>(data)[i] = to_bfloat16(value);
      break;
    default:
      static_cast<float*>(data)[i] = value;
      break;
  }
}

struct Problem {
  Tensor w, x, y;  // NOLINT(readability-isolate-declaration)
  Convolution convolution;

  auto operator<=>(const Problem&) const = default;

  bool fits() const {
    const auto out = [](int in, int pad, int filter, int stride) { return (in + 2 * pad - filter) / stride + 1; };
    return (x.type == kHalf || x.type == kFloat || x.type == kBfloat16) && w.type == x.type && y.type == x.type &&
           w.c == x.c && y.n == x.n && y.c == w.n && x.elements() > 0 && y.elements() > 0 && w.elements() > 0 &&
           convolution.stride_h > 0 && convolution.stride_w > 0 &&
           y.h == out(x.h, convolution.pad_h, w.h, convolution.stride_h) &&
           y.w == out(x.w, convolution.pad_w, w.w, convolution.stride_w);
  }

  float at(const void* weights, const void* in, int n, int o, int oh, int ow) const {
    float sum = 0;
    for (int c = 0; c < x.c; ++c) {
      for (int r = 0; r < w.h; ++r) {
        for (int s = 0; s < w.w; ++s) {
          const int h = oh * convolution.stride_h - convolution.pad_h + r;
          const int v = ow * convolution.stride_w - convolution.pad_w + s;
          if (h >= 0 && h < x.h && v >= 0 && v < x.w) {
            sum += value_at(in, ((int64_t{n} * x.c + c) * x.h + h) * x.w + v, x.type) *
                   value_at(weights, ((int64_t{o} * w.c + c) * w.h + r) * w.w + s, w.type);
          }
        }
      }
    }
    return sum;
  }

  void run(const void* weights, const void* in, void* out) const {
    int64_t place = 0;
    for (int n = 0; n < y.n; ++n) {
      for (int o = 0; o < y.c; ++o) {
        for (int oh = 0; oh < y.h; ++oh) {
          for (int ow = 0; ow < y.w; ++ow) {
            put(out, place++, y.type, at(weights, in, n, o, oh, ow));
          }
        }
      }
    }
  }
};

}  // namespace
}  // namespace aaco::hip_double

using namespace aaco::hip_double;

struct MiopenContext {
  hipStream_t stream = nullptr;
  std::set<std::pair<Problem, uint64_t>> compiled;
};

namespace {

// What gets memory may not do so within a capture.
int outside_of_capture() {
  const std::lock_guard lock(api_mutex());
  return check_no_capture() == hipSuccess ? kSuccess : misuse("memory got while a stream is captured");
}

int check(const MiopenContext* handle, const Problem& problem) {
  if (handle == nullptr || handle->stream == nullptr || handle->stream->device != current_device()) {
    return misuse("no handle, or one of another device's stream");
  }
  if (!problem.convolution.deterministic) {
    return misuse("results that may differ from run to run");
  }
  return problem.fits() ? kSuccess : misuse("tensors that do not go together");
}

}  // namespace

// At the start of a call: fails where the environment wants it.
#define MIOPEN_DOUBLE_CALL()                                                  \
  if (const int wanted = static_cast<int>(injected(__func__)); wanted != 0) { \
    return wanted;                                                            \
  }

extern "C" {

int miopen_double_live() { return live; }
int miopen_double_misuses() { return misuses; }
int miopen_double_convolutions() { return convolutions; }

int miopenGetVersion(size_t* major, size_t* minor, size_t* patch) {
  *major = 3;
  *minor = 2;
  *patch = 1;
  return kSuccess;
}

const char* miopenGetErrorString(int status) {
  return status == kSuccess ? "miopenStatusSuccess" : "miopenStatusOfTheDouble";
}

int miopenCreateWithStream(MiopenContext** handle, hipStream_t stream) {
  MIOPEN_DOUBLE_CALL();
  *handle = new MiopenContext{stream, {}};
  ++live;
  return outside_of_capture();
}

int miopenDestroy(MiopenContext* handle) {
  delete handle;
  --live;
  return kSuccess;
}

int miopenCreateTensorDescriptor(Tensor** tensor) {
  MIOPEN_DOUBLE_CALL();
  *tensor = new Tensor;
  ++live;
  return kSuccess;
}

int miopenSet4dTensorDescriptor(Tensor* tensor, int type, int n, int c, int h, int w) {
  MIOPEN_DOUBLE_CALL();
  *tensor = {type, n, c, h, w};
  return kSuccess;
}

int miopenDestroyTensorDescriptor(Tensor* tensor) {
  delete tensor;
  --live;
  return kSuccess;
}

int miopenCreateConvolutionDescriptor(Convolution** convolution) {
  MIOPEN_DOUBLE_CALL();
  *convolution = new Convolution;
  ++live;
  return kSuccess;
}

int miopenInitConvolutionDescriptor(Convolution* convolution, int mode, int pad_h, int pad_w, int stride_h,
                                    int stride_w, int dilation_h, int dilation_w) {
  MIOPEN_DOUBLE_CALL();
  if (mode != 0 || dilation_h != 1 || dilation_w != 1) {
    return misuse("another mode or dilation than ours");
  }
  *convolution = {pad_h, pad_w, stride_h, stride_w, false};
  return kSuccess;
}

int miopenSetConvolutionAttribute(Convolution* convolution, int attribute, int value) {
  MIOPEN_DOUBLE_CALL();
  convolution->deterministic = attribute == kDeterministic && value == 1;
  return kSuccess;
}

int miopenDestroyConvolutionDescriptor(Convolution* convolution) {
  delete convolution;
  --live;
  return kSuccess;
}

int miopenConvolutionForwardGetSolutionCount(MiopenContext* handle, const Tensor* w, const Tensor* x,
                                             const Convolution* convolution, const Tensor* y, size_t* count) {
  MIOPEN_DOUBLE_CALL();
  *count = injected("solutions") != hipSuccess ? 0 : std::size(kSolutions);
  return check(handle, {*w, *x, *y, *convolution});
}

int miopenConvolutionForwardGetSolution(MiopenContext* handle, const Tensor* w, const Tensor* x,
                                        const Convolution* convolution, const Tensor* y, size_t most, size_t* count,
                                        Solution* solutions) {
  MIOPEN_DOUBLE_CALL();
  *count = std::min(most, std::size(kSolutions));
  std::copy_n(kSolutions, *count, solutions);
  return check(handle, {*w, *x, *y, *convolution});
}

int miopenConvolutionForwardCompileSolution(MiopenContext* handle, const Tensor* w, const Tensor* x,
                                            const Convolution* convolution, const Tensor* y, uint64_t solution) {
  MIOPEN_DOUBLE_CALL();
  const Problem problem{*w, *x, *y, *convolution};
  handle->compiled.emplace(problem, solution);
  const int status = outside_of_capture();
  return status == kSuccess ? check(handle, problem) : status;
}

int miopenConvolutionForwardImmediate(MiopenContext* handle, const Tensor* w_tensor, const void* w,
                                      const Tensor* x_tensor, const void* x, const Convolution* convolution,
                                      const Tensor* y_tensor, void* y, void* workspace, size_t workspace_bytes,
                                      uint64_t solution) {
  MIOPEN_DOUBLE_CALL();
  const Problem problem{*w_tensor, *x_tensor, *y_tensor, *convolution};
  if (const int status = check(handle, problem); status != kSuccess) {
    return status;
  }
  const auto* found = std::find_if(std::begin(kSolutions), std::end(kSolutions),
                                   [&](const Solution& each) { return each.id == solution; });
  if (found == std::end(kSolutions) || !handle->compiled.contains({problem, solution})) {
    return misuse("a solution that is not of this problem, or not compiled");
  }
  if (found->algorithm == kFourier || found->workspace_bytes > size_t{1} << 29 ||
      (found->algorithm == kWinograd && x_tensor->type != kFloat)) {
    return misuse("a solution that does not compute as asked, or needs too much memory");
  }
  if (workspace_bytes < found->workspace_bytes || check_range(workspace, found->workspace_bytes, true) != hipSuccess ||
      check_range(w, w_tensor->bytes(), true) != hipSuccess || check_range(x, x_tensor->bytes(), true) != hipSuccess ||
      check_range(y, y_tensor->bytes(), true) != hipSuccess) {
    return misuse("memory that is too small, or not the device's");
  }
  const std::lock_guard lock(api_mutex());
  const hipError_t status = submit(*handle->stream, hipGraphNodeTypeKernel, [=, bytes = found->workspace_bytes] {
    std::memset(workspace, 0xff, bytes);
    problem.run(w, x, y);
    ++convolutions;
    return hipSuccess;
  });
  return status == hipSuccess ? kSuccess : kInternalError;
}

}  // extern "C"

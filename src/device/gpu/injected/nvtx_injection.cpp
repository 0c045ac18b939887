// SPDX-License-Identifier: MIT
// What NVTX calls, once for each library of the process that has NVTX built in, where NVTX_INJECTION64_PATH names this
// one: such a library keeps a table of its functions, into which a tool stores its own. Through CUPTI there would be
// one subscriber for the whole time, which torch.profiler then could not be, and two records a range.
#include <atomic>
#include <cstdlib>
#include <cwchar>
#include <dlfcn.h>
#include <exception>
#include <mutex>
#include <pthread.h>
#include <string>
#include <unordered_map>
#include <vector>
#define NVTX_NO_IMPL
#include <nvtx3/nvToolsExt.h>

#include "device/gpu/injected/host_ranges.h"
#include "device/observe_variables.h"

namespace aaco::gpu {

namespace {

// NVTX's functions that a tool was there for before ours, called first: what they return is what the program gets.
struct ChainedFunctions {
  NvtxFunctionPointer core[NVTX_CBID_CORE_SIZE] = {};
  NvtxFunctionPointer core2[NVTX_CBID_CORE2_SIZE] = {};
};

ChainedFunctions& chained() {
  static auto* const the_functions = new ChainedFunctions;
  return *the_functions;
}

template <class Function>
Function* chained_core(NvtxCallbackIdCore id) {
  return reinterpret_cast<Function*>(chained().core[id]);
}
template <class Function>
Function* chained_core2(NvtxCallbackIdCore2 id) {
  return reinterpret_cast<Function*>(chained().core2[id]);
}

// Domains and registered texts by the handle that the program got of them.
class Handles {
 public:
  // Null: one of our own is made.
  void* add(void* handle, uint32_t name) {
    const std::lock_guard lock(mutex_);
    if (handle == nullptr) {
      handle = new char;  // an address that nothing else has; as long as the process lives
    }
    names_[handle] = name;
    return handle;
  }
  uint32_t find(const void* handle, uint32_t otherwise) {
    if (handle == nullptr) {
      return otherwise;
    }
    const std::lock_guard lock(mutex_);
    const auto name = names_.find(handle);
    return name != names_.end() ? name->second : otherwise;
  }
  void lock() { mutex_.lock(); }
  void unlock() { mutex_.unlock(); }

 private:
  std::mutex mutex_;
  std::unordered_map<const void*, uint32_t> names_;
};

Handles& domains() {
  static auto* const the_domains = new Handles;
  return *the_domains;
}
Handles& registered_texts() {
  static auto* const the_texts = new Handles;
  return *the_texts;
}

// Around a fork: its child must not find them locked by a thread that it has not got.
void lock_handles() {
  domains().lock();
  registered_texts().lock();
}
void unlock_handles() {
  registered_texts().unlock();
  domains().unlock();
}

std::string utf8_of(const wchar_t* text) {
  std::string bytes;
  for (; text != nullptr && *text != L'\0'; ++text) {
    const auto code = static_cast<uint32_t>(*text);
    const auto add = [&](uint32_t byte) { bytes.push_back(static_cast<char>(byte)); };
    if (code < 0x80) {
      add(code);
    } else if (code < 0x800) {
      add(0xC0 | code >> 6);
      add(0x80 | (code & 0x3F));
    } else if (code < 0x10000) {
      add(0xE0 | code >> 12);
      add(0x80 | (code >> 6 & 0x3F));
      add(0x80 | (code & 0x3F));
    } else {
      add(0xF0 | (code >> 18 & 7));
      add(0x80 | (code >> 12 & 0x3F));
      add(0x80 | (code >> 6 & 0x3F));
      add(0x80 | (code & 0x3F));
    }
  }
  return bytes;
}

const char* text_or_empty(const char* text) { return text != nullptr ? text : ""; }

std::string name_of(const nvtxEventAttributes_t* attributes) {
  if (attributes == nullptr) {
    return "";
  }
  switch (attributes->messageType) {
    case NVTX_MESSAGE_TYPE_ASCII:
      return text_or_empty(attributes->message.ascii);
    case NVTX_MESSAGE_TYPE_UNICODE:
      return utf8_of(attributes->message.unicode);
    case NVTX_MESSAGE_TYPE_REGISTERED: {
      const uint32_t name = registered_texts().find(attributes->message.registered, kNoName);
      return name != kNoName ? host_ranges().names().text(name) : "registered by another library";
    }
    default:
      return "unnamed";
  }
}

uint32_t domain_of(nvtxDomainHandle_t domain) { return domains().find(domain, HostRanges::kNoDomain); }

int push(int chained_depth, bool is_chained, std::string_view name, uint32_t domain) {
  const int depth = host_ranges().push(name, domain);
  return is_chained ? chained_depth : depth;
}

void NVTX_API mark_ex(const nvtxEventAttributes_t* attributes) {
  if (auto* const first = chained_core<void(const nvtxEventAttributes_t*)>(NVTX_CBID_CORE_MarkEx); first != nullptr) {
    first(attributes);
  }
  host_ranges().mark(name_of(attributes), HostRanges::kNoDomain);
}

void NVTX_API mark_a(const char* text) {
  if (auto* const first = chained_core<void(const char*)>(NVTX_CBID_CORE_MarkA); first != nullptr) {
    first(text);
  }
  host_ranges().mark(text_or_empty(text), HostRanges::kNoDomain);
}

void NVTX_API mark_w(const wchar_t* text) {
  if (auto* const first = chained_core<void(const wchar_t*)>(NVTX_CBID_CORE_MarkW); first != nullptr) {
    first(text);
  }
  host_ranges().mark(utf8_of(text), HostRanges::kNoDomain);
}

nvtxRangeId_t NVTX_API start_ex(const nvtxEventAttributes_t* attributes) {
  auto* const first = chained_core<nvtxRangeId_t(const nvtxEventAttributes_t*)>(NVTX_CBID_CORE_RangeStartEx);
  return host_ranges().start(name_of(attributes), HostRanges::kNoDomain, first != nullptr ? first(attributes) : 0);
}

nvtxRangeId_t NVTX_API start_a(const char* text) {
  auto* const first = chained_core<nvtxRangeId_t(const char*)>(NVTX_CBID_CORE_RangeStartA);
  return host_ranges().start(text_or_empty(text), HostRanges::kNoDomain, first != nullptr ? first(text) : 0);
}

nvtxRangeId_t NVTX_API start_w(const wchar_t* text) {
  auto* const first = chained_core<nvtxRangeId_t(const wchar_t*)>(NVTX_CBID_CORE_RangeStartW);
  return host_ranges().start(utf8_of(text), HostRanges::kNoDomain, first != nullptr ? first(text) : 0);
}

void NVTX_API end_range(nvtxRangeId_t id) {
  if (auto* const first = chained_core<void(nvtxRangeId_t)>(NVTX_CBID_CORE_RangeEnd); first != nullptr) {
    first(id);
  }
  host_ranges().end(id);
}

int NVTX_API push_ex(const nvtxEventAttributes_t* attributes) {
  auto* const first = chained_core<int(const nvtxEventAttributes_t*)>(NVTX_CBID_CORE_RangePushEx);
  return push(first != nullptr ? first(attributes) : 0, first != nullptr, name_of(attributes), HostRanges::kNoDomain);
}

int NVTX_API push_a(const char* text) {
  auto* const first = chained_core<int(const char*)>(NVTX_CBID_CORE_RangePushA);
  return push(first != nullptr ? first(text) : 0, first != nullptr, text_or_empty(text), HostRanges::kNoDomain);
}

int NVTX_API push_w(const wchar_t* text) {
  auto* const first = chained_core<int(const wchar_t*)>(NVTX_CBID_CORE_RangePushW);
  return push(first != nullptr ? first(text) : 0, first != nullptr, utf8_of(text), HostRanges::kNoDomain);
}

int NVTX_API pop() {
  auto* const first = chained_core<int()>(NVTX_CBID_CORE_RangePop);
  const int chained_depth = first != nullptr ? first() : 0;
  const int depth = host_ranges().pop(HostRanges::kNoDomain);
  return first != nullptr ? chained_depth : depth;
}

void NVTX_API domain_mark(nvtxDomainHandle_t domain, const nvtxEventAttributes_t* attributes) {
  if (auto* const first =
          chained_core2<void(nvtxDomainHandle_t, const nvtxEventAttributes_t*)>(NVTX_CBID_CORE2_DomainMarkEx);
      first != nullptr) {
    first(domain, attributes);
  }
  host_ranges().mark(name_of(attributes), domain_of(domain));
}

nvtxRangeId_t NVTX_API domain_start(nvtxDomainHandle_t domain, const nvtxEventAttributes_t* attributes) {
  auto* const first = chained_core2<nvtxRangeId_t(nvtxDomainHandle_t, const nvtxEventAttributes_t*)>(
      NVTX_CBID_CORE2_DomainRangeStartEx);
  return host_ranges().start(name_of(attributes), domain_of(domain), first != nullptr ? first(domain, attributes) : 0);
}

void NVTX_API domain_end(nvtxDomainHandle_t domain, nvtxRangeId_t id) {
  if (auto* const first = chained_core2<void(nvtxDomainHandle_t, nvtxRangeId_t)>(NVTX_CBID_CORE2_DomainRangeEnd);
      first != nullptr) {
    first(domain, id);
  }
  host_ranges().end(id);
}

int NVTX_API domain_push(nvtxDomainHandle_t domain, const nvtxEventAttributes_t* attributes) {
  auto* const first =
      chained_core2<int(nvtxDomainHandle_t, const nvtxEventAttributes_t*)>(NVTX_CBID_CORE2_DomainRangePushEx);
  return push(first != nullptr ? first(domain, attributes) : 0, first != nullptr, name_of(attributes),
              domain_of(domain));
}

int NVTX_API domain_pop(nvtxDomainHandle_t domain) {
  auto* const first = chained_core2<int(nvtxDomainHandle_t)>(NVTX_CBID_CORE2_DomainRangePop);
  const int chained_depth = first != nullptr ? first(domain) : 0;
  const int depth = host_ranges().pop(domain_of(domain));
  return first != nullptr ? chained_depth : depth;
}

nvtxStringHandle_t register_text(nvtxStringHandle_t chained_handle, std::string_view text) {
  return static_cast<nvtxStringHandle_t>(registered_texts().add(chained_handle, host_ranges().names().number(text)));
}

nvtxStringHandle_t NVTX_API register_a(nvtxDomainHandle_t domain, const char* text) {
  auto* const first =
      chained_core2<nvtxStringHandle_t(nvtxDomainHandle_t, const char*)>(NVTX_CBID_CORE2_DomainRegisterStringA);
  return register_text(first != nullptr ? first(domain, text) : nullptr, text_or_empty(text));
}

nvtxStringHandle_t NVTX_API register_w(nvtxDomainHandle_t domain, const wchar_t* text) {
  auto* const first =
      chained_core2<nvtxStringHandle_t(nvtxDomainHandle_t, const wchar_t*)>(NVTX_CBID_CORE2_DomainRegisterStringW);
  return register_text(first != nullptr ? first(domain, text) : nullptr, utf8_of(text));
}

nvtxDomainHandle_t create_domain(nvtxDomainHandle_t chained_handle, std::string_view name) {
  return static_cast<nvtxDomainHandle_t>(domains().add(chained_handle, host_ranges().names().number(name)));
}

nvtxDomainHandle_t NVTX_API create_a(const char* name) {
  auto* const first = chained_core2<nvtxDomainHandle_t(const char*)>(NVTX_CBID_CORE2_DomainCreateA);
  return create_domain(first != nullptr ? first(name) : nullptr, text_or_empty(name));
}

nvtxDomainHandle_t NVTX_API create_w(const wchar_t* name) {
  auto* const first = chained_core2<nvtxDomainHandle_t(const wchar_t*)>(NVTX_CBID_CORE2_DomainCreateW);
  return create_domain(first != nullptr ? first(name) : nullptr, utf8_of(name));
}

struct OwnFunction {
  NvtxCallbackModule module;
  unsigned id;
  NvtxFunctionPointer function;
};

template <class Function>
OwnFunction own(NvtxCallbackIdCore id, Function* function) {
  return {NVTX_CB_MODULE_CORE, static_cast<unsigned>(id), reinterpret_cast<NvtxFunctionPointer>(function)};
}
template <class Function>
OwnFunction own(NvtxCallbackIdCore2 id, Function* function) {
  return {NVTX_CB_MODULE_CORE2, static_cast<unsigned>(id), reinterpret_cast<NvtxFunctionPointer>(function)};
}

const std::vector<OwnFunction>& own_functions() {
  static const auto* const the_functions = new std::vector<OwnFunction>{
      own(NVTX_CBID_CORE_MarkEx, mark_ex),
      own(NVTX_CBID_CORE_MarkA, mark_a),
      own(NVTX_CBID_CORE_MarkW, mark_w),
      own(NVTX_CBID_CORE_RangeStartEx, start_ex),
      own(NVTX_CBID_CORE_RangeStartA, start_a),
      own(NVTX_CBID_CORE_RangeStartW, start_w),
      own(NVTX_CBID_CORE_RangeEnd, end_range),
      own(NVTX_CBID_CORE_RangePushEx, push_ex),
      own(NVTX_CBID_CORE_RangePushA, push_a),
      own(NVTX_CBID_CORE_RangePushW, push_w),
      own(NVTX_CBID_CORE_RangePop, pop),
      own(NVTX_CBID_CORE2_DomainMarkEx, domain_mark),
      own(NVTX_CBID_CORE2_DomainRangeStartEx, domain_start),
      own(NVTX_CBID_CORE2_DomainRangeEnd, domain_end),
      own(NVTX_CBID_CORE2_DomainRangePushEx, domain_push),
      own(NVTX_CBID_CORE2_DomainRangePop, domain_pop),
      own(NVTX_CBID_CORE2_DomainRegisterStringA, register_a),
      own(NVTX_CBID_CORE2_DomainRegisterStringW, register_w),
      own(NVTX_CBID_CORE2_DomainCreateA, create_a),
      own(NVTX_CBID_CORE2_DomainCreateW, create_w),
  };
  return *the_functions;
}

struct Tables {
  NvtxFunctionTable core = nullptr;
  unsigned core_size = 0;
  NvtxFunctionTable core2 = nullptr;
  unsigned core2_size = 0;

  // Null where this library's NVTX is older than the function.
  NvtxFunctionPointer* place(const OwnFunction& function) const {
    const bool is_core = function.module == NVTX_CB_MODULE_CORE;
    const NvtxFunctionTable table = is_core ? core : core2;
    return table != nullptr && function.id < (is_core ? core_size : core2_size) ? table[function.id] : nullptr;
  }
};

Tables tables_of(NvtxGetExportTableFunc_t export_table) {
  Tables tables;
  const auto* callbacks = export_table != nullptr
                              ? static_cast<const NvtxExportTableCallbacks*>(export_table(NVTX_ETID_CALLBACKS))
                              : nullptr;
  if (callbacks != nullptr && callbacks->GetModuleFunctionTable != nullptr) {
    static_cast<void>(callbacks->GetModuleFunctionTable(NVTX_CB_MODULE_CORE, &tables.core, &tables.core_size));
    static_cast<void>(callbacks->GetModuleFunctionTable(NVTX_CB_MODULE_CORE2, &tables.core2, &tables.core2_size));
  }
  return tables;
}

// The library that the variable named before ours stores its functions first.
bool start_chained(NvtxGetExportTableFunc_t export_table) {
  const char* path = std::getenv(observe_variable::kChainedNvtx);
  void* library = path != nullptr && *path != '\0' ? dlopen(path, RTLD_NOW | RTLD_LOCAL) : nullptr;
  auto* initialize =
      library != nullptr
          ? reinterpret_cast<NvtxInitializeInjectionNvtxFunc_t>(dlsym(library, "InitializeInjectionNvtx2"))
          : nullptr;
  return initialize != nullptr && initialize(export_table) != 0;
}

void attach(NvtxGetExportTableFunc_t export_table) {
  static auto* const mutex = new std::mutex;  // libraries may start NVTX at once
  static std::once_flag once;
  std::call_once(once, [] { ::pthread_atfork(lock_handles, unlock_handles, unlock_handles); });
  const std::lock_guard lock(*mutex);
  const Tables tables = tables_of(export_table);
  std::vector<NvtxFunctionPointer> before;
  for (const OwnFunction& function : own_functions()) {
    NvtxFunctionPointer* const place = tables.place(function);
    before.push_back(place != nullptr ? *place : nullptr);
  }
  const bool is_chained = start_chained(export_table);
  for (size_t i = 0; i < before.size(); ++i) {
    const OwnFunction& function = own_functions()[i];
    NvtxFunctionPointer* const place = tables.place(function);
    if (place == nullptr) {
      continue;
    }
    if (is_chained && *place != before[i] && *place != function.function) {
      (function.module == NVTX_CB_MODULE_CORE ? chained().core : chained().core2)[function.id] = *place;
    }
    *place = function.function;
  }
}

std::atomic<uint64_t> library_count = 0;

}  // namespace

uint64_t nvtx_library_count() { return library_count.load(std::memory_order_relaxed); }

}  // namespace aaco::gpu

extern "C" __attribute__((visibility("default"))) int InitializeInjectionNvtx2(NvtxGetExportTableFunc_t export_table) {
  try {
    aaco::gpu::attach(export_table);
    aaco::gpu::library_count.fetch_add(1, std::memory_order_relaxed);
    return 1;
  } catch (const std::exception&) {
    return 0;  // the program goes on without NVTX
  }
}

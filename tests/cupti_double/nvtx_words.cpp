// SPDX-License-Identifier: MIT
// The words that call NVTX, whose headers look for NVTX_INJECTION64_PATH themselves.
#include "nvtx_words.h"

#include <nvtx3/nvToolsExt.h>
#include <string>
#include <thread>

namespace {

nvtxDomainHandle_t domain() {
  static const nvtxDomainHandle_t the_domain = nvtxDomainCreateA("library");
  return the_domain;
}

nvtxEventAttributes_t attributes_of(const char* name) {
  nvtxEventAttributes_t attributes{};
  attributes.version = NVTX_VERSION;
  attributes.size = NVTX_EVENT_ATTRIB_STRUCT_SIZE;
  attributes.messageType = NVTX_MESSAGE_TYPE_ASCII;
  attributes.message.ascii = name;
  return attributes;
}

nvtxRangeId_t started = 0;

}  // namespace

bool do_nvtx_word(std::string_view verb, std::string_view name_view) {
  const std::string name(name_view);
  if (verb == "push") {
    nvtxRangePushA(name.c_str());
  } else if (verb == "push_wide") {
    nvtxRangePushW(L"Gr\u00f6\u00dfe \u20ac");
  } else if (verb == "pop") {
    nvtxRangePop();
  } else if (verb == "start") {
    started = nvtxRangeStartA(name.c_str());
  } else if (verb == "end") {
    std::thread([] { nvtxRangeEnd(started); }).join();  // by another thread, which NVTX allows
  } else if (verb == "mark") {
    nvtxMarkA(name.c_str());
  } else if (verb == "domain_push") {
    const nvtxEventAttributes_t attributes = attributes_of(name.c_str());
    nvtxDomainRangePushEx(domain(), &attributes);
  } else if (verb == "domain_pop") {
    nvtxDomainRangePop(domain());
  } else if (verb == "registered") {
    nvtxEventAttributes_t attributes = attributes_of(nullptr);
    attributes.messageType = NVTX_MESSAGE_TYPE_REGISTERED;
    attributes.message.registered = nvtxDomainRegisterStringA(domain(), name.c_str());
    nvtxDomainRangePushEx(domain(), &attributes);
  } else if (verb == "many_ranges") {
    for (long i = std::stol(name); i > 0; --i) {
      nvtxRangePushA("step");
      nvtxRangePop();
    }
  } else {
    return false;
  }
  return true;
}

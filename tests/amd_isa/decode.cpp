// SPDX-License-Identifier: MIT
#include "decode.h"

#include <array>
#include <cstring>
#include <llvm-c/Disassembler.h>
#include <llvm-c/Target.h>
#include <string>
#include <vector>

#include "dpp.h"
#include "vopd.h"
#include "wave.h"

namespace aaco::amd {
namespace {

struct Text {
  std::string_view mnemonic;
  std::vector<std::string_view> operands;
  std::vector<std::string_view> modifiers;
};

// "v_a v1, v2 offset:3": a word that ends in a comma is an operand, the first that does not is the last operand.
Text split_text(std::string_view text) {
  Text parts;
  bool operands_done = false;
  bool first = true;
  while (!text.empty()) {
    const auto begin = text.find_first_not_of(" \t");
    if (begin == std::string_view::npos) {
      break;
    }
    text.remove_prefix(begin);
    auto end = std::min(text.find_first_of(" \t"), text.size());
    const auto opened = text.substr(0, end).find('(');
    if (opened != std::string_view::npos) {  // hwreg(HW_REG_MODE, 4, 2) is one operand
      end = std::min(text.find_first_of(" \t", std::min(text.find(')', opened), text.size())), text.size());
    }
    std::string_view word = text.substr(0, end);
    text.remove_prefix(end);
    if (first) {
      parts.mnemonic = word;
      first = false;
    } else if (operands_done) {
      parts.modifiers.push_back(word);
    } else {
      operands_done = !word.ends_with(',');
      parts.operands.push_back(operands_done ? word : word.substr(0, word.size() - 1));
    }
  }
  return parts;
}

std::uint32_t word_at(std::span<const std::byte> image, std::uint64_t address) {
  std::uint32_t word = 0;
  std::memcpy(&word, image.data() + address, sizeof word);
  return word;
}

// Instructions of one word whose sixteen lowest bits say it all; their operands are not text that we parse.
bool has_coded_operands(std::string_view mnemonic) {
  return mnemonic.starts_with("s_cbranch") || mnemonic == "s_branch" || mnemonic.starts_with("s_waitcnt") ||
         mnemonic.starts_with("s_delay") || mnemonic == "s_nop" || mnemonic == "s_sendmsg" || mnemonic == "s_clause" ||
         mnemonic.starts_with("s_set_inst") || mnemonic == "s_sleep" || mnemonic == "s_setprio" ||
         mnemonic == "s_denorm_mode" || mnemonic == "s_round_mode" || mnemonic == "s_sethalt" || mnemonic == "s_trap" ||
         mnemonic == "s_endpgm" || mnemonic == "s_code_end" || mnemonic == "s_barrier" ||
         mnemonic.starts_with("buffer_");
}

Instruction from_text(Architecture architecture, std::string_view text, std::uint32_t word) {
  const Text parts = split_text(text);
  const Opcode* opcode = find_opcode(architecture, parts.mnemonic);
  if (opcode == nullptr) {
    throw Fault{"opcode " + std::string(parts.mnemonic) + " has no handler"};
  }
  opcode->decoded = true;
  Instruction made;
  made.handler = opcode->handler;
  made.unit = opcode->unit;
  made.outputs = opcode->outputs;
  made.reads_output = (opcode->traits & kReadsOutput) != 0;
  made.preserve_rest = (opcode->traits & kKeepsUpperHalf) != 0;
  if (opcode->name.starts_with("v_fma_mix")) {
    made.op_sel_hi = 0;
  }
  made.target = word & 0xffffU;
  if (has_coded_operands(parts.mnemonic)) {
    return made;
  }
  for (const std::string_view operand : parts.operands) {
    if (made.count == kOperands) {
      throw Fault{"more operands than are known of"};
    }
    if (operand.starts_with("hwreg(") || operand.starts_with("sendmsg(")) {
      continue;  // of the coded word
    }
    Operand& place = made.operands[made.count];
    place = parse_operand(operand, opcode->kinds[made.count], architecture);
    if (lanes_of(architecture) == 32 && (operand == "null")) {
      place.words = 0;
    }
    ++made.count;
  }
  for (const std::string_view modifier : parts.modifiers) {
    apply_modifier(made, modifier);
  }
  if ((opcode->traits & kAtomic) != 0 && made.returns) {
    made.outputs = 1;
  }
  if ((opcode->traits & kReadsVcc) != 0) {
    Operand& vcc = made.operands[made.count++];
    vcc.file = File::kScalar;
    vcc.index = kVcc;
    vcc.words = lanes_of(architecture) == 64 ? 2 : 1;
  }
  if (made.dpp.move != DppMove::kNone) {
    wrap_dpp(made);
  }
  return made;
}

Instruction pair_of(Architecture architecture, std::string_view text, std::size_t middle) {
  Instruction halves[2];
  const std::string_view texts[2] = {text.substr(0, middle), text.substr(middle + 4)};
  for (int i = 0; i < 2; ++i) {
    std::string single(texts[i]);
    single.replace(single.find("v_dual_"), 7, "v_");
    if (single.find("v_cndmask_b32") != std::string::npos) {
      single += ", vcc_lo";
    }
    halves[i] = from_text(architecture, single, 0);
  }
  return make_vopd(std::move(halves[0]), std::move(halves[1]));
}

}  // namespace

Disassembler::Disassembler(Architecture architecture) {
  static const bool ready = [] {
    LLVMInitializeAMDGPUTargetInfo();
    LLVMInitializeAMDGPUTargetMC();
    LLVMInitializeAMDGPUDisassembler();
    return true;
  }();
  static_cast<void>(ready);
  context_ = LLVMCreateDisasmCPU("amdgcn-amd-amdhsa", architecture == Architecture::kGfx942 ? "gfx942" : "gfx1100",
                                 nullptr, 0, nullptr, nullptr);
  if (context_ == nullptr) {
    throw Fault{"LLVM has no disassembler for amdgcn"};
  }
}

Disassembler::~Disassembler() { LLVMDisasmDispose(context_); }

Disassembly Disassembler::at(std::span<const std::byte> bytes) const {
  std::array<char, 512> text{};
  std::array<std::uint8_t, 24> head{};
  const std::size_t length = std::min(bytes.size(), head.size());
  std::memcpy(head.data(), bytes.data(), length);
  Disassembly result;
  result.bytes = LLVMDisasmInstruction(context_, head.data(), length, 0, text.data(), text.size());
  if (result.bytes != 0) {
    std::string_view line = text.data();
    line.remove_prefix(std::min(line.find_first_not_of(" \t"), line.size()));
    result.text = line;
  }
  return result;
}

Instruction decode(const Disassembler& disassembler, Architecture architecture, std::span<const std::byte> image,
                   std::uint64_t address) {
  if (address % 4 != 0 || address + 4 > image.size()) {
    throw Fault{"the program counter left the code object"};
  }
  const Disassembly found = disassembler.at(image.subspan(address));
  if (found.bytes == 0) {
    throw Fault{"these bytes are no instruction"};
  }
  const auto middle = found.text.find(" :: ");
  Instruction made = middle == std::string::npos ? from_text(architecture, found.text, word_at(image, address))
                                                 : pair_of(architecture, found.text, middle);
  made.address = address;
  made.next = address + found.bytes;
  return made;
}

}  // namespace aaco::amd

// SPDX-License-Identifier: MIT
#include "base/attach/loader_code.h"

#if defined(__x86_64__)

// The thread detaches itself, waits for `go`, loads, calls, says so, and once that was seen jumps into munmap, which
// takes this code away and returns to whoever called the thread's function. After an error, and where nobody answers,
// all of it stays: whoever writes or reads there late does no harm.
asm(R"(
  .pushsection .rodata
  .balign 16
aaco_loader_start:
  int3
  .balign 16
aaco_loader_thread:
  pushq %rbx
  movq %rdi, %rbx
  call *32(%rbx)
  movq %rax, %rdi
  call *40(%rbx)
1:
  cmpl $0, 0(%rbx)
  jne 2f
  decq 104(%rbx)
  jz 5f
  leaq 120(%rbx), %rdi
  xorl %esi, %esi
  movl $35, %eax
  syscall
  jmp 1b
2:
  movq 80(%rbx), %rdi
  movl $2, %esi
  call *8(%rbx)
  testq %rax, %rax
  jz 3f
  movq %rax, %rdi
  movq 88(%rbx), %rsi
  call *16(%rbx)
  testq %rax, %rax
  jz 3f
  movq 96(%rbx), %rdi
  call *%rax
  movl $1, 4(%rbx)
  movq $20000, 104(%rbx)
4:
  cmpl $2, 0(%rbx)
  je 6f
  decq 104(%rbx)
  jz 7f
  leaq 120(%rbx), %rdi
  xorl %esi, %esi
  movl $35, %eax
  syscall
  jmp 4b
6:
  movq 56(%rbx), %rdi
  movq 64(%rbx), %rsi
  movq 48(%rbx), %rax
  popq %rbx
  jmp *%rax
3:
  call *24(%rbx)
  movq %rax, 72(%rbx)
  movl $2, 4(%rbx)
  jmp 7f
5:
  movl $3, 4(%rbx)
7:
  xorl %eax, %eax
  popq %rbx
  ret
aaco_loader_end:
  .popsection
)");

extern "C" const char aaco_loader_start[];
extern "C" const char aaco_loader_thread[];
extern "C" const char aaco_loader_end[];

namespace aaco {

std::span<const char> loader_code() { return {aaco_loader_start, aaco_loader_end}; }
size_t loader_trap() { return 0; }
size_t loader_thread() { return static_cast<size_t>(aaco_loader_thread - aaco_loader_start); }

}  // namespace aaco

#else

namespace aaco {

std::span<const char> loader_code() { return {}; }
size_t loader_trap() { return 0; }
size_t loader_thread() { return 0; }

}  // namespace aaco

#endif

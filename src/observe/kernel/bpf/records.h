// SPDX-License-Identifier: MIT
// What the programs in the kernel and the reader in aaco exchange: read by both compilers, as C and as C++. Each struct
// has the same layout on both sides; a record starts with its kind.
#pragma once

enum { KERNEL_NAME_BYTES = 16, KERNEL_STACK_FRAMES = 64, KERNEL_STACKS = 16384, KERNEL_THREADS = 32768 };
// Taking a stack costs microseconds: at most so many a second on a processor, a burst apart, and of wakers only where
// the thread had not run for so long.
enum { STACK_INTERVAL_NS = 500000, STACK_BURST = 200, WAKER_STACK_AFTER_NS = 100000 };
enum { NO_NUMBER = -1, NO_STACK = -1 };

enum kernel_record_kind {
  RECORD_SPAN = 1,
  RECORD_MIGRATION,
  RECORD_PAGE_FAULT,
  RECORD_INTERRUPT,
  RECORD_SOFT_INTERRUPT,
  RECORD_BLOCK_IO,
  RECORD_FORK,
  RECORD_EXEC,
  RECORD_EXIT,
  RECORD_LAUNCH
};

// The state of a thread that has not run yet; states of the kernel are smaller.
enum { STATE_NEW = 0x40000000, STATE_PREEMPTED = 0x20000000 };

// A thread did not run. Times: CLOCK_MONOTONIC, ns. Threads and processes as aaco's own namespace numbers them.
struct span_record {
  unsigned int kind;
  unsigned int state;  // of the kernel, at the moment when it left its processor; or one of the above
  int process;
  int thread;
  unsigned long long start_ns;
  unsigned long long end_ns;
  unsigned long long runnable_ns;  // since when it could run; 0: not seen
  int next_thread;                 // NO_NUMBER: outside the namespace
  int waker_thread;                // NO_NUMBER: nobody, or outside; 0: an interrupt
  int cpu_before;                  // NO_NUMBER: a new thread
  int cpu_after;
  int kernel_stack;  // of the map of stacks
  int user_stack;
  int waker_kernel_stack;
  int waker_user_stack;
  int waker_process;
  int reserved;
  char name[KERNEL_NAME_BYTES];
  char next_name[KERNEL_NAME_BYTES];
  char waker_name[KERNEL_NAME_BYTES];
};

struct event_record {
  unsigned int kind;
  int cpu;
  int process;
  int thread;
  unsigned long long start_ns;
  unsigned long long end_ns;  // 0: a moment
  long long value;
  char name[32];
};

// What is set before the programs are loaded.
struct kernel_settings {
  unsigned int own_namespace;  // inode of aaco's PID namespace; 0: the first one, which numbers as the kernel does
  int own_process;             // whose children are observed
  unsigned char switch_tells_state;  // the tracepoint has a fourth argument
  unsigned char io_names_queue;      // block_rq_issue has the queue before the request
  unsigned char stacks;
  unsigned char reserved;
};

struct kernel_losses {
  unsigned long long spans;   // the ring was full
  unsigned long long events;  // likewise, of events other than spans
  unsigned long long threads;
  unsigned long long processes;
  unsigned long long stacks;
  unsigned long long skipped_stacks;  // beyond the rate
  unsigned long long unpaired;  // a thread left its processor twice: the kernel did not show how it got one between
};

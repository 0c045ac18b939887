// SPDX-License-Identifier: MIT
// What the programs read of the kernel's structures, field by field: libbpf looks up where a field lies in the running
// kernel (CO-RE), so that this needs no header of any kernel. A name behind ___ is a variant of the same structure.
#pragma once

typedef unsigned char __u8;
typedef signed char __s8;
typedef unsigned short __u16;
typedef short __s16;
typedef unsigned int __u32;
typedef int __s32;
typedef unsigned long long __u64;
typedef long long __s64;
typedef __u16 __be16;
typedef __u32 __be32;
typedef __u64 __be64;
typedef __u32 __wsum;
typedef __u16 __sum16;

#define bool _Bool
#define true 1
#define false 0

// Numbers of the kernel's interface (include/uapi/linux/bpf.h).
enum { BPF_MAP_TYPE_HASH = 1, BPF_MAP_TYPE_PERCPU_ARRAY = 6, BPF_MAP_TYPE_STACK_TRACE = 7, BPF_MAP_TYPE_RINGBUF = 27 };
enum { BPF_ANY = 0, BPF_NOEXIST = 1 };
enum { BPF_F_USER_STACK = 1 << 8 };
enum { BPF_RB_NO_WAKEUP = 1 };

struct bpf_raw_tracepoint_args {
  __u64 args[0];
};

#pragma clang attribute push(__attribute__((preserve_access_index)), apply_to = record)

struct ns_common {
  unsigned int inum;
};
struct pid_namespace {
  struct ns_common ns;
};
struct upid {
  int nr;
  struct pid_namespace* ns;
};
struct pid {
  unsigned int level;
  struct upid numbers[1];
};
struct thread_info {
  __u32 cpu;
};
typedef struct {
  int counter;
} atomic_t;
struct signal_struct {
  atomic_t live;
};
struct task_struct {
  struct thread_info thread_info;
  unsigned int __state;
  int pid;
  int tgid;
  int exit_code;
  char comm[16];
  struct task_struct* group_leader;
  struct pid* thread_pid;
  struct signal_struct* signal;
};
struct task_struct___before_5_14 {
  volatile long state;
};
struct task_struct___before_5_16 {
  unsigned int cpu;
};
struct irqaction {
  const char* name;
};
struct gendisk {
  char disk_name[32];
};
struct request_queue {
  struct gendisk* disk;
};
struct request {
  struct request_queue* q;
  unsigned int cmd_flags;
  unsigned int __data_len;
};
struct request___before_5_17 {
  struct gendisk* rq_disk;
};

#pragma clang attribute pop

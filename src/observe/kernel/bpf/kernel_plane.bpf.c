// SPDX-License-Identifier: MIT
// The programs in the kernel: raw tracepoints, which need neither tracefs nor kprobes. A switch that takes a thread off
// its processor and the one that brings it back are paired here, so that one record goes out for a span. Only threads
// of observed processes are looked at: those of the map `observed`, and what they fork.
#include "kernel_types.h"
// After the types that they use.
#include <bpf/bpf_helpers.h>
#include <bpf/bpf_core_read.h>

#include "records.h"

#define u32 __u32
#define u64 __u64

// TASK_DEAD; the same in all kernels since 4.14.
enum { STATE_DEAD = 0x80 };
// In sections of their own, so that aaco finds them by name.
const volatile struct kernel_settings settings SEC(".rodata.settings") = {};
struct kernel_losses losses SEC(".data.losses") = {};

struct thread_state {
  u64 off_ns;       // since when it does not run; 0: it runs, or that is not known
  u64 runnable_ns;  // since when it could; 0: it cannot, or was not seen to be woken
  int process;
  int thread;
  u32 state;
  int cpu_before;
  int next_thread;
  int kernel_stack;
  int user_stack;
  int waker_thread;
  int waker_process;
  int waker_kernel_stack;
  int waker_user_stack;
  char next_name[KERNEL_NAME_BYTES];
  char waker_name[KERNEL_NAME_BYTES];
};

struct {
  __uint(type, BPF_MAP_TYPE_HASH);
  __uint(max_entries, 65536);
  __type(key, int);  // process, as aaco's namespace numbers it
  __type(value, char);
} observed SEC(".maps");

struct {
  __uint(type, BPF_MAP_TYPE_HASH);
  __uint(max_entries, KERNEL_THREADS);
  __type(key, int);  // thread, as the kernel numbers it
  __type(value, struct thread_state);
} threads SEC(".maps");

struct {
  __uint(type, BPF_MAP_TYPE_HASH);
  __uint(max_entries, 4096);
  __type(key, u64);  // the request
  __type(value, struct event_record);
} requests SEC(".maps");

struct {
  __uint(type, BPF_MAP_TYPE_HASH);
  __uint(max_entries, 4096);
  __type(key, int);    // thread, as the kernel numbers it
  __type(value, u64);  // when it called the function that it is in
} launches SEC(".maps");

// What the processor serves. The kernel's own count of it is not to be had where kallsyms has functions only.
struct processor_state {
  u64 stacks_until_ns;  // the stacks that were taken here use up the time until then
  u64 hard_ns;  // when it started, where it stopped an observed thread
  u64 soft_ns;
  bool hard;
  bool soft;
  bool timer;
};
struct {
  __uint(type, BPF_MAP_TYPE_PERCPU_ARRAY);
  __uint(max_entries, 1);
  __type(key, int);
  __type(value, struct processor_state);
} processors SEC(".maps");

struct {
  __uint(type, BPF_MAP_TYPE_RINGBUF);
  __uint(max_entries, 8 * 1024 * 1024);
} spans SEC(".maps");

// Apart, so that a flood of page faults costs no span.
struct {
  __uint(type, BPF_MAP_TYPE_RINGBUF);
  __uint(max_entries, 4 * 1024 * 1024);
} events SEC(".maps");

struct {
  __uint(type, BPF_MAP_TYPE_STACK_TRACE);
  __uint(max_entries, KERNEL_STACKS);
  __uint(key_size, sizeof(u32));
  __uint(value_size, KERNEL_STACK_FRAMES * sizeof(u64));
} stacks SEC(".maps");

// The number of a task in aaco's own namespace; NO_NUMBER: it has none there.
static __attribute__((noinline)) int number_in_own_namespace(struct task_struct* task) {
  struct pid* pid = BPF_CORE_READ(task, thread_pid);
  if (!pid) {
    return NO_NUMBER;
  }
  const u32 innermost = BPF_CORE_READ(pid, level);
  const u32 step = bpf_core_type_size(struct upid);
  const char* numbers = (const char*)pid + bpf_core_field_offset(pid->numbers);
  for (u32 back = 0; back < 8 && back <= innermost; ++back) {
    struct upid* number = (struct upid*)(numbers + (innermost - back) * step);
    if (BPF_CORE_READ(number, ns, ns.inum) == settings.own_namespace) {
      return BPF_CORE_READ(number, nr);
    }
  }
  return NO_NUMBER;
}

static __always_inline int thread_number(struct task_struct* task) {
  return settings.own_namespace ? number_in_own_namespace(task) : BPF_CORE_READ(task, pid);
}

static __always_inline int process_number(struct task_struct* task) {
  return settings.own_namespace ? number_in_own_namespace(BPF_CORE_READ(task, group_leader)) : BPF_CORE_READ(task, tgid);
}

static __always_inline struct task_struct* current_task(void) { return (struct task_struct*)bpf_get_current_task(); }

static __always_inline void count(u64* loss) { __sync_fetch_and_add(loss, 1); }

static __always_inline struct thread_state* watched(int kernel_thread) {
  return bpf_map_lookup_elem(&threads, &kernel_thread);
}

// Where aaco has a namespace of its own a number is a walk: not for threads that are watched, nor for idle ones.
static __always_inline int number_of(struct task_struct* task, int kernel_thread) {
  if (!settings.own_namespace || kernel_thread == 0) {
    return kernel_thread;
  }
  const struct thread_state* known = watched(kernel_thread);
  return known ? known->thread : number_in_own_namespace(task);
}

// Who wakes `thread`: the current thread.
static __always_inline void set_waker(struct thread_state* thread) {
  const u64 numbers = bpf_get_current_pid_tgid();
  thread->waker_thread = (int)numbers;
  thread->waker_process = (int)(numbers >> 32);
  if (settings.own_namespace && (int)numbers != 0) {
    const struct thread_state* known = watched((int)numbers);
    struct task_struct* waker = current_task();
    thread->waker_thread = known ? known->thread : number_in_own_namespace(waker);
    thread->waker_process = known ? known->process : process_number(waker);
  }
  bpf_get_current_comm(thread->waker_name, KERNEL_NAME_BYTES);
}

static __always_inline struct thread_state* watch(struct task_struct* task, int kernel_thread, int process) {
  struct thread_state fresh = {.process = process, .thread = thread_number(task), .cpu_before = NO_NUMBER,
                               .next_thread = NO_NUMBER, .kernel_stack = NO_STACK, .user_stack = NO_STACK,
                               .waker_thread = NO_NUMBER, .waker_kernel_stack = NO_STACK,
                               .waker_user_stack = NO_STACK};
  if (bpf_map_update_elem(&threads, &kernel_thread, &fresh, BPF_ANY)) {
    count(&losses.threads);
    return 0;
  }
  return watched(kernel_thread);
}

// The state of the current thread; it is watched from now on where its process is observed.
static __always_inline struct thread_state* current_watched(void) {
  const int kernel_thread = (int)bpf_get_current_pid_tgid();
  if (kernel_thread == 0) {
    return 0;  // the idle threads share this number
  }
  struct thread_state* thread = watched(kernel_thread);
  if (thread) {
    return thread;
  }
  struct task_struct* task = current_task();
  const int process = settings.own_namespace ? process_number(task) : (int)(bpf_get_current_pid_tgid() >> 32);
  return bpf_map_lookup_elem(&observed, &process) ? watch(task, kernel_thread, process) : 0;
}

static __always_inline int stack_of(void* context, u64 flags) {
  const long stack = bpf_get_stackid(context, &stacks, flags);
  if (stack < 0) {
    if (stack == -17) {  // EEXIST: another stack has its place
      count(&losses.stacks);
    }
    return NO_STACK;
  }
  return (int)stack;
}

static __always_inline struct processor_state* processor_here(void) {
  const int zero = 0;
  return bpf_map_lookup_elem(&processors, &zero);
}

static __always_inline bool may_take_stack(u64 now) {
  struct processor_state* here = settings.stacks ? processor_here() : 0;
  if (!here) {
    return false;
  }
  const u64 until = here->stacks_until_ns > now ? here->stacks_until_ns : now;
  if (until - now > (u64)STACK_BURST * STACK_INTERVAL_NS) {
    count(&losses.skipped_stacks);
    return false;
  }
  here->stacks_until_ns = until + STACK_INTERVAL_NS;
  return true;
}

static __always_inline void leave(void* context, struct task_struct* next, int next_thread, u32 state, u64 now) {
  struct thread_state* thread = current_watched();
  if (!thread) {
    return;
  }
  if (state & STATE_DEAD) {
    const int kernel_thread = (int)bpf_get_current_pid_tgid();
    bpf_map_delete_elem(&threads, &kernel_thread);
    return;
  }
  if (thread->off_ns) {
    count(&losses.unpaired);
  }
  thread->off_ns = now;
  thread->runnable_ns = state == STATE_PREEMPTED ? now : 0;
  thread->state = state;
  thread->cpu_before = (int)bpf_get_smp_processor_id();
  thread->next_thread = number_of(next, next_thread);
  BPF_CORE_READ_STR_INTO(&thread->next_name, next, comm);
  thread->kernel_stack = NO_STACK;
  thread->user_stack = NO_STACK;
  if (may_take_stack(now)) {
    thread->kernel_stack = stack_of(context, 0);
    thread->user_stack = stack_of(context, BPF_F_USER_STACK);
  }
}

static __always_inline void come_back(struct task_struct* next, int next_thread, u64 now) {
  struct thread_state* thread = watched(next_thread);
  if (!thread) {
    return;
  }
  const bool fresh = thread->state == STATE_NEW && thread->off_ns == 0;
  const u64 start = fresh ? thread->runnable_ns : thread->off_ns;
  thread->off_ns = 0;
  if (start == 0) {
    return;
  }
  struct span_record* span = bpf_ringbuf_reserve(&spans, sizeof(*span), 0);
  if (!span) {
    count(&losses.spans);
    thread->runnable_ns = 0;
    return;
  }
  span->kind = RECORD_SPAN;
  span->state = thread->state;
  span->process = thread->process;
  span->thread = thread->thread;
  span->start_ns = start;
  span->end_ns = now;
  span->runnable_ns = thread->runnable_ns;
  span->next_thread = thread->next_thread;
  span->cpu_before = thread->cpu_before;
  span->cpu_after = (int)bpf_get_smp_processor_id();
  span->kernel_stack = thread->kernel_stack;
  span->user_stack = thread->user_stack;
  const bool woken = thread->state != STATE_PREEMPTED;
  span->reserved = 0;
  span->waker_thread = woken ? thread->waker_thread : NO_NUMBER;
  span->waker_process = thread->waker_process;
  span->waker_kernel_stack = woken ? thread->waker_kernel_stack : NO_STACK;
  span->waker_user_stack = woken ? thread->waker_user_stack : NO_STACK;
  BPF_CORE_READ_STR_INTO(&span->name, next, comm);
  __builtin_memcpy(span->next_name, thread->next_name, KERNEL_NAME_BYTES);
  __builtin_memcpy(span->waker_name, thread->waker_name, KERNEL_NAME_BYTES);
  thread->runnable_ns = 0;
  thread->state = 0;
  thread->waker_thread = NO_NUMBER;
  thread->waker_name[0] = 0;
  thread->waker_kernel_stack = NO_STACK;
  thread->waker_user_stack = NO_STACK;
  bpf_ringbuf_submit(span, BPF_RB_NO_WAKEUP);
}

SEC("raw_tp/sched_switch")
int on_switch(struct bpf_raw_tracepoint_args* context) {
  const bool preempted = context->args[0] != 0;
  struct task_struct* previous = (struct task_struct*)context->args[1];
  struct task_struct* next = (struct task_struct*)context->args[2];
  u32 state;
  if (settings.switch_tells_state) {
    state = (u32)context->args[3];
  } else if (bpf_core_field_exists(previous->__state)) {
    state = BPF_CORE_READ(previous, __state);
  } else {
    state = (u32)BPF_CORE_READ((struct task_struct___before_5_14*)previous, state);
  }
  const u64 now = bpf_ktime_get_ns();
  const int next_thread = BPF_CORE_READ(next, pid);
  leave(context, next, next_thread, preempted || state == 0 ? STATE_PREEMPTED : state, now);
  come_back(next, next_thread, now);
  return 0;
}

// In the context of who wakes; the wakeup itself may run on the woken thread's processor.
SEC("raw_tp/sched_waking")
int on_waking(struct bpf_raw_tracepoint_args* context) {
  struct task_struct* task = (struct task_struct*)context->args[0];
  struct thread_state* thread = watched(BPF_CORE_READ(task, pid));
  if (!thread) {
    return 0;
  }
  const struct processor_state* interrupt = processor_here();
  if (interrupt && (interrupt->hard || interrupt->soft || interrupt->timer)) {
    thread->waker_thread = 0;
    thread->waker_process = 0;
    thread->waker_kernel_stack = NO_STACK;
    thread->waker_user_stack = NO_STACK;
    __builtin_memcpy(thread->waker_name, "interrupt\0\0\0\0\0\0", KERNEL_NAME_BYTES);
    return 0;
  }
  set_waker(thread);
  thread->waker_kernel_stack = NO_STACK;
  thread->waker_user_stack = NO_STACK;
  if (settings.stacks && thread->off_ns) {
    const u64 now = bpf_ktime_get_ns();
    if (now - thread->off_ns >= WAKER_STACK_AFTER_NS && may_take_stack(now)) {
      thread->waker_kernel_stack = stack_of(context, 0);
      thread->waker_user_stack = stack_of(context, BPF_F_USER_STACK);
    }
  }
  return 0;
}

SEC("raw_tp/sched_wakeup")
int on_wakeup(struct bpf_raw_tracepoint_args* context) {
  struct task_struct* task = (struct task_struct*)context->args[0];
  struct thread_state* thread = watched(BPF_CORE_READ(task, pid));
  if (thread && thread->off_ns && !thread->runnable_ns) {
    thread->runnable_ns = bpf_ktime_get_ns();
  }
  return 0;
}

SEC("raw_tp/sched_wakeup_new")
int on_wakeup_new(struct bpf_raw_tracepoint_args* context) {
  struct task_struct* task = (struct task_struct*)context->args[0];
  struct thread_state* thread = watched(BPF_CORE_READ(task, pid));
  if (thread) {
    thread->state = STATE_NEW;
    thread->runnable_ns = bpf_ktime_get_ns();
    set_waker(thread);
  }
  return 0;
}

// A moment now, of `thread`; null, and counted, where the ring is full.
static __always_inline struct event_record* new_event(u32 kind, const struct thread_state* thread) {
  struct event_record* event = bpf_ringbuf_reserve(&events, sizeof(*event), 0);
  if (!event) {
    count(&losses.events);
    return 0;
  }
  event->kind = kind;
  event->cpu = (int)bpf_get_smp_processor_id();
  event->process = thread->process;
  event->thread = thread->thread;
  event->start_ns = bpf_ktime_get_ns();
  event->end_ns = 0;
  event->value = 0;
  event->name[0] = 0;
  return event;
}

SEC("raw_tp/sched_process_fork")
int on_fork(struct bpf_raw_tracepoint_args* context) {
  struct task_struct* parent = (struct task_struct*)context->args[0];
  struct task_struct* child = (struct task_struct*)context->args[1];
  const int parent_process = process_number(parent);
  const int child_process = process_number(child);
  const bool same_process = parent_process == child_process;
  const bool parent_observed = bpf_map_lookup_elem(&observed, &parent_process) != 0;
  if (!parent_observed && (same_process || parent_process != settings.own_process)) {
    return 0;
  }
  if (!same_process) {
    const char yes = 1;
    if (bpf_map_update_elem(&observed, &child_process, &yes, BPF_ANY)) {
      count(&losses.processes);
      return 0;
    }
  }
  watch(child, BPF_CORE_READ(child, pid), child_process);
  struct thread_state* thread = parent_observed ? current_watched() : 0;
  struct event_record* event = thread ? new_event(RECORD_FORK, thread) : 0;
  if (event) {
    event->value = thread_number(child);
    __builtin_memcpy(event->name, same_process ? "thread\0\0" : "process\0", 8);
    bpf_ringbuf_submit(event, BPF_RB_NO_WAKEUP);
  }
  return 0;
}

SEC("raw_tp/sched_process_exec")
int on_exec(struct bpf_raw_tracepoint_args* context) {
  struct thread_state* thread = current_watched();
  struct event_record* event = thread ? new_event(RECORD_EXEC, thread) : 0;
  if (event) {
    bpf_get_current_comm(event->name, KERNEL_NAME_BYTES);
    bpf_ringbuf_submit(event, BPF_RB_NO_WAKEUP);
  }
  return 0;
}

SEC("raw_tp/sched_process_exit")
int on_exit(struct bpf_raw_tracepoint_args* context) {
  struct task_struct* task = (struct task_struct*)context->args[0];
  struct thread_state* thread = current_watched();
  if (!thread) {
    return 0;
  }
  const int process = thread->process;
  const bool last = BPF_CORE_READ(task, signal, live.counter) == 0;
  struct event_record* event = new_event(RECORD_EXIT, thread);
  if (event) {
    event->value = BPF_CORE_READ(task, exit_code);
    __builtin_memcpy(event->name, last ? "process\0" : "thread\0\0", 8);
    bpf_ringbuf_submit(event, BPF_RB_NO_WAKEUP);
  }
  if (last) {
    bpf_map_delete_elem(&observed, &process);
  }
  return 0;
}

SEC("raw_tp/sched_migrate_task")
int on_migrate(struct bpf_raw_tracepoint_args* context) {
  struct task_struct* task = (struct task_struct*)context->args[0];
  struct thread_state* thread = watched(BPF_CORE_READ(task, pid));
  struct event_record* event = thread ? new_event(RECORD_MIGRATION, thread) : 0;
  if (event) {
    event->cpu = (int)context->args[1];
    event->value = bpf_core_field_exists(((struct task_struct___before_5_16*)task)->cpu)
                       ? BPF_CORE_READ((struct task_struct___before_5_16*)task, cpu)
                       : BPF_CORE_READ(task, thread_info.cpu);
    bpf_ringbuf_submit(event, BPF_RB_NO_WAKEUP);
  }
  return 0;
}

SEC("raw_tp/page_fault_user")
int on_page_fault(struct bpf_raw_tracepoint_args* context) {
  struct thread_state* thread = current_watched();
  struct event_record* event = thread ? new_event(RECORD_PAGE_FAULT, thread) : 0;
  if (event) {
    event->value = (long long)context->args[0];
    // Bits of x86: 2 a write, 16 an instruction fetch.
    __builtin_memcpy(event->name, context->args[2] & 16 ? "execute\0" : context->args[2] & 2 ? "write\0\0\0" : "read\0\0\0\0",
                     8);
    bpf_ringbuf_submit(event, BPF_RB_NO_WAKEUP);
  }
  return 0;
}

SEC("raw_tp/irq_handler_entry")
int on_interrupt(struct bpf_raw_tracepoint_args* context) {
  struct processor_state* state = processor_here();
  if (state) {
    state->hard = true;
    state->hard_ns = current_watched() ? bpf_ktime_get_ns() : 0;
  }
  return 0;
}

// Into `event`, which is now, its span since then.
static __always_inline void set_span(struct event_record* event, u64 start_ns) {
  event->end_ns = event->start_ns;
  event->start_ns = start_ns;
}

SEC("raw_tp/irq_handler_exit")
int on_interrupt_end(struct bpf_raw_tracepoint_args* context) {
  struct processor_state* state = processor_here();
  if (!state) {
    return 0;
  }
  state->hard = false;
  struct thread_state* thread = state->hard_ns ? current_watched() : 0;
  struct event_record* event = thread ? new_event(RECORD_INTERRUPT, thread) : 0;
  if (event) {
    struct irqaction* action = (struct irqaction*)context->args[1];
    set_span(event, state->hard_ns);
    event->value = (int)context->args[0];
    bpf_probe_read_kernel_str(event->name, sizeof(event->name), BPF_CORE_READ(action, name));
    bpf_ringbuf_submit(event, BPF_RB_NO_WAKEUP);
  }
  return 0;
}

SEC("raw_tp/softirq_entry")
int on_soft_interrupt(struct bpf_raw_tracepoint_args* context) {
  struct processor_state* state = processor_here();
  if (state) {
    state->soft = true;
    state->soft_ns = current_watched() ? bpf_ktime_get_ns() : 0;
  }
  return 0;
}

SEC("raw_tp/softirq_exit")
int on_soft_interrupt_end(struct bpf_raw_tracepoint_args* context) {
  struct processor_state* state = processor_here();
  if (!state) {
    return 0;
  }
  state->soft = false;
  struct thread_state* thread = state->soft_ns ? current_watched() : 0;
  struct event_record* event = thread ? new_event(RECORD_SOFT_INTERRUPT, thread) : 0;
  if (event) {
    set_span(event, state->soft_ns);
    event->value = (int)context->args[0];
    bpf_ringbuf_submit(event, BPF_RB_NO_WAKEUP);
  }
  return 0;
}

// Of x86, whose timer interrupts have no handler that the above would see. They end most sleeps.
SEC("raw_tp/local_timer_entry")
int on_timer(struct bpf_raw_tracepoint_args* context) {
  struct processor_state* state = processor_here();
  if (state) {
    state->timer = true;
  }
  return 0;
}

SEC("raw_tp/local_timer_exit")
int on_timer_end(struct bpf_raw_tracepoint_args* context) {
  struct processor_state* state = processor_here();
  if (state) {
    state->timer = false;
  }
  return 0;
}

SEC("raw_tp/block_rq_issue")
int on_io(struct bpf_raw_tracepoint_args* context) {
  struct thread_state* thread = current_watched();
  if (!thread) {
    return 0;
  }
  struct request* request;
  if (settings.io_names_queue) {
    request = (struct request*)context->args[1];
  } else {
    request = (struct request*)context->args[0];
  }
  struct event_record event = {.kind = RECORD_BLOCK_IO, .cpu = (int)bpf_get_smp_processor_id(),
                               .process = thread->process, .thread = thread->thread};
  event.start_ns = bpf_ktime_get_ns();
  event.value = BPF_CORE_READ(request, __data_len);
  // The operation's number is the low byte: even ones read.
  const bool writes = BPF_CORE_READ(request, cmd_flags) & 1;
  __builtin_memcpy(event.name, writes ? "write " : "read  ", 6);
  struct gendisk* disk = bpf_core_field_exists(((struct request___before_5_17*)request)->rq_disk)
                             ? BPF_CORE_READ((struct request___before_5_17*)request, rq_disk)
                             : BPF_CORE_READ(request, q, disk);
  if (disk) {
    bpf_probe_read_kernel_str(event.name + 6, sizeof(event.name) - 6, BPF_CORE_READ(disk, disk_name));
  }
  const u64 key = (u64)request;
  bpf_map_update_elem(&requests, &key, &event, BPF_ANY);
  return 0;
}

SEC("raw_tp/block_rq_complete")
int on_io_end(struct bpf_raw_tracepoint_args* context) {
  const u64 key = context->args[0];
  struct event_record* issued = bpf_map_lookup_elem(&requests, &key);
  if (!issued) {
    return 0;
  }
  struct event_record* event = bpf_ringbuf_reserve(&events, sizeof(*event), 0);
  if (event) {
    *event = *issued;
    event->end_ns = bpf_ktime_get_ns();
    bpf_ringbuf_submit(event, BPF_RB_NO_WAKEUP);
  } else {
    count(&losses.events);
  }
  bpf_map_delete_elem(&requests, &key);
  return 0;
}

// On the functions of a vendor's library that start work of a device, where somebody asked for that.
static __always_inline int enter_launch(void) {
  if (current_watched()) {
    const int kernel_thread = (int)bpf_get_current_pid_tgid();
    const u64 now = bpf_ktime_get_ns();
    bpf_map_update_elem(&launches, &kernel_thread, &now, BPF_ANY);
  }
  return 0;
}

static __always_inline int leave_launch(const char name[16]) {
  const int kernel_thread = (int)bpf_get_current_pid_tgid();
  const u64* start_ns = bpf_map_lookup_elem(&launches, &kernel_thread);
  struct thread_state* thread = start_ns ? current_watched() : 0;
  struct event_record* event = thread ? new_event(RECORD_LAUNCH, thread) : 0;
  if (event) {
    set_span(event, *start_ns);
    __builtin_memcpy(event->name, name, 16);
    event->name[16] = 0;
    bpf_ringbuf_submit(event, BPF_RB_NO_WAKEUP);
  }
  bpf_map_delete_elem(&launches, &kernel_thread);
  return 0;
}

SEC("uprobe")
int on_cuda_launch(void* context) { return enter_launch(); }
SEC("uretprobe")
int on_cuda_launch_end(void* context) { return leave_launch("cudaLaunchKernel"); }
SEC("uprobe")
int on_hip_launch(void* context) { return enter_launch(); }
SEC("uretprobe")
int on_hip_launch_end(void* context) { return leave_launch("hipLaunchKernel"); }

char LICENSE[] SEC("license") = "Dual MIT/GPL";

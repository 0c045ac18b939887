// SPDX-License-Identifier: MIT
// What a library that is injected into a foreign program can be: a C boundary, behind which the record room journals
// events. No exception crosses it; nothing of a database or a model is linked.
#pragma once

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

// Null: no journal could be made at `path`.
struct AacoJournal;
struct AacoJournal* aaco_journal_open(const char* path, const char* recording);
// 0 where there is no memory for it.
uint32_t aaco_journal_name(struct AacoJournal* journal, const char* name);
// A kernel. 0: stored, or the disk is full, which aaco_journal_close() tells.
int32_t aaco_journal_kernel(struct AacoJournal* journal, uint32_t name, uint64_t stream, int64_t start_ns,
                            int64_t end_ns);
// 0: all of it is in the file. The journal is gone in any case.
int32_t aaco_journal_close(struct AacoJournal* journal);

#ifdef __cplusplus
}
#endif

// SPDX-License-Identifier: MIT

/// @file process.h
/// Processors of a process, processor time, and memory shared between processes. Each kind of
/// system has its own source file.

#ifndef BKS_TOOL_PROCESS_H
#define BKS_TOOL_PROCESS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

/// Store the set of processors that this process may use. Call it once.
void processors_keep(void);

/// Bind this thread and its future threads to one processor, or to all available ones. With
/// `others`, also bind all other threads of the process.
/// @return true if there are several processors and binding succeeded
bool processors_use(bool is_one, bool others);

/// Read a clock that never goes back, in ns. The shifted clocks of the game do not affect it.
uint64_t process_time_now_ns(void);

/// Return the processor time that this process has used, in ns.
uint64_t process_time_own_ns(void);

/// Return the processor time that a child has used, in ns. 0 if the system does not report it.
uint64_t process_time_ns(pid_t process);

/// Return true if a child sleeps, is stopped or has ended, but not if it waits for a processor or a
/// disk. True if the system does not report it.
bool process_time_rests(pid_t process);

/// Read memory of this process or of a child that this process traces, by a system call, which
/// fails where a direct read would crash.
/// @return number of bytes read, fewer than `bytes` where the memory ends; 0 if it cannot be read,
///         and always on systems other than Linux
size_t process_read(pid_t process, uint64_t address, void *out, size_t bytes);

/// Make zeroed memory that several processes share. Processes started later inherit it.
/// @return the memory's number in all processes: a descriptor, on Windows a handle; negative on
///         failure
int shared_memory_make(size_t bytes);

/// Map the beginning of shared memory. On Windows a page takes memory after shared_memory_ready(),
/// on other systems after its first write.
/// @return NULL if `number` is not valid or no address range is free
void *shared_memory_map(int number, size_t bytes);

/// Make a range of shared memory readable and writable in every process that maps it. Call this
/// before the first process uses the range. Bytes that were made ready earlier keep their values.
/// @param place  address within what shared_memory_map() returned
/// @return false if the system has no memory left
bool shared_memory_ready(void *place, size_t bytes);

void shared_memory_unmap(void *memory, size_t bytes);

/// Return true if shared memory is still open: a game may close descriptors that are not its own.
bool shared_memory_is_open(int number);

void shared_memory_close(int number);

#endif

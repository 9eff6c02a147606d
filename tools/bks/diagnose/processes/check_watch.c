// SPDX-License-Identifier: MIT

#define _GNU_SOURCE

#include "diagnose/processes/check_watch.h"

#include <stdio.h>
#include <string.h>

#include "base/text.h"

#if defined(__linux__) && defined(__x86_64__)

#include <dirent.h>
#include <errno.h>
#include <inttypes.h>
#include <signal.h>
#include <stddef.h>
#include <stdlib.h>
#include <sys/ptrace.h>
#include <sys/user.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/process.h"
#include "base/tool.h"
#include "diagnose/processes/watch_call.h"
#include "diagnose/processes/watch_page.h"
#include "diagnose/processes/watch_registers.h"

enum { EVENT_SHIFT = 16, SPINS = 2000, WAITS_MAX = 600000 };

/// STOP_WAITS_MAX: most times to check whether a thread has stopped, which take about a second in
/// all. ROUNDS_MAX: most rounds over all threads.
enum { STOP_WAITS_MAX = 12000, ROUNDS_MAX = 1000 };

static const uint64_t look_ns = 100000;

static void complain(code_line *out, const char *what)
{
    TEXT_SET(out->why, "this system does not let a program trace its own children (%s: %s)", what,
             strerror(errno));
}

// ---- debug registers or the page ----

// Return true if a thread is in a system call for which the page stays open.
static bool has_callers(const check_watch *watch)
{
    bool has_one = false;
    for (uint32_t i = 0; i < CHECK_WATCH_CALLERS_MAX; i++) {
        has_one |= watch->callers[i] != 0;
    }
    return has_one;
}

static watch_page page_of(const check_watch *watch)
{
    return (watch_page){
        .gate = watch->gate, .watched = watch->watched, .stays_open = has_callers(watch)};
}

static bool has_bytes(const check_watch *watch)
{
    return watch->watched[0].bytes != 0;
}

// Return true if writes to a value are caught.
static bool is_watched(const check_watch *watch, uint32_t index)
{
    const watch_page page = page_of(watch);
    return watch->way == CHECK_WATCH_PAGE ? watch_page_has(&page, index)
                                          : watch->watched[index].bytes != 0;
}

// Set the watchpoints in a thread. The page is the same in all threads, so only the first closes
// it.
static bool arm(const check_watch *watch, pid_t thread)
{
    if (!has_bytes(watch)) {
        return true;
    }
    if (watch->way == CHECK_WATCH_REGISTERS) {
        return watch_registers_set(thread, watch->watched);
    }
    const watch_page page = page_of(watch);
    return thread != watch->process || watch_page_close(&page, thread);
}

// Remove the watchpoints from a stopped thread.
static bool disarm(const check_watch *watch, pid_t thread)
{
    if (!has_bytes(watch)) {
        return true;
    }
    if (watch->way == CHECK_WATCH_REGISTERS) {
        return watch_registers_clear(thread);
    }
    const watch_page page = page_of(watch);
    return watch_page_open(&page, thread);
}

// ---- caught writes and crashes ----

static void catch_frame(pid_t thread, bool is_behind, code_frame *out)
{
    struct user_regs_struct r = {0};
    (void)ptrace(PTRACE_GETREGS, thread, NULL, &r);
    const uint64_t registers[17] = {r.rax, r.rdx, r.rcx, r.rbx, r.rsi, r.rdi, r.rbp, r.rsp, r.r8,
                                    r.r9,  r.r10, r.r11, r.r12, r.r13, r.r14, r.r15, r.rip};
    memcpy(out->registers, registers, sizeof(registers));
    out->is_behind = is_behind;
    out->stack_begin = r.rsp;
    out->stack_count = process_read(thread, r.rsp, out->stack, sizeof(out->stack));
}

static uint64_t read_bits(pid_t thread, const watched_bytes *at)
{
    uint64_t bits = 0;
    (void)process_read(thread, at->address, &bits, at->bytes);
    return bits;
}

// Read the watched values.
static void see(const check_watch *watch, uint64_t out[CHECK_WATCHED_MAX])
{
    for (uint32_t i = 0; i < CHECK_WATCHED_MAX; i++) {
        out[i] = is_watched(watch, i) ? read_bits(watch->process, &watch->watched[i]) : 0;
    }
}

// Note a store, or a system call, that wrote watched values.
// @param values  bit i: it wrote value i
static void take_write(check_watch *watch, pid_t thread, uint32_t values)
{
    const uint32_t section = watch->section(watch->context);
    watch->has_threads |= thread != watch->process;
    see(watch, watch->seen);
    if (section == 0) {
        return;
    }
    if (section != watch->section_caught) {
        watch->section_caught = section;
        watch->writes = (check_writes){0};
        memset(watch->is_caught, 0, sizeof(watch->is_caught));
    }
    const bool compares = watch->compares == NULL || *watch->compares;
    watch->writes.stores += compares ? 1 : 0;
    for (uint32_t i = 0; i < CHECK_WATCHED_MAX; i++) {
        if ((values >> i & 1) != 0) {
            catch_frame(thread, true, &watch->caught[i]);
            watch->is_caught[i] = true;
            watch->left[i] = watch->seen[i];
        }
        if ((values >> i & 1) != 0 && compares) {
            check_writes_add(&watch->writes, i, watch->seen[i]);
        }
    }
}

static void take_crash(check_watch *watch, pid_t thread)
{
    static code_frame frame;
    catch_frame(thread, false, &frame);
    watch->crashed = (code_line){0};
    code_line_unwind(thread, &frame, watch->code, &watch->crashed);
}

static bool is_crash(int number)
{
    return number == SIGSEGV || number == SIGBUS || number == SIGFPE || number == SIGILL ||
           number == SIGABRT;
}

// ---- waiting until a thread stops ----

// Wait until a thread stops.
// @return the thread; 0 if none stopped in time, -1 if the process has ended
static pid_t next_stop(pid_t process, int *status)
{
    for (uint32_t i = 0; i < SPINS + WAITS_MAX; i++) {
        const pid_t thread = waitpid(-1, status, WNOHANG | __WALL);
        if (thread < 0 && errno != EINTR) {
            return -1;
        }
        if (thread == process && !WIFSTOPPED(*status)) {
            return -1;
        }
        if (thread > 0 && WIFSTOPPED(*status)) {
            return thread;
        }
        if (i >= SPINS) {
            tool_sleep_ns(look_ns);
        }
    }
    return 0;
}

// ---- threads of the watched process ----

// Read the state of a thread.
// @param out_is_ours  receives true if this process traces the thread; it also traces threads that
//                     a traced thread begins
// @return the state as in /proc, such as 'S'; 'X' if the thread has ended
static char look_at(const check_watch *watch, pid_t thread, bool *out_is_ours)
{
    char path[96];
    char line[128];
    char state = 'X';
    long tracer = 0;
    TEXT_SET(path, "/proc/%ld/task/%ld/status", (long)watch->process, (long)thread);
    FILE *file = fopen(path, "re");
    while (file != NULL && fgets(line, sizeof(line), file) != NULL) {
        (void)sscanf(line, "State: %c", &state);
        (void)sscanf(line, "TracerPid: %ld", &tracer);
    }
    if (file != NULL) {
        (void)fclose(file);
    }
    *out_is_ours = tracer == (long)getpid();
    return state;
}

static bool is_ours(const check_watch *watch, pid_t thread)
{
    bool is_traced = false;
    (void)look_at(watch, thread, &is_traced);
    return is_traced;
}

// Return true if a thread has ended, or if this process traces it already.
static bool is_done(const check_watch *watch, pid_t thread)
{
    bool is_traced = false;
    const char state = look_at(watch, thread, &is_traced);
    return is_traced || state == 'X' || state == 'Z';
}

// Call a function for each thread of the watched process.
// @param act  returns 1 if it changed something, 0 if not, -1 on failure
// @return 1 if `act` changed something for any thread, 0 if for none, -1 if it failed for one
static int each_thread(const check_watch *watch, int (*act)(const check_watch *, pid_t))
{
    char path[64];
    TEXT_SET(path, "/proc/%ld/task", (long)watch->process);
    DIR *folder = opendir(path);
    int result = folder != NULL ? 0 : -1;
    for (struct dirent *entry; result >= 0 && (entry = readdir(folder)) != NULL;) {
        const pid_t thread = (pid_t)strtol(entry->d_name, NULL, 10);
        const int acted = thread > 0 ? act(watch, thread) : 0;
        result = acted < 0 ? -1 : result | acted;
    }
    if (folder != NULL) {
        (void)closedir(folder);
    }
    return result;
}

static int is_another(const check_watch *watch, pid_t thread)
{
    return thread != watch->process ? 1 : 0;
}

// Return true if a write may have passed unseen: in the way CHECK_WATCH_PAGE a store or a system
// call of one thread opens the page for all threads.
static bool may_miss(const check_watch *watch)
{
    return watch->way == CHECK_WATCH_PAGE &&
           (watch->has_threads || each_thread(watch, is_another) > 0);
}

// Wait until a thread stops or ends. The system reports the end of a process's first thread only
// when the last thread has ended.
static void await_stop(pid_t thread)
{
    int status = 0;
    for (uint32_t i = 0; i < STOP_WAITS_MAX && waitpid(thread, &status, WNOHANG | __WALL) == 0;
         i++) {
        if (i >= SPINS) {
            tool_sleep_ns(look_ns);
        }
    }
}

static int seize_thread(const check_watch *watch, pid_t thread)
{
    const uintptr_t options = PTRACE_O_TRACECLONE | PTRACE_O_EXITKILL | PTRACE_O_TRACESYSGOOD;
    if (is_ours(watch, thread)) {
        return 0;
    }
    if (ptrace(PTRACE_SEIZE, thread, NULL, (void *)options) != 0) {
        const int number = errno;
        const bool is_good = is_done(watch, thread);
        errno = number;
        return is_good ? 0 : -1;
    }
    if (ptrace(PTRACE_INTERRUPT, thread, NULL, NULL) == 0) {
        await_stop(thread);
    }
    return 1;
}

// Remove the watchpoints from a thread before it is let go. The first thread opens the page for
// all: another may be stopped at the beginning of a system call, in which it cannot make another.
static void release(const check_watch *watch, pid_t thread)
{
    if (watch->way != CHECK_WATCH_PAGE || thread == watch->process) {
        (void)disarm(watch, thread);
    }
}

static int let_go(const check_watch *watch, pid_t thread)
{
    if (!is_ours(watch, thread)) {
        return 0;
    }
    release(watch, thread);
    if (ptrace(PTRACE_DETACH, thread, NULL, NULL) == 0) {
        return 1;
    }
    // A thread must be stopped before it can be detached.
    if (ptrace(PTRACE_INTERRUPT, thread, NULL, NULL) == 0) {
        await_stop(thread);
        release(watch, thread);
    }
    return ptrace(PTRACE_DETACH, thread, NULL, NULL) == 0 ? 1 : 0;
}

// Call a function for each thread, again and again until it changes nothing, because threads may
// begin new threads.
static bool for_all(const check_watch *watch, int (*act)(const check_watch *, pid_t))
{
    int result = 1;
    for (uint32_t i = 0; i < ROUNDS_MAX && result == 1; i++) {
        result = each_thread(watch, act);
    }
    return result >= 0;
}

// Stop and trace every thread of the watched process.
static bool seize(const check_watch *watch, code_line *out)
{
    const bool is_good = for_all(watch, seize_thread);
    if (!is_good) {
        complain(out, "ptrace");
        (void)for_all(watch, let_go); // release the threads that are already stopped
    }
    return is_good;
}

// Set the watchpoint in a thread. If that fails because the thread has not stopped yet, take_stop()
// sets it later.
static int arm_thread(const check_watch *watch, pid_t thread)
{
    return arm(watch, thread) || errno == ESRCH ? 0 : -1;
}

// Let a stopped thread run on to its next stop, which may be a system call.
static bool resume(const check_watch *watch, pid_t thread, int number)
{
    const bool stops_at_calls =
        has_bytes(watch) && (watch->calls < CHECK_WATCH_CALLS_MAX || has_callers(watch));
    return ptrace(stops_at_calls ? PTRACE_SYSCALL : PTRACE_CONT, thread, NULL,
                  (void *)(intptr_t)number) == 0;
}

static int run_on(const check_watch *watch, pid_t thread)
{
    return resume(watch, thread, 0) || errno == ESRCH ? 0 : -1;
}

bool check_watch_begin(check_watch *watch, code_line *out)
{
    if (!seize(watch, out)) {
        return false;
    }
    watch->is_on = true;
    if (each_thread(watch, arm_thread) < 0) {
        TEXT_SET(out->why, "this system lets no program set a watchpoint (ptrace: %s)",
                 strerror(errno));
        check_watch_end(watch);
        return false;
    }
    see(watch, watch->seen);
    if (each_thread(watch, run_on) < 0) {
        complain(out, "ptrace");
        check_watch_end(watch);
        return false;
    }
    return true;
}

static uint32_t hits_max(const check_watch *watch)
{
    return watch->way == CHECK_WATCH_PAGE ? CHECK_WATCH_STORES_MAX : CHECK_WATCH_HITS_MAX;
}

// Count a write to the watched bytes or their page. After too many, let the process run on without
// a watchpoint. Each other thread loses its own watchpoint when that one stops it next.
static void count_hit(check_watch *watch, pid_t thread)
{
    if (++watch->hits >= hits_max(watch)) {
        (void)disarm(watch, thread);
    }
}

// Handle a thread that SIGSEGV has stopped while the page of the watched bytes is write-protected.
// @param status  as for watch_page_take()
// @return true if the thread stored to the page
static bool take_store(check_watch *watch, pid_t thread, int *status, int *out_signal)
{
    const watch_page page = page_of(watch);
    uint32_t values = 0;
    if (!watch_page_take(&page, thread, status, out_signal, &values)) {
        return false;
    }
    if (values != 0) {
        take_write(watch, thread, values);
    }
    count_hit(watch, thread);
    return true;
}

// Count a write to other values than the first. After too many, watch only the first. Each other
// thread loses its own watchpoints on the others when one of them stops it next.
static void count_other_hit(check_watch *watch, pid_t thread)
{
    if (++watch->other_hits == CHECK_WATCH_OTHER_HITS_MAX) {
        memset(&watch->watched[1], 0, sizeof(watch->watched) - sizeof(watch->watched[0]));
    }
    if (watch->other_hits >= CHECK_WATCH_OTHER_HITS_MAX) {
        (void)(watch->hits < hits_max(watch) && arm(watch, thread));
    }
}

// Return those of some values that are still watched.
static uint32_t keep_watched(const check_watch *watch, uint32_t values)
{
    uint32_t kept = 0;
    for (uint32_t i = 0; i < CHECK_WATCHED_MAX; i++) {
        kept |= watch->watched[i].bytes != 0 ? values & 1u << i : 0;
    }
    return kept;
}

// Handle a thread that SIGTRAP has stopped.
// @return true if a watchpoint stopped it
static bool take_trap(check_watch *watch, pid_t thread)
{
    bool is_lost = false;
    uint32_t values = watch_registers_take(thread, &is_lost);
    watch->has_lost |= is_lost;
    values |= is_lost ? 1 : 0; // the first, which is often the only one
    if (values == 0) {
        return false;
    }
    const uint32_t still_watched = keep_watched(watch, values);
    if (still_watched != 0) {
        take_write(watch, thread, still_watched);
    }
    if ((values & 1) != 0) {
        count_hit(watch, thread);
    }
    if (values != 1) {
        count_other_hit(watch, thread);
    }
    return true;
}

// ---- system calls ----

static bool may_call_write(const check_watch *watch, pid_t thread)
{
    const watch_page page = page_of(watch);
    return watch->way == CHECK_WATCH_PAGE && watch->hits < hits_max(watch) &&
           watch_call_may_write(thread, watch_page_begin(&page), watch_page_bytes());
}

// Return the index of a thread among those for which the page stays open, or
// CHECK_WATCH_CALLERS_MAX if it is none of them. For thread 0, return the index of a free place.
static uint32_t caller_of(const check_watch *watch, pid_t thread)
{
    uint32_t i = 0;
    while (i < CHECK_WATCH_CALLERS_MAX && watch->callers[i] != thread) {
        i++;
    }
    return i;
}

static bool may_write_value(const check_watch *watch, pid_t thread, uint32_t i)
{
    const watched_bytes *value = &watch->watched[i];
    return is_watched(watch, i) && watch_call_may_write(thread, value->address, value->bytes);
}

// Note that a thread is in a call that may write a watched value. If none was, note the values.
static void begin_writer(check_watch *watch, pid_t thread)
{
    uint32_t free_place = CHECK_WATCH_CALLERS_MAX;
    bool is_any = false;
    bool may = false;
    for (uint32_t i = 0; i < CHECK_WATCH_CALLERS_MAX; i++) {
        is_any |= watch->writers[i] != 0;
        free_place = watch->writers[i] == 0 ? i : free_place;
    }
    if (!is_any) {
        see(watch, watch->seen);
    }
    for (uint32_t i = 0; i < CHECK_WATCHED_MAX; i++) {
        may |= may_write_value(watch, thread, i);
    }
    if (may && free_place < CHECK_WATCH_CALLERS_MAX) {
        watch->writers[free_place] = thread;
    }
}

static void begin_call(check_watch *watch, pid_t thread)
{
    const uint32_t place = caller_of(watch, 0);
    begin_writer(watch, thread);
    if (++watch->calls < CHECK_WATCH_CALLS_MAX && place < CHECK_WATCH_CALLERS_MAX &&
        may_call_write(watch, thread)) {
        const watch_page page = page_of(watch);
        watch->callers[place] = thread;
        (void)watch_page_open_for_call(&page, thread);
    }
}

// A value that changed during a system call counts as written by it, unless another thread may have
// written it unseen.
static void end_call(check_watch *watch, pid_t thread)
{
    const uint32_t place = caller_of(watch, thread);
    uint64_t now[CHECK_WATCHED_MAX];
    uint32_t values = 0;
    if (place < CHECK_WATCH_CALLERS_MAX) {
        watch->callers[place] = 0;
        const watch_page page = page_of(watch);
        (void)(watch->hits < hits_max(watch) && watch_page_close(&page, thread));
    }
    for (uint32_t i = 0; i < CHECK_WATCH_CALLERS_MAX; i++) {
        watch->writers[i] = watch->writers[i] == thread ? 0 : watch->writers[i];
    }
    see(watch, now);
    for (uint32_t i = 0; i < CHECK_WATCHED_MAX; i++) {
        values |= now[i] != watch->seen[i] && may_write_value(watch, thread, i) ? 1u << i : 0;
    }
    if (values != 0 && !may_miss(watch)) {
        take_write(watch, thread, values);
    }
}

static void take_call(check_watch *watch, pid_t thread)
{
    const watch_call_stage stage = watch_call_at(thread);
    if (stage == WATCH_CALL_BEGINS) {
        begin_call(watch, thread);
    } else if (stage == WATCH_CALL_ENDS) {
        end_call(watch, thread);
    }
}

// Handle a thread that has stopped.
// @return the signal to pass on to the thread; -1 if the process has reached check_watch_stand()
static int take_stop(check_watch *watch, pid_t thread, int status)
{
    int passed_on = 0;
    if (status >> EVENT_SHIFT == PTRACE_EVENT_STOP) {
        // A thread that is new or stops late needs the watchpoint.
        watch->has_threads |= thread != watch->process;
        (void)(watch->hits < hits_max(watch) && arm(watch, thread));
        return 0;
    }
    if (WSTOPSIG(status) == SIGSEGV && has_bytes(watch) && watch->way == CHECK_WATCH_PAGE &&
        take_store(watch, thread, &status, &passed_on)) {
        return passed_on;
    }
    const int number = WSTOPSIG(status);
    if (status >> EVENT_SHIFT != 0) {
        return 0;
    }
    if (number == WATCH_CALL_SIGNAL) {
        take_call(watch, thread);
        return 0;
    }
    if (number == SIGTRAP && has_bytes(watch) && take_trap(watch, thread)) {
        return 0;
    }
    if (is_crash(number)) {
        take_crash(watch, thread);
    }
    return number == SIGSTOP ? -1 : number;
}

bool check_watch_wait(check_watch *watch)
{
    while (watch->is_on) {
        int status = 0;
        const pid_t thread = next_stop(watch->process, &status);
        const int number = thread > 0 ? take_stop(watch, thread, status) : 0;
        if (number < 0) {
            return true;
        }
        if (thread <= 0) {
            break;
        }
        (void)resume(watch, thread, number);
    }
    // Give up: the process has ended, or does not stop.
    (void)kill(watch->process, SIGKILL);
    watch->is_on = false;
    return false;
}

static bool is_caught_in(const check_watch *watch, uint32_t index, uint32_t section)
{
    return watch->section_caught == section && section != 0 && watch->is_caught[index];
}

// Return true if a value at the end of a section is another than its last caught write left.
static bool is_foreign(const check_watch *watch, uint32_t index, uint32_t section)
{
    const watched_marks *marks = watch->marks;
    if (marks == NULL || !marks->is_known || !is_watched(watch, index)) {
        return false;
    }
    return marks->after[index] !=
           (is_caught_in(watch, index, section) ? watch->left[index] : marks->before[index]);
}

void check_watch_name(const check_watch *watch, uint32_t index, uint32_t section, code_line *out)
{
    const bool is_by_other = is_foreign(watch, index, section);
    if (watch->hits >= hits_max(watch)) {
        TEXT_SET(out->why, "%s written %" PRIu32 " times in the tick, too often to watch",
                 watch->way == CHECK_WATCH_PAGE ? "its page was" : "it was", watch->hits);
    } else if (!is_by_other && is_caught_in(watch, index, section)) {
        code_line_unwind(watch->process, &watch->caught[index], watch->code, out);
    } else if (may_miss(watch)) {
        TEXT_SET(out->why, "no write of it was seen, but without working watchpoints this machine "
                           "cannot watch several threads");
    } else {
        TEXT_SET(out->why, "%s", is_by_other ? CHECK_WATCH_FOREIGN : CHECK_WATCH_UNWRITTEN);
    }
}

void check_watch_writes(const check_watch *watch, uint32_t section, check_writes *out)
{
    static const check_writes none;
    *out = watch->section_caught == section ? watch->writes : none;
    out->is_unknown = watch->hits >= hits_max(watch) || watch->has_threads || watch->has_lost ||
                      watch->other_hits >= CHECK_WATCH_OTHER_HITS_MAX;
    for (uint32_t i = 0; i < CHECK_WATCHED_MAX; i++) {
        out->is_unknown |= is_foreign(watch, i, section);
    }
}

void check_watch_end(check_watch *watch)
{
    if (watch->is_on) {
        watch->is_on = false;
        release(watch, watch->process); // before another thread runs on
        (void)for_all(watch, let_go);
    }
}

void check_watch_stand(void)
{
    (void)raise(SIGSTOP);
}

void check_watch_where(pid_t process, uint64_t code, code_line *out)
{
    static code_frame frame;
    const check_watch watch = {.process = process};
    if (seize(&watch, out)) {
        catch_frame(process, false, &frame);
        code_line_unwind(process, &frame, code, out);
    }
}

#else

static void complain(code_line *out)
{
    TEXT_SET(out->why, "lines are found on Linux for x86-64 alone");
}

bool check_watch_begin(check_watch *watch, code_line *out)
{
    (void)watch;
    complain(out);
    return false;
}

bool check_watch_wait(check_watch *watch)
{
    (void)watch;
    return true;
}

void check_watch_name(const check_watch *watch, uint32_t index, uint32_t section, code_line *out)
{
    (void)watch;
    (void)index;
    (void)section;
    complain(out);
}

void check_watch_writes(const check_watch *watch, uint32_t section, check_writes *out)
{
    (void)watch;
    (void)section;
    *out = (check_writes){.is_unknown = true};
}

void check_watch_end(check_watch *watch)
{
    (void)watch;
}

void check_watch_stand(void)
{
    // Without watchpoints no process is watched, so this process need not stop.
}

void check_watch_where(pid_t process, uint64_t code, code_line *out)
{
    (void)process;
    (void)code;
    complain(out);
}

#endif

// SPDX-License-Identifier: MIT

#define _GNU_SOURCE

#include "diagnose/check/check_host.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/args.h"
#include "base/heap.h"
#include "base/process.h"
#include "base/tool.h"
#include "diagnose/check/check_variants.h"
#include "diagnose/processes/check_mathematics.h"
#include "diagnose/processes/check_narrow.h"
#include "diagnose/processes/check_patience.h"
#include "diagnose/processes/check_side.h"
#include "diagnose/processes/check_talk.h"

/// Ticks that one fresh process runs on, and how many of them a short check has.
enum { IMPORT_TICKS = 300, IMPORTS_MIN = 6, LAST_WORDS_MS = 2000 };

typedef struct check_host {
    const check_variant *variant;
    const check_seat *seat;
    char **argv;
    check_side side;
    check_tape *tape;
    bool is_full; ///< a tick did not fit onto the tape
    check_patience patience;
    check_watch watch;
    child guest;
    bool has_settled;   ///< its heap, behind the first start
    bool has_answered;  ///< at least once since it was started
    check_talk talk;    ///< asks for each tick on the tape, and hears when it was compared
    uint32_t stretches; ///< of its own work
} check_host;

static void add_mark(check_host *host, const char *name)
{
    check_tape *tape = host->tape;
    const uint64_t most = host->side.state_bytes_max;
    const bool has_room = most <= CHECK_STATES_BYTES - tape->states_count &&
                          check_tape_room(tape, tape->states_count + most);
    const size_t count =
        !has_room ? 0
                  : check_side_bytes(&host->side, check_tape_states(tape) + tape->states_count,
                                     (size_t)most);
    const uint64_t hash = check_side_has_hash(&host->side) ? bks_runner_hash(host->side.runner) : 0;
    host->is_full |= !has_room || !check_tape_add(tape, name, hash, count);
}

static void hear_mark(void *context, bks_tick tick, const char *name)
{
    (void)tick;
    add_mark(context, name);
}

// ---- the process that varies ----

static void end_guest(check_host *host)
{
    if (host->guest.pid == 0) {
        return;
    }
    check_talk_close(&host->talk);
    child_finish(&host->guest, LAST_WORDS_MS);
    host->guest.pid = 0;
}

// What befell the process that varies is a difference, too, unless it had found one before.
static void find_end(check_host *host, const char *what, const char *note)
{
    check_tape *tape = host->tape;
    check_finding *found = &tape->result.found;
    if (tape->result.same == CHECK_DIFFERS) {
        const size_t used = strlen(found->note);
        (void)snprintf(found->note + used, sizeof(found->note) - used, "%sthen it %s: %s",
                       used > 0 ? "; " : "", what, note);
        return;
    }
    tape->result.same = CHECK_DIFFERS;
    *found = (check_finding){.tick = tape->tick};
    const char *mark =
        !tape->is_in_variant || tape->reached[0] == '\0' ? CHECK_MARK_START : tape->reached;
    (void)snprintf(found->mark, sizeof(found->mark), "%s", mark);
    (void)snprintf(found->a, sizeof(found->a), "runs on");
    (void)snprintf(found->b, sizeof(found->b), "%s%s", what,
                   tape->is_in_other ? " in the match beside it" : "");
    (void)snprintf(found->note, sizeof(found->note), "%s", note);
}

// It ended before it answered.
static int lose_guest(check_host *host)
{
    end_guest(host);
    check_result *result = &host->tape->result;
    if ((host->variant->process & CHECK_WATCHED) != 0 && !host->has_answered) {
        (void)snprintf(result->why, sizeof(result->why), "valgrind cannot run this program: %.200s",
                       host->guest.complaint);
        return TOOL_OK;
    }
    if (host->guest.status == TOOL_MISUSE || host->guest.status == TOOL_DAMAGED) {
        fprintf(stderr, "%s\n", host->guest.complaint);
        return host->guest.status;
    }
    char note[256];
    char what[64] = "ends";
    (void)snprintf(note, sizeof(note), "%.*s", (int)strcspn(host->guest.complaint, "\n"),
                   host->guest.complaint);
    if (host->guest.signal != 0) {
        child_crash_text(host->guest.signal, what, sizeof(what));
    }
    const bool is_first = host->tape->result.same != CHECK_DIFFERS;
    find_end(host, what, note);
    check_finding *found = &host->tape->result.found;
    found->has_crashed |= is_first;
    if (is_first && !host->has_answered && host->guest.signal == 0) {
        (void)snprintf(found->written_b.why, sizeof(found->written_b.why),
                       "the state could not be made, before any step");
    }
    return TOOL_OK;
}

// Its own work begins, which the command looks at; it ends when it waits for the other process.
static void work(check_host *host)
{
    host->tape->baseline_most_ns = host->patience.most_ns;
    host->tape->stretch = ++host->stretches;
}

static void rest(check_host *host)
{
    host->tape->stretch = 0;
}

static int wait_for_guest(check_host *host, check_allowance allowance)
{
    char why[160];
    code_line line = {0};
    switch (check_patience_wait(&host->patience, allowance, host->guest.pid, &host->talk, why,
                                sizeof(why))) {
    case CHECK_ANSWERED:
        return TOOL_OK;
    case CHECK_HANGS:
        check_watch_where(host->guest.pid, host->tape->variant_code, &line);
        child_kill(host->guest.pid);
        end_guest(host);
        find_end(host, "does not end", why);
        host->tape->result.found.written_b = line;
        return TOOL_OK;
    default:
        return lose_guest(host);
    }
}

// A game that closes all that it does not know closes what two processes talk by.
static bool has_descriptors(const check_host *host)
{
    const bool has_guest = host->guest.pid != 0;
    const bool has_all =
        shared_memory_is_open(host->seat->tape) && (!has_guest || check_talk_is_open(&host->talk));
    if (!has_all) {
        tool_complain(host->side.game.game->name,
                      "closes file descriptors that it did not open, by tick %" PRId32
                      ", expected it to leave those of bks check open",
                      host->tape->tick);
    }
    return has_all;
}

static int start_guest(check_host *host, bks_tick tick)
{
    check_talk theirs;
    if (!has_descriptors(host)) {
        return TOOL_MISUSE;
    }
    end_guest(host);
    check_tape_begin(host->tape, tick);
    add_mark(host, CHECK_MARK_START);
    host->tape->has_start = true;
    host->tape->result.has_pointers |=
        host->tape->mark_count > 0 &&
        check_side_has_pointers(&host->side, check_tape_states(host->tape),
                                (size_t)host->tape->marks[0].count);
    if (!check_talk_make(&host->talk, &theirs)) {
        tool_complain("check", "no descriptors are left for another process");
        return TOOL_DAMAGED;
    }
    const check_seat seat = {.role = CHECK_VARIES,
                             .variant = host->seat->variant,
                             .tape = host->seat->tape,
                             .talk = theirs};
    host->guest = (child){0};
    const bool is_started =
        check_seat_start(&seat, host->argv, host->variant->process, &host->guest);
    check_talk_close(&theirs);
    if (!is_started) {
        check_talk_close(&host->talk);
        return TOOL_DAMAGED;
    }
    rest(host);
    const int status = wait_for_guest(host, CHECK_FOR_A_START);
    host->has_answered = status == TOOL_OK && host->guest.pid != 0;
    return status;
}

// ---- the ticks ----

// Ticks between two fresh processes.
static bks_tick ticks_per_guest(const check_host *host)
{
    const bks_tick ticks = (bks_tick)host->side.options->ticks;
    if (!host->variant->imports) {
        return ticks;
    }
    const bks_tick short_of = ticks / IMPORTS_MIN > 0 ? ticks / IMPORTS_MIN : 1;
    const bks_tick least = short_of < IMPORT_TICKS ? short_of : IMPORT_TICKS;
    return least | 1; // what is every second time the same is found, too
}

// Whether a tick begins with a fresh process.
static bool is_anew(const check_host *host, bks_tick tick)
{
    const bks_tick first = (bks_tick)host->side.options->first;
    if (!host->variant->stays) {
        return (tick - first) % ticks_per_guest(host) == 0;
    }
    const check_options *options = host->side.options;
    int64_t joins = options->ticks / 3;
    return (options->value == NULL || args_number(options->value, &joins)) && tick == joins;
}

static bool is_over(const check_host *host)
{
    const check_tape *tape = host->tape;
    const bool runs_on = tape->span.is_wanted && host->guest.pid != 0;
    return (tape->result.same == CHECK_DIFFERS && !runs_on) || tape->result.why[0] != '\0';
}

static int step(check_host *host, bks_tick tick)
{
    check_tape *tape = host->tape;
    work(host);
    check_side_sample(&host->side, tick, tape->inputs);
    check_narrow_enter(tape);
    check_patience_begin(&host->patience);
    if (host->variant->reloads) {
        check_side_reload(&host->side, tick);
    }
    check_side_step(&host->side, tick, tape->inputs, tape->failed);
    check_patience_end(&host->patience);
    if (tape->failed[0] == '\0') {
        add_mark(host, CHECK_MARK_END);
        check_tape_hash(tape, 0, host->side.runner);
    }
    if (host->is_full) {
        tool_complain(host->side.game.game->name,
                      "tick %" PRId32 " leaves %" PRIu32 " marks with states of up to %zu bytes, "
                      "expected at most %d marks and %" PRIu64
                      " bytes a tick: choose a smaller state by --option",
                      tick, tape->mark_count, host->side.state_bytes_max, CHECK_MARKS_MAX,
                      CHECK_STATES_BYTES);
        return TOOL_MISUSE;
    }
    check_narrow_leave(tape);
    rest(host);
    if (!has_descriptors(host)) {
        return TOOL_MISUSE;
    }
    if (host->guest.pid == 0) {
        return TOOL_OK; // none has joined yet
    }
    const bool is_watched = check_narrow_variant(tape, host->guest.pid, &host->watch);
    const bool is_asked = check_talk_ask(&host->talk);
    if (is_watched) {
        check_narrow_finish(tape, &host->watch);
    }
    const int status = is_asked ? wait_for_guest(host, CHECK_FOR_A_STEP) : lose_guest(host);
    if (status != TOOL_OK) {
        return status;
    }
    tape->result.ticks = tick + 1;
    if (tape->failed[0] != '\0' && tape->result.why[0] == '\0' &&
        tape->result.same != CHECK_DIFFERS) {
        (void)snprintf(tape->result.why, sizeof(tape->result.why),
                       "the game failed at tick %" PRId32 " on both sides: %s", tick, tape->failed);
    }
    return TOOL_OK;
}

// As the process that varies does when its state is made; those that begin later lie elsewhere.
static void settle_once(check_host *host)
{
    if (!host->has_settled) {
        heap_settle();
    }
    host->has_settled = true;
}

static int run(check_host *host)
{
    const bks_tick ticks = (bks_tick)host->side.options->ticks;
    int status = TOOL_OK;
    for (bks_tick tick = (bks_tick)host->side.options->first;
         tick < ticks && status == TOOL_OK && !is_over(host); tick++) {
        if (is_anew(host, tick)) {
            status = start_guest(host, tick);
            settle_once(host);
        } else {
            check_tape_begin(host->tape, tick);
        }
        if (status == TOOL_OK && !is_over(host)) {
            status = step(host, tick);
        }
    }
    end_guest(host);
    return status;
}

// Begin with the state of a span.
static int take_state(check_host *host)
{
    check_tape *tape = host->tape;
    bks_error error = {0};
    if (tape->span.state_bytes > 0 &&
        bks_runner_import(host->side.runner, check_tape_states(tape),
                          (size_t)tape->span.state_bytes, &error) != BKS_OK) {
        tool_complain_error(host->side.game.game->name, &error);
        return TOOL_DAMAGED;
    }
    check_tape_hash(tape, 0, host->side.runner);
    return TOOL_OK;
}

int check_host_main(const check_options *options, char **argv, const check_seat *seat,
                    check_tape *tape)
{
    static check_host host;
    host = (check_host){
        .variant = &check_variants[seat->variant], .seat = seat, .argv = argv, .tape = tape};
    work(&host);
    check_talk_begin(); // a process that is gone is noticed by its silence
    heap_settle();
    int status = check_side_load(&host.side, options);
    if (status == TOOL_OK) {
        status = check_side_start(&host.side, hear_mark, &host);
    }
    if (status == TOOL_OK) {
        status = take_state(&host);
    }
    if (status == TOOL_OK) {
        tape->addresses = check_side_addresses(&host.side);
        check_mathematics_find(tape->mathematics);
        status = run(&host);
    }
    if (status == TOOL_OK && options->recording == NULL &&
        source_set_failed(host.side.sources) != TOOL_OK) {
        status = TOOL_DAMAGED;
    }
    check_result *result = &tape->result;
    if (result->same != CHECK_DIFFERS && result->perturbed > 0) {
        result->same = CHECK_SAME;
    } else if (result->same != CHECK_DIFFERS && result->why[0] == '\0') {
        (void)snprintf(result->why, sizeof(result->why),
                       "there was nothing to vary in %" PRId32 " tick%s", result->ticks,
                       TOOL_PLURAL(result->ticks));
    }
    if (result->same == CHECK_DIFFERS && tape->request.is_wanted) {
        result->found.written_a = tape->written_a;
        result->found.written_b = tape->written_b;
    }
    check_side_close(&host.side);
    tape->is_finished = true;
    return status;
}

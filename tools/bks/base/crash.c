// SPDX-License-Identifier: MIT

// A crash may happen anywhere, even inside malloc(). So a crash handler calls only write() and
// functions that just read memory. Texts that need other functions are prepared before a crash.

#define _GNU_SOURCE

#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/crash.h"
#include "base/stop.h"
#include "base/text.h"
#include "base/tool.h"

enum { NAME_BYTES = 1024, TEXT_BYTES = 8192 };

static _Thread_local char game_name[NAME_BYTES];
// Name of the first thread's game, for threads that the game has made; NULL: none.
static _Atomic(const char *) first_game;
static _Thread_local char recording[NAME_BYTES];
static bks_lab *volatile lab;
static char lab_folder[NAME_BYTES];
static volatile uint32_t lab_peers;

// ---- text without stdio ----

typedef struct text {
    char bytes[TEXT_BYTES];
    size_t count;
} text;

static void put(text *t, const char *words)
{
    while (*words != '\0' && t->count < sizeof(t->bytes)) {
        t->bytes[t->count++] = *words++;
    }
}

static void put_number(text *t, int64_t number)
{
    char digits[24];
    size_t at = sizeof(digits) - 1;
    digits[at] = '\0';
    for (uint64_t rest = (uint64_t)(number < 0 ? -number : number); at > 1; rest /= 10) {
        digits[--at] = (char)('0' + rest % 10);
        if (rest < 10) {
            break;
        }
    }
    put(t, number < 0 ? "-" : "");
    put(t, digits + at);
}

// Append a word, quoted so that a shell reads it as one word.
static void put_word(text *t, const char *word)
{
    t->count += shell_word_quote(word, t->bytes + t->count, sizeof(t->bytes) - t->count);
}

// ---- writing the report of a crash ----

// Find the recording of the game whose step crashed.
// @return true if there is a recording; `out` receives its path
static bool find_recording(const bks_step_place *place, text *out)
{
    for (uint32_t i = 0; lab != NULL && i < lab_peers; i++) {
        const bks_peer *peer = bks_lab_peer(lab, i);
        if (peer != NULL && bks_peer_state(peer) == place->state) {
            put(out, lab_folder);
            put(out, "/peer-");
            put_number(out, (int64_t)i);
            put(out, ".bks");
            return true;
        }
    }
    put(out, recording);
    return recording[0] != '\0';
}

// Write the report of a crash.
// @param what, detail  what happened, such as "crashed" and "SIGSEGV"
static void put_report(text *t, const char *what, const char *detail, const bks_step_place *place)
{
    static text path;
    const bool is_recorded = find_recording(place, &path);
    path.bytes[path.count < sizeof(path.bytes) ? path.count : sizeof(path.bytes) - 1] = '\0';
    put(t, "bks: ");
    put(t, place->game);
    put(t, ": ");
    put(t, what);
    put(t, " (");
    put(t, detail);
    put(t, ") in the step of tick ");
    put_number(t, place->tick);
    put(t, place->mark != NULL ? ", after the mark " : ", before any mark");
    put(t, place->mark != NULL ? place->mark : "");
    put(t, "\n  recording: ");
    put(t, is_recorded ? path.bytes : "none, the matches of most commands are kept by --record");
    put(t, "\n"
           "  to reproduce it: bks run ");
    put_word(t, game_name[0] != '\0' ? game_name : place->game);
    put(t, " ");
    if (is_recorded) {
        put_word(t, path.bytes);
    } else {
        put(t, "FILE.bks");
    }
    put(t, " --break ");
    put_number(t, place->tick);
    put(t, "\n");
}

// Write the report of a crash outside of any step.
static void put_early_report(text *t, const char *what, const char *detail, const char *name)
{
    put(t, "bks: ");
    put(t, name);
    put(t, ": ");
    put(t, what);
    put(t, " (");
    put(t, detail);
    put(t,
        ") outside of a step\n"
        "  if that was in init, draw, a bot, on_command or a thread of the game's own, this looks "
        "for the line: bks check ");
    put_word(t, name);
    put(t, " --variants baseline,drawn\n");
}

bool crash_report(const char *what, const char *detail)
{
    static atomic_flag is_reported = ATOMIC_FLAG_INIT;
    static text t;
    bks_step_place place;
    const char *name = game_name[0] != '\0' ? game_name : atomic_load(&first_game);
    if (atomic_flag_test_and_set(&is_reported)) {
        return false;
    }
    stop_restore();
    if (bks_stepping(&place)) {
        put_report(&t, what, detail, &place);
    } else if (name != NULL && name[0] != '\0') {
        put_early_report(&t, what, detail, name);
    } else {
        return false;
    }
    (void)!write(STDERR_FILENO, t.bytes, (unsigned)t.count);
    return true;
}

// ---- names that the report contains ----

static void keep(char *to, const char *from)
{
    (void)snprintf(to, NAME_BYTES, "%s", from != NULL ? from : "");
}

void crash_game(const char *name)
{
    keep(game_name, name);
    const char *none = NULL;
    (void)atomic_compare_exchange_strong(&first_game, &none, game_name);
}

void crash_recording(const char *path)
{
    keep(recording, path);
}

void crash_lab(bks_lab *of, const char *folder, uint32_t peers)
{
    keep(lab_folder, folder);
    lab_peers = peers;
    lab = folder != NULL ? of : NULL;
}

static bool is_caught;

// Report a step that calls exit(). Without the report the command would seem to have succeeded.
static void report_exit(void)
{
    bks_step_place place;
    if (is_caught && bks_stepping(&place) && crash_report("ended the program", "exit")) {
        _exit(TOOL_NO);
    }
}

void crash_catch(void)
{
    if (is_caught) {
        return;
    }
    is_caught = true;
    (void)atexit(report_exit);
    crash_system_catch();
}

void crash_release(void)
{
    if (is_caught) {
        crash_system_release();
    }
    is_caught = false;
}

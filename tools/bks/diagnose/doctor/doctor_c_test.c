// SPDX-License-Identifier: MIT

#define _GNU_SOURCE

#include "diagnose/doctor/doctor_c_test.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/plain_text.h"
#include "base/tool.h"
#include "diagnose/doctor/doctor_c_text.h"

// ---- which test ----

static const struct {
    const char *change; ///< of `bks check`
    doctor_c_text_kind kind;
} kinds[] = {
    {"build", DOCTOR_C_TEXT_BUILD}, {"world", DOCTOR_C_TEXT_WORLD}, {"cpu", DOCTOR_C_TEXT_CPU}};

// @return false: a program alone cannot do it
static bool find_kind(const doctor_case *c, doctor_c_text_kind *out)
{
    const doctor_way_of_proof *proof = &c->verdict.proof;
    if (proof->means == DOCTOR_BY_ROLLBACKS) {
        *out = DOCTOR_C_TEXT_ROLLBACKS;
        return true;
    }
    for (size_t i = 0; proof->means == DOCTOR_BY_CHANGE && i < sizeof(kinds) / sizeof(kinds[0]);
         i++) {
        if (strcmp(proof->change, kinds[i].change) == 0) {
            *out = kinds[i].kind;
            return true;
        }
    }
    return false;
}

static const char *why_none(const doctor_case *c)
{
    switch (c->verdict.proof.means) {
    case DOCTOR_BY_FILES:
        return "what differs is what the files say, not the game";
    case DOCTOR_BY_BIT:
        return "no code of the game turned the bit";
    default:
        return "bks alone can make this change: keep the command instead";
    }
}

// ---- the file ----

int doctor_c_test_check(doctor_case *c, const char *folder)
{
    const int length = snprintf(c->c_test, sizeof(c->c_test), "%s/test.c", folder);
    if (length >= (int)sizeof(c->c_test) || access(c->c_test, F_OK) == 0) {
        tool_complain(c->c_test, "is there already, expected a folder without it");
        return TOOL_MISUSE;
    }
    return TOOL_OK;
}

static const char *recording_of(const doctor_case *c, int side)
{
    return c->shortened_first != BKS_TICK_NONE ? c->shortened[side] : c->sides[side].file.path;
}

static bool write_file(const doctor_case *c, doctor_c_text_kind kind)
{
    char command[DOCTOR_C_TEST_COMMAND_BYTES];
    char name[STATE_NAME_BYTES];
    const doctor_verdict *v = &c->verdict;
    state_name_join(v->object, v->field, name, sizeof(name));
    doctor_c_test_command(c, command);
    const int side = kind == DOCTOR_C_TEXT_ROLLBACKS && !v->proof.is_rolled[0] ? 1 : 0;
    const doctor_c_text text = {.kind = kind,
                                .game = c->game.game->name,
                                .plugin = c->game.path,
                                .other = c->build,
                                .cause = v->cause,
                                .place = name[0] != '\0' ? name : "the state",
                                .mark = v->mark,
                                .tick = v->tick,
                                .hash_tick = c->hash_tick,
                                .command = command,
                                .recording = recording_of(c, side)};
    FILE *out = fopen(c->c_test, "wx");
    if (out == NULL) {
        return false;
    }
    doctor_c_text_write(out, &text);
    const bool is_good = !ferror(out);
    return fclose(out) == 0 && is_good;
}

int doctor_c_test_write(doctor_case *c, const char *folder)
{
    doctor_c_text_kind kind = DOCTOR_C_TEXT_ROLLBACKS;
    if (!c->verdict.is_proven || c->verdict.is_same || !find_kind(c, &kind)) {
        if (c->verdict.is_proven) {
            doctor_answer(c, "no C test is written: %s", why_none(c));
        }
        c->c_test[0] = '\0';
        return TOOL_OK;
    }
    (void)mkdir(folder, 0777);
    if (!write_file(c, kind)) {
        tool_complain(c->c_test, "cannot be written: %s", strerror(errno));
        c->c_test[0] = '\0';
        return TOOL_DAMAGED;
    }
    return TOOL_OK;
}

// ---- the command ----

// Where the library lies that this program came with: in the tree that it was built in.
// @return false: it is installed, and pkg-config knows it
static bool find_library(char include[PATH_MAX], char library[PATH_MAX])
{
    char header[PATH_MAX + 64];
    const char *program = tool_program_path();
    const char *slash = strrchr(program, '/');
    const int length = slash != NULL ? (int)(slash - program) : 0;
    (void)snprintf(header, sizeof(header), "%.*s/../../include", length, program);
    if (realpath(header, include) == NULL) {
        return false;
    }
    (void)snprintf(library, PATH_MAX, "%.*s/src/libbackstitch.a", length, program);
    (void)snprintf(header, sizeof(header), "%s/backstitch/replay.h", include);
    return access(header, R_OK) == 0 && access(library, R_OK) == 0;
}

static void add(char out[DOCTOR_C_TEST_COMMAND_BYTES], const char *text)
{
    const size_t used = strlen(out);
    (void)snprintf(out + used, DOCTOR_C_TEST_COMMAND_BYTES - used, "%s", text);
}

static void add_word(char out[DOCTOR_C_TEST_COMMAND_BYTES], const char *before, const char *word)
{
    char quoted[2 * PATH_MAX];
    quoted[shell_word_quote(word, quoted, sizeof(quoted) - 1)] = '\0';
    add(out, before);
    add(out, quoted);
}

// A path that the loader of programs does not take for a name.
static void add_plugin(const doctor_case *c, char out[DOCTOR_C_TEST_COMMAND_BYTES])
{
    char path[DOCTOR_PATH_BYTES];
    const bool is_name = strchr(c->game.path, '/') == NULL;
    (void)snprintf(path, sizeof(path), "%s%s", is_name ? "./" : "", c->game.path);
    add_word(out, " ", path);
}

void doctor_c_test_command(const doctor_case *c, char out[DOCTOR_C_TEST_COMMAND_BYTES])
{
    char include[PATH_MAX];
    char library[PATH_MAX];
    char program[DOCTOR_PATH_BYTES];
    doctor_c_text_kind kind = DOCTOR_C_TEXT_ROLLBACKS;
    out[0] = '\0';
    if (c->c_test[0] == '\0' || !find_kind(c, &kind)) {
        return;
    }
    const bool is_built_here = find_library(include, library);
    (void)snprintf(program, sizeof(program), "%.*s", (int)strlen(c->c_test) - 2, c->c_test);
    add_word(out, "cc -std=c17 -o ", program);
    add_word(out, " ", c->c_test);
    if (is_built_here) {
        add_word(out, " -I", include);
        add_word(out, " ", library);
    } else {
        add(out, " $(pkg-config --cflags --libs backstitch)");
    }
    if (kind !=
        DOCTOR_C_TEXT_BUILD) { // which loads both; behind the library, whose own copy is used
        add_plugin(c, out);
    }
    add(out, is_built_here ? " -lxxhash -lzstd -lsodium -lm" : "");
    add_word(out, " && ", program);
}

// SPDX-License-Identifier: MIT

#define _GNU_SOURCE

#include "diagnose/variants/complaint.h"

#include <stdio.h>
#include <string.h>

#include "base/text.h"

// memcheck prints lines such as "==7== Invalid read of size 4" or "==7==    by 0x48A: blow
// (storm.c:19)".

static const char *next_line(const char *line)
{
    const char *end = strchr(line, '\n');
    return end != NULL ? end + 1 : line + strlen(line);
}

// Read a line of memcheck as a stack frame.
// @return false if the line is no stack frame
static bool read_frame(const char *line, complaint_frame *out)
{
    const size_t length = strcspn(line, "\n");
    const char *at = memmem(line, length, "   at 0x", 8);
    at = at != NULL ? at : memmem(line, length, "   by 0x", 8);
    const char *name = at != NULL ? memmem(at, length - (size_t)(at - line), ": ", 2) : NULL;
    if (name == NULL) {
        return false;
    }
    name += 2;
    const size_t rest = length - (size_t)(name - line);
    const char *place = memrchr(name, '(', rest);
    const size_t name_length = place != NULL && place > name ? (size_t)(place - name) - 1 : rest;
    *out = (complaint_frame){0};
    TEXT_SET(out->function, "%.*s", (int)name_length, name);
    if (place != NULL && strncmp(place, "(in ", 4) != 0) {
        const size_t count = rest - (size_t)(place - name);
        TEXT_SET(out->line, "%.*s", (int)(count > 2 ? count - 2 : 0), place + 1);
    }
    return true;
}

// Return true if a stack frame belongs to the library, this program or valgrind, all of which games
// call.
static bool is_ours(const char *line, const complaint_frame *frame)
{
    return strncmp(frame->function, "bks_", 4) == 0 || strncmp(frame->function, "bksi_", 5) == 0 ||
           strncmp(frame->line, "vg_replace_", 11) == 0 ||
           memmem(line, strcspn(line, "\n"), "/vgpreload_", 11) != NULL;
}

// Return true if a stack frame belongs to a function that calls the game.
static bool is_caller(const complaint_frame *frame)
{
    return strcmp(frame->function, "bksi_call_step") == 0 ||
           strcmp(frame->function, "make_object") == 0;
}

// Find the first stack frame of the game that follows a complaint's heading.
static bool find_frame(const char *heading, complaint_frame *out)
{
    const char *line = next_line(heading);
    while (read_frame(line, out) && !is_caller(out)) {
        if (!is_ours(line, out)) {
            return true;
        }
        line = next_line(line);
    }
    *out = (complaint_frame){0};
    return false;
}

// Return the length of one complaint, from its heading to its last line.
static size_t length_of(const char *heading)
{
    const char *line = next_line(heading);
    while (*line != '\0' && strncmp(line + strcspn(line, " \n"), " \n", 2) != 0) {
        line = next_line(line);
    }
    return (size_t)(line - heading);
}

bool complaint_invalid(const char *text, char *out, size_t capacity, complaint_frame *frame)
{
    static const struct {
        const char *about;
        const char *place;
    } kinds[] = {{"inside a block of size", "that were freed"},
                 {" after a block of size", "behind a block of memory"},
                 {" before a block of size", "before a block of memory"}};
    const char *at = strstr(text, "== Invalid ");
    unsigned bytes = 0;
    char does[8] = "";
    if (at == NULL) {
        return false;
    }
    const char *place = "where it has no memory";
    for (size_t i = sizeof(kinds) / sizeof(kinds[0]); i-- > 0;) {
        const bool is_kind =
            memmem(at, length_of(at), kinds[i].about, strlen(kinds[i].about)) != NULL;
        place = is_kind ? kinds[i].place : place;
    }
    if (sscanf(at, "== Invalid %7s of size %u", does, &bytes) == 2) {
        (void)snprintf(out, capacity, "%ss %u byte%s %s", does, bytes, bytes == 1 ? "" : "s",
                       place);
    } else {
        (void)snprintf(out, capacity, "frees what it does not hold");
    }
    (void)find_frame(at, frame);
    return true;
}

bool complaint_branch(const char *text, complaint_frame *frame)
{
    const char *at = strstr(text, "== Conditional jump");
    at = at != NULL ? at : strstr(text, "== Use of uninitialised");
    return at != NULL && find_frame(at, frame);
}

bool complaint_origin(const char *text, complaint_frame *frame)
{
    const char *at = NULL;
    for (const char *next = strstr(text, "was created by"); next != NULL;
         next = strstr(next + 1, "was created by")) {
        at = next;
    }
    return at != NULL && find_frame(at, frame);
}

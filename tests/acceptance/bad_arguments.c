// SPDX-License-Identifier: MIT

#include "bad_arguments.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#ifndef NDEBUG
#error "this test is of a release build: what asserts would catch must be refused without them"
#endif

enum { LINES_MAX = 8, TEXT_BYTES = 256 };

bks_error wrong;

static char lines[LINES_MAX][TEXT_BYTES];
static uint32_t line_count;
static uint32_t calls;
static uint32_t faults;

static void hear(void *context, bks_log_level level, const char *id, const char *text)
{
    (void)context;
    if (level >= BKS_LOG_WARNING && line_count < LINES_MAX) {
        (void)snprintf(lines[line_count++], TEXT_BYTES, "%s: %s", id, text);
    }
}

void bad_arguments_listen(void)
{
    bad_arguments_need(bks_log_set_sink(&(bks_log_sink){.write = hear}) == BKS_OK, "a log sink");
}

void wrong_clear(void)
{
    memset(&wrong, 0, sizeof(wrong));
    line_count = 0;
}

static void fault(const char *file, int line, const char *call, const char *what)
{
    faults++;
    printf("%s:%d: %s\n  %s\n", file, line, call, what);
    for (uint32_t i = 0; i < line_count; i++) {
        printf("  log: %s\n", lines[i]);
    }
}

static bool is_logged(const char *part)
{
    for (uint32_t i = 0; i < line_count; i++) {
        if (strstr(lines[i], part) != NULL) {
            return true;
        }
    }
    return false;
}

void bad_arguments_check(bool refused, const char *call, const char *file, int line,
                         const char *name, const char *range)
{
    calls++;
    if (!refused) {
        fault(file, line, call, "does not return what is documented");
    } else if (line_count == 0) {
        fault(file, line, call, "leaves no line in the log");
    } else if (!is_logged(name)) {
        printf("  missing: %s\n", name);
        fault(file, line, call, "has no log line that names the argument");
    } else if (range != NULL && !is_logged(range)) {
        printf("  missing: %s\n", range);
        fault(file, line, call, "has no log line that names the range");
    } else if (wrong.code != BKS_OK && !is_logged(wrong.text)) {
        fault(file, line, call, "says one thing in the error and another in the log");
    }
}

void bad_arguments_allowed(bool allowed, const char *call, const char *file, int line)
{
    calls++;
    if (!allowed) {
        fault(file, line, call, "does not return what is documented");
    } else if (line_count != 0) {
        fault(file, line, call, "is documented as allowed, but complains");
    }
}

void bad_arguments_need(bool is_so, const char *what)
{
    if (!is_so) {
        printf("the test cannot continue: %s (%s)\n", what, wrong.text);
        exit(1);
    }
}

static void good_init(void *state, const bks_start *start)
{
    *(uint32_t *)state = (uint32_t)start->seed;
}

static void good_step(void *state, const bks_step *step)
{
    uint32_t *sum = state;
    for (uint32_t i = 0; i < step->players * step->field_count; i++) {
        *sum = *sum * 31 + (uint32_t)step->inputs[i];
    }
}

static const bks_field good_fields[] = {{.name = "run", .bits = 2}};
static const bks_option good_options[] = {
    {.name = "speed", .default_value = "1", .help = "1 or 2"}};

const bks_game good_game = {
    .name = "good",
    .tick_rate_hz = 60,
    .players_max = 2,
    .fields = good_fields,
    .field_count = 1,
    .options = good_options,
    .option_count = 1,
    .state_bytes = 64,
    .init = good_init,
    .step = good_step,
};

uint32_t bad_arguments_report(void)
{
    printf("%u calls with bad arguments, %u not refused as they should be\n", calls, faults);
    return faults;
}

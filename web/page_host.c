// SPDX-License-Identifier: MIT

#define _GNU_SOURCE // clock_gettime

#include "page_host.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#include "base/tool.h"
#include "sound/ears.h"

static char complaint[512];
static char logged[512];

static void keep(void *context, bks_log_level level, const char *id, const char *text)
{
    (void)context;
    (void)id;
    if (level >= BKS_LOG_WARNING) {
        snprintf(logged, sizeof(logged), "%s", text);
    }
}

void page_host_open(void)
{
    const bks_log_sink sink = {.write = keep};
    (void)bks_log_set_sink(&sink);
}

const char *page_host_complaint(void)
{
    return complaint;
}

const char *page_host_logged(void)
{
    return logged;
}

// ---- functions of tool.h ----

void tool_complain(const char *what, const char *format, ...)
{
    const int begun = snprintf(complaint, sizeof(complaint), "%s ", what);
    const size_t used = begun > 0 && (size_t)begun < sizeof(complaint) ? (size_t)begun : 0;
    va_list values;
    va_start(values, format);
    (void)vsnprintf(complaint + used, sizeof(complaint) - used, format, values);
    va_end(values);
}

void tool_complain_error(const char *what, const bks_error *error)
{
    (void)what;
    snprintf(complaint, sizeof(complaint), "%s",
             error->text[0] != '\0' ? error->text : bks_status_text(error->code));
    tool_log_drop();
}

int tool_status_of(const bks_error *error)
{
    return error->code == BKS_ERR_DAMAGED || error->code == BKS_ERR_INCOMPLETE ? TOOL_DAMAGED
                                                                               : TOOL_NO;
}

void tool_log_drop(void)
{
    logged[0] = '\0';
}

uint64_t tool_clock_ns(void *context)
{
    (void)context;
    struct timespec now;
    (void)clock_gettime(CLOCK_MONOTONIC, &now);
    return (uint64_t)now.tv_sec * UINT64_C(1000000000) + (uint64_t)now.tv_nsec;
}

// ---- functions of ears.h: there is no sound ----

uint32_t ears_cues_per_tick(const ears *e)
{
    (void)e;
    return 0;
}

void ears_cue(ears *e, const void *state, const bks_cue_event *event)
{
    (void)e;
    (void)state;
    (void)event;
}

void ears_show(ears *e, const void *state, bks_tick present, bool is_in_time)
{
    (void)e;
    (void)state;
    (void)present;
    (void)is_in_time;
}

void ears_hush(ears *e)
{
    (void)e;
}

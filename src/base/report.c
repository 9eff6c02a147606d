// SPDX-License-Identifier: MIT

#include "base/report.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "backstitch/base.h"

#include "base/log_stderr.h"

/// Size of the longest line, as of bks_error.text, so that log and error have the same text.
#define TEXT_BYTES sizeof(((bks_error *)NULL)->text)

/// Destination of log lines of the whole process. Set it before other threads call the library.
static bks_log_sink log_sink = {.write = bksi_log_stderr};

/// Return true if a line must be formatted. The default sink prints only warnings and errors, and
/// does not repeat what the caller gets in a bks_error.
static bool is_wanted(bks_log_level level, const bks_error *error)
{
    if (log_sink.write == bksi_log_stderr) {
        return level >= BKS_LOG_WARNING && error == NULL;
    }
    return log_sink.write != NULL;
}

bks_status bks_log_set_sink(const bks_log_sink *sink)
{
    if (sink == NULL) {
        return bksi_fail_null(NULL, "bks_log_set_sink", "sink");
    }
    if (sink->write == NULL) {
        return bksi_fail_null(NULL, "bks_log_set_sink", "sink->write");
    }
    log_sink = *sink;
    return BKS_OK;
}

void bks_log_clear_sink(void)
{
    log_sink = (bks_log_sink){0};
}

/// Format as much as fits; an impossible format gives an empty text.
static void format_text(char *text, const char *format, va_list values)
{
    text[0] = '\0';
    (void)vsnprintf(text, TEXT_BYTES, format, values);
}

void bksi_log(bks_log_level level, const char *id, const char *format, ...)
{
    if (!is_wanted(level, NULL)) {
        return;
    }
    char text[TEXT_BYTES];
    va_list values;
    va_start(values, format);
    format_text(text, format, values);
    va_end(values);
    log_sink.write(log_sink.context, level, id, text);
}

/// Pass a finished sentence to the caller's error and to the log.
static bks_status deliver(bks_error *error, bks_status code, const char *id, const char *field,
                          uint64_t offset_bytes, const char *text)
{
    if (error != NULL) {
        error->code = code;
        error->field = field;
        error->offset_bytes = offset_bytes;
        memcpy(error->text, text, strlen(text) + 1);
    }
    if (is_wanted(BKS_LOG_ERROR, error)) {
        log_sink.write(log_sink.context, BKS_LOG_ERROR, id, text);
    }
    return code;
}

bks_status bksi_fail(bks_error *error, bks_status code, const char *id, const char *field,
                     const char *format, ...)
{
    if (error == NULL && !is_wanted(BKS_LOG_ERROR, NULL)) {
        return code;
    }
    char text[TEXT_BYTES];
    va_list values;
    va_start(values, format);
    format_text(text, format, values);
    va_end(values);
    return deliver(error, code, id, field, 0, text);
}

bks_status bksi_fail_at(bks_error *error, bks_status code, const char *id, uint64_t offset_bytes,
                        const char *format, ...)
{
    if (error == NULL && !is_wanted(BKS_LOG_ERROR, NULL)) {
        return code;
    }
    char text[TEXT_BYTES];
    va_list values;
    va_start(values, format);
    format_text(text, format, values);
    va_end(values);

    // Shorten a long sentence rather than the offset, which a reader needs most.
    char place[40];
    int place_bytes = snprintf(place, sizeof(place), " at byte %" PRIu64, offset_bytes);
    size_t room = TEXT_BYTES - 1 - (size_t)(place_bytes > 0 ? place_bytes : 0);
    size_t length = strlen(text) < room ? strlen(text) : room;
    memcpy(text + length, place, strlen(place) + 1);
    return deliver(error, code, id, NULL, offset_bytes, text);
}

bks_status bksi_fail_null(bks_error *error, const char *call, const char *name)
{
    return bksi_fail(error, BKS_ERR_BAD_ARGUMENT, call, name, "%s is NULL, must not be", name);
}

const char *bks_status_text(bks_status status)
{
    switch (status) {
#define STATUS_CASE(name, value, text) \
    case name:                         \
        return text;
        BKS_STATUS_MAP(STATUS_CASE)
#undef STATUS_CASE
    }
    return "unknown status";
}

const char *bks_status_name(bks_status status)
{
    switch (status) {
#define STATUS_CASE(name, value, text) \
    case name:                         \
        return #name;
        BKS_STATUS_MAP(STATUS_CASE)
#undef STATUS_CASE
    }
    return "BKS_ERR_UNKNOWN";
}

_Noreturn void bksi_assert_failed(const char *condition, const char *file, int line)
{
    bksi_log(BKS_LOG_ERROR, "assert", "%s:%d: %s is false, which is a bug in this library", file,
             line, condition);
    abort();
}

// SPDX-License-Identifier: MIT

#define _GNU_SOURCE

#include "base/tool.h"

#include <errno.h>
#include <inttypes.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "base/altered_system.h"
#include "base/system.h"
#include "base/text.h"

enum { LINE_BYTES = 512, TEXT_BYTES = 1024 };

// A failing library call logs the same sentence that it puts into bks_error. This buffer holds back
// the newest such line of a thread, so that the command can print it with the file's name in front.
// If the command does not print it, the line is printed unchanged before the thread's next line.
static _Thread_local char held[LINE_BYTES];

static char newest[TEXT_BYTES]; // text that tool_complaint() returns

static struct {
    pthread_mutex_t lock;
    bool is_verbose;
    const char *left;  ///< id of lines left out of the log: tool_log_leave()
    const char *shown; ///< id of lines always shown: tool_log_show()
    /// Returns the number of the peer that runs now; NULL: there is only one peer.
    uint32_t (*speaker)(const void *context);
    const void *speaker_context;
    bool is_kept; ///< true while lines for stderr are collected in `kept`
    /// Lines held back. Later lines that do not fit are lost, because the first ones tell the
    /// cause.
    char kept[16384];
    size_t kept_bytes;
} logged = {.lock = PTHREAD_MUTEX_INITIALIZER};

// Print a line to stderr, or keep it for later. The caller holds the lock.
static void print_line(const char *format, ...) BKS_PRINTF(1, 2);

static void print_line(const char *format, ...)
{
    char text[8192];
    char plain[8192];
    va_list values;
    va_start(values, format);
    (void)vsnprintf(text, sizeof(text), format, values);
    va_end(values);
    const char *line = plain_text(text, "\n\t", plain, sizeof(plain));
    const size_t bytes = strlen(line);
    if (!logged.is_kept) {
        (void)fwrite(line, 1, bytes, stderr);
    } else if (bytes < sizeof(logged.kept) - logged.kept_bytes) {
        memcpy(logged.kept + logged.kept_bytes, line, bytes);
        logged.kept_bytes += bytes;
    }
}

static void print_held(void)
{
    if (held[0] != '\0') {
        print_line("bks: %s\n", held);
        held[0] = '\0';
    }
}

// Return a line that begins with the name of its peer.
static const char *name_speaker(const char *text, char out[LINE_BYTES])
{
    const uint32_t peer =
        logged.speaker != NULL ? logged.speaker(logged.speaker_context) : UINT32_MAX;
    if (peer == UINT32_MAX) {
        return text;
    }
    (void)snprintf(out, LINE_BYTES, "peer %" PRIu32 ": %s", peer, text);
    return out;
}

static void log_write(void *context, bks_log_level level, const char *id, const char *text)
{
    (void)context;
    const bool is_left = (logged.left != NULL && strcmp(logged.left, id) == 0) ||
                         strcmp(id, "session.game_arithmetic") == 0; // the loader warned of it
    const bool is_shown = logged.shown != NULL && strcmp(logged.shown, id) == 0;
    if ((level < BKS_LOG_WARNING || is_left) && !is_shown && !logged.is_verbose) {
        return;
    }
    char named[LINE_BYTES];
    pthread_mutex_lock(&logged.lock);
    if (logged.speaker != NULL && level == BKS_LOG_WARNING && is_repeated(text) &&
        !logged.is_verbose) {
        pthread_mutex_unlock(&logged.lock);
        return;
    }
    text = name_speaker(text, named);
    print_held();
    if (logged.is_verbose) {
        static const char *const names[] = {"debug", "info", "warning", "error"};
        print_line("bks: %s: %s: %s\n", names[level], id, text);
    } else if (is_shown) {
        print_line("bks: %s: %s\n", id, text);
    } else if (level == BKS_LOG_ERROR) {
        snprintf(held, sizeof(held), "%s", text);
    } else {
        print_line("bks: warning: %s\n", text);
    }
    pthread_mutex_unlock(&logged.lock);
}

int tool_complain_recording(const char *path)
{
    tool_complain(path, "holds less than was played: it could not be written to its end");
    return TOOL_DAMAGED;
}

void tool_guard_streams(void)
{
    system_guard_streams();
}

// errno of the first failed write to stdout, 0 when none is known.
static int output_cause;

void tool_note_output(void)
{
    if (output_cause == 0 && ferror(stdout)) {
        output_cause = errno;
    }
}

int tool_close_output(int status)
{
    errno = 0;
    const bool is_flushed = fflush(stdout) == 0;
    const int cause = output_cause != 0 ? output_cause : errno;
    if (is_flushed && !ferror(stdout)) {
        return status;
    }
    tool_complain("stdout", "cannot be written%s%s", cause != 0 ? ": " : "",
                  cause != 0 ? strerror(cause) : "");
    return TOOL_DAMAGED;
}

void tool_log_open(bool is_verbose)
{
    logged.is_verbose = is_verbose;
    const bks_log_sink sink = {.write = log_write};
    (void)bks_log_set_sink(&sink);
    (void)atexit(tool_log_flush);
}

void tool_log_verbose(void)
{
    logged.is_verbose = true;
}

void tool_log(const char *id, const char *format, ...)
{
    if (!logged.is_verbose) {
        return;
    }
    char text[512];
    va_list values;
    va_start(values, format);
    vsnprintf(text, sizeof(text), format, values);
    va_end(values);
    log_write(NULL, BKS_LOG_DEBUG, id, text);
}

void tool_log_leave(const char *id)
{
    logged.left = id;
}

void tool_log_show(const char *id)
{
    logged.shown = id;
}

void tool_log_of_peers(uint32_t (*speaker)(const void *context), const void *context)
{
    logged.speaker = speaker;
    logged.speaker_context = context;
}

void tool_log_flush(void)
{
    pthread_mutex_lock(&logged.lock);
    print_held();
    pthread_mutex_unlock(&logged.lock);
}

void tool_log_hold(bool is_held)
{
    pthread_mutex_lock(&logged.lock);
    logged.is_kept = is_held;
    if (!is_held) {
        (void)fwrite(logged.kept, 1, logged.kept_bytes, stderr);
        logged.kept_bytes = 0;
    }
    pthread_mutex_unlock(&logged.lock);
}

void tool_log_drop(void)
{
    held[0] = '\0';
}

void tool_complain(const char *what, const char *format, ...)
{
    tool_log_flush();
    char text[TEXT_BYTES];
    va_list values;
    va_start(values, format);
    vsnprintf(text, sizeof(text), format, values);
    va_end(values);
    char plain[4096];
    const char *subject = plain_text(what != NULL ? what : "", "", plain, sizeof(plain));
    const char *between = what != NULL ? ": " : "";
    pthread_mutex_lock(&logged.lock);
    print_line("bks: %s%s%s\n", subject, between, text);
    snprintf(newest, sizeof(newest), "%.255s%s%.700s", subject, between, text);
    pthread_mutex_unlock(&logged.lock);
}

const char *tool_complaint(void)
{
    return newest;
}

void tool_complaint_forget(void)
{
    newest[0] = '\0';
}

int tool_status_of(const bks_error *error)
{
    return error->code == BKS_ERR_DAMAGED ? TOOL_DAMAGED : TOOL_NO;
}

void tool_complain_error(const char *what, const bks_error *error)
{
    const char *text = error->text[0] != '\0' ? error->text : bks_status_text(error->code);
    if (strcmp(held, text) == 0) {
        held[0] = '\0';
    }
    tool_complain(what, "%s", text);
}

/// Return `text` without the prefix `beginning`, or the whole text if it does not begin with it.
static const char *behind(const char *text, const char *beginning)
{
    const size_t length = strlen(beginning);
    return strncmp(text, beginning, length) == 0 ? text + length : text;
}

/// Remove ", at byte N" from the end of a text.
static void cut_offset(char *text)
{
    static const char at_byte[] = " at byte ";
    char *found = NULL;
    for (char *next = strstr(text, at_byte); next != NULL; next = strstr(next + 1, at_byte)) {
        found = next;
    }
    const char *digits = found != NULL ? found + sizeof(at_byte) - 1 : "";
    if (*digits != '\0' && digits[strspn(digits, "0123456789")] == '\0') {
        found -= found > text && found[-1] == ',';
        *found = '\0';
    }
}

void tool_complain_value(const char *option, const char *value, const bks_error *error)
{
    static const char *const fields[] = {"bind_address ", "invitation ", "text "};
    char what[512];
    bks_error plain = *error;
    if (strcmp(held, error->text) == 0) {
        held[0] = '\0';
    }
    const char *text = behind(error->text, "insight.inspect is '");
    const char *cause = text != error->text ? strstr(text, "': ") : NULL;
    text = cause != NULL ? cause + 3 : error->text;
    for (size_t i = 0; i < sizeof(fields) / sizeof(fields[0]); i++) {
        text = behind(text, fields[i]);
    }
    (void)snprintf(plain.text, sizeof(plain.text), "%s", text);
    cut_offset(plain.text);
    if (option != NULL) {
        (void)snprintf(what, sizeof(what), "%s '%s'", option, value);
    }
    tool_complain_error(option != NULL ? what : value, &plain);
}

uint64_t tool_clock_ns(void *context)
{
    (void)context;
    struct timespec now;
    clock_shift_real(CLOCK_MONOTONIC, &now);
    return (uint64_t)now.tv_sec * UINT64_C(1000000000) + (uint64_t)now.tv_nsec;
}

void tool_sleep_ns(uint64_t duration_ns)
{
    system_sleep_ns(duration_ns);
}

const char *tool_program_path(void)
{
    static char path[4096];
    if (path[0] == '\0') {
        system_program_path(path, sizeof(path));
    }
    return path;
}

bool tool_has_colour(int descriptor)
{
    const char *unwanted = getenv("NO_COLOR");
    const char *terminal = getenv("TERM");
    return isatty(descriptor) && (unwanted == NULL || unwanted[0] == '\0') &&
           (terminal == NULL || strcmp(terminal, "dumb") != 0);
}

int tool_columns(void)
{
    enum { LEAST = 40, DEFAULT = 80, MOST = 160 };
    const char *wanted = getenv("COLUMNS");
    uint32_t width = 0;
    uint32_t height = 0;
    long columns = wanted != NULL ? strtol(wanted, NULL, 10) : 0;
    if (columns <= 0 && system_terminal_size(STDOUT_FILENO, &width, &height)) {
        columns = (long)width;
    }
    columns = columns > 0 ? columns : DEFAULT;
    return (int)(columns < LEAST ? LEAST : columns > MOST ? MOST : columns);
}

enum { COMPLAINTS_MAX = 64 };

static struct {
    uint32_t count;
    char lines[COMPLAINTS_MAX][LINE_BYTES];
} complaints;

bool is_repeated(const char *text)
{
    char line[LINE_BYTES];
    (void)snprintf(line, sizeof(line), "%s", text);
    for (uint32_t i = 0; i < COMPLAINTS_MAX && i < complaints.count; i++) {
        if (strcmp(complaints.lines[i], line) == 0) {
            return true;
        }
    }
    memcpy(complaints.lines[complaints.count++ % COMPLAINTS_MAX], line, sizeof(line));
    return false;
}

enum { WIDTH = 32, ROOM_BESIDE = 26 };

static const uint64_t PATIENCE_NS = UINT64_C(500000000);
static const uint64_t REDRAW_NS = UINT64_C(100000000);

void progress_begin(progress *bar, const char *label, uint64_t total)
{
    const char *terminal = getenv("TERM");
    *bar = (progress){.label = label, .total = total, .begun_ns = tool_clock_ns(NULL)};
    bar->is_on =
        isatty(STDERR_FILENO) && total > 0 && (terminal == NULL || strcmp(terminal, "dumb") != 0);
}

// Return the width of a progress bar. A line wider than the terminal could not be overwritten.
static int bar_width(const progress *bar)
{
    uint32_t columns = 0;
    uint32_t rows = 0;
    const bool is_known = system_terminal_size(STDERR_FILENO, &columns, &rows);
    const int room = (is_known ? (int)columns : 80) - (int)strlen(bar->label) - ROOM_BESIDE;
    return room < 0 ? 0 : room < WIDTH ? room : WIDTH;
}

void progress_show(progress *bar, uint64_t done)
{
    if (!bar->is_on) {
        return;
    }
    const uint64_t now = tool_clock_ns(NULL);
    if (now - bar->begun_ns < PATIENCE_NS || now - bar->shown_ns < REDRAW_NS) {
        return;
    }
    bar->shown_ns = now;
    bar->has_been_drawn = true;
    done = done < bar->total ? done : bar->total;
    const double share = (double)done / (double)bar->total;
    char picture[WIDTH + 1];
    const int width = bar_width(bar);
    for (int i = 0; i < width; i++) {
        picture[i] = i < (int)(share * width) ? '#' : '.';
    }
    picture[width] = '\0';
    char left[32] = "";
    if (done > 0) {
        const double spent_s = (double)(now - bar->begun_ns) * 1e-9;
        snprintf(left, sizeof(left), "  %.0f s left", spent_s * (1.0 - share) / share);
    }
    fprintf(stderr, "\r\033[K%s [%s] %3.0f %%%s", bar->label, picture, 100.0 * share, left);
    fflush(stderr);
}

void progress_end(progress *bar)
{
    if (bar->has_been_drawn) {
        fputs("\r\033[K", stderr);
        fflush(stderr);
        bar->has_been_drawn = false;
    }
}

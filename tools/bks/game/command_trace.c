// SPDX-License-Identifier: MIT

#include "game/command_trace.h"

#include <inttypes.h>
#include <string.h>

#include "base/text.h"

static const char columns[] = COMMAND_TRACE_COLUMNS;

/// Text of a command trace while it is read.
typedef struct trace_reader {
    const char *text;
    size_t count;
    size_t at;       ///< offset of the next line
    uint32_t number; ///< number of the current line, from 1
    size_t line;     ///< offset of the current line
    size_t end;      ///< offset of the end of the current line, without its line end
    size_t cell;     ///< offset of the next cell of the current line
} trace_reader;

/// Go to the next line that is neither empty nor a header line.
/// @return false: there is none
static bool next_line(trace_reader *r)
{
    while (r->at < r->count) {
        const char *start = r->text + r->at;
        const char *end = memchr(start, '\n', r->count - r->at);
        r->line = r->cell = r->at;
        r->end = end != NULL ? (size_t)(end - r->text) : r->count;
        r->at = r->end + (end != NULL ? 1 : 0);
        r->number++;
        if (r->end > r->line && r->text[r->end - 1] == '\r') {
            r->end--;
        }
        if (r->end > r->line && start[0] != '#') {
            return true;
        }
    }
    return false;
}

/// Read a number and the comma behind it.
/// @return false: there is no number from 0 to `most` with a comma
static bool read_number(trace_reader *r, uint32_t most, uint32_t *out)
{
    uint64_t number = 0;
    size_t digits = 0;
    for (; r->cell < r->end && r->text[r->cell] >= '0' && r->text[r->cell] <= '9'; r->cell++) {
        number = number * 10 + (uint64_t)(r->text[r->cell] - '0');
        if (++digits > 10) {
            return false;
        }
    }
    *out = (uint32_t)number;
    return digits > 0 && number <= most && r->cell < r->end && r->text[r->cell++] == ',';
}

static int digit_of(char c)
{
    return c >= '0' && c <= '9' ? c - '0' : c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

/// Read the hexadecimal digits of a command, which fill the rest of the line.
static bool read_bytes(const trace_reader *r, uint8_t *out, uint32_t count)
{
    const char *at = r->text + r->cell;
    for (uint32_t i = 0; i < count; i++) {
        const int high = digit_of(at[2 * i]);
        const int low = digit_of(at[2 * i + 1]);
        if (high < 0 || low < 0) {
            return false;
        }
        out[i] = (uint8_t)(high << 4 | low);
    }
    return true;
}

static bks_status fail_line(const trace_reader *r, bks_error *error)
{
    const bool is_cut = r->at == r->count && r->text[r->count - 1] != '\n';
    return fail_at(error, is_cut ? BKS_ERR_INCOMPLETE : BKS_ERR_DAMAGED, r->line,
                   "line %" PRIu32 " must be a tick, a player from 0 to %d, a number of bytes from "
                   "1 to %d and twice as many hexadecimal digits",
                   r->number, BKS_PLAYERS_MAX - 1, BKS_COMMAND_BYTES_MAX);
}

static bks_status read_line(trace_reader *r, uint32_t largest, command_list *list, bks_error *error)
{
    uint32_t tick = 0;
    uint32_t player = 0;
    uint32_t count = 0;
    if (!read_number(r, INT32_MAX - 1, &tick) || !read_number(r, BKS_PLAYERS_MAX - 1, &player) ||
        !read_number(r, BKS_COMMAND_BYTES_MAX, &count) || count == 0 ||
        r->end - r->cell != 2 * (size_t)count) {
        return fail_line(r, error);
    }
    if (count > largest) {
        return fail_at(error, BKS_ERR_UNSUPPORTED, r->line,
                       "line %" PRIu32 ": a command of %" PRIu32 " bytes, must be at most %" PRIu32
                       ", the game's command_bytes_max",
                       r->number, count, largest);
    }
    uint8_t *bytes = command_list_add(list, player, (bks_tick)tick, count);
    if (bytes == NULL) {
        return fail_with(error, BKS_ERR_OUT_OF_MEMORY, "no memory for %" PRIu32 " commands",
                         list->count + 1);
    }
    return read_bytes(r, bytes, count) ? BKS_OK : fail_line(r, error);
}

bool command_trace_is(const char *text, size_t count)
{
    trace_reader r = {.text = text, .count = count};
    return next_line(&r) && r.end - r.line == strlen(columns) &&
           memcmp(text + r.line, columns, strlen(columns)) == 0;
}

bks_status command_trace_parse(const char *text, size_t count, uint32_t largest, command_list *list,
                               bks_error *error)
{
    trace_reader r = {.text = text, .count = count};
    bks_status status = BKS_OK;
    (void)next_line(&r); // the names of the columns
    while (status == BKS_OK && next_line(&r)) {
        status = read_line(&r, largest, list, error);
    }
    if (status == BKS_OK && list->count == 0) {
        status = fail_with(error, BKS_ERR_INCOMPLETE,
                           "the file has columns and no commands, expected at least one");
    }
    if (status != BKS_OK) {
        command_list_free(list);
        return status;
    }
    command_list_sort(list);
    return BKS_OK;
}

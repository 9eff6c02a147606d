// SPDX-License-Identifier: MIT

#include "screen/overlay/tuner.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "backstitch/toolkit/links.h"
#include "base/tool.h"
#include "screen/window/keys.h"

typedef enum row_kind { WINDOW, DELAY, PACE, LINK_DELAY, LINK_JITTER, LINK_LOSS } row_kind;

enum { MS = 1000000, PERCENT = 10000 }; ///< MS: a millisecond in ns. PERCENT: a percent in ppm.

static const struct {
    const char *name;
    const char *key; ///< name of the setting's key in the link's SPEC
    const char *unit;
    /// How many of the setting's own units make one displayed `unit`, such as nanoseconds in a
    /// millisecond.
    int64_t whole;
    int64_t step;
    int64_t most;
} rows[TUNER_ROWS_MAX] = {
    [WINDOW] = {"window", NULL, "ticks", 1, 1, BKS_WINDOW_MAX},
    [DELAY] = {"input delay", NULL, "ticks", 1, 1, BKS_DELAY_MAX},
    [PACE] = {"pace", NULL, "", 1, 1, BKS_PACE_NONE},
    [LINK_DELAY] = {"link delay", "delay=", "ms", MS, 10 * MS, 1000 * MS},
    [LINK_JITTER] = {"link jitter", "jitter=", "ms", MS, 5 * MS, 500 * MS},
    [LINK_LOSS] = {"link loss", "loss=", "%", PERCENT, PERCENT, 100 * PERCENT},
};

void tuner_open(tuner *t, bks_session *session, bool (*change_link)(void *context, const char *),
                const char *(*link)(void *context), void *context)
{
    *t = (tuner){
        .inspected = {
            .session = session, .change_link = change_link, .link = link, .context = context}};
    t->inspected.token = t->token;
}

bool tuner_has_link(const tuner *t)
{
    return t->inspected.change_link != NULL && t->inspected.link != NULL;
}

static uint32_t row_count(const tuner *t)
{
    return tuner_has_link(t) ? TUNER_ROWS_MAX : LINK_DELAY;
}

// ---- values of the settings ----

/// Return the value of the setting in a row; -1 for an automatic delay.
static int64_t value_of(const tuner *t, uint32_t row)
{
    bks_tuning tuning = bks_tuning_default();
    bks_lab_link_spec link = {0};
    (void)bks_session_tuning(t->inspected.session, &tuning);
    if (row >= LINK_DELAY) {
        (void)!bks_lab_link_spec_parse(t->inspected.link(t->inspected.context), &link, NULL);
    }
    switch ((row_kind)row) {
    case WINDOW:
        return tuning.window_ticks;
    case DELAY:
        return tuning.delay_ticks == BKS_AUTO ? -1 : (int64_t)tuning.delay_ticks;
    case PACE:
        return tuning.pace;
    case LINK_DELAY:
        return (int64_t)link.delay_ns;
    case LINK_JITTER:
        return (int64_t)link.jitter_ns;
    case LINK_LOSS:
        break;
    }
    return link.loss_ppm;
}

/// Write the value of the setting in a row, in the unit that is displayed, without zeros at the
/// end.
static void format_value(char out[32], uint32_t row, int64_t value)
{
    const int64_t whole = rows[row].whole;
    int64_t rest = value % whole;
    size_t at = (size_t)snprintf(out, 32, "%" PRId64, value / whole);
    if (rest != 0) {
        out[at++] = '.';
    }
    for (int64_t place = whole / 10; rest != 0; place /= 10) {
        out[at++] = (char)('0' + rest / place);
        rest %= place;
    }
    out[at] = '\0';
}

uint32_t tuner_rows(const tuner *t, tuner_row out[TUNER_ROWS_MAX])
{
    static const char *const paces[] = {"slew: longer ticks", "stall: skipped ticks", "none"};
    const uint32_t count = row_count(t);
    for (uint32_t i = 0; i < count; i++) {
        const int64_t value = value_of(t, i);
        char number[32];
        format_value(number, i, value);
        out[i] = (tuner_row){.name = rows[i].name, .is_chosen = i == t->chosen};
        if (i == PACE) {
            snprintf(out[i].value, sizeof(out[i].value), "%s", paces[value]);
        } else if (i == DELAY && value < 0) {
            snprintf(out[i].value, sizeof(out[i].value), "automatic");
        } else if (i == WINDOW) {
            snprintf(out[i].value, sizeof(out[i].value), "%s of %" PRIu32 " tick%s", number,
                     bks_inspected_window_max(&t->inspected),
                     TOOL_PLURAL(bks_inspected_window_max(&t->inspected)));
        } else {
            snprintf(out[i].value, sizeof(out[i].value), "%s %s", number, rows[i].unit);
        }
    }
    return count;
}

// ---- changes of the settings ----

/// Send a request to the session, as `bks inspect` does.
static void ask(const tuner *t, const bks_inspect_request *request)
{
    uint8_t packet[BKS_INSPECT_BYTES];
    uint8_t answer[BKS_INSPECT_BYTES];
    if (bks_inspect_request_write(request, packet) == BKS_OK) {
        (void)bks_inspect_answer(&t->inspected, packet, sizeof(packet), answer);
    }
}

/// Write the link's SPEC with another value of one key.
static void write_link(const tuner *t, uint32_t row, int64_t value, char *out, size_t capacity)
{
    char number[32];
    format_value(number, row, value);
    const char *text = t->inspected.link(t->inspected.context);
    const char *key = rows[row].key;
    size_t at = (size_t)snprintf(out, capacity, "%s%s%s", key, number, rows[row].unit);
    while (*text != '\0') {
        const size_t length = strcspn(text, ",");
        const bool is_other =
            strncmp(text, key, strlen(key)) != 0 && strncmp(text, "perfect", length) != 0;
        if (is_other && at + length + 1 < capacity) {
            at += (size_t)snprintf(out + at, capacity - at, ",%.*s", (int)length, text);
        }
        text += length + (text[length] == ',' ? 1 : 0);
    }
}

static void change(const tuner *t, int32_t steps)
{
    const uint32_t row = t->chosen;
    const int64_t least = row == WINDOW ? 1 : row == DELAY ? -1 : 0;
    const int64_t most = row == WINDOW ? bks_inspected_window_max(&t->inspected) : rows[row].most;
    const int64_t now = value_of(t, row);
    const int64_t wanted = now + steps * rows[row].step;
    // Keep a value that the command line set above the keys' maximum, unless a key lowers it.
    const int64_t top = now > most ? now : most;
    const int64_t value = wanted < least ? least : wanted > top ? top : wanted;
    bks_inspect_request request = {.kind = BKS_INSPECT_CHANGE, .value = (uint32_t)value};
    if (most < least || value == now) {
        return; // in lockstep there is no window to change; or the value stays the same
    }
    switch ((row_kind)row) {
    case WINDOW:
        request.change = BKS_INSPECT_WINDOW;
        break;
    case DELAY:
        request.change = BKS_INSPECT_DELAY;
        request.value = value < 0 ? BKS_AUTO : (uint32_t)value;
        break;
    case PACE:
        request.change = BKS_INSPECT_PACE;
        break;
    case LINK_DELAY:
    case LINK_JITTER:
    case LINK_LOSS:
        request.change = BKS_INSPECT_LINK;
        write_link(t, row, value, request.link, sizeof(request.link));
        break;
    }
    ask(t, &request);
}

bool tuner_key(tuner *t, uint8_t key)
{
    if (key == KEY_F2) {
        t->chosen = (t->chosen + 1) % row_count(t);
    } else if (key == KEY_F3 || key == KEY_F4) {
        change(t, key == KEY_F4 ? 1 : -1);
    }
    return key >= KEY_F2 && key <= KEY_F4;
}

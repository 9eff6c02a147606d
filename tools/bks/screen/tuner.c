// SPDX-License-Identifier: MIT

#include "screen/tuner.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "backstitch/lab_parts.h"
#include "screen/keys.h"

typedef enum row_kind { WINDOW, DELAY, PACE, LINK_DELAY, LINK_JITTER, LINK_LOSS } row_kind;

static const struct {
    const char *name;
    const char *key; ///< of the link's SPEC
    const char *unit;
    int32_t step;
    int32_t most;
} rows[TUNER_ROWS_MAX] = {
    [WINDOW] = {"window", NULL, "ticks", 1, BKS_WINDOW_MAX},
    [DELAY] = {"input delay", NULL, "ticks", 1, BKS_DELAY_MAX},
    [PACE] = {"pace", NULL, "", 1, BKS_PACE_NONE},
    [LINK_DELAY] = {"link delay", "delay=", "ms", 10, 1000},
    [LINK_JITTER] = {"link jitter", "jitter=", "ms", 5, 500},
    [LINK_LOSS] = {"link loss", "loss=", "%", 1, 100},
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

// ---- values ----

/// A row's value; -1 of the delay: automatic.
static int32_t value_of(const tuner *t, uint32_t row)
{
    bks_tuning tuning = bks_tuning_default();
    bks_lab_link_spec link = {0};
    (void)bks_session_tuning(t->inspected.session, &tuning);
    if (row >= LINK_DELAY) {
        (void)!bks_lab_link_spec_parse(t->inspected.link(t->inspected.context), &link, NULL);
    }
    switch ((row_kind)row) {
    case WINDOW:
        return (int32_t)tuning.window_ticks;
    case DELAY:
        return tuning.delay_ticks == BKS_AUTO ? -1 : (int32_t)tuning.delay_ticks;
    case PACE:
        return (int32_t)tuning.pace;
    case LINK_DELAY:
        return (int32_t)(link.delay_ns / 1000000);
    case LINK_JITTER:
        return (int32_t)(link.jitter_ns / 1000000);
    case LINK_LOSS:
        break;
    }
    return (int32_t)(link.loss_ppm / 10000);
}

uint32_t tuner_rows(const tuner *t, tuner_row out[TUNER_ROWS_MAX])
{
    static const char *const paces[] = {"slew: longer ticks", "stall: skipped ticks", "none"};
    const uint32_t count = row_count(t);
    for (uint32_t i = 0; i < count; i++) {
        const int32_t value = value_of(t, i);
        out[i] = (tuner_row){.name = rows[i].name, .is_chosen = i == t->chosen};
        if (i == PACE) {
            snprintf(out[i].value, sizeof(out[i].value), "%s", paces[value]);
        } else if (i == DELAY && value < 0) {
            snprintf(out[i].value, sizeof(out[i].value), "automatic");
        } else if (i == WINDOW) {
            snprintf(out[i].value, sizeof(out[i].value), "%" PRId32 " of %" PRIu32 " ticks", value,
                     bks_session_window_max(t->inspected.session));
        } else {
            snprintf(out[i].value, sizeof(out[i].value), "%" PRId32 " %s", value, rows[i].unit);
        }
    }
    return count;
}

// ---- changes ----

/// Through the inspector's own door.
static void ask(const tuner *t, const bks_inspect_request *request)
{
    uint8_t packet[BKS_INSPECT_BYTES];
    uint8_t answer[BKS_INSPECT_BYTES];
    if (bks_inspect_request_write(request, packet) == BKS_OK) {
        (void)bks_inspect_answer(&t->inspected, packet, sizeof(packet), answer);
    }
}

/// The SPEC of the link with another value of one key; what else it says stays.
static void write_link(const tuner *t, uint32_t row, int32_t value, char *out, size_t capacity)
{
    const char *text = t->inspected.link(t->inspected.context);
    const char *key = rows[row].key;
    size_t at = (size_t)snprintf(out, capacity, "%s%" PRId32 "%s", key, value, rows[row].unit);
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
    const int32_t least = row == WINDOW ? 1 : row == DELAY ? -1 : 0;
    const int32_t most =
        row == WINDOW ? (int32_t)bks_session_window_max(t->inspected.session) : rows[row].most;
    const int32_t wanted = value_of(t, row) + steps * rows[row].step;
    const int32_t value = wanted < least ? least : wanted > most ? most : wanted;
    bks_inspect_request request = {.kind = BKS_INSPECT_CHANGE, .value = (uint32_t)value};
    if (most < least || value == value_of(t, row)) {
        return; // lockstep has no window
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

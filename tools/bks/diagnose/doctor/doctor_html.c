// SPDX-License-Identifier: MIT

#define _GNU_SOURCE // for open_memstream()

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/html.h"
#include "base/tool.h"
#include "diagnose/doctor/doctor_report.h"
#include "screen/window/canvas_soft.h"
#include "screen/window/png.h"

enum { PICTURE_WIDTH = 640, PICTURE_HEIGHT = 360 };

// Write bytes in base64, with the alphabet of RFC 4648, section 4.
static void write_base64(FILE *out, const uint8_t *bytes, size_t count)
{
    static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    for (size_t i = 0; i < count; i += 3) {
        const size_t left = count - i;
        const uint32_t group = (uint32_t)bytes[i] << 16 |
                               (left > 1 ? (uint32_t)bytes[i + 1] << 8 : 0) |
                               (left > 2 ? bytes[i + 2] : 0);
        fputc(digits[group >> 18], out);
        fputc(digits[group >> 12 & 63], out);
        fputc(left > 1 ? digits[group >> 6 & 63] : '=', out);
        fputc(left > 2 ? digits[group & 63] : '=', out);
    }
}

static void write_image(FILE *out, const canvas_soft *picture, const char *side)
{
    char *bytes = NULL;
    size_t count = 0;
    FILE *memory = open_memstream(&bytes, &count);
    if (memory == NULL) {
        return;
    }
    const bool is_good = png_write_to(memory, picture->rgb, picture->width, picture->height);
    if (fclose(memory) == 0 && is_good) {
        html_print(out, "<figure><img alt=\"the state of %s\" src=\"data:image/png;base64,", side);
        write_base64(out, (const uint8_t *)bytes, count);
        html_print(out, "\"><figcaption>%s</figcaption></figure>", side);
    }
    free(bytes);
}

static void draw(FILE *out, const doctor_case *c, bks_runner *runner, const doctor_states states[2],
                 uint32_t index)
{
    canvas_soft picture = {0};
    for (int side = 0; side < 2; side++) {
        if (bks_runner_import(runner, states[side].bytes[index], states[side].counts[index],
                              NULL) == BKS_OK &&
            canvas_soft_resize(&picture, PICTURE_WIDTH, PICTURE_HEIGHT)) {
            const bks_canvas canvas = canvas_soft_canvas(&picture, false);
            const bks_picture still = bks_picture_of(bks_runner_state(runner));
            c->game.plugin->draw(&still, &canvas);
            write_image(out, &picture, side == 0 ? "A" : "B");
        } else {
            html_print(out,
                       "<figure><figcaption>%s: its state cannot be drawn</figcaption></figure>",
                       side == 0 ? "A" : "B");
        }
        canvas_soft_close(&picture);
    }
}

// Write the section with pictures of both states at the tick that differs. Write nothing if the
// game does not draw or a state is not known.
static void doctor_picture_write(FILE *out, const doctor_case *c, const doctor_states states[2])
{
    const uint32_t index = (uint32_t)(c->hash_tick - c->keep_from);
    if (c->game.plugin->draw == NULL || c->hash_tick == BKS_TICK_NONE ||
        states[0].counts[index] == 0 || states[1].counts[index] == 0) {
        return;
    }
    bks_runner *runner = doctor_states_runner(c);
    if (runner != NULL) {
        char title[64];
        (void)snprintf(title, sizeof(title), "Both states at tick %" PRId32, c->hash_tick);
        html_section(out, "pictures", title, "As the game draws them.");
        fputs("<div class=\"pictures\">", out);
        draw(out, c, runner, states, index);
        fputs("</div></section>\n", out);
    }
    bks_runner_destroy(runner);
}

enum { DOCTOR_FIELDS_MAX = 48, DOCTOR_FIELD_BYTES = 64, DOCTOR_FIELD_NAME_BYTES = 160 };

/// Values of an object's fields around the difference, a table with a column for each field.
typedef struct doctor_fields {
    uint32_t count;  ///< number of fields that have a column in the table
    uint32_t others; ///< number of fields that have no column in the table
    char names[DOCTOR_FIELDS_MAX][DOCTOR_FIELD_NAME_BYTES];
    /// Values by side, tick and field; "" if not known.
    char values[2][CHECK_KEPT_MAX][DOCTOR_FIELDS_MAX][DOCTOR_FIELD_BYTES];
} doctor_fields;

// A walk through the fields of one state.
typedef struct reading {
    const doctor_case *c;
    doctor_fields *out;
    bks_compared_state state;
    uint32_t side;
    uint32_t tick;
} reading;

// Return the column of a field. Add a column if there is room, else return DOCTOR_FIELDS_MAX.
static uint32_t column_of(doctor_fields *out, const char *field)
{
    for (uint32_t i = 0; i < out->count; i++) {
        if (strcmp(out->names[i], field) == 0) {
            return i;
        }
    }
    if (out->count == DOCTOR_FIELDS_MAX) {
        out->others++;
        return DOCTOR_FIELDS_MAX;
    }
    (void)snprintf(out->names[out->count], DOCTOR_FIELD_NAME_BYTES, "%s", field);
    return out->count++;
}

static bool read_place(void *context, const bks_map_place *place)
{
    const reading *r = context;
    if (strcmp(place->object, r->c->verdict.value.place.object) != 0) {
        return true;
    }
    const uint32_t column = column_of(r->out, place->field);
    if (column < DOCTOR_FIELDS_MAX) {
        (void)bks_state_value(&r->c->names.names, &r->state, place,
                              r->out->values[r->side][r->tick][column], DOCTOR_FIELD_BYTES);
    }
    return true;
}

// Read the byte that differs, if the verdict names a byte instead of a field of the game.
static void read_bytes(const reading *r)
{
    const char *field = r->c->verdict.value.place.field;
    unsigned long long offset = 0;
    bks_map_place place;
    if (sscanf(field, "byte %llu", &offset) == 1 && offset < r->state.count &&
        bks_state_name(&r->c->names.names, r->state.bytes, r->state.count, offset, 0, &place) ==
            BKS_OK) {
        place.begin_bytes = offset;
        const uint32_t column = column_of(r->out, field);
        (void)bks_state_value(&r->c->names.names, &r->state, &place,
                              r->out->values[r->side][r->tick][column], DOCTOR_FIELD_BYTES);
    }
}

// Read the fields of the verdict's object from the states of both sides.
static void doctor_fields_read(const doctor_case *c, const doctor_states states[2],
                               doctor_fields *out)
{
    *out = (doctor_fields){0};
    if (c->verdict.value.place.field[0] != '\0') {
        // Make the field that differs the first column.
        (void)column_of(out, c->verdict.value.place.field);
    }
    for (uint32_t side = 0; side < 2 && c->verdict.value.place.object[0] != '\0'; side++) {
        for (uint32_t i = 0; i < CHECK_KEPT_MAX; i++) {
            reading r = {.c = c,
                         .out = out,
                         .state = {.bytes = states[side].bytes[i], .count = states[side].counts[i]},
                         .side = side,
                         .tick = i};
            if (r.state.count == 0) {
                continue;
            }
            if (c->verdict.value.place.object[0] == '(') {
                read_bytes(&r);
            } else {
                (void)bks_state_walk(&c->names.names, r.state.bytes, r.state.count, read_place, &r);
            }
        }
    }
}

enum { COMMAND_BYTES = 8192 };

static const char more_style[] =
    ".values{display:grid;grid-template-columns:auto 1fr;gap:2px 12px;margin:8px 0 0}"
    ".values dt{color:var(--soft)}.values dd{margin:0;overflow-wrap:anywhere}"
    "pre{margin:8px 0 0;white-space:pre-wrap}th[scope=row]{position:sticky;left:0;"
    "background:var(--card);text-align:left;font-weight:400}td b{font-weight:600}"
    "#object table{width:auto}#object td,#object th{padding-right:18px}"
    "td,th[scope=row]{vertical-align:top}td.apart{color:var(--bad)}th[scope=row].there{color:var(--"
    "bad);font-"
    "weight:600}ol{margin:0;padding-left:34px}"
    "li{margin:0 0 4px;overflow-wrap:anywhere}summary{cursor:pointer;color:var(--soft);"
    "margin-top:8px;padding:3px 0}#next p::first-letter{text-transform:uppercase}"
    "dl+p,pre+p{margin-top:12px}.pictures{display:flex;flex-wrap:wrap;gap:14px}figure{margin:0;"
    "flex:1 1 300px}"
    "figure img{width:100%;height:auto;border-radius:6px;display:block}"
    "figcaption{color:var(--soft)}.same{fill:var(--good);opacity:.35}.other{fill:var(--bad);"
    "opacity:.5}.back{stroke:#0072b2;stroke-width:1.5;vector-effect:non-scaling-stroke}.side1 "
    ".back{stroke:#b87a00}"
    "@media(prefers-color-scheme:dark){.back{stroke:#56b4e9}.side1 .back{stroke:#e69f00}}"
    ".event{fill:var(--bad)}svg{height:72px}svg.flat{height:14px}.ends{display:flex;justify-"
    "content:space-between}"
    "h3{font-size:14px;margin:12px 0 2px}";

static const char *const proofs[] = {
    [DOCTOR_BY_NOTHING] = "No cause is proven; what was seen stands below.",
    [DOCTOR_BY_FILES] = "The cause is proven: each side comes to its hashes by what its file says.",
    [DOCTOR_BY_ROLLBACKS] =
        "The cause is proven: the recorded rollbacks turn one side's hashes into the other's.",
    [DOCTOR_BY_CHANGE] =
        "The cause is proven: one change turns one side's hashes into the other's.",
    [DOCTOR_BY_BIT] =
        "The cause is proven: one flipped bit turns one side's hashes into the other's.",
    [DOCTOR_BY_ANSWERS] =
        "The cause is proven: each side's machine comes to its own hashes, by the same build and "
        "inputs.",
    [DOCTOR_BY_SETTING] =
        "The cause is proven: one thing set to one value comes to one side's state, set to another "
        "to the other's.",
    [DOCTOR_BY_RACE] =
        "The cause is proven: the same step comes to several results on this machine, and to one "
        "if its threads run one after another.",
};

// Return the sentence about the proof for the HTML page.
static const char *proof_of(const doctor_verdict *v)
{
    if (!v->is_proven && v->proof.means == DOCTOR_BY_BIT) {
        return "No cause is proven: one flipped bit turns one side's hashes into the other's, but "
               "code of "
               "the game may have written it.";
    }
    return proofs[v->is_proven ? v->proof.means : DOCTOR_BY_NOTHING];
}

static void write_head(FILE *out, const doctor_case *c)
{
    const doctor_verdict *v = &c->verdict;
    const state_difference *value = &v->value;
    const bool has_note = value->note[0] != '\0';
    char title[160];
    (void)snprintf(title, sizeof(title), "%.60s: %.30s", c->game.game->name,
                   v->is_same ? "the same" : v->cause);
    html_begin(out, title, more_style);
    html_print(out, "<h1>%s</h1>\n", title);
    if (v->is_same) {
        fputs("<p class=\"verdict good\">Nothing differs.</p>\n", out);
        return;
    }
    html_print(out, "<p class=\"verdict %s\">%s</p>\n<p>%s%s%s%s", v->is_proven ? "good" : "bad",
               proof_of(v), value->place.name[0] != '\0' ? value->place.name : "The state",
               has_note ? " (" : "", value->note, has_note ? ")" : "");
    if (v->tick != BKS_TICK_NONE) {
        html_print(out, " differs at tick %" PRId32, v->tick);
    }
    html_print(out, "%s%s.</p>\n", v->mark[0] != '\0' ? ", mark " : "", v->mark);
}

static void write_pair(FILE *out, const char *name, const char *text)
{
    if (text[0] != '\0') {
        html_print(out, "<dt>%s</dt><dd>%s</dd>", name, text);
    }
}

static void write_next(FILE *out, const doctor_case *c)
{
    const doctor_verdict *v = &c->verdict;
    char command[COMMAND_BYTES];
    char line[DOCTOR_LINE_BYTES];
    char sides[DOCTOR_SIDES_BYTES];
    doctor_print_sides(c, sides);
    doctor_print_command(c, command, sizeof(command));
    doctor_print_line(v, line);
    fputs("<section id=\"next\"><h2>What to do next</h2>", out);
    if (v->next != NULL) {
        html_print(out, "<p>%s</p>", v->next);
    }
    fputs("<dl class=\"values\">", out);
    write_pair(out, "A", v->value.a);
    write_pair(out, "B", v->value.b);
    write_pair(out, "sides", sides);
    write_pair(out, "line", line);
    write_pair(out, "suspects", v->suspects);
    html_print(out, "</dl><p>Comes to this verdict again:</p><pre><code>%s</code></pre>", command);
    doctor_c_test_command(c, command);
    if (command[0] != '\0') {
        html_print(out, "<p>Builds and runs a C test of it:</p><pre><code>%s</code></pre>",
                   command);
    }
    fputs("</section>\n", out);
}

// ---- table of the differing object's fields, tick by tick ----

static void write_cell(FILE *out, const char *a, const char *b)
{
    if (a[0] == '\0' && b[0] == '\0') {
        fputs("<td></td>", out);
    } else if (strcmp(a, b) == 0) {
        html_print(out, "<td>%s</td>", a);
    } else {
        html_print(out, "<td class=\"apart\"><b>A</b> %s<br><b>B</b> %s</td>",
                   a[0] != '\0' ? a : "?", b[0] != '\0' ? b : "?");
    }
}

static void write_row(FILE *out, const doctor_case *c, const doctor_fields *fields, uint32_t index)
{
    const bks_tick tick = c->keep_from + (bks_tick)index;
    html_print(out, "<tr><th scope=\"row\" class=\"%s\">%" PRId32 "</th>",
               tick == c->hash_tick ? "there" : "", tick);
    for (uint32_t column = 0; column < fields->count; column++) {
        write_cell(out, fields->values[0][index][column], fields->values[1][index][column]);
    }
    fputs("</tr>", out);
}

static bool has_any_state(const doctor_states states[2])
{
    bool has_any = false;
    for (uint32_t i = 0; i < CHECK_KEPT_MAX; i++) {
        has_any |= states[0].counts[i] > 0 || states[1].counts[i] > 0;
    }
    return has_any;
}

static void write_object(FILE *out, const doctor_case *c, const doctor_states states[2])
{
    static doctor_fields fields;
    char title[160];
    doctor_fields_read(c, states, &fields);
    if (fields.count == 0 || !has_any_state(states)) {
        return;
    }
    (void)snprintf(title, sizeof(title), "%s, tick by tick", c->verdict.value.place.object);
    html_section(out, "object", title,
                 "At the starts of ticks. Where both sides hold the same, it stands once; ? is not "
                 "known.");
    fputs("<table><thead><tr>", out);
    html_head_cell(out, "tick");
    for (uint32_t column = 0; column < fields.count; column++) {
        html_head_cell(out, fields.names[column]);
    }
    fputs("</tr></thead><tbody>", out);
    for (uint32_t i = 0; i < CHECK_KEPT_MAX; i++) {
        if (states[0].counts[i] > 0 || states[1].counts[i] > 0) {
            write_row(out, c, &fields, i);
        }
    }
    fputs("</tbody></table>", out);
    fputs(fields.others > 0 ? "<p>It has more fields than are shown.</p>" : "", out);
    fputs("</section>\n", out);
}

// ---- list of evidence ----

static const char details_begin[] =
    "<details><summary>More: what is the same, changed nothing or could not be tried</summary><ol>";

// Write the details of the evidence as a list, or the evidence without details.
// @param is_detail  true: the details
// @return number of list items
static uint32_t write_list(FILE *out, const doctor_case *c, bool is_detail)
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < c->evidence_count; i++) {
        if (c->evidence[i].is_detail == is_detail) {
            fputs(count++ > 0 ? "" : is_detail ? details_begin : "<ol>", out);
            html_print(out, "<li value=\"%" PRIu32 "\">%s</li>", i + 1, c->evidence[i].text);
        }
    }
    return count;
}

static void write_evidence(FILE *out, const doctor_case *c)
{
    html_section(out, "evidence", "Evidence", "Each step that was tried, and what it showed.");
    fputs(write_list(out, c, false) > 0 ? "</ol>" : "", out);
    fputs(write_list(out, c, true) > 0 ? "</ol></details>" : "", out);
    fputs("</section>\n", out);
}

static void write_page(FILE *out, doctor_case *c, const doctor_states states[2])
{
    write_head(out, c);
    if (!c->verdict.is_same) {
        write_next(out, c);
        write_object(out, c, states);
        doctor_picture_write(out, c, states);
    }
    doctor_timeline_write(out, c);
    write_evidence(out, c);
    html_end(out);
}

static int complain(const char *path)
{
    tool_complain(path, "cannot be written: %s", strerror(errno));
    return TOOL_DAMAGED;
}

int doctor_html_check(const char *path)
{
    const bool is_there = access(path, F_OK) == 0;
    FILE *out = fopen(path, "a");
    if (out == NULL) {
        return complain(path);
    }
    (void)fclose(out);
    if (!is_there) {
        (void)unlink(path);
    }
    return TOOL_OK;
}

int doctor_html_write(doctor_case *c, const char *path)
{
    doctor_states states[2] = {{0}, {0}};
    FILE *out = fopen(path, "w");
    bool is_written = out != NULL;
    if (is_written) {
        doctor_states_collect(c, states);
        write_page(out, c, states);
        is_written = !ferror(out);
        is_written = fclose(out) == 0 && is_written;
    }
    doctor_states_free(&states[0]);
    doctor_states_free(&states[1]);
    return is_written ? TOOL_OK : complain(path);
}

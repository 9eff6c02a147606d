// SPDX-License-Identifier: MIT

// Changes what recordings hold about a desync - evidence, match log, states at marks and rollbacks
// - and asks `bks replay log`, `bks replay diff` or `bks doctor` about them. The contents are
// changed before they are packed, and all checks are made right again, so that each change gets as
// far as a forged file does. No command may crash or write an element of the page that is not its
// own.
//
// The input: a byte with the command (2 bits), the recording that is changed (1 bit), a bit that is
// set if it is asked about without the other one, and 4 bits that must all be set for the doctor's
// page, which takes a second. Then changes: a record (1 byte), a place in
// its content (2 bytes), and a kind (1 byte): 0 cuts the content there, 1 doubles the rest, 2 puts
// in a byte, and any other is followed by the new value of the byte there (1 byte).

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "backstitch/toolkit/recording.h"
#include "base/bytes.h"
#include "base/command.h"
#include "base/hash.h"
#include "base/tool.h"
#include "diagnose/doctor/doctor_recorded.h"
#include "diagnose/doctor/doctor_report.h"
#include "diagnose/doctor/doctor_steps.h"
#include "duel_recordings.h"
#include "replay/format/packer.h"
#include "replay/format/replay_format.h"

int LLVMFuzzerInitialize(int *argc, char ***argv);
int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t count);

enum { RECORDS_MAX = 256, CONTENT_BYTES_MAX = 64 * 1024, CHANGES_MAX = 32, SLOT_BYTES = 512 };

/// A record of a recording. Its payload is a head and, for the changed kinds, a content.
typedef struct part {
    uint32_t type;
    const uint8_t *head;
    size_t head_bytes;
    uint8_t *content; ///< content, unpacked; NULL: the head is the whole payload
    size_t content_bytes;
    bool is_sized; ///< true: the content's length stands between the head and the content
} part;

typedef struct taken {
    size_t begin; ///< bytes of the file before the first of the parts
    uint32_t count;
    part parts[RECORDS_MAX];
    uint32_t changed_count;
    uint32_t changed[RECORDS_MAX]; ///< indexes of the parts that have a content
} taken;

static duel_recording recordings[2];
static taken taken_apart[2];

static void must(bool is_so)
{
    if (!is_so) {
        abort();
    }
}

/// Return the numbers in front of a record's content, as varints; 0 if it is left as it is.
static uint32_t head_numbers(uint32_t type)
{
    return type == BKSI_RECORD_EVIDENCE ? 4 : type == BKSI_RECORD_LOG ? 2 : 0;
}

/// Take the head and the unpacked content of a record apart.
static void take_content(part *out)
{
    const uint32_t numbers = head_numbers(out->type);
    bksi_byte_reader reader = bksi_byte_reader_over(out->head, out->head_bytes);
    if (numbers == 0) {
        return;
    }
    for (uint32_t i = 0; i < numbers; i++) {
        (void)bksi_read_varint(&reader);
    }
    const size_t head_bytes = reader.at;
    const size_t bytes = (size_t)bksi_read_varint(&reader);
    bksi_packed packed;
    must(bksi_packed_read(&packed, &reader) && packed.bytes == bytes);
    out->content = malloc(CONTENT_BYTES_MAX);
    must(out->content != NULL && bytes <= CONTENT_BYTES_MAX);
    must(bksi_packed_unpack(&packed, out->content));
    out->content_bytes = bytes;
    out->head_bytes = head_bytes;
    out->is_sized = true;
}

/// Return the bytes of the slots between STAT and the other records. Their number stands in HEAD
/// behind two texts and numbers of 4, 4, 4 and 8 bytes.
static size_t slots_bytes(const duel_recording *file)
{
    const uint8_t *head = file->bytes + BKSI_PREAMBLE_BYTES + BKSI_RECORD_HEAD_BYTES;
    const size_t build = 1u + head[0] + 4u;
    return 2u * SLOT_BYTES * bksi_get_u32(head + build + 1 + head[build] + 16);
}

/// Take the records of a recording apart. An index would hold the places of the others, so it is
/// left out.
static void take_apart(const duel_recording *file, taken *out)
{
    size_t at = BKSI_PREAMBLE_BYTES;
    for (uint32_t n = 0; n < 2; n++) { // HEAD and STAT
        at += BKSI_RECORD_EXTRA_BYTES + bksi_get_u32(file->bytes + at + 4);
    }
    at = out->begin = (at + SLOT_BYTES - 1) / SLOT_BYTES * SLOT_BYTES + slots_bytes(file);
    while (file->count - at >= BKSI_RECORD_EXTRA_BYTES) {
        const size_t bytes = bksi_get_u32(file->bytes + at + 4);
        part one = {.type = bksi_get_u32(file->bytes + at),
                    .head = file->bytes + at + BKSI_RECORD_HEAD_BYTES,
                    .head_bytes = bytes};
        at += BKSI_RECORD_EXTRA_BYTES + bytes;
        must(at <= file->count && out->count < RECORDS_MAX);
        take_content(&one);
        if (one.content != NULL) {
            out->changed[out->changed_count++] = out->count;
        }
        if (one.type != BKSI_RECORD_INDEX && one.type != BKSI_RECORD_DONE) {
            out->parts[out->count++] = one;
        }
    }
    must(out->changed_count > 0);
}

// ---- changes ----

static void change(part *one, size_t place, uint32_t kind, uint8_t value)
{
    const size_t at = one->content_bytes > 0 ? place % one->content_bytes : 0;
    const size_t rest = one->content_bytes - at;
    if (kind == 0) {
        one->content_bytes = at;
    } else if (kind == 1 && one->content_bytes + rest <= CONTENT_BYTES_MAX) {
        memcpy(one->content + one->content_bytes, one->content + at, rest);
        one->content_bytes += rest;
    } else if (kind == 2 && one->content_bytes < CONTENT_BYTES_MAX) {
        memmove(one->content + at + 1, one->content + at, rest);
        one->content[at] = value;
        one->content_bytes++;
    } else if (one->content_bytes > 0) {
        one->content[at] = value;
    }
}

static void put_record(bksi_byte_writer *out, const part *one, const uint8_t *content)
{
    const size_t begin = out->at;
    bksi_write_u32(out, one->type);
    bksi_write_u32(out, 0);
    bksi_write_u32(out, 0);
    bksi_write_bytes(out, one->head, one->head_bytes);
    if (one->is_sized) {
        bksi_write_varint(out, one->content_bytes);
        bksi_write_u8(out, 0); // not packed
        bksi_write_bytes(out, content, one->content_bytes);
    }
    const size_t bytes = out->at - begin - BKSI_RECORD_HEAD_BYTES;
    bksi_put_u32(out->bytes + begin + 4, (uint32_t)bytes);
    bksi_put_u32(out->bytes + begin + 8, bksi_check32(out->bytes + begin, 8, (uint32_t)begin));
    bksi_write_u64(out, bksi_hash64(out->bytes + begin + BKSI_RECORD_HEAD_BYTES, bytes, begin));
}

/// Put a changed recording together.
/// @return number of bytes
static size_t put_together(int side, const uint8_t *changes, size_t count, uint8_t *file,
                           size_t capacity)
{
    static uint8_t contents[RECORDS_MAX][CONTENT_BYTES_MAX];
    static taken now;
    now = taken_apart[side];
    for (uint32_t i = 0; i < now.changed_count; i++) {
        part *one = &now.parts[now.changed[i]];
        memcpy(contents[i], one->content, one->content_bytes);
        one->content = contents[i];
    }
    for (int n = 0; n < CHANGES_MAX && count >= 5; n++, changes += 5, count -= 5) {
        change(&now.parts[now.changed[changes[0] % now.changed_count]],
               (size_t)changes[1] | (size_t)changes[2] << 8, changes[3], changes[4]);
    }
    bksi_byte_writer out = bksi_byte_writer_over(file, capacity);
    bksi_write_bytes(&out, recordings[side].bytes, now.begin);
    for (uint32_t i = 0; i < now.count; i++) {
        put_record(&out, &now.parts[i], now.parts[i].content);
    }
    must(!out.failed);
    return out.at;
}

// ---- commands ----

static void print_log(bool has_two)
{
    static char log[] = "log";
    static char option[] = "--json";
    char *a = (char *)(uintptr_t)duel_file("A.bks");
    char *b = (char *)(uintptr_t)duel_file("B.bks");
    char *as_text[] = {log, a, has_two ? b : NULL, NULL};
    (void)cmd_replay_log(has_two ? 3 : 2, as_text);
    char *as_json[] = {log, option, a, NULL};
    (void)cmd_replay_log(3, as_json);
}

static void check_page(void)
{
    static char page[1 << 20];
    FILE *file = fopen(duel_file("page.html"), "r");
    must(file != NULL);
    page[fread(page, 1, sizeof(page) - 1, file)] = '\0';
    (void)fclose(file);
    must(strstr(page, "<script") == NULL && strstr(page, "<img src=x") == NULL);
}

/// Compare the recordings, find the place that differs and read all evidence, as the commands do
/// before the doctor tries changes in other processes. Then print all that is known.
static void examine(bool has_two, bool is_diff, bool has_page)
{
    static doctor_case c;
    static doctor_play straight;
    c = (doctor_case){.is_diff = is_diff};
    int status = doctor_open(&c, "duel", duel_file("A.bks"), has_two ? duel_file("B.bks") : NULL);
    if (status == TOOL_OK && !is_diff) {
        status = doctor_open_game(&c);
    }
    if (status == TOOL_OK) {
        status = doctor_files_compare(&c);
    }
    if (status == TOOL_OK) {
        doctor_page(&c, &straight);
        doctor_recorded_note(&c, &straight);
        doctor_recorded_place(&c, &straight);
        doctor_recorded_place_peers(&c, &straight);
        doctor_play_close(&straight);
        (void)doctor_print(&c, false);
        (void)doctor_print(&c, true);
    }
    if (status == TOOL_OK && has_page) {
        must(doctor_html_write(&c, duel_file("page.html")) == TOOL_OK);
        check_page();
    }
    doctor_close(&c);
}

int LLVMFuzzerInitialize(int *argc, char ***argv)
{
    static uint8_t file[DUEL_FILE_BYTES_MAX];
    (void)argc;
    (void)argv;
    duel_recordings_make(recordings);
    for (int side = 0; side < 2; side++) {
        bks_replay *replay = NULL;
        take_apart(&recordings[side], &taken_apart[side]);
        const size_t count = put_together(side, NULL, 0, file, sizeof(file));
        must(bks_replay_open(file, count, NULL, &replay, NULL) == BKS_OK);
        must(bks_replay_check(replay, NULL) == BKS_OK);
        must(bks_replay_info(replay)->evidence_count > 0 && bks_replay_info(replay)->log_count > 0);
        bks_replay_close(replay);
    }
    return 0;
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t count)
{
    static uint8_t file[4 * DUEL_FILE_BYTES_MAX];
    const uint8_t config = count > 0 ? bytes[0] : 0;
    const int side = config >> 2 & 1;
    const bool has_two = (config & 8) == 0;
    bytes += count > 0 ? 1 : 0;
    count -= count > 0 ? 1 : 0;
    // A is always the changed one, so that it is asked about alone, too.
    duel_file_write("A.bks", file, put_together(side, bytes, count, file, sizeof(file)));
    duel_file_write("B.bks", recordings[1 - side].bytes, recordings[1 - side].count);
    if ((config & 3) < 2) {
        print_log(has_two);
    } else {
        examine(has_two || (config & 3) == 2, (config & 3) == 2,
                config >= 0xF0 && (config & 3) == 3);
    }
    return 0;
}

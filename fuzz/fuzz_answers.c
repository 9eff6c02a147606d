// SPDX-License-Identifier: MIT

// Reads any text as the answer of another machine's doctor about one of two recordings. It is
// refused, or noted as evidence. In the text, a byte 0xFE or 0xFF stands for the hash of the first
// or second recording, which an answer must name.

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "backstitch/replay.h"
#include "base/tool.h"
#include "diagnose/doctor/doctor_steps.h"
#include "duel_recordings.h"

int LLVMFuzzerInitialize(int *argc, char ***argv);
int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t count);

enum { TEXT_BYTES_MAX = 16384, HASH_BYTES = 17 };

static duel_recording recordings[2];
static doctor_case opened; ///< the case before any answer

static void must(bool is_so)
{
    if (!is_so) {
        abort();
    }
}

int LLVMFuzzerInitialize(int *argc, char ***argv)
{
    (void)argc;
    (void)argv;
    duel_recordings_make(recordings);
    must(doctor_open(&opened, "duel", duel_file("peer-0.bks"), duel_file("peer-1.bks")) == TOOL_OK);
    must(doctor_files_compare(&opened) == TOOL_OK);
    must(opened.hash_tick != BKS_TICK_NONE);
    return 0;
}

static size_t put_hashes(const uint8_t *bytes, size_t count, char text[TEXT_BYTES_MAX])
{
    size_t used = 0;
    for (size_t i = 0; i < count && used + HASH_BYTES < TEXT_BYTES_MAX; i++) {
        if (bytes[i] >= 0xFE) {
            const duel_recording *of = &recordings[bytes[i] - 0xFE];
            used += (size_t)snprintf(text + used, HASH_BYTES, "%016llx",
                                     (unsigned long long)bks_hash64(of->bytes, of->count, 0));
        } else {
            text[used++] = (char)bytes[i];
        }
    }
    return used;
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t count)
{
    static char text[TEXT_BYTES_MAX];
    static doctor_case c;
    const args_list answers = {.count = 1, .items = {duel_file("answer")}};
    duel_file_write("answer", (const uint8_t *)text, put_hashes(bytes, count, text));
    c = opened;
    const int status = doctor_answer_take(&c, &answers);
    must(status == TOOL_OK || status == TOOL_DAMAGED || status == TOOL_MISUSE);
    must((status == TOOL_OK) == (c.evidence_count > opened.evidence_count));
    for (uint32_t i = 0; i < c.evidence_count; i++) {
        must(memchr(c.evidence[i].text, '\0', sizeof(c.evidence[i].text)) != NULL);
    }
    (void)doctor_proof_answers(&c, NULL); // no side was stepped here, so nothing is played again
    return 0;
}

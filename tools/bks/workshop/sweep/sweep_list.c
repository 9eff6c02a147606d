// SPDX-License-Identifier: MIT

#define _GNU_SOURCE

#include "workshop/sweep/sweep_list.h"

#include <inttypes.h>
#include <stdio.h>
#include <sys/mman.h>

#include "backstitch/base.h"
#include "base/args.h"
#include "base/tool.h"

enum { SEEDS_MAX = 1000000 };

int sweep_list_open(uint64_t first, uint64_t last, sweep_list *out)
{
    *out = (sweep_list){.first = first, .count = last - first + 1};
    if (out->count > SEEDS_MAX) {
        tool_complain("--each", "has %" PRIu64 " seeds, expected at most %d", out->count,
                      SEEDS_MAX);
        return TOOL_MISUSE;
    }
    void *rows = mmap(NULL, out->count * sizeof(*out->rows), PROT_READ | PROT_WRITE,
                      MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (rows == MAP_FAILED) {
        tool_complain("--each", "no memory to share for %" PRIu64 " seeds", out->count);
        return TOOL_DAMAGED;
    }
    out->rows = rows;
    return ARGS_GO;
}

void sweep_list_close(sweep_list *list)
{
    if (list->rows != NULL) {
        (void)munmap(list->rows, list->count * sizeof(*list->rows));
        list->rows = NULL;
    }
}

void sweep_list_note(const sweep_list *list, uint64_t seed, const bks_oracle_verdict *verdict)
{
    const bks_lab_result *result = &verdict->result;
    sweep_row row = {.is_there = true,
                     .has_final_hash = result->has_final_hash,
                     .final_hash = result->final_hash,
                     .packets = result->packets,
                     .bytes = result->packet_bytes,
                     .packet_digest = result->packet_digest,
                     .recording_digest = verdict->recorded};
    for (uint32_t i = 0; i < result->peer_count; i++) {
        row.ticks += (uint64_t)result->peers[i].ticks;
    }
    list->rows[seed - list->first] = row;
}

static void print_row(uint64_t seed, const sweep_row *row)
{
    // Text that is printed instead of the last state's hash if no peer is left.
    char hash[17] = "-";
    if (row->has_final_hash) {
        snprintf(hash, sizeof(hash), "%016" PRIx64, row->final_hash);
    }
    printf("%" PRIu64 " %s %" PRIu64 " %" PRIu64 " %" PRIu64 " %016" PRIx64 " %016" PRIx64 "\n",
           seed, hash, row->ticks, row->packets, row->bytes, row->packet_digest,
           row->recording_digest);
}

void sweep_list_print(const sweep_list *list, uint64_t last)
{
    for (uint64_t i = 0; i < list->count && list->first + i <= last; i++) {
        if (list->rows[i].is_there) {
            print_row(list->first + i, &list->rows[i]);
        }
    }
}

static void write_row(uint64_t seed, const sweep_row *row, json *out)
{
    json_object(out, NULL);
    json_uint(out, "seed", seed);
    json_hash_if(out, "final_hash", row->has_final_hash, row->final_hash);
    json_uint(out, "ticks", row->ticks);
    json_uint(out, "packets", row->packets);
    json_uint(out, "bytes", row->bytes);
    json_hash(out, "packet_digest", row->packet_digest);
    json_hash(out, "recording_digest", row->recording_digest);
    json_close(out);
}

void sweep_list_json(const sweep_list *list, uint64_t last, json *out)
{
    json_array(out, "each");
    for (uint64_t i = 0; i < list->count && list->first + i <= last; i++) {
        if (list->rows[i].is_there) {
            write_row(list->first + i, &list->rows[i], out);
        }
    }
    json_close(out);
}

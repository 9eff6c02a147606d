// SPDX-License-Identifier: MIT

// Measures how many bytes a second a player's inputs take, coded in several ways.

#define _GNU_SOURCE

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>
#include <zstd.h>

#include "base/args.h"
#include "base/json.h"
#include "base/report.h"
#include "base/tool.h"
#include "input/codec.h"
#include "input/model.h"
#include "workshop/bench/bench.h"
#include "workshop/bench/bench_matches.h"

typedef enum coding {
    CODED_RAW,     ///< all bits of each input, changed or not
    CODED_FIEDLER, ///< a bit that says if the input changed, then all bits of the input
    /// For each group of fields, a bit that says if the group changed, then the group's bits.
    CODED_INVERSUS,
    /// The library's plain code: a bit that says if the input changed, then the input coded as
    /// CODED_INVERSUS.
    CODED_TWO_LEVEL,
    CODED_ZLIB,   ///< the packed inputs, compressed by zlib at level 9
    CODED_ZSTD,   ///< the packed inputs, compressed by zstd at level 19
    CODED_LEARNT, ///< the library's adaptive model of the player
    CODINGS,
} coding;

/// Sums over all coded inputs.
typedef struct code_count {
    double bytes[CODINGS];
    double plain_ns;  ///< time to code all inputs by the plain code, in ns
    double encode_ns; ///< time to code all inputs by the adaptive model, in ns
    double decode_ns; ///< time to decode all inputs by the adaptive model, in ns
} code_count;

/// Room for one coded input, in bytes: four times the largest packed input, which is more than any
/// of the codes needs.
#define CODE_BYTES_MAX (4u * BKSI_INPUT_BYTES_MAX)

/// Inputs of one player in a match.
typedef struct player {
    bksi_layout layout;
    size_t ticks;
    uint8_t *inputs; ///< packed inputs of the player, by tick
    uint8_t *coded;  ///< buffer for the inputs in any of the codings, reused for each
    size_t coded_bytes;
    bksi_model *model;
} player;

static const uint8_t *input_at(const player *p, size_t tick)
{
    return p->inputs + tick * p->layout.bytes;
}

static const uint8_t *before(const player *p, size_t tick)
{
    return tick == 0 ? p->layout.neutral : input_at(p, tick - 1);
}

/// Return how many bits the groups of fields have that changed from one input to the next.
static uint32_t changed_bits(const player *p, const uint8_t *was, const uint8_t *is)
{
    int32_t old_values[BKS_FIELDS_MAX];
    int32_t new_values[BKS_FIELDS_MAX];
    bksi_layout_unpack(&p->layout, was, old_values);
    bksi_layout_unpack(&p->layout, is, new_values);
    uint32_t bits = 0;
    for (uint32_t group = 0; group < p->layout.group_count; group++) {
        const uint32_t first = p->layout.group_first[group];
        const uint32_t fields = p->layout.group_first[group + 1] - first;
        if (memcmp(&old_values[first], &new_values[first], fields * sizeof(int32_t)) != 0) {
            bits += p->layout.group_bits[group];
        }
    }
    return bits;
}

static void count_plain(const player *p, code_count *count)
{
    double fiedler = 0;
    double inversus = 0;
    for (size_t tick = 0; tick < p->ticks; tick++) {
        const bool is_same = memcmp(before(p, tick), input_at(p, tick), p->layout.bytes) == 0;
        fiedler += 1 + (is_same ? 0 : p->layout.bits);
        inversus += p->layout.group_count +
                    (is_same ? 0 : changed_bits(p, before(p, tick), input_at(p, tick)));
    }
    count->bytes[CODED_RAW] += (double)(p->ticks * p->layout.bits) / 8;
    count->bytes[CODED_FIEDLER] += fiedler / 8;
    count->bytes[CODED_INVERSUS] += inversus / 8;
    bksi_bit_writer writer = bksi_bit_writer_over(p->coded, p->coded_bytes);
    const double begun_ns = bench_cpu_ns();
    for (size_t tick = 0; tick < p->ticks; tick++) {
        bksi_codec_write(&writer, &p->layout, before(p, tick), input_at(p, tick));
    }
    count->plain_ns += bench_cpu_ns() - begun_ns;
    count->bytes[CODED_TWO_LEVEL] += (double)writer.at_bits / 8;
}

static bks_status count_packers(const player *p, code_count *count, bks_error *error)
{
    const size_t bytes = p->ticks * p->layout.bytes;
    uLongf zlib_bytes = (uLongf)p->coded_bytes;
    const bool has_zlib =
        compress2(p->coded, &zlib_bytes, p->inputs, (uLong)bytes, Z_BEST_COMPRESSION) == Z_OK;
    const size_t zstd_bytes = ZSTD_compress(p->coded, p->coded_bytes, p->inputs, bytes, 19);
    if (!has_zlib || ZSTD_isError(zstd_bytes)) {
        return bksi_fail(error, BKS_ERR_OUT_OF_MEMORY, "bench", NULL, "no memory to compress");
    }
    count->bytes[CODED_ZLIB] += (double)zlib_bytes;
    count->bytes[CODED_ZSTD] += (double)zstd_bytes;
    return BKS_OK;
}

static bks_status count_learnt(const player *p, code_count *count, bks_error *error)
{
    bksi_range_encoder encoder;
    bksi_range_encoder_init(&encoder, p->coded, p->coded_bytes);
    bksi_model_init(p->model, &p->layout);
    double begun_ns = bench_cpu_ns();
    for (size_t tick = 0; tick < p->ticks; tick++) {
        bksi_model_encode(p->model, &p->layout, &encoder, input_at(p, tick));
    }
    count->encode_ns += bench_cpu_ns() - begun_ns;
    const size_t bytes = bksi_range_encoder_finish(&encoder);
    count->bytes[CODED_LEARNT] += (double)bytes;

    bksi_range_decoder decoder;
    bksi_range_decoder_init(&decoder, p->coded, bytes);
    bksi_model_init(p->model, &p->layout);
    bool is_same = true;
    begun_ns = bench_cpu_ns();
    for (size_t tick = 0; tick < p->ticks; tick++) {
        uint8_t packed[BKSI_INPUT_BYTES_MAX];
        bksi_model_decode(p->model, &p->layout, &decoder, packed);
        is_same = is_same && memcmp(packed, input_at(p, tick), p->layout.bytes) == 0;
    }
    count->decode_ns += bench_cpu_ns() - begun_ns;
    if (encoder.failed || !is_same || !bksi_range_decoder_is_done(&decoder)) {
        return bksi_fail(error, BKS_ERR_DAMAGED, "bench", NULL, "inputs did not come back");
    }
    return BKS_OK;
}

static bks_status code_player(const player *p, code_count *count, bks_error *error)
{
    count_plain(p, count);
    bks_status status = count_packers(p, count, error);
    if (status == BKS_OK) {
        status = count_learnt(p, count, error);
    }
    return status;
}

/// Code one match in every way, and decode what the model coded.
/// @return BKS_OK, BKS_ERR_BAD_CONFIG, BKS_ERR_OUT_OF_MEMORY, BKS_ERR_DAMAGED (decoding gave
///         other inputs)
static bks_status code_match(const played_match *match, const bks_field *fields,
                             uint32_t field_count, code_count *count, bks_error *error)
{
    player p = {.ticks = (size_t)match->ticks};
    bks_status status = bksi_layout_init(&p.layout, fields, field_count, error);
    if (status != BKS_OK) {
        return status;
    }
    p.inputs = malloc(p.ticks * p.layout.bytes);
    p.coded_bytes = p.ticks * CODE_BYTES_MAX + ZSTD_compressBound(p.ticks * p.layout.bytes);
    p.coded = malloc(p.coded_bytes);
    p.model = malloc(bksi_model_bytes(&p.layout));
    if (p.inputs == NULL || p.coded == NULL || p.model == NULL) {
        status = bksi_fail(error, BKS_ERR_OUT_OF_MEMORY, "bench", NULL, "no memory for a match");
    }
    for (uint32_t i = 0; i < match->players && status == BKS_OK; i++) {
        for (size_t tick = 0; tick < p.ticks; tick++) {
            const size_t input = tick * match->players + i;
            bksi_layout_pack_clamped(&p.layout, match->values + input * field_count,
                                     p.inputs + tick * p.layout.bytes);
        }
        status = code_player(&p, count, error);
    }
    free(p.inputs);
    free(p.coded);
    free(p.model);
    return status;
}

static const char *const coding_names[CODINGS] = {"raw",  "Fiedler",  "INVERSUS", "two-level",
                                                  "zlib", "zstd -19", "adaptive"};
static const char *const coding_keys[CODINGS] = {"raw",  "fiedler", "inversus", "two_level",
                                                 "zlib", "zstd_19", "adaptive"};

/// Bytes a second below which the adaptive code must stay, for matches of known games: 1.1 times
/// the ideal code length of a range coder with small contexts.
static const struct {
    const char *group;
    double bytes_per_s;
} limits[] = {{"slippi", 45.65}, {"doom", 14.85}, {"heretic", 18.04}};

/// Return the limit of a group of matches in bytes a second; 0: the group has no limit.
static double limit_of(const char *group)
{
    for (uint32_t i = 0; i < ARGS_COUNT(limits); i++) {
        if (strcmp(limits[i].group, group) == 0) {
            return limits[i].bytes_per_s;
        }
    }
    return 0;
}

/// State of the benchmark of input codes.
typedef struct codec_bench {
    const bench_matches *played;
    code_count count; ///< sums over all coded inputs of one game
} codec_bench;

static bks_status measure(void *context, uint32_t index, bool is_first, bks_error *error)
{
    codec_bench *b = context;
    const bks_game *game = b->played->game;
    b->count = is_first ? (code_count){0} : b->count;
    return code_match(&b->played->matches[index], game->fields, game->field_count, &b->count,
                      error);
}

static double per_second(const code_count *count, const bench_game *game, coding coded)
{
    return game->player_seconds > 0 ? count->bytes[coded] / game->player_seconds : 0;
}

static double per_input(const bench_game *game, double ns)
{
    return game->inputs > 0 ? ns / (double)game->inputs : 0;
}

static void print_game(const void *context, const bench_game *game)
{
    const code_count *count = &((const codec_bench *)context)->count;
    printf("  code          bytes/s   against two-level\n");
    for (coding coded = 0; coded < CODINGS; coded++) {
        printf("  %-10s %10.1f   %15.0f %%\n", coding_names[coded], per_second(count, game, coded),
               100.0 * count->bytes[coded] / count->bytes[CODED_TWO_LEVEL]);
    }
    if (limit_of(game->first->group) > 0) {
        printf("  %-10s %10.1f   for adaptive\n", "limit", limit_of(game->first->group));
    }
    printf("  an input takes %.0f ns to encode and %.0f to decode, two-level %.0f\n",
           per_input(game, count->encode_ns), per_input(game, count->decode_ns),
           per_input(game, count->plain_ns));
}

static void json_game(const void *context, const bench_game *game, json *out)
{
    const code_count *count = &((const codec_bench *)context)->count;
    json_object(out, "bytes_per_s");
    for (coding coded = 0; coded < CODINGS; coded++) {
        json_number(out, coding_keys[coded], per_second(count, game, coded), 2);
    }
    json_close(out);
    if (limit_of(game->first->group) > 0) {
        json_number(out, "adaptive_limit", limit_of(game->first->group), 2);
    }
    json_number(out, "two_level_ns", per_input(game, count->plain_ns), 1);
    json_number(out, "encode_ns", per_input(game, count->encode_ns), 1);
    json_number(out, "decode_ns", per_input(game, count->decode_ns), 1);
}

static int parse(int argc, char **argv, args_list *files, const char **game, bool *is_json)
{
    const args_option options[] = {
        BENCH_GAME_OPTION(game),
        ARGS_JSON(is_json),
    };
    const args_spec spec = {
        .command = "bench codec",
        .usage = "[options] [FILE...]",
        .about =
            "Print how many bytes a second a player's recorded inputs take, coded in several ways\n"
            "without packet headers. The inputs are those of the files, or of every input log in\n"
            "the folder that BKS_TRACES names, and a scripted one. Files whose names are the same\n"
            "up to the first _ count as one game.",
        ARGS_OPTIONS(options),
        ARGS_POSITIONALS(files, 0, ARGS_LIST_MAX),
    };
    return args_parse(&spec, argc, argv);
}

int bench_codec(int argc, char **argv)
{
    args_list files = {0};
    const char *game_name = NULL;
    bool is_json = false;
    int status = parse(argc, argv, &files, &game_name, &is_json);
    if (status != ARGS_GO) {
        return status;
    }
    const char *folder = getenv("BKS_TRACES");
    if (files.count == 0 && (folder == NULL || folder[0] == '\0')) {
        (void)fprintf(stderr, "bks: codec: no files named and no BKS_TRACES, so only the scripted "
                              "inputs\n");
    }
    bench_matches *played = NULL;
    status = bench_matches_open("codec", game_name, &files, &played);
    if (status == TOOL_OK) {
        codec_bench b = {.played = played};
        const bench_games games = {.name = "codec",
                                   .context = &b,
                                   .measure = measure,
                                   .print = print_game,
                                   .json = json_game};
        status = bench_games_measure(played, &games, is_json);
    }
    bench_matches_close(played);
    return status;
}

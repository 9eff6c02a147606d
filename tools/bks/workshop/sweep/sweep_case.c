// SPDX-License-Identifier: MIT

#include "workshop/sweep/sweep_case.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/tool.h"
#include "game/source.h"

#define MS_NS      UINT64_C(1000000)
#define TENTHS_PPM 1000u

/// Text that grows, and is cut off at the end of its buffer.
typedef struct text {
    char *bytes;
    size_t capacity;
    size_t at;
} text;

static void add(text *to, const char *format, ...) BKS_PRINTF(2, 3);

static void add(text *to, const char *format, ...)
{
    if (to->at >= to->capacity) {
        return;
    }
    va_list arguments;
    va_start(arguments, format);
    const int count = vsnprintf(to->bytes + to->at, to->capacity - to->at, format, arguments);
    va_end(arguments);
    to->at += count > 0 ? (size_t)count : 0;
}

// ---- parts of the command line of `bks lab` ----

static void add_share(text *to, const char **before, const char *name, uint32_t ppm)
{
    if (ppm > 0) {
        const uint32_t tenths = ppm / TENTHS_PPM;
        add(to, "%s%s=%" PRIu32 ".%" PRIu32 "%%", *before, name, tenths / 10, tenths % 10);
        *before = ",";
    }
}

static void add_link(text *to, const bks_lab_link_spec *link)
{
    const char *before = "";
    if (link->delay_ns > 0) {
        add(to, "delay=%" PRIu64 "ms", link->delay_ns / MS_NS);
        before = ",";
    }
    if (link->jitter_ns > 0) {
        add(to, "%sjitter=%" PRIu64 "ms", before, link->jitter_ns / MS_NS);
        before = ",";
    }
    add_share(to, &before, "loss", link->loss_ppm);
    if (link->burst_packets > 0.0) {
        const uint32_t halves = (uint32_t)(link->burst_packets * 2.0);
        add(to, "%sburst=%" PRIu32 "%s", before, halves / 2, halves % 2 != 0 ? ".5" : "");
        before = ",";
    }
    add_share(to, &before, "dup", link->duplicate_ppm);
    add_share(to, &before, "reorder", link->reorder_ppm);
    if (link->hold_ns > 0) {
        add(to, "%shold=%" PRIu64 "ms", before, link->hold_ns / MS_NS);
        before = ",";
    }
    add_share(to, &before, "corrupt", link->corrupt_ppm);
    if (link->rate_bits_per_s > 0) {
        add(to, "%srate=%" PRIu64 "kbit", before, link->rate_bits_per_s / 1000);
        before = ",";
    }
    if (link->mtu_bytes > 0) {
        add(to, "%smtu=%" PRIu32, before, link->mtu_bytes);
        before = ",";
    }
    if (before[0] == '\0') {
        add(to, "perfect");
    }
}

static bool is_same_link(const bks_lab_link_spec *a, const bks_lab_link_spec *b)
{
    return a->delay_ns == b->delay_ns && a->jitter_ns == b->jitter_ns &&
           a->loss_ppm == b->loss_ppm && a->burst_packets == b->burst_packets &&
           a->duplicate_ppm == b->duplicate_ppm && a->reorder_ppm == b->reorder_ppm &&
           a->hold_ns == b->hold_ns && a->corrupt_ppm == b->corrupt_ppm &&
           a->rate_bits_per_s == b->rate_bits_per_s && a->mtu_bytes == b->mtu_bytes;
}

/// Return the spec that more links have than any other spec.
static bks_lab_link_spec common_link(const sweep_case *c)
{
    bks_lab_link_spec best = {0};
    uint32_t best_count = 0;
    for (uint32_t i = 0; i < c->peers * c->peers; i++) {
        const bks_lab_link_spec *link = &c->links[i / c->peers][i % c->peers];
        uint32_t count = 0;
        for (uint32_t k = 0; k < c->peers * c->peers; k++) {
            count += k / c->peers != k % c->peers &&
                             is_same_link(link, &c->links[k / c->peers][k % c->peers])
                         ? 1
                         : 0;
        }
        if (i / c->peers != i % c->peers && count > best_count) {
            best = *link;
            best_count = count;
        }
    }
    return best;
}

/// Add all links, each between `begin` and `end`.
static void add_links(text *to, const sweep_case *c, const char *begin, const char *end)
{
    const bks_lab_link_spec perfect = {0};
    const bks_lab_link_spec common = common_link(c);
    if (!is_same_link(&common, &perfect)) {
        add(to, "%s", begin);
        add_link(to, &common);
        add(to, "%s", end);
    }
    for (uint32_t from = 0; from < c->peers; from++) {
        for (uint32_t other = 0; other < c->peers; other++) {
            if (from != other && !is_same_link(&c->links[from][other], &common)) {
                add(to, "%s%" PRIu32 ">%" PRIu32 ":", begin, from, other);
                add_link(to, &c->links[from][other]);
                add(to, "%s", end);
            }
        }
    }
}

static void add_faults(text *to, const sweep_case *c, const char *begin, const char *end)
{
    for (uint32_t i = 0; i < c->fault_count; i++) {
        char fault[128];
        bks_lab_timed_print(&c->faults[i], fault, sizeof(fault));
        // Quote ">", which a shell would take for a redirection.
        const char *quote = c->faults[i].is_one_way && begin[0] != '\0' ? "'" : "";
        add(to, "%s%s%s%s%s", begin, quote, fault, quote, end);
    }
    for (uint32_t i = 0; i < c->flip_count; i++) {
        const sweep_flip *flip = &c->flips[i];
        add(to, "%sflip=%" PRIu32 "@%" PRId32 ":%s%s", begin, flip->peer,
            c->first_tick + flip->tick, flip->is_once ? "once" : "byte", end);
    }
}

/// Add an option that takes one number for all peers, or one for each. Add nothing if all numbers
/// have the default value.
static void add_numbers(text *to, const sweep_case *c, const char *option, const uint32_t *numbers,
                        uint32_t usual)
{
    bool are_same = true;
    for (uint32_t i = 1; i < c->peers; i++) {
        are_same = are_same && numbers[i] == numbers[0];
    }
    if (are_same && numbers[0] == usual) {
        return;
    }
    add(to, " %s ", option);
    for (uint32_t i = 0; i < (are_same ? 1 : c->peers); i++) {
        add(to, "%s", i > 0 ? "," : "");
        if (numbers[i] == BKS_AUTO) {
            add(to, "auto");
        } else {
            add(to, "%" PRIu32, numbers[i]);
        }
    }
}

bool sweep_case_is_lockstep(const sweep_case *c)
{
    for (uint32_t i = 0; i < c->peers; i++) {
        if (c->window_ticks[i] > 0) {
            return false;
        }
    }
    return true;
}

static void add_bulk(text *to, const sweep_case *c, const char *begin, const char *end)
{
    for (uint32_t i = 0; i < c->bulk_count; i++) {
        const bks_lab_bulk_spec *bulk = &c->bulk[i];
        add(to, "%s%" PRIu32 ">%" PRIu32 ":%" PRIu64 "@%" PRIu64 "ms%s", begin, bulk->from,
            bulk->to, bulk->bytes, bulk->at_ns / MS_NS, end);
    }
}

static void add_watchers(text *to, const sweep_case *c, const char *begin, const char *end)
{
    for (uint32_t i = 0; i < c->watcher_count; i++) {
        const bks_lab_watch_spec *watcher = &c->watchers[i];
        add(to, "%s%s%" PRIu32 "@%" PRIu64 "ms", begin, watcher->in_lobby ? "lobby:" : "",
            watcher->peer, watcher->at_ns / MS_NS);
        if (watcher->span_ns > 0) {
            add(to, "+%" PRIu64 "ms", watcher->span_ns / MS_NS);
        }
        add(to, ":");
        add_link(to, &watcher->line);
        add(to, "%s", end);
    }
}

static void add_session(text *to, const sweep_case *c)
{
    static const char *const saves[] = {"every", "two", "one", "auto"};
    static const char *const paces[] = {"slew", "stall", "none"};
    static const char *const policies[] = {"report", "stop", "resync"};
    if (c->first_tick != 0) {
        add(to, " --first-tick %" PRId32, c->first_tick);
    }
    if (c->rate_hz != 0) {
        add(to, " --hz %" PRIu32, c->rate_hz);
    }
    if (c->variant != 0) {
        add(to, " --with %s", game_variant_text(c->variant));
    }
    if (c->drop_after_ms != 5000) {
        add(to, " --drop-after %" PRIu32, c->drop_after_ms);
    }
    if (sweep_case_is_lockstep(c)) {
        add(to, " --mode lockstep");
    } else {
        add_numbers(to, c, "--window", c->window_ticks, 20);
    }
    add_numbers(to, c, "--delay", c->delay_ticks, BKS_AUTO);
    add_numbers(to, c, "--frames", c->frames_hz, 0);
    if (c->save != BKS_SAVE_AUTO) {
        add(to, " --save %s", saves[c->save]);
    }
    if (c->pace != BKS_PACE_SLEW) {
        add(to, " --pace %s", paces[c->pace]);
    }
    if (c->on_desync != BKS_ON_DESYNC_REPORT) {
        add(to, " --on-desync %s", policies[c->on_desync]);
    }
}

void sweep_case_line(const sweep_settings *settings, const sweep_case *c, char *out,
                     size_t capacity)
{
    text to = {out, capacity, 0};
    add(&to, "bks lab %s --peers %" PRIu32, settings->game_name, c->peers);
    uint32_t most = 1;
    for (uint32_t i = 0; i < c->peers; i++) {
        most = c->players_on[i] > most ? c->players_on[i] : most;
    }
    for (uint32_t i = 0; most > 1 && i < c->peers; i++) {
        add(&to, "%s%" PRIu32, i == 0 ? " --players-per-peer " : ",", c->players_on[i]);
    }
    add(&to, " --ticks %" PRId32 " --seed %" PRIu64, c->first_tick + c->ticks, c->seed);
    add_session(&to, c);
    for (uint32_t i = 0; i < settings->given_options.count; i++) {
        add(&to, " --option '%s'", settings->given_options.items[i]);
    }
    for (uint32_t i = 0; i < settings->inputs.count; i++) {
        add(&to, " --input '%s'", settings->inputs.items[i]);
    }
    add_links(&to, c, " --link '", "'");
    add_faults(&to, c, " --fault ", "");
    add_bulk(&to, c, " --bulk '", "'");
    add_watchers(&to, c, " --watch '", "'");
    if (c->watcher_count > 0 && c->places != SWEEP_PLACES) {
        add(&to, " --watchers %" PRIu32, c->places);
    }
    add(&to, " --strict");
    if (settings->plant != NULL) {
        add(&to, " --plant %s", settings->plant);
    }
}

// ---- running a match in the lab ----

/// Return the config of the lab for a match.
/// @param game  game with the rate and variant of the match, which must outlive the config
static bks_lab_config config_of(const sweep_settings *settings, const sweep_case *c,
                                const bks_game *game)
{
    bks_lab_config config = bks_lab_config_default();
    config.game = game;
    config.map = settings->map;
    config.options = settings->options;
    config.has_options = true;
    // Use any constant: the game's own build id would change with each compilation.
    config.build = "sweep";
    config.peers = c->peers;
    memcpy(config.players_on, c->players_on, sizeof(config.players_on));
    for (uint32_t i = c->peers; i < BKS_PEERS_MAX; i++) {
        config.players_on[i] = 1;
    }
    config.first_tick = c->first_tick;
    config.ticks = c->first_tick + c->ticks;
    config.seed = c->seed;
    config.tuning.save = c->save;
    config.tuning.pace = c->pace;
    config.tuning.on_desync = c->on_desync;
    config.tuning.drop_after_ms = c->drop_after_ms;
    config.tuning.bulk_bytes = c->bulk_count > 0 ? BKS_LAB_BULK_BUFFER_BYTES : 0;
    config.watchers = c->places;
    config.own_tunings = (1u << c->peers) - 1;
    for (uint32_t i = 0; i < c->peers; i++) {
        config.tunings[i] = config.tuning;
        config.tunings[i].window_ticks = c->window_ticks[i];
        config.tunings[i].delay_ticks = c->delay_ticks[i];
        config.frames_hz[i] = c->frames_hz[i];
    }
    return config;
}

bool sweep_case_may_repair(const sweep_settings *settings)
{
    bks_lab_config config = bks_lab_config_default();
    bks_lab *lab = NULL;
    config.game = settings->game;
    config.options = settings->options;
    config.has_options = true;
    config.ticks = 1;
    config.tuning.on_desync = BKS_ON_DESYNC_RESYNC;
    const bool may = bks_lab_create(&config, &lab, NULL) == BKS_OK;
    bks_lab_destroy(lab);
    return may;
}

/// Split a text into lines, in place.
static void split_lines(char *lines, args_list *out)
{
    out->count = 0;
    for (char *at = lines; *at != '\0' && out->count < ARGS_LIST_MAX;) {
        out->items[out->count++] = at;
        at += strcspn(at, "\n");
        if (*at != '\0') {
            *at++ = '\0';
        }
    }
}

int sweep_case_run(const sweep_settings *settings, const sweep_case *c, bks_oracle_verdict *out)
{
    static args_list links;
    static args_list faults;
    static args_list streams;
    static args_list watchers;
    static char link_lines[SWEEP_TEXT_BYTES];
    static char fault_lines[SWEEP_TEXT_BYTES];
    static char stream_lines[SWEEP_TEXT_BYTES];
    static char watcher_lines[SWEEP_TEXT_BYTES];
    link_lines[0] = '\0';
    fault_lines[0] = '\0';
    stream_lines[0] = '\0';
    watcher_lines[0] = '\0';
    text to = {link_lines, sizeof(link_lines), 0};
    add_links(&to, c, "", "\n");
    to = (text){fault_lines, sizeof(fault_lines), 0};
    add_faults(&to, c, "", "\n");
    to = (text){stream_lines, sizeof(stream_lines), 0};
    add_bulk(&to, c, "", "\n");
    to = (text){watcher_lines, sizeof(watcher_lines), 0};
    add_watchers(&to, c, "", "\n");
    split_lines(link_lines, &links);
    split_lines(fault_lines, &faults);
    split_lines(stream_lines, &streams);
    split_lines(watcher_lines, &watchers);

    uint32_t players = 0;
    for (uint32_t i = 0; i < c->peers; i++) {
        players += c->players_on[i];
    }
    source_set *sources = NULL;
    const source_env env = {.game = settings->game, .players = players, .seed = c->seed};
    int status = source_set_open(&settings->inputs, "monkey", &env, &sources);
    if (status == TOOL_OK) {
        status = source_set_check(sources, 0, players, c->first_tick + c->ticks);
    }
    bks_game game = *settings->game;
    game.tick_rate_hz = sweep_case_rate_hz(settings, c);
    bks_game variant;
    status = status == TOOL_OK ? game_variant_make(&game, &settings->options, c->variant, &variant)
                               : status;
    if (status == TOOL_OK) {
        bks_oracle_match match = {.config = config_of(settings, c, &variant),
                                  .links = links.items,
                                  .link_count = links.count,
                                  .faults = faults.items,
                                  .fault_count = faults.count,
                                  .streams = streams.items,
                                  .stream_count = streams.count,
                                  .watchers = watchers.items,
                                  .watcher_count = watchers.count,
                                  .is_scripted = source_set_is_scripted(sources, players),
                                  .is_repeated = c->is_twice,
                                  .rewind = source_set_rewind_context,
                                  .rewind_context = sources};
        for (uint32_t i = 0; i < players; i++) {
            match.config.sources[i] = source_set_source(sources);
        }
        bks_error error = {0};
        if (bks_oracle_run(&match, out, &error) != BKS_OK) {
            tool_complain_error("sweep", &error);
            status = TOOL_MISUSE;
        }
    }
    source_set_close(sources);
    return status;
}

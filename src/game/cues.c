// SPDX-License-Identifier: MIT

// A ring holds for each tick its asks: the cues that the last step of the tick asked for. When a
// tick is stepped again, its reported cues are withdrawn. At the end of the update each new ask
// takes back a withdrawn cue that is the same, if there is one. To pair asks and withdrawn cues,
// both are sorted by key and tick, and only equal keys are paired. An ask and a cue are paired if
// their distance in ticks is at most that by which the cue may move. First as many as possible are
// paired, in the order of ticks. Then an ask is paired with a nearer cue if all others stay paired.
// A cue that no ask takes back is cancelled once the last tick that could ask for it was stepped.
// Until then it stays withdrawn, because a tick that is not stepped yet may still ask for it.

#include "backstitch/present.h"

#include <stdatomic.h>
#include <string.h>

#include "base/memory.h"
#include "base/mutant.h"
#include "base/report.h"
#include "game/cues_check.h"

typedef struct cue {
    uint64_t key;
    uint64_t serial; ///< number under which the cue was reported; 0: it was not reported
    /// Within an update: the cue that an ask is paired with, or the ask that a withdrawn cue is
    /// paired with.
    struct cue *partner;
    bks_tick tick;
    uint32_t id;
    uint32_t bytes;
    uint8_t payload[BKS_CUE_BYTES_MAX];
} cue;

typedef struct cue_tick {
    bks_tick tick; ///< tick of the entry; BKS_TICK_NONE: the entry is empty
    uint32_t count;
    bool is_visited; ///< true if the tick was stepped in this update
} cue_tick;

struct bks_cues {
    bks_cues_config config;
    cue_tick *ring; ///< ring of ticks, by tick modulo config.ticks
    cue *asked;     ///< asks: room for config.per_tick for each entry of `ring`
    cue *withdrawn; ///< withdrawn cues, as many as `asked` has room for
    uint32_t withdrawn_count;
    uint32_t waiting_count; ///< number of withdrawn cues left over from earlier updates
    uint32_t evicted_count; ///< number of withdrawn cues that this update gave up, to make room
    uint32_t line_count;    ///< number of sorted asks in the first line (array) of `lines`
    /// Three lines (arrays): sorted asks, sorted withdrawn cues, and room for sorting. Each has
    /// room for as many pointers as `asked` has room for cues.
    cue **lines;
    bks_cue_event *events; ///< ring of events for the caller
    uint32_t event_first;
    uint32_t event_count;
    cue_tick *open;        ///< tick that is being stepped, NULL: none
    bool is_past;          ///< true if the tick being stepped is before `first`
    bks_tick first;        ///< first tick whose cues are reported; earlier ones are ignored
    bks_tick newest;       ///< newest tick stepped; first - 1: no tick was stepped yet
    bks_tick visited_from; ///< first tick stepped in this update
    /// One past the last tick stepped in this update; equal to visited_from: no tick was stepped.
    bks_tick visited_until;
    bks_tick seen;      ///< one past the newest tick whose BKS_CUE_SEEN cues are reported
    bks_tick confirmed; ///< first tick whose BKS_CUE_CONFIRMED cues are not reported yet
    uint64_t serial;    ///< serial of the newest reported cue
    uint64_t lost;
    bool has_warned_lost;  ///< true if the loss of a cue was logged, so no other is logged
    bool has_warned_wrong; ///< true if a wrong cue was logged, so no other is logged
};

// ---- create ----

static size_t room_of(const bks_cues_config *config)
{
    return (size_t)config->ticks * config->per_tick;
}

/// Return the most events of one update. It may report each cue of the ring once, and cancel each
/// cue in `withdrawn`, which has room for as many.
static uint32_t event_room(const bks_cues *cues)
{
    return 2 * cues->config.per_tick * cues->config.ticks;
}

/// Return true if a step of the game may ask for cues. bks_refuse() asks for one.
static bool has_cues(const bks_game *game)
{
    return game->cue_count > 0 || game->command_bytes_max > 0;
}

static bks_status check(const bks_cues_config *config, bks_error *error)
{
    static const char call[] = "bks_cues_create";
    if (config->game == NULL) {
        return bksi_fail_null(error, call, "game");
    }
    if (!has_cues(config->game)) {
        return bksi_fail(error, BKS_ERR_BAD_CONFIG, call, "game",
                         "%s has neither cues nor commands: bks_game.cues names none, and "
                         "command_bytes_max is 0",
                         config->game->name);
    }
    if (config->per_tick < 1 || config->per_tick > BKS_CUES_PER_TICK_MAX) {
        return bksi_fail(error, BKS_ERR_BAD_CONFIG, call, "per_tick",
                         "per_tick is %u, must be 1..%d", config->per_tick, BKS_CUES_PER_TICK_MAX);
    }
    if (config->ticks < 1 || config->ticks > BKS_CUES_TICKS_MAX) {
        return bksi_fail(error, BKS_ERR_BAD_CONFIG, call, "ticks", "ticks is %u, must be 1..%d",
                         config->ticks, BKS_CUES_TICKS_MAX);
    }
    if (!bksi_allocator_ok(&config->allocator)) {
        return bksi_fail(error, BKS_ERR_BAD_CONFIG, call, "allocator",
                         "allocator has one of alloc and release, must have both or neither");
    }
    return BKS_OK;
}

bks_status bksi_cues_per_tick_check(const bks_game *game, uint32_t cues_per_tick, const char *call,
                                    bks_error *error)
{
    if (cues_per_tick > BKS_CUES_PER_TICK_MAX) {
        return bksi_fail(error, BKS_ERR_BAD_CONFIG, call, "cues_per_tick",
                         "cues_per_tick is %u, must be 0..%d", cues_per_tick,
                         BKS_CUES_PER_TICK_MAX);
    }
    if (cues_per_tick > 0 && !has_cues(game)) {
        return bksi_fail(error, BKS_ERR_BAD_CONFIG, call, "cues_per_tick",
                         "cues_per_tick is %u, must be 0 with %s, which has neither cues nor "
                         "commands: bks_game.cues names none, and command_bytes_max is 0",
                         cues_per_tick, game->name);
    }
    return BKS_OK;
}

bks_status bks_cues_create(const bks_cues_config *config, bks_cues **out, bks_error *error)
{
    static const char call[] = "bks_cues_create";
    BKSI_REFUSE_NULL(error, out);
    *out = NULL;
    BKSI_REFUSE_NULL(error, config);
    BKSI_TRY(check(config, error));
    const bks_allocator *allocator = &config->allocator;
    bks_cues *cues = bksi_alloc(allocator, sizeof(*cues), _Alignof(bks_cues));
    if (cues != NULL) {
        cues->config = *config;
        cues->ring = bksi_alloc(allocator, config->ticks * sizeof(cue_tick), _Alignof(cue_tick));
        cues->asked = bksi_alloc(allocator, room_of(config) * sizeof(cue), _Alignof(cue));
        cues->withdrawn = bksi_alloc(allocator, room_of(config) * sizeof(cue), _Alignof(cue));
        cues->lines = bksi_alloc(allocator, 3 * room_of(config) * sizeof(cue *), _Alignof(cue *));
        cues->events = bksi_alloc(allocator, event_room(cues) * sizeof(bks_cue_event),
                                  _Alignof(bks_cue_event));
    }
    if (cues == NULL || cues->ring == NULL || cues->asked == NULL || cues->withdrawn == NULL ||
        cues->lines == NULL || cues->events == NULL) {
        bks_cues_destroy(cues);
        return bksi_fail(error, BKS_ERR_OUT_OF_MEMORY, call, "allocator",
                         "no memory for %u cues in each of %u ticks", config->per_tick,
                         config->ticks);
    }
    bks_cues_reset(cues, 0);
    *out = cues;
    return BKS_OK;
}

void bks_cues_destroy(bks_cues *cues)
{
    if (cues == NULL) {
        return;
    }
    const bks_cues_config config = cues->config;
    const bks_allocator *allocator = &config.allocator;
    bksi_free(allocator, cues->ring, config.ticks * sizeof(cue_tick));
    bksi_free(allocator, cues->asked, room_of(&config) * sizeof(cue));
    bksi_free(allocator, cues->withdrawn, room_of(&config) * sizeof(cue));
    bksi_free(allocator, cues->lines, 3 * room_of(&config) * sizeof(cue *));
    bksi_free(allocator, cues->events, event_room(cues) * sizeof(bks_cue_event));
    bksi_free(allocator, cues, sizeof(*cues));
}

static bks_tick within(bks_tick tick, bks_tick most)
{
    return tick < 0 ? 0 : tick > most ? most : tick;
}

void bks_cues_reset(bks_cues *cues, bks_tick tick)
{
    BKSI_REFUSE_NULL_OR(, cues);
    tick = within(tick, BKS_CUES_TICK_MAX);
    for (uint32_t i = 0; i < cues->config.ticks; i++) {
        cues->ring[i] = (cue_tick){.tick = BKS_TICK_NONE};
    }
    cues->withdrawn_count = 0;
    cues->waiting_count = 0;
    cues->evicted_count = 0;
    cues->event_first = 0;
    cues->event_count = 0;
    cues->open = NULL;
    cues->is_past = false;
    cues->first = tick;
    cues->newest = tick - 1;
    cues->visited_from = tick;
    cues->visited_until = tick;
    cues->seen = tick;
    cues->confirmed = tick;
}

/// Return when a cue is reported. A refused command is reported when its tick is confirmed.
static bks_cue_when when_of(const bks_cues *cues, const cue *about)
{
    return about->id == BKS_CUE_REFUSED ? BKS_CUE_CONFIRMED
                                        : cues->config.game->cues[about->id].when;
}

// ---- losses ----

/// Count a lost cue or refusal, and say the first time why.
/// @param id  id of the cue; 0 if it is not known
static void lose(bks_cues *cues, uint32_t id, const char *why)
{
    const bool is_refusal = id == BKS_CUE_REFUSED || cues->config.game->cue_count == 0;
    cues->lost++;
    if (!cues->has_warned_lost) {
        cues->has_warned_lost = true;
        bksi_log(BKS_LOG_WARNING, "game.cues", "a %s of %s is lost: %s",
                 is_refusal ? "refusal (bks_refuse)" : "cue", cues->config.game->name, why);
    }
}

static void raise(bks_cues *cues, bks_cue_event_kind kind, const cue *about)
{
    const uint32_t room = event_room(cues);
    if (cues->event_count == room) {
        lose(cues, cues->events[cues->event_first].id,
             "no one takes the events, call bks_match_cue() or bks_cues_next() after each update");
        cues->event_first = (cues->event_first + 1) % room;
        cues->event_count--;
    }
    bks_cue_event *event = &cues->events[(cues->event_first + cues->event_count) % room];
    cues->event_count++;
    *event = (bks_cue_event){
        .kind = kind,
        .id = about->id,
        .key = about->key,
        .tick = about->tick,
        .late_ticks = (uint32_t)(cues->newest - about->tick),
        .serial = about->serial,
        .bytes = about->bytes,
    };
    memcpy(event->payload, about->payload, sizeof(event->payload));
}

// ---- order ----

static int compare_ticks(const cue *a, const cue *b)
{
    return a->tick < b->tick ? -1 : a->tick > b->tick;
}

static int compare_keys(const cue *a, const cue *b)
{
    if (a->id != b->id) {
        return a->id < b->id ? -1 : 1;
    }
    return a->key < b->key ? -1 : a->key > b->key;
}

static int compare(const cue *a, const cue *b)
{
    const int keys = compare_keys(a, b);
    return keys != 0 ? keys : compare_ticks(a, b);
}

typedef int compare_fn(const cue *a, const cue *b);

/// Merge two neighbouring sorted parts of the array `line`; of equal cues those of the left part
/// come first.
static void merge(cue **line, size_t left, size_t count, cue **spare, compare_fn *compared)
{
    memcpy(spare, line, left * sizeof(*spare));
    size_t from_left = 0;
    size_t from_right = left;
    for (size_t i = 0; from_left < left; i++) {
        const bool is_right =
            from_right < count && compared(spare[from_left], line[from_right]) > 0;
        line[i] = is_right ? line[from_right++] : spare[from_left++];
    }
}

/// Sort the cues in the array `line`, in linear time if they are sorted already.
static void sort(const bks_cues *cues, cue **line, size_t count, compare_fn *compared)
{
    cue **spare = cues->lines + 2 * room_of(&cues->config);
    for (size_t run = 1; run < count; run *= 2) {
        for (size_t first = 0; first + run < count; first += 2 * run) {
            const size_t rest = count - first;
            cue **at = line + first;
            if (compared(at[run - 1], at[run]) > 0) {
                merge(at, run, rest < 2 * run ? rest : 2 * run, spare, compared);
            }
        }
    }
}

static cue **line_of_withdrawn(const bks_cues *cues, uint32_t count, compare_fn *compared)
{
    cue **line = cues->lines + room_of(&cues->config);
    for (uint32_t i = 0; i < count; i++) {
        line[i] = &cues->withdrawn[i];
    }
    sort(cues, line, count, compared);
    return line;
}

// ---- asks ----

static cue *asks_of(const bks_cues *cues, const cue_tick *tick)
{
    return cues->asked + (size_t)(tick - cues->ring) * cues->config.per_tick;
}

static cue_tick *place_of(const bks_cues *cues, bks_tick tick)
{
    return &cues->ring[(uint32_t)tick % cues->config.ticks];
}

static uint32_t moves_of(const bks_cues *cues, const cue *about)
{
    if (bksi_mutated(BKSI_MUTANT_CUE_RESTART)) {
        return 0;
    }
    const uint32_t moves = cues->config.game->cues[about->id].moves_ticks;
    return moves > 0 ? moves : BKS_CUE_MOVES_TICKS;
}

/// Make room for another withdrawn cue by giving up the oldest cue that was withdrawn before this
/// update. Such a cue exists, because no update withdraws more cues than there is room for.
static cue *evict(bks_cues *cues)
{
    cue **line = cues->lines + room_of(&cues->config);
    if (cues->evicted_count == 0) {
        line = line_of_withdrawn(cues, cues->waiting_count, compare_ticks);
    }
    cue *oldest = line[cues->evicted_count++];
    raise(cues, BKS_CUE_CANCELLED, oldest);
    lose(cues, oldest->id, "more are withdrawn than ticks times cues_per_tick");
    return oldest;
}

/// Withdraw the reported cues of a tick that is stepped again, because the new step may not ask for
/// them.
static void withdraw(bks_cues *cues, cue_tick *tick)
{
    const cue *asks = asks_of(cues, tick);
    for (uint32_t i = 0; i < tick->count; i++) {
        if (asks[i].serial == 0 || bksi_mutated(BKSI_MUTANT_CUE_AGAIN)) {
            continue;
        }
        const bool is_full = cues->withdrawn_count == room_of(&cues->config);
        *(is_full ? evict(cues) : &cues->withdrawn[cues->withdrawn_count++]) = asks[i];
    }
    tick->count = 0;
}

static void visit(bks_cues *cues, bks_tick tick)
{
    const bool is_first = cues->visited_from == cues->visited_until;
    cues->visited_from = is_first || tick < cues->visited_from ? tick : cues->visited_from;
    cues->visited_until = is_first || tick >= cues->visited_until ? tick + 1 : cues->visited_until;
    cues->newest = tick > cues->newest ? tick : cues->newest;
}

/// Drop an old tick, because a newer tick takes its entry of the ring. The unreported cues of the
/// old tick are lost.
static void give_up(bks_cues *cues, const cue_tick *old)
{
    const cue *asks = asks_of(cues, old);
    for (uint32_t i = 0; i < old->count; i++) {
        const bks_cue_when when = when_of(cues, &asks[i]);
        if (old->is_visited && when != BKS_CUE_SEEN) {
            lose(cues, asks[i].id, "one update steps more ticks than bks_cues_config.ticks");
        } else if (when == BKS_CUE_CONFIRMED && old->tick >= cues->confirmed) {
            lose(cues, asks[i].id, "its tick is confirmed more than bks_cues_config.ticks later");
        }
    }
}

void bks_cues_begin(bks_cues *cues, bks_tick tick)
{
    BKSI_REFUSE_NULL_OR(, cues);
    cue_tick *place = place_of(cues, tick);
    cues->open = NULL;
    cues->is_past = tick < cues->first;
    if (cues->is_past) {
        return;
    }
    if (tick > BKS_CUES_TICK_MAX) {
        lose(cues, 0, "its tick is beyond BKS_CUES_TICK_MAX");
        return;
    }
    if (place->tick != BKS_TICK_NONE && place->tick > tick) {
        lose(cues, 0, "a tick is stepped again that is older than those that are kept");
        return;
    }
    if (place->tick == tick) {
        withdraw(cues, place);
    } else {
        give_up(cues, place);
    }
    *place = (cue_tick){.tick = tick, .is_visited = true};
    cues->open = place;
    visit(cues, tick);
}

static bool refuse_ask(bks_cues *cues, uint32_t id, const void *payload, size_t bytes)
{
    const uint32_t count = cues->config.game->cue_count;
    const bool is_named =
        id < count || (id == BKS_CUE_REFUSED && cues->config.game->command_bytes_max > 0);
    if (is_named && bytes <= BKS_CUE_BYTES_MAX && (payload != NULL || bytes == 0)) {
        return false;
    }
    if (!cues->has_warned_wrong) {
        cues->has_warned_wrong = true;
        if (!is_named) {
            (void)bksi_fail(NULL, BKS_ERR_BAD_ARGUMENT, "bks_cue", "id",
                            "id is %u, must be 0..%u: an index of bks_game.cues", id,
                            count > 0 ? count - 1 : 0);
        } else {
            (void)bksi_fail(NULL, BKS_ERR_BAD_ARGUMENT, "bks_cue", "payload",
                            "payload of cue \"%s\" is %s of %zu bytes, must be 0..%d",
                            id < count ? cues->config.game->cues[id].name : "refused",
                            payload != NULL ? "one" : "NULL", bytes, BKS_CUE_BYTES_MAX);
        }
    }
    return true;
}

bool bks_cues_ask(bks_cues *cues, uint32_t id, uint64_t key, const void *payload, size_t bytes)
{
    if (cues == NULL) {
        return bksi_fail_null(NULL, "bks_cues_ask", "cues") == BKS_OK;
    }
    if (refuse_ask(cues, id, payload, bytes)) {
        return false;
    }
    cue_tick *tick = cues->open;
    if (cues->is_past) {
        return false;
    }
    if (tick == NULL || tick->count == cues->config.per_tick) {
        lose(cues, id,
             tick != NULL ? "its tick has more cues and refusals than cues_per_tick"
                          : "its tick is not among those that are kept");
        return false;
    }
    cue *ask = &asks_of(cues, tick)[tick->count++];
    *ask = (cue){.id = id, .key = key, .tick = tick->tick, .bytes = (uint32_t)bytes};
    if (bytes > 0) {
        memcpy(ask->payload, payload, bytes);
    }
    return true;
}

// ---- changes of an update ----

static bool is_at_once(const bks_cues *cues, const cue *about)
{
    return when_of(cues, about) == BKS_CUE_AT_ONCE;
}

static uint32_t apart(bks_tick a, bks_tick b)
{
    return (uint32_t)(a > b ? a - b : b - a);
}

/// Return the first tick from `tick` on that the ring holds; `until` if it holds none before
/// `until`.
static bks_tick next_kept(const bks_cues *cues, bks_tick tick, bks_tick until)
{
    if (tick >= until || place_of(cues, tick)->tick == tick) {
        return tick;
    }
    bks_tick next = until;
    for (uint32_t i = 0; i < cues->config.ticks; i++) {
        const bks_tick kept = cues->ring[i].tick;
        next = kept >= tick && kept < next ? kept : next;
    }
    return next;
}

static void pair(cue *ask, cue *old)
{
    ask->partner = old;
    old->partner = ask;
}

/// Pair the n-th ask with the n-th withdrawn cue if the two lists are equal.
/// @return false if the lists differ and nothing was paired
static bool pair_unchanged(bks_cues *cues, cue **asks, uint32_t count)
{
    bool is_same = count == cues->withdrawn_count;
    for (uint32_t i = 0; is_same && i < count; i++) {
        is_same = compare(asks[i], &cues->withdrawn[i]) == 0;
    }
    for (uint32_t i = 0; is_same && i < count; i++) {
        pair(asks[i], &cues->withdrawn[i]);
    }
    return is_same;
}

/// Pair the asks, the latest first, each with the latest unpaired cue that is near enough in ticks.
/// This order pairs as many as possible, and cues that moved stay in order.
static void pair_latest(bks_cues *cues, cue **asks, uint32_t count, cue **olds)
{
    uint32_t old = cues->withdrawn_count;
    while (count > 0 && old > 0) {
        const int keys = compare_keys(asks[count - 1], olds[old - 1]);
        const int side = keys != 0 ? keys : compare_ticks(asks[count - 1], olds[old - 1]);
        if (keys == 0 &&
            apart(asks[count - 1]->tick, olds[old - 1]->tick) <= moves_of(cues, asks[count - 1])) {
            pair(asks[--count], olds[--old]);
        } else if (side > 0) {
            count--;
        } else {
            old--;
        }
    }
}

/// Return the index in from..until-1 of the first entry of the sorted array `line` that does not
/// come before `about`; `until` if there is none.
static uint32_t first_from(cue **line, uint32_t from, uint32_t until, const cue *about)
{
    while (from < until) {
        const uint32_t middle = from + (until - from) / 2;
        if (compare(line[middle], about) < 0) {
            from = middle + 1;
        } else {
            until = middle;
        }
    }
    return from;
}

/// Return the index in from..last of the entry of the sorted array with the key of `about` whose
/// tick is nearest to that of `about`. Entry `last` is the present partner of `about`. Of several
/// entries with the same tick, return the first.
static uint32_t nearest(cue **line, uint32_t from, uint32_t last, const cue *about)
{
    const uint32_t later = first_from(line, from, last + 1, about);
    if (later == from || compare_keys(line[later - 1], about) != 0) {
        return later;
    }
    const uint32_t earlier = first_from(line, from, later, line[later - 1]);
    const bool is_earlier = later > last || apart(line[earlier]->tick, about->tick) <
                                                apart(line[later]->tick, about->tick);
    return is_earlier ? earlier : later;
}

/// Pair asks with nearer unpaired cues instead, if the pairs stay in order.
static void pair_nearer(cue **asks, uint32_t count, cue **olds)
{
    uint32_t asks_from = 0;
    uint32_t olds_from = 0;
    uint32_t old = 0;
    for (uint32_t i = 0; i < count; i++) {
        if (asks[i]->partner == NULL) {
            continue;
        }
        while (olds[old]->partner == NULL) {
            old++;
        }
        const uint32_t to_old = nearest(olds, olds_from, old, asks[i]);
        const uint32_t to_ask = nearest(asks, asks_from, i, olds[to_old]);
        asks[i]->partner = NULL;
        olds[old]->partner = NULL;
        pair(asks[to_ask], olds[to_old]);
        asks_from = to_ask + 1;
        olds_from = to_old + 1;
        old++;
    }
}

/// Let an ask take back the withdrawn cue that it is paired with, if any: the ask gets the cue's
/// serial. Report a change if the cue moved or its payload differs.
static void take_back(bks_cues *cues, cue *ask)
{
    const cue *old = ask->partner;
    if (old == NULL) {
        return;
    }
    ask->partner = NULL;
    ask->serial = old->serial;
    if (ask->tick != old->tick || ask->bytes != old->bytes ||
        memcmp(ask->payload, old->payload, sizeof(old->payload)) != 0) {
        raise(cues, BKS_CUE_CHANGED, ask);
    }
}

static void start(bks_cues *cues, cue *ask)
{
    ask->serial = ++cues->serial;
    raise(cues, BKS_CUE_STARTED, ask);
}

static void start_unpaired(bks_cues *cues, cue *ask)
{
    if (ask->serial == 0) {
        start(cues, ask);
    }
}

/// If a tick was stepped in this update, call `act` for each of its asks whose kind of cue is
/// reported at once (BKS_CUE_AT_ONCE).
static void each_of_tick(bks_cues *cues, bks_tick tick, void (*act)(bks_cues *cues, cue *ask))
{
    const cue_tick *place = place_of(cues, tick);
    cue *asks = asks_of(cues, place);
    for (uint32_t i = 0; place->tick == tick && place->is_visited && i < place->count; i++) {
        if (is_at_once(cues, &asks[i])) {
            act(cues, &asks[i]);
        }
    }
}

static void each_visited(bks_cues *cues, void (*act)(bks_cues *cues, cue *ask))
{
    const bks_tick until = cues->visited_until;
    for (bks_tick tick = next_kept(cues, cues->visited_from, until); tick < until;
         tick = next_kept(cues, tick + 1, until)) {
        each_of_tick(cues, tick, act);
    }
}

static void line_up(bks_cues *cues, cue *ask)
{
    cues->lines[cues->line_count++] = ask;
}

/// Pair the asks of an update with withdrawn cues.
static void pair_all(bks_cues *cues)
{
    cues->line_count = 0;
    each_visited(cues, line_up);
    cue **asks = cues->lines;
    const uint32_t count = cues->line_count;
    if (pair_unchanged(cues, asks, count)) {
        return;
    }
    sort(cues, asks, count, compare);
    cue **olds = line_of_withdrawn(cues, cues->withdrawn_count, compare);
    pair_latest(cues, asks, count, olds);
    pair_nearer(asks, count, olds);
}

/// Cancel cues that no later tick can ask for again.
static void cancel(bks_cues *cues, bks_tick present)
{
    uint32_t kept = 0;
    for (uint32_t i = 0; i < cues->withdrawn_count; i++) {
        const cue *old = &cues->withdrawn[i];
        if (old->partner != NULL || bksi_mutated(BKSI_MUTANT_CUE_RINGS)) {
            continue; // an ask took the cue back
        }
        if (present > old->tick && apart(present, old->tick) > moves_of(cues, old)) {
            raise(cues, BKS_CUE_CANCELLED, old);
        } else {
            cues->withdrawn[kept++] = *old;
        }
    }
    cues->withdrawn_count = kept;
    cues->waiting_count = kept;
    cues->evicted_count = 0;
}

/// Report those cues of a tick whose kind the game reports at the time `when`.
static void report(bks_cues *cues, bks_tick tick, bks_cue_when when)
{
    const cue_tick *place = place_of(cues, tick);
    cue *asks = asks_of(cues, place);
    for (uint32_t i = 0; place->tick == tick && i < place->count; i++) {
        if (when_of(cues, &asks[i]) == when) {
            cue reported = asks[i];
            start(cues, &reported);
        }
    }
}

/// Withdraw the cues from tick `present` on, because these ticks are stepped again.
static void withdraw_from(bks_cues *cues, bks_tick present)
{
    for (uint32_t i = 0; present <= cues->newest && i < cues->config.ticks; i++) {
        if (cues->ring[i].tick >= present && !cues->ring[i].is_visited) {
            withdraw(cues, &cues->ring[i]);
        }
    }
}

static void forget_visit(bks_cues *cues)
{
    for (uint32_t i = 0; i < cues->config.ticks; i++) {
        cues->ring[i].is_visited = false;
    }
    cues->visited_from = cues->visited_until;
    cues->open = NULL;
}

void bks_cues_update(bks_cues *cues, bks_tick present, bks_tick confirmed)
{
    BKSI_REFUSE_NULL_OR(, cues);
    withdraw_from(cues, present);
    if (cues->withdrawn_count > 0) {
        pair_all(cues);
        each_visited(cues, take_back);
    }
    cancel(cues, present);
    each_visited(cues, start_unpaired);
    if (present > cues->seen) {
        report(cues, present - 1, BKS_CUE_SEEN);
        cues->seen = present;
    }
    const bks_tick until =
        confirmed < present && !bksi_mutated(BKSI_MUTANT_CUE_HASTY) ? confirmed : present;
    while (cues->confirmed < until) {
        const bks_tick tick = next_kept(cues, cues->confirmed, until);
        if (tick < until) {
            report(cues, tick, BKS_CUE_CONFIRMED);
        }
        cues->confirmed = tick < until ? tick + 1 : until;
    }
    forget_visit(cues);
}

void bks_cues_end(bks_cues *cues)
{
    BKSI_REFUSE_NULL_OR(, cues);
    for (uint32_t i = 0; i < cues->withdrawn_count; i++) {
        raise(cues, BKS_CUE_CANCELLED, &cues->withdrawn[i]);
    }
    cues->withdrawn_count = 0;
    cues->waiting_count = 0;
    cues->evicted_count = 0;
}

bool bks_cues_next(bks_cues *cues, bks_cue_event *event)
{
    BKSI_REFUSE_NULL_OR(false, cues);
    BKSI_REFUSE_NULL_OR(false, event);
    if (cues->event_count == 0) {
        return false;
    }
    *event = cues->events[cues->event_first];
    cues->event_first = (cues->event_first + 1) % event_room(cues);
    cues->event_count--;
    return true;
}

uint64_t bks_cues_lost(const bks_cues *cues)
{
    BKSI_REFUSE_NULL_OR(0, cues);
    return cues->lost;
}

// Cues that nothing collects --------------------------------------------------------------------

static bool log_unnamed(bks_cues *cues, uint32_t id, uint64_t key, const void *payload,
                        size_t bytes)
{
    static atomic_bool has_warned;
    (void)cues;
    (void)key;
    (void)payload;
    (void)bytes;
    if (id != BKS_CUE_REFUSED && !atomic_exchange(&has_warned, true)) {
        bksi_log(BKS_LOG_WARNING, "bks_cue",
                 "a step asks for cue %u, but its game names no cues: name them in bks_game.cues, "
                 "otherwise nothing reports them",
                 id);
    }
    return false;
}

bool (*bksi_cues_unnamed(const bks_game *game))(bks_cues *cues, uint32_t id, uint64_t key,
                                                const void *payload, size_t bytes)
{
    return game->cue_count == 0 ? log_unnamed : NULL;
}

// SPDX-License-Identifier: MIT

// The session's public face: memory, packets by type, and one update's order.

#include "session/session_internal.h"

#include <sodium.h>
#include <stdio.h>
#include <string.h>

#include "base/assert.h"
#include "base/hash.h"
#include "base/memory.h"
#include "base/report.h"
#include "session/events.h"

/// Room for a window to resimulate, the delays of both sides, and two seconds [Fiedler].
static uint32_t capacity_for(const bks_session_config *config)
{
    uint32_t wanted =
        2 * config->tuning.window_ticks + 2 * (BKS_DELAY_MAX + 1) + 2 * config->tick_rate_hz;
    uint32_t capacity = 2;
    while (capacity < wanted) {
        capacity *= 2;
    }
    return capacity;
}

static uint32_t timelines_for(const bks_session_config *config)
{
    return config->is_host ? config->players : BKS_PLAYERS_MAX;
}

static bks_status create_engine(bks_session *session, bks_error *error)
{
    const bks_session_config *config = &session->config;
    bksi_rollback_config engine = {
        .layout = &session->layout,
        .players_max = timelines_for(config),
        .capacity_ticks = capacity_for(config),
        .window_ticks = config->tuning.window_ticks,
        .save = config->tuning.save,
        .custom_prediction = config->custom_prediction,
        .votes = config->votes,
        .votes_bytes = config->votes_bytes,
        .allocator = config->allocator,
    };
    bks_status status = bksi_rollback_create(&session->engine, &engine, error);
    session->config.votes = NULL;
    return status == BKS_OK ? bksi_exchange_create(session, engine.players_max) : status;
}

static void test_arithmetic(bksi_facts *facts)
{
    bksi_arithmetic_test(&facts->arithmetic);
    uint32_t op = bksi_arithmetic_compare(&facts->arithmetic, &bksi_arithmetic_right);
    if (op < BKSI_ARITHMETIC_OPS) {
        bksi_log(BKS_LOG_WARNING, "session.arithmetic",
                 "%s is not as IEEE 754 has it on this machine: who calculates otherwise will not "
                 "play with it",
                 bksi_arithmetic_name(op));
    }
    if (facts->game_arithmetic != 0) {
        bksi_log(BKS_LOG_WARNING, "session.game_arithmetic",
                 "the game `%s` %s; peers whose game does not are refused", facts->game,
                 bks_arithmetic_text(facts->game_arithmetic));
    }
}

static void prepare(bks_session *session, const bks_session_config *config)
{
    session->config = *config;
    session->facts = (bksi_facts){
        .protocol = BKSI_PROTOCOL_VERSION,
        .game_version = config->game_version,
        .layout = bksi_layout_hash(&session->layout),
        .setup_form = config->setup_form,
        .tick_rate_hz = config->tick_rate_hz,
    };
    (void)snprintf(session->facts.game, sizeof(session->facts.game), "%s", config->game_name);
    session->facts.game_arithmetic = config->arithmetic & UINT16_MAX;
    test_arithmetic(&session->facts);
    if (config->is_host && config->setup_bytes > 0) {
        memcpy(session->setup, config->setup, config->setup_bytes);
    }
    session->setup_bytes = config->is_host ? config->setup_bytes : 0;
    session->config.setup = NULL;
    session->config.game_name = NULL;
    session->phase = BKS_PHASE_GATHERING;
    session->hash_every = 1;
    bksi_pace_init(session);
    bksi_guard_init(&session->guard, config->key, config->identity, config->entropy);
    sodium_memzero(session->config.key, BKS_KEY_BYTES); // from here on they are the guard's
    sodium_memzero(session->config.identity, BKS_KEY_BYTES);
    sodium_memzero(session->config.entropy, BKS_KEY_BYTES);
    bksi_lobby_init(session);
}

bks_status bks_session_create(const bks_session_config *config, bks_session **out, bks_error *error)
{
    static const char call[] = "bks_session_create";
    if (config == NULL || out == NULL) {
        return bksi_fail_null(error, call, config == NULL ? "config" : "out");
    }
    *out = NULL;
    bks_status status = bksi_session_config_check(config, error);
    if (status != BKS_OK) {
        return status;
    }
    bks_session *session = bksi_alloc(&config->allocator, sizeof(*session), 64);
    if (session == NULL) {
        return bksi_fail(error, BKS_ERR_OUT_OF_MEMORY, call, "allocator",
                         "allocator has no %zu bytes", sizeof(*session));
    }
    session->config.allocator = config->allocator;
    status = bksi_layout_init(&session->layout, config->fields, config->field_count, error);
    if (status == BKS_OK) {
        prepare(session, config);
        status = create_engine(session, error);
        if (status == BKS_ERR_OUT_OF_MEMORY) {
            (void)bksi_fail(error, status, call, "allocator", "allocator has no room for %u ticks",
                            capacity_for(config));
        }
    }
    if (status != BKS_OK) {
        bks_session_destroy(session);
        return status;
    }
    *out = session;
    return BKS_OK;
}

void bks_session_destroy(bks_session *session)
{
    if (session == NULL) {
        return;
    }
    bks_allocator allocator = session->config.allocator;
    bksi_exchange_destroy(session);
    bksi_rollback_destroy(&session->engine);
    bksi_guard_wipe(&session->guard);
    bksi_free(&allocator, session, sizeof(*session));
}

bks_phase bks_session_phase(const bks_session *session)
{
    if (session == NULL) {
        (void)bksi_fail_null(NULL, "bks_session_phase", "session");
        return BKS_PHASE_FAILED;
    }
    return session->phase;
}

// ---- packets in ----

static bool receive_bye(bks_session *session, uint32_t peer_index, bksi_byte_reader *reader)
{
    bksi_bye bye;
    uint32_t complete = 0;
    if (!bksi_bye_read(reader, &bye, &complete)) {
        return false;
    }
    // Only who goes is told that it was heard.
    if (bye == BKSI_BYE_HEARD && session->phase == BKS_PHASE_RUNNING) {
        return false;
    }
    session_peer *peer = &session->peers[peer_index];
    peer->said_bye = true;
    bool is_playing = session->phase == BKS_PHASE_GATHERING || session->phase == BKS_PHASE_RUNNING;
    // Who has given up on us says "complete" too: only with all its inputs can we go on alone.
    bool has_all = bksi_heads_of(session, peer_index) >= session->ticks;
    if (bye == BKSI_BYE_COMPLETE && session->ticks > 0 && has_all) {
        bks_tick head = bksi_heads_own(session);
        peer->need = head > peer->need ? head : peer->need;
        session->complete |= complete & ~PEER_BIT(session->self);
        return true;
    }
    if (bye == BKSI_BYE_HEARD) {
        return true;
    }
    peer->owes_heard = bye == BKSI_BYE_LEAVES;
    if (!is_playing || peer->has_quit) {
        return true;
    }
    peer->has_quit = true;
    if (session->phase == BKS_PHASE_RUNNING) {
        return true;
    }
    session->phase = BKS_PHASE_ENDED;
    bks_event *event = bksi_session_tell(session, BKS_EVENT_LEFT, peer_index, 0);
    (void)snprintf(event->text, sizeof(event->text), "peer %u left before the start", peer_index);
    return true;
}

static bool receive_hashes(bks_session *session, uint32_t peer, bksi_byte_reader *reader)
{
    bksi_hashes_message message;
    if (!bksi_hashes_read(reader, &message)) {
        return false;
    }
    if (session->peers[peer].view == session->view) {
        bksi_checking_heard_many(session, peer, &message);
    }
    return true;
}

static bool receive_input(bks_session *session, uint32_t peer, const bksi_guard_message *message)
{
    bksi_lobby_go_now(session);
    // A seat may still pass to another guest, who must not find inputs in it.
    if (session->stage != LOBBY_GO) {
        return false;
    }
    // Heads travel shortened, so one of long ago could be taken for a newer one.
    if (message->is_sealed &&
        session->peers[peer].link.newest_number - message->number >= BKSI_INPUT_STALE_PACKETS) {
        return true;
    }
    return bksi_exchange_receive(session, peer, message->body, message->body_bytes);
}

static bool receive_slow(bks_session *session, uint32_t peer, const bksi_guard_message *message)
{
    bksi_byte_reader reader = bksi_byte_reader_over(message->body, message->body_bytes);
    return bksi_budget_receive(session, peer, &reader);
}

/// Messages of a match that runs, or has run.
static bool receive_running(bks_session *session, uint32_t peer, const bksi_guard_message *message)
{
    const uint8_t *body = message->body;
    size_t count = message->body_bytes;
    bool is_over = session->phase == BKS_PHASE_FAILED && session->stage == LOBBY_GO;
    if (session->phase == BKS_PHASE_ENDED || is_over) {
        session->peers[peer].owes_bye = true;
        return true;
    }
    switch (message->type) {
    case BKSI_PACKET_INPUT:
        return receive_input(session, peer, message);
    case BKSI_PACKET_SLOW:
        return receive_slow(session, peer, message);
    case BKSI_PACKET_FORWARD:
        return bksi_mesh_receive_forward(session, body, count);
    case BKSI_PACKET_RELAY:
        return bksi_mesh_receive_relay(session, peer, body, count);
    default:
        return bksi_views_receive(session, message->type, peer, body, count);
    }
}

static bool receive_match_packet(bks_session *session, uint32_t peer,
                                 const bksi_guard_message *message)
{
    uint32_t type = message->type;
    bksi_byte_reader reader = bksi_byte_reader_over(message->body, message->body_bytes);
    if (type == BKSI_PACKET_BYE) {
        return receive_bye(session, peer, &reader);
    }
    if (type == BKSI_PACKET_GONE) {
        return bksi_views_receive(session, type, peer, message->body, message->body_bytes);
    }
    if (!bksi_views_has(session, peer)) {
        bksi_views_heard_departed(session, peer);
        return true;
    }
    bool is_sound = true;
    if (type == BKSI_PACKET_HASHES) {
        is_sound = receive_hashes(session, peer, &reader);
    } else if (session->state_is_made) {
        is_sound = receive_running(session, peer, message);
    }
    if (is_sound) {
        bksi_mesh_heard(session, peer);
    }
    return is_sound;
}

static bks_status fail_updating(const char *call)
{
    return bksi_fail(NULL, BKS_ERR_BAD_ARGUMENT, call, "session",
                     "operations of the last update are left, carry out bks_session_next()");
}

bool bksi_session_take(bks_session *session, const bksi_guard_message *message)
{
    // Nobody has proved yet who sends a first message, so it can but ask.
    if (!message->is_proven && message->type != BKSI_PACKET_JOIN &&
        message->type != BKSI_PACKET_LINK) {
        return false;
    }
    uint32_t peer = bksi_lobby_peer(session, message->channel);
    if (peer != BKS_PEERS_MAX && message->is_sealed) {
        bksi_link_received(&session->peers[peer].link, message->number, message->is_first,
                           session->now_ns);
    }
    if (message->type >= BKSI_PACKET_JOIN && message->type <= BKSI_PACKET_LINK) {
        bksi_byte_reader reader = bksi_byte_reader_over(message->body, message->body_bytes);
        return bksi_lobby_receive(session, message, &reader);
    }
    return message->type <= BKSI_PACKET_SLOW && peer != BKS_PEERS_MAX &&
           session->stage != LOBBY_GATHERING && receive_match_packet(session, peer, message);
}

static void take_packet(bks_session *session, const bks_address *from, const void *bytes,
                        size_t count)
{
    bksi_guard_verdict verdict =
        bksi_guard_receive(&session->guard, session->now_ns, from, bytes, count);
    bool is_sound = verdict != BKSI_GUARD_REFUSED;
    bksi_guard_message message;
    while (bksi_guard_take(&session->guard, &message)) {
        is_sound &= bksi_session_take(session, &message);
    }
    if (is_sound) {
        session->stats.packets_received++;
    } else {
        session->stats.packets_refused++;
    }
}

bks_status bks_session_receive(bks_session *session, uint64_t now_ns, const bks_address *from,
                               const void *bytes, size_t count)
{
    static const char call[] = "bks_session_receive";
    if (session == NULL || from == NULL || (bytes == NULL && count > 0)) {
        return bksi_fail_null(NULL, call,
                              session == NULL ? "session"
                              : from == NULL  ? "from"
                                              : "bytes");
    }
    if (from->length > BKS_ADDRESS_BYTES_MAX) {
        return bksi_fail(NULL, BKS_ERR_BAD_ARGUMENT, call, "from",
                         "from->length is %u, must be 0..%d", from->length, BKS_ADDRESS_BYTES_MAX);
    }
    if (now_ns < session->now_ns) {
        return bksi_fail(NULL, BKS_ERR_BAD_ARGUMENT, call, "now_ns",
                         "now_ns is %llu, must be at least %llu", (unsigned long long)now_ns,
                         (unsigned long long)session->now_ns);
    }
    // What came in the midst would be confirmed before it could be resimulated.
    if (session->is_updating) {
        return fail_updating(call);
    }
    session->now_ns = now_ns;
    take_packet(session, from, bytes, count);
    return BKS_OK;
}

// ---- one update ----

static bool has_every_tick(const bks_session *session)
{
    bks_tick done =
        bksi_mutated(BKSI_MUTANT_END) ? session->engine.front : session->engine.settled.published;
    return session->ticks > 0 && done >= session->ticks;
}

/// Whether a peer may still need something of us: its own inputs or another's, or word of the
/// newest view. Had we gone before it has everything, and then somebody else, it would be alone
/// with less than we have.
static bool is_in_need(const bks_session *session, uint32_t index)
{
    const session_peer *peer = &session->peers[index];
    return bksi_views_has(session, index) && !peer->said_bye &&
           ((session->complete >> index & 1) == 0 || peer->view < session->view);
}

/// Over when everyone has everything.
static void try_end(bks_session *session)
{
    if (!has_every_tick(session)) {
        return;
    }
    session->complete |= PEER_BIT(session->self);
    for (uint32_t i = 0; i < session->peer_count; i++) {
        if (i != session->self && is_in_need(session, i) && !bksi_mutated(BKSI_MUTANT_END)) {
            return;
        }
    }
    bksi_checking_end(session);
    session->phase = BKS_PHASE_ENDED;
    for (uint32_t i = 0; i < session->peer_count; i++) {
        session->peers[i].owes_bye = i != session->self && bksi_views_has(session, i);
    }
    (void)bksi_session_tell(session, BKS_EVENT_ENDED, session->self, session->ticks);
}

static bool is_bye_awaited(const bks_session *session, uint32_t index)
{
    return index != session->self && bksi_views_has(session, index) &&
           !session->peers[index].said_bye;
}

static void owe_packets(bks_session *session)
{
    bool is_due = session->clock.tick_passed && session->now_ns >= session->send_from_ns;
    if (!is_due && session->now_ns < session->sent_ns + SEND_GAP_MAX_NS) {
        return;
    }
    // Counted from when a packet could have gone, so that ticks a little shorter than the gap do
    // not lose every other packet; but no burst after a pause.
    uint64_t earliest_ns =
        session->now_ns > SEND_GAP_MIN_NS ? session->now_ns - SEND_GAP_MIN_NS : 0;
    uint64_t from_ns = session->send_from_ns > earliest_ns ? session->send_from_ns : earliest_ns;
    session->send_from_ns = from_ns + SEND_GAP_MIN_NS;
    session->sent_ns = session->now_ns;
    session->rounds++;
    for (uint32_t i = 0; i < session->peer_count; i++) {
        session_peer *peer = &session->peers[i];
        peer->owes_bye |=
            (session->phase == BKS_PHASE_ENDED || session->has_left) && is_bye_awaited(session, i);
        peer->owes_inputs = 0;
        if (session->phase != BKS_PHASE_RUNNING || i == session->self ||
            !bksi_mesh_may_send(session, i)) {
            continue;
        }
        peer->sent_ns = session->now_ns;
        bksi_mesh_owe_inputs(session, i);
    }
}

bks_status bks_session_update(bks_session *session, uint64_t now_ns)
{
    static const char call[] = "bks_session_update";
    if (session == NULL) {
        return bksi_fail_null(NULL, call, "session");
    }
    if (now_ns < session->now_ns) {
        return bksi_fail(NULL, BKS_ERR_BAD_ARGUMENT, call, "now_ns",
                         "now_ns is %llu, must be at least %llu", (unsigned long long)now_ns,
                         (unsigned long long)session->now_ns);
    }
    if (session->is_updating) {
        return fail_updating(call);
    }
    session->now_ns = now_ns;
    if (!session->has_begun) {
        session->has_begun = true;
        session->begun_ns = now_ns;
    }
    bksi_lobby_update(session);
    if (session->phase == BKS_PHASE_RUNNING) {
        bksi_mesh_update(session);
        bksi_checking_update(session);
        try_end(session);
        bksi_slots_space(&session->engine.slots, bksi_budget_best_spacing(session));
        bksi_clock_stretch(session, bksi_budget_update(session));
    }
    bksi_views_update(session);
    bksi_clock_update(session);
    if (session->phase != BKS_PHASE_GATHERING) {
        owe_packets(session);
    }
    bksi_drive_begin(session);
    session->is_updating = true;
    return BKS_OK;
}

/// Whether something is to be sent without waiting for a tick.
static bool is_urgent(const bks_session *session)
{
    for (uint32_t i = 0; i < session->peer_count; i++) {
        const session_peer *peer = &session->peers[i];
        if (peer->owes_heard || (peer->owes_bye && session->phase == BKS_PHASE_FAILED)) {
            return true;
        }
    }
    return session->phase != BKS_PHASE_GATHERING && bksi_views_is_urgent(session);
}

static uint64_t wake_running(const bks_session *session)
{
    uint64_t tick_ns = bksi_clock_wake(session);
    uint64_t packet_ns = session->sent_ns + SEND_GAP_MAX_NS;
    return tick_ns < packet_ns ? tick_ns : packet_ns;
}

static uint64_t wake_to_say_bye(const bks_session *session)
{
    bool is_enough = session->has_left && session->now_ns - session->left_ns >=
                                              session->config.tuning.drop_after_ms * NS_PER_MS;
    for (uint32_t i = 0; i < session->peer_count && !is_enough; i++) {
        if (is_bye_awaited(session, i)) {
            return session->sent_ns + SEND_GAP_MAX_NS;
        }
    }
    return UINT64_MAX;
}

uint64_t bks_session_wake(const bks_session *session)
{
    if (session == NULL) {
        (void)bksi_fail_null(NULL, "bks_session_wake", "session");
        return UINT64_MAX;
    }
    if (is_urgent(session)) {
        return session->now_ns;
    }
    switch (session->phase) {
    case BKS_PHASE_GATHERING:
        return bksi_lobby_wake(session);
    case BKS_PHASE_RUNNING:
        return wake_running(session);
    case BKS_PHASE_ENDED:
        return wake_to_say_bye(session);
    case BKS_PHASE_FAILED:
        if (session->has_left) {
            return wake_to_say_bye(session);
        }
        return session->refuses ? session->lobby_next_ns : UINT64_MAX;
    }
    return UINT64_MAX;
}

// ---- packets out ----

static size_t send_bye(bks_session *session, uint32_t index, uint8_t *body)
{
    session_peer *peer = &session->peers[index];
    bksi_byte_writer writer = bksi_byte_writer_over(body, BKSI_BODY_BYTES_MAX);
    bool is_complete = session->phase == BKS_PHASE_ENDED && !session->has_left &&
                       has_every_tick(session) && bksi_views_has(session, index);
    if (peer->owes_heard) {
        bksi_bye_write(&writer, BKSI_BYE_HEARD, 0);
    } else {
        bksi_bye_write(&writer, is_complete ? BKSI_BYE_COMPLETE : BKSI_BYE_LEAVES,
                       session->complete);
    }
    if (peer->owes_heard) {
        peer->owes_heard = false;
    } else {
        peer->owes_bye = false;
    }
    return writer.at;
}

static size_t send_to_peer(bks_session *session, uint32_t index, uint8_t *body, uint32_t *type)
{
    session_peer *peer = &session->peers[index];
    if (peer->owes_heard || peer->owes_bye) {
        *type = BKSI_PACKET_BYE;
        return send_bye(session, index, body);
    }
    size_t count = bksi_views_send(session, index, body, type);
    if (count > 0 || session->phase != BKS_PHASE_RUNNING) {
        return count;
    }
    if (bksi_checking_owes_hashes(session, index)) {
        bksi_byte_writer writer = bksi_byte_writer_over(body, BKSI_BODY_BYTES_MAX);
        *type = BKSI_PACKET_HASHES;
        bksi_checking_write_hashes(session, index, &writer);
        return writer.at;
    }
    bksi_byte_writer writer = bksi_byte_writer_over(body, BKSI_BODY_BYTES_MAX);
    if (bksi_budget_write(&session->budget, index, &writer)) {
        *type = BKSI_PACKET_SLOW;
        return writer.at;
    }
    if (peer->owes_inputs == 0) {
        return 0;
    }
    uint32_t about = bksi_mesh_next_inputs(session, index);
    *type = about == session->self ? BKSI_PACKET_INPUT : BKSI_PACKET_FORWARD;
    return about == session->self ? bksi_exchange_write(session, index, body)
                                  : bksi_mesh_write_forward(session, index, about, body);
}

/// What goes to a peer by itself, or to another through it.
static size_t send_by_peer(bks_session *session, uint32_t index, uint8_t *body, uint32_t *type,
                           uint32_t *to)
{
    size_t count = send_to_peer(session, index, body, type);
    *to = index;
    if (*type == BKSI_PACKET_PROPOSE || *type == BKSI_PACKET_ANSWER) {
        count = bksi_mesh_reroute(session, index, body, count, type, to);
    }
    return count;
}

/// The next message of the session's own.
static size_t next_message(bks_session *session, bksi_channel *to, uint8_t *body, uint32_t *type)
{
    size_t count = bksi_lobby_send(session, to, body, type);
    if (count == 0 && session->relay_count > 0) {
        uint32_t target = 0;
        count = bksi_mesh_write_relay(session, body, type, &target);
        if (count > 0) {
            *to = session->peers[target].channel;
        }
    }
    for (uint32_t i = 0; count == 0 && i < session->peer_count; i++) {
        if (i == session->self) {
            continue;
        }
        uint32_t target = i;
        count = send_by_peer(session, i, body, type, &target);
        *to = session->peers[target].channel;
        session->peers[target].packets_sent += count > 0 ? 1 : 0;
    }
    return count;
}

/// The next packet with something of the session's in it. What has no keys to go under yet is kept
/// for the handshake or lost; whatever matters is said again.
static size_t next_sealed(bks_session *session, bks_address *to, uint8_t *packet)
{
    uint8_t body[BKSI_BODY_BYTES_MAX];
    bksi_channel channel = 0;
    uint32_t type = 0;
    size_t count;
    while ((count = next_message(session, &channel, body, &type)) > 0) {
        uint64_t number = 0;
        bool is_sealed = false;
        size_t bytes = bksi_guard_send(&session->guard, session->now_ns, channel, type, body, count,
                                       to, packet, &number, &is_sealed);
        if (bytes == 0) {
            continue;
        }
        uint32_t peer = bksi_lobby_peer(session, channel);
        if (peer != BKS_PEERS_MAX && is_sealed) {
            bksi_link_sent(&session->peers[peer].link, number, session->now_ns);
        }
        return bytes;
    }
    return 0;
}

size_t bks_session_send(bks_session *session, bks_address *to, void *bytes, size_t capacity)
{
    static const char call[] = "bks_session_send";
    if (session == NULL || to == NULL || bytes == NULL) {
        (void)bksi_fail_null(NULL, call, session == NULL ? "session" : to == NULL ? "to" : "bytes");
        return 0;
    }
    if (capacity < BKS_PACKET_BYTES_MAX) {
        (void)bksi_fail(NULL, BKS_ERR_BAD_ARGUMENT, call, "capacity",
                        "capacity is %zu, must be at least %d", capacity, BKS_PACKET_BYTES_MAX);
        return 0;
    }
    bksi_guard *guard = &session->guard;
    size_t seal_bytes = BKSI_PACKET_SEAL_BYTES;
    size_t count = bksi_guard_repeat(guard, session->now_ns, to, bytes);
    if (count > 0) {
        seal_bytes = count;
    } else {
        count = next_sealed(session, to, bytes);
        if (count == 0) {
            seal_bytes = count = bksi_guard_flush(guard, session->now_ns, to, bytes);
        }
    }
    if (count > 0 && session->phase != BKS_PHASE_GATHERING) {
        session->stats.packets_sent++;
        session->stats.payload_bytes_sent += count;
        session->stats.seal_bytes_sent += seal_bytes;
    }
    return count;
}

bks_status bks_session_leave(bks_session *session)
{
    if (session == NULL) {
        return bksi_fail_null(NULL, "bks_session_leave", "session");
    }
    if (session->phase != BKS_PHASE_GATHERING && session->phase != BKS_PHASE_RUNNING) {
        return BKS_OK;
    }
    bksi_views_say_goodbye(session);
    session->has_left = session->phase == BKS_PHASE_RUNNING;
    session->phase = BKS_PHASE_ENDED;
    return BKS_OK;
}

// ---- telling ----

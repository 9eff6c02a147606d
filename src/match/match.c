// SPDX-License-Identifier: MIT
//
// A peer with its socket, clock and files. bks_match_open() opens and allocates everything; an
// update only moves packets between the transport and the peer.

#include "backstitch/match.h"
#include "backstitch/toolkit/inspector.h"
#include "backstitch/toolkit/writer.h"

#include <sodium.h>
#include <stdio.h>
#include <string.h>

#include "base/memory.h"
#include "base/report.h"
#include "match/entry.h"
#include "match/identity_file.h"
#include "match/inspection.h"
#include "match/joining.h"
#include "match/match_config.h"
#include "match/record_file.h"
#include "match/replay_check.h"
#include "match/start_state.h"
#include "match/state_guard.h"
#include "match/system.h"
#include "match/watching.h"
#include "net/address.h"
#include "session/queries.h"

/// Longest sleep of bks_match_wait(), so that a window stays responsive.
#define WAIT_MS_MAX 50

/// Longest sleep with a transport that cannot be waited for.
#define WAIT_NAP_MS_MAX 2

/// Longest time for which bks_match_close() keeps answering other peers.
#define LINGER_MS_MAX 1000

/// Silence after which bks_match_close() stops answering: a peer that still needs something repeats
/// its message at least 20 times per second.
#define LINGER_SILENCE_MS 250

/// Maximum number of packets received in one update, so that a flood cannot stall the game.
#define PACKETS_TAKEN_MAX 1024

/// Number of newest events held for bks_match_event(), the same as in a session.
#define EVENTS_MAX 64

/// Maximum number of updates that a match whose players are all local needs to start.
#define START_UPDATES_MAX 1000

struct bks_match {
    bks_allocator allocator;
    bool is_guest;            ///< true if this peer joins a host
    uint32_t join_timeout_ms; ///< time in ms after which joining fails; 0: never
    bks_address host;         ///< address of the host, for a guest
    bksi_joining joining;
    bks_peer *peer;
    bks_meter *meter; ///< meter of the figures; NULL: no figures are wanted
    bksi_inspection inspection;
    bksi_watching watching;
    bksi_start_state start_state;
    bks_udp *udp; ///< UDP socket; NULL with a custom transport, or if no peer can join
    bks_transport transport;
    bool is_alone; ///< true if no peer can join
    /// True if the game has cues or commands, cues_per_tick is 0, and no warning was logged yet.
    bool is_deaf;
    /// True while bks_match_input() is wanted for some player, but was not called.
    bool lacks_input;
    bks_tick input_due; ///< tick at which the lack is logged, BKS_TICK_NONE: not yet known
    bks_tick second;    ///< ticks of a second
    bksi_state_guard guard;
    bool tick_per_update; ///< true if time advances by one tick at each update
    uint64_t tick_ns;     ///< with tick_per_update: time of the newest update
    bks_record_file record;
    bksi_identity_file identity;
    bksi_replay_check replay_check; ///< check against the recording that is played, if any
    bksi_entry entry;
    bks_status result; ///< reason for which the match ended; BKS_OK while it runs
    bool has_begun;    ///< true once the first update was made
    uint64_t heard_ns; ///< time at which the last packet arrived, in ns
    bks_event events[EVENTS_MAX];
    uint32_t event_first;
    uint32_t event_count;
    char invitation[BKS_INVITATION_BYTES_MAX];
    uint8_t packet[BKS_PACKET_BYTES_MAX];
};

// Opening ---------------------------------------------------------------------------------------

/// Address of the host and key of the match, to be copied into the session's config.
typedef struct rendezvous {
    bool is_host;
    bks_address host; ///< address of the host, for a guest
    uint8_t key[BKS_KEY_BYTES];
} rendezvous;

static bks_status read_invitation(bks_match *match, const char *text, rendezvous *meeting,
                                  bks_error *error)
{
    bks_invitation invitation;
    const bks_status status = bks_invitation_parse(text, &invitation, error);
    if (status != BKS_OK) {
        return bksi_match_config_field(status, "invitation", error);
    }
    if (invitation.is_for_watching) {
        return bksi_fail(error, BKS_ERR_BAD_CONFIG, "bks_match_open", "invitation",
                         "invitation is for watching and opens no seat: ask the host for one to "
                         "play, or watch by bks_feed_open()");
    }
    // A guest may hand the invitation on, because it leads everyone to the host.
    memcpy(match->invitation, text, strlen(text) + 1);
    memcpy(meeting->key, invitation.key, BKS_KEY_BYTES);
    if (bks_udp_address_parse(invitation.address, &meeting->host, error) != BKS_OK) {
        return bksi_fail(error, BKS_ERR_BAD_CONFIG, "bks_match_open", "invitation",
                         "invitation leads to '%s', which cannot be found: check its spelling and "
                         "your network",
                         invitation.address);
    }
    return BKS_OK;
}

static void write_invitation(bks_match *match, const uint8_t key[BKS_KEY_BYTES])
{
    bks_address own;
    bks_invitation invitation = {0};
    memcpy(invitation.key, key, BKS_KEY_BYTES);
    (void)bks_udp_local_address(match->udp, &own);
    (void)bks_udp_address_format(&own, invitation.address, sizeof(invitation.address));
    (void)!bks_invitation_format(&invitation, match->invitation, sizeof(match->invitation));
}

/// Open the UDP socket. A guest uses the host's version of IP if its own address names none.
static bks_status open_udp(bks_match *match, const bks_match_config *config,
                           const rendezvous *meeting, bks_error *error)
{
    char every_address[32];
    const char *bind_address = config->bind_address;
    size_t port_bytes = strspn(bind_address, "0123456789");
    bool host_is_v6 = !meeting->is_host && meeting->host.length == BKSI_UDP6_BYTES;
    if (!meeting->is_host && bind_address[port_bytes] == '\0' && port_bytes > 0 && port_bytes < 8) {
        (void)snprintf(every_address, sizeof(every_address), "%s:%s",
                       host_is_v6 ? "[::]" : "0.0.0.0", bind_address);
        bind_address = every_address;
    }
    bks_status status = bks_udp_open(bind_address, &match->udp, error);
    if (status != BKS_OK) {
        return bksi_match_config_field(status, "bind_address", error);
    }
    match->transport = bks_udp_transport(match->udp);
    bks_address own;
    (void)bks_udp_local_address(match->udp, &own);
    if (!meeting->is_host && own.length != meeting->host.length) {
        return bksi_fail(error, BKS_ERR_BAD_CONFIG, "bks_match_open", "bind_address",
                         "bind_address '%s' is IPv%c, must be IPv%c as the host is",
                         config->bind_address, host_is_v6 ? '4' : '6', host_is_v6 ? '6' : '4');
    }
    return BKS_OK;
}

static bks_status send_nowhere(void *context, const bks_address *to, const void *bytes,
                               size_t count)
{
    (void)context, (void)to, (void)bytes, (void)count;
    return BKS_OK;
}

static size_t receive_nothing(void *context, bks_address *from, void *bytes, size_t capacity)
{
    (void)context, (void)from, (void)bytes, (void)capacity;
    return 0;
}

/// Set the match's transport and the rendezvous, and write a host's invitation.
static bks_status meet(bks_match *match, const bks_match_config *config, rendezvous *meeting,
                       bks_error *error)
{
    if (config->transport != NULL) {
        match->transport = *config->transport;
        meeting->is_host = config->host_address.length == 0;
        meeting->host = config->host_address;
        memcpy(meeting->key, config->key, BKS_KEY_BYTES);
        return BKS_OK;
    }
    meeting->is_host = config->invitation == NULL;
    if (!meeting->is_host) {
        BKSI_TRY(read_invitation(match, config->invitation, meeting, error));
    } else if (bksi_match_config_has_key(config)) {
        memcpy(meeting->key, config->key, BKS_KEY_BYTES);
    } else {
        BKSI_TRY(bksi_system_random(meeting->key, BKS_KEY_BYTES, error));
    }
    if (match->is_alone) {
        match->transport = (bks_transport){.send = send_nowhere, .receive = receive_nothing};
        return BKS_OK;
    }
    BKSI_TRY(open_udp(match, config, meeting, error));
    if (meeting->is_host) {
        write_invitation(match, meeting->key);
    }
    return BKS_OK;
}

static uint64_t clock_ns_callback(void *context)
{
    (void)context;
    return bksi_clock_ns();
}

/// Draw the random numbers of a session, and read or make its identity.
static bks_status draw_secrets(bks_match *match, const bks_match_config *config,
                               bks_session_config *session, bks_error *error)
{
    BKSI_TRY(bksi_system_random(&session->nonce, sizeof(session->nonce), error));
    BKSI_TRY(bksi_identity_file_open(&match->identity, config->identity_path, session->key,
                                     session->identity, error));
    BKSI_TRY(bksi_system_random(session->entropy, BKS_KEY_BYTES, error));
    if (session->is_host && config->seed == 0 && match->replay_check.replay == NULL) {
        return bksi_system_random(&session->seed, sizeof(session->seed), error);
    }
    return BKS_OK;
}

static bks_status make_peer(bks_match *match, const bks_match_config *config,
                            const rendezvous *meeting, bks_error *error)
{
    bks_peer_config peer = bks_peer_config_default();
    bksi_match_config_to_peer(config, &peer);
    peer.session.tick_rate_hz = bksi_replay_check_tick_rate_hz(&match->replay_check);
    peer.session.is_host = meeting->is_host;
    peer.session.host = meeting->host;
    memcpy(peer.session.key, meeting->key, BKS_KEY_BYTES);
    peer.clock_ns = clock_ns_callback;
    if (match->record.path[0] != '\0') {
        peer.record = bks_record_file_sink(&match->record);
    }
    bks_status status = draw_secrets(match, config, &peer.session, error);
    if (status == BKS_OK) {
        status = bks_peer_create(&peer, &match->peer, error);
    }
    sodium_memzero(&peer, sizeof(peer));
    return status;
}

static bks_status make_meter(bks_match *match, const bks_match_config *config, bks_error *error)
{
    if (config->insight == NULL) {
        return BKS_OK;
    }
    const bks_meter_config meter = {.window_ms = config->insight->window_ms,
                                    .log_every_ms = config->insight->log_every_ms,
                                    .allocator = config->allocator};
    return bks_meter_create(&meter, &match->meter, error);
}

static void release(bks_match *match)
{
    bks_allocator allocator = match->allocator;
    bksi_joining_end(&match->joining);
    bksi_watching_close(&match->watching);
    bks_meter_destroy(match->meter);
    bksi_inspection_close(&match->inspection);
    bks_peer_destroy(match->peer);
    bksi_start_state_close(&match->start_state);
    bks_record_file_close(&match->record);
    bksi_identity_file_close(&match->identity);
    bksi_replay_check_close(&match->replay_check);
    bks_udp_close(match->udp);
    bksi_free(&allocator, match, sizeof(*match));
}

/// Return true if a recording is written. A match that plays a recording writes none unless a path
/// is given.
static bool is_recorded(const bks_match_config *config)
{
    return config->record && (config->play_path == NULL || config->record_path != NULL);
}

static bks_status open_all(bks_match *match, bks_match_config *config, rendezvous *meeting,
                           bks_error *error)
{
    BKSI_TRY(bksi_replay_check_open(&match->replay_check, config, error));
    BKSI_TRY(bksi_inspection_open(&match->inspection, config,
                                  bksi_replay_check_tick_rate_hz(&match->replay_check), error));
    match->is_alone = bksi_match_config_is_alone(config);
    match->is_deaf = config->cues_per_tick == 0 &&
                     (config->game->cue_count > 0 || config->game->command_bytes_max > 0);
    bksi_state_guard_begin(&match->guard, config->game);
    match->input_due = BKS_TICK_NONE;
    match->second = (bks_tick)config->game->tick_rate_hz;
    // Players of a game with commands may give these alone.
    const bool wants_input = config->play_path == NULL && config->game->command_bytes_max == 0;
    for (uint32_t i = 0; i < config->local_players && wants_input; i++) {
        match->lacks_input |= config->sources[i].sample == NULL && config->game->field_count > 0;
    }
    match->tick_per_update = config->tick_per_update;
    BKSI_TRY(meet(match, config, meeting, error));
    match->is_guest = !meeting->is_host;
    match->host = meeting->host;
    match->join_timeout_ms = config->join_timeout_ms;
    if (is_recorded(config)) {
        BKSI_TRY(
            bks_record_file_open(&match->record, config->record_path, config->game->name, error));
    }
    BKSI_TRY(make_peer(match, config, meeting, error));
    if (!match->is_alone) {
        BKSI_TRY(bksi_watching_open(&match->watching, config, meeting->key, error));
        BKSI_TRY(bksi_start_state_open(&match->start_state, config, &meeting->host, meeting->key,
                                       match->peer, error));
    }
    return make_meter(match, config, error);
}

bks_status bks_match_open(const bks_match_config *config, bks_match **out, bks_error *error)
{
    static const char call[] = "bks_match_open";
    BKSI_REFUSE_NULL(error, out);
    *out = NULL;
    BKSI_REFUSE_NULL(error, config);
    BKSI_TRY(bksi_match_config_check(config, error));
    bks_match *match = bksi_alloc(&config->allocator, sizeof(*match), _Alignof(bks_match));
    if (match == NULL) {
        return bksi_fail(error, BKS_ERR_OUT_OF_MEMORY, call, NULL, "no memory for a match");
    }
    match->allocator = config->allocator;
    match->record.descriptor = -1;
    match->identity.descriptor = -1;
    bks_match_config own = *config;
    rendezvous meeting = {0};
    const bks_status status = open_all(match, &own, &meeting, error);
    sodium_memzero(&meeting, sizeof(meeting));
    sodium_memzero(own.key, sizeof(own.key));
    if (status != BKS_OK) {
        release(match);
        return status;
    }
    *out = match;
    return BKS_OK;
}

// Running ---------------------------------------------------------------------------------------

static void take_packets(bks_match *match, uint64_t now_ns)
{
    bks_address from;
    for (int taken = 0; taken < PACKETS_TAKEN_MAX; taken++) {
        size_t count = match->transport.receive(match->transport.context, &from, match->packet,
                                                sizeof(match->packet));
        if (count == 0) {
            return;
        }
        if (count > sizeof(match->packet)) {
            continue; // a custom transport returned a size beyond the buffer
        }
        if (bksi_watching_receive(&match->watching, now_ns, &from, match->packet, count) ||
            bksi_start_state_receive(&match->start_state, now_ns, &from, match->packet, count)) {
            continue;
        }
        match->heard_ns = now_ns;
        (void)bks_peer_receive(match->peer, now_ns, &from, match->packet, count);
    }
}

static void send_packets(bks_match *match)
{
    bks_address to;
    size_t count;
    while ((count = bks_peer_send(match->peer, &to, match->packet, sizeof(match->packet))) > 0) {
        // Ignore the result: a refused packet counts as lost, and its content is repeated.
        (void)match->transport.send(match->transport.context, &to, match->packet, count);
    }
}

static void keep_event(bks_match *match, const bks_event *event)
{
    if (match->event_count == EVENTS_MAX) {
        match->event_first = (match->event_first + 1) % EVENTS_MAX;
        match->event_count--;
    }
    match->events[(match->event_first + match->event_count) % EVENTS_MAX] = *event;
    match->event_count++;
}

/// Keep the session's events for bks_match_event(), and react to those that a match must handle.
static void take_events(bks_match *match)
{
    bks_event event;
    while (bks_session_event(bks_peer_session(match->peer), &event)) {
        if (event.kind == BKS_EVENT_JOINED || event.kind == BKS_EVENT_REFUSED) {
            bksi_joining_end(&match->joining);
        }
        keep_event(match, &event);
    }
    if (bksi_replay_check_compare(&match->replay_check, bks_peer_session(match->peer), &event)) {
        keep_event(match, &event);
    }
}

static bool is_running(const bks_match *match)
{
    return bks_session_phase(bks_peer_session(match->peer)) == BKS_PHASE_RUNNING;
}

static void measure(bks_match *match, uint64_t now_ns)
{
    bks_costs costs;
    if (match->meter != NULL && bks_peer_costs(match->peer, &costs) == BKS_OK) {
        (void)bks_meter_take(match->meter, bks_peer_session(match->peer), now_ns,
                             costs.resimulation_ns_sum);
    }
}

/// Receive packets, update if an update is due, and send. In a running match received packets wait
/// for the next tick unless the session asks for an update, so there is at most one rollback a
/// tick.
static bks_status pump(bks_match *match, uint64_t now_ns)
{
    take_packets(match, now_ns);
    bool is_due = !is_running(match) || bks_peer_wake(match->peer) <= now_ns;
    bks_status status = is_due ? bks_peer_update(match->peer, now_ns) : BKS_OK;
    send_packets(match);
    bks_event event;
    if (bksi_start_state_update(&match->start_state, match->peer, &match->transport, match->packet,
                                now_ns, &event)) {
        keep_event(match, &event);
    }
    if (is_due) {
        measure(match, now_ns);
        bksi_watching_update(&match->watching, match->peer, now_ns);
    }
    bksi_watching_send(&match->watching, &match->transport, match->packet, now_ns);
    bksi_inspection_update(&match->inspection, match->peer,
                           match->meter != NULL ? bks_meter_figures(match->meter) : NULL);
    take_events(match);
    return status;
}

static bool is_paused(const bks_match *match)
{
    bks_roster roster = {0};
    (void)bks_session_roster(bks_peer_session(match->peer), &roster);
    return roster.is_paused;
}

/// Advance the time to the next tick, however far away it is, and update. In a pause no time
/// passes, so the pause does not end by its length.
static bks_status pump_tick(bks_match *match)
{
    bks_session *session = bks_peer_session(match->peer);
    const bks_tick before = bks_session_tick(session);
    bks_status status = BKS_OK;
    for (uint32_t i = 0; i < START_UPDATES_MAX && status == BKS_OK; i++) {
        const bool was_paused = is_paused(match);
        match->tick_ns = was_paused ? match->tick_ns : bks_peer_wake(match->peer);
        status = pump(match, match->tick_ns);
        if (bks_session_tick(session) != before || (was_paused && is_paused(match))) {
            break;
        }
    }
    return status;
}

static void begin(bks_match *match, uint64_t now_ns)
{
    match->has_begun = true;
    if (match->is_guest) {
        bksi_joining_begin(&match->joining, &match->host, match->udp != NULL,
                           match->join_timeout_ms, now_ns);
    }
}

/// Report that a guest has no seat after a while, and check its timeout.
static bks_status look_for_host(bks_match *match, uint64_t now_ns)
{
    bks_event event;
    const bool has_heard = match->heard_ns > 0;
    if (bksi_joining_update(&match->joining, now_ns, has_heard, &event)) {
        keep_event(match, &event);
    }
    return bksi_joining_check(&match->joining, now_ns, has_heard);
}

/// Log, once and a second after the start, that nobody gave an input.
static void look_for_input(bks_match *match)
{
    const bks_tick tick = bks_session_tick(bks_peer_session(match->peer));
    if (!match->lacks_input || !bks_peer_started(match->peer)) {
        return;
    }
    if (match->input_due == BKS_TICK_NONE) {
        match->input_due = tick + match->second;
    }
    if (tick >= match->input_due) {
        match->lacks_input = false;
        bksi_log(BKS_LOG_WARNING, "bks_match_input",
                 "the match is at tick %d and bks_match_input() was never called: the fields of "
                 "its players stay neutral; call it before each bks_match_update(), or set "
                 "`sources` in the match's config",
                 (int)tick);
    }
}

static bks_status update(bks_match *match)
{
    if (match->result == BKS_ERR_TIMEOUT) {
        return match->result; // a host that answers after the timeout must not revive the match
    }
    uint64_t now_ns = bksi_clock_ns();
    if (!match->has_begun) {
        begin(match, now_ns);
    }
    bks_status status = match->tick_per_update ? pump_tick(match) : pump(match, now_ns);
    if (status == BKS_OVER && match->replay_check.has_differed) {
        status = BKS_ERR_DESYNC;
    }
    if (match->result == BKS_OK) {
        match->result = status;
    }
    if (match->result == BKS_OK) {
        match->result = look_for_host(match, now_ns);
    }
    look_for_input(match);
    return match->result;
}

bks_status bks_match_update(bks_match *match)
{
    BKSI_REFUSE_NULL(NULL, match);
    BKSI_TRY(bksi_entry_begin(&match->entry, "bks_match_update"));
    bksi_state_guard_check(&match->guard, bks_peer_state(match->peer));
    const bks_status status = update(match);
    bksi_state_guard_note(&match->guard, bks_peer_state(match->peer));
    bksi_entry_end(&match->entry);
    return status;
}

/// Sleep until `until_ns`, or until a packet arrives if the transport can tell.
static void sleep_until(bks_match *match, uint64_t now_ns, uint64_t until_ns)
{
    if (until_ns <= now_ns) {
        return;
    }
    uint64_t left_ns = until_ns - now_ns;
    uint64_t nap_ns = (uint64_t)WAIT_NAP_MS_MAX * BKSI_NS_PER_MS;
    if (match->udp != NULL) {
        (void)bks_udp_wait(match->udp, left_ns);
    } else if (match->is_alone) {
        bksi_sleep_ns(left_ns);
    } else {
        bksi_sleep_ns(left_ns < nap_ns ? left_ns : nap_ns);
    }
}

bks_status bks_match_wait(bks_match *match)
{
    return match != NULL ? bks_match_wait_until(match, UINT64_MAX)
                         : bksi_fail_null(NULL, "bks_match_wait", "match");
}

/// Sleep until the match needs an update, but not beyond until_ns or WAIT_MS_MAX. Take the packets
/// that arrive, and send watchers what is due.
static void wait_until(bks_match *match, uint64_t until_ns)
{
    uint64_t now_ns = bksi_clock_ns();
    uint64_t limit_ns = now_ns + (uint64_t)WAIT_MS_MAX * BKSI_NS_PER_MS;
    limit_ns = until_ns < limit_ns ? until_ns : limit_ns;
    for (;;) {
        uint64_t wake_ns = bks_peer_wake(match->peer);
        uint64_t end_ns = wake_ns < limit_ns ? wake_ns : limit_ns;
        if (end_ns <= now_ns) {
            return;
        }
        uint64_t feed_ns = bksi_watching_wake(&match->watching);
        const uint64_t state_ns = bksi_start_state_wake(&match->start_state);
        feed_ns = state_ns < feed_ns ? state_ns : feed_ns;
        sleep_until(match, now_ns, feed_ns < end_ns ? feed_ns : end_ns);
        now_ns = bksi_clock_ns();
        if (!is_running(match)) {
            return;
        }
        take_packets(match, now_ns);
        bksi_watching_send(&match->watching, &match->transport, match->packet, now_ns);
    }
}

bks_status bks_match_wait_until(bks_match *match, uint64_t until_ns)
{
    BKSI_REFUSE_NULL(NULL, match);
    BKSI_TRY(bksi_entry_begin(&match->entry, "bks_match_wait"));
    if (!match->tick_per_update) {
        wait_until(match, until_ns);
    }
    bksi_entry_end(&match->entry);
    return BKS_OK;
}

/// Keep answering until no peer and no watcher can need anything more of us.
static void linger(bks_match *match)
{
    uint64_t now_ns = bksi_clock_ns();
    uint64_t last_ns = now_ns + (uint64_t)LINGER_MS_MAX * BKSI_NS_PER_MS;
    uint64_t end_ns;
    match->heard_ns = now_ns;
    do {
        (void)pump(match, now_ns);
        uint64_t wake_ns = bks_peer_wake(match->peer);
        if (bksi_watching_owes(&match->watching)) {
            const uint64_t feed_ns = bksi_watching_wake(&match->watching);
            wake_ns = feed_ns < wake_ns ? feed_ns : wake_ns;
            wake_ns = wake_ns < last_ns ? wake_ns : last_ns;
            match->heard_ns = now_ns; // only the limit of the whole wait counts for watchers
        }
        if (wake_ns == UINT64_MAX) {
            return;
        }
        uint64_t silent_ns = match->heard_ns + (uint64_t)LINGER_SILENCE_MS * BKSI_NS_PER_MS;
        end_ns = silent_ns < last_ns ? silent_ns : last_ns;
        sleep_until(match, now_ns, wake_ns < end_ns ? wake_ns : end_ns);
        now_ns = bksi_clock_ns();
    } while (now_ns < end_ns);
}

void bks_match_close(bks_match *match)
{
    if (match == NULL) {
        return;
    }
    if (match->has_begun && match->result != BKS_ERR_TIMEOUT) {
        bksi_watching_finish(&match->watching, match->peer, bksi_clock_ns());
        (void)bks_peer_leave(match->peer);
        linger(match);
        bksi_watching_leave(&match->watching, &match->transport, match->packet, bksi_clock_ns());
    }
    release(match);
}

bks_status bks_match_input(bks_match *match, uint32_t local_player, const void *input)
{
    BKSI_REFUSE_NULL(NULL, match);
    BKSI_TRY(bksi_entry_begin(&match->entry, "bks_match_input"));
    match->lacks_input = false;
    const bks_status status = bks_peer_input(match->peer, local_player, input, NULL);
    bksi_entry_end(&match->entry);
    return status;
}

bks_status bks_match_command(bks_match *match, uint32_t local_player, const void *bytes,
                             size_t count)
{
    BKSI_REFUSE_NULL(NULL, match);
    BKSI_TRY(bksi_entry_begin(&match->entry, "bks_match_command"));
    // The commands of a playback are those of the recording.
    const bks_status status =
        match->replay_check.replay != NULL
            ? bksi_session_command_check(bks_peer_session(match->peer), local_player, bytes, count)
            : bks_peer_command(match->peer, local_player, bytes, count);
    bksi_entry_end(&match->entry);
    return status;
}

// Queries ---------------------------------------------------------------------------------------

const char *bks_match_invitation(const bks_match *match)
{
    BKSI_REFUSE_NULL_OR("", match);
    return match->invitation;
}

bool bks_match_started(const bks_match *match)
{
    BKSI_REFUSE_NULL_OR(false, match);
    return bks_peer_started(match->peer);
}

int32_t bks_match_seat(const bks_match *match, uint32_t local_player)
{
    BKSI_REFUSE_NULL_OR(-1, match);
    bks_roster roster = {0};
    (void)bks_session_roster(bks_peer_session(match->peer), &roster);
    const uint32_t count = roster.peers > 0 ? roster.player_count[roster.self] : UINT32_MAX;
    if (local_player >= count) {
        (void)bksi_fail(NULL, BKS_ERR_BAD_ARGUMENT, "bks_match_seat", "local_player",
                        "local_player is %u, must be 0..%u", local_player, count - 1);
        return -1;
    }
    return roster.peers > 0 ? (int32_t)(roster.first_player[roster.self] + local_player) : -1;
}

uint32_t bks_match_players(const bks_match *match)
{
    if (!bks_match_started(match)) {
        return 0;
    }
    bks_roster roster = {0};
    (void)bks_session_roster(bks_peer_session(match->peer), &roster);
    return roster.players;
}

const void *bks_match_state(const bks_match *match)
{
    BKSI_REFUSE_NULL_OR(NULL, match);
    return bks_peer_state(match->peer);
}

uint64_t bks_match_now(void)
{
    return bksi_clock_ns();
}

bks_status bks_match_frame(bks_match *match, uint64_t now_ns, struct bks_frame *frame)
{
    BKSI_REFUSE_NULL(NULL, match);
    BKSI_REFUSE_NULL(NULL, frame);
    return bks_peer_frame(match->peer, now_ns, frame);
}

bool bks_match_event(bks_match *match, bks_event *event)
{
    BKSI_REFUSE_NULL_OR(false, match);
    BKSI_REFUSE_NULL_OR(false, event);
    if (match->event_count == 0) {
        return false;
    }
    *event = match->events[match->event_first];
    match->event_first = (match->event_first + 1) % EVENTS_MAX;
    match->event_count--;
    return true;
}

const char *bks_match_inspect_address(const bks_match *match)
{
    BKSI_REFUSE_NULL_OR("", match);
    return match->inspection.address;
}

const char *bks_match_inspect_token(const bks_match *match)
{
    BKSI_REFUSE_NULL_OR("", match);
    return match->inspection.token_text;
}

const bks_figures *bks_match_figures(const bks_match *match)
{
    BKSI_REFUSE_NULL_OR(NULL, match);
    return match->meter != NULL ? bks_meter_figures(match->meter) : NULL;
}

bool bks_match_cue(bks_match *match, struct bks_cue_event *event)
{
    BKSI_REFUSE_NULL_OR(false, match);
    BKSI_REFUSE_NULL_OR(false, event);
    if (match->is_deaf) {
        match->is_deaf = false;
        bksi_log(BKS_LOG_WARNING, "bks_match_cue",
                 "the game has cues or commands, but cues_per_tick of the match's config is 0: no "
                 "cue and no refused command is reported");
    }
    return bks_peer_cue(match->peer, event);
}

bks_peer *bks_match_peer(bks_match *match)
{
    BKSI_REFUSE_NULL_OR(NULL, match);
    return match->peer;
}

bks_session *bks_match_session(bks_match *match)
{
    BKSI_REFUSE_NULL_OR(NULL, match);
    return bks_peer_session(match->peer);
}

bks_status bks_match_note(bks_match *match, const char *text)
{
    BKSI_REFUSE_NULL(NULL, match);
    BKSI_TRY(bksi_entry_begin(&match->entry, "bks_match_note"));
    const bks_status status = bks_peer_note(match->peer, text);
    if (status == BKS_OK) {
        bksi_watching_note(&match->watching, text);
    }
    bksi_entry_end(&match->entry);
    return status;
}

bksi_entry *bksi_match_entry(bks_match *match)
{
    return &match->entry;
}

const char *bks_match_record_path(const bks_match *match)
{
    BKSI_REFUSE_NULL_OR("", match);
    return match->record.path;
}

bks_status bks_match_record_status(const bks_match *match)
{
    BKSI_REFUSE_NULL(NULL, match);
    return match->record.is_failed ? BKS_ERR_IO : BKS_OK;
}

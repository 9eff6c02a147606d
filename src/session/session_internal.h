// SPDX-License-Identifier: MIT

/// @file session_internal.h
/// The session's parts, and what its files offer one another. Each file owns one concern:
///   queries.c    what the session answers
///   config.c     is this a config one can start from
///   lobby.c      who plays: join, roster, links, the start
///   start.c      whether all start from the same state
///   refusal.c    why there is no match, told to both sides
///   clock.c      which ticks are due, starving
///   pace.c       advantage, stalls, slew, catching up, input delay
///   drive.c      what the owner of the game must do next
///   failure.c    what the owner could not do, and when that ends the match; how the match stands
///   budget.c     what operations cost, and what a machine that is too slow does about it
///   heads.c      how far each peer's inputs are known
///   exchange.c   inputs on the wire
///   mesh.c       who hears whom, forwarding, relaying
///   views.c      who is in: the log of views, commits, what a leaver leaves, splits
///   ballots.c    who is to go
///   checking.c   hashes: published, compared, a difference found
///   events.c     what is told
///   inspect.c    what the lab sees and does

#ifndef BKSI_SESSION_INTERNAL_H
#define BKSI_SESSION_INTERNAL_H

#include "backstitch/session.h"

#include "base/mutant.h"
#include "input/codec.h"
#include "input/input_stream.h"
#include "input/layout.h"
#include "net/guard.h"
#include "net/link.h"
#include "rollback/rollback.h"
#include "session/budget.h"
#include "session/clock.h"
#include "session/inspect.h"
#include "session/pace.h"
#include "wire/input_message.h"
#include "wire/join.h"
#include "wire/mesh_messages.h"
#include "wire/packet.h"
#include "wire/roster.h"
#include "wire/small_messages.h"
#include "wire/view_messages.h"

#define NS_PER_MS     1000000ull
#define NS_PER_SECOND 1000000000ull

/// Between 20 and 120 packets a second, whatever the tick rate.
#define SEND_GAP_MIN_NS (NS_PER_SECOND / 120)
#define SEND_GAP_MAX_NS (NS_PER_SECOND / 20)

/// After a second without a word from a peer only four packets a second go to it [INVERSUS].
#define THROTTLE_AFTER_NS NS_PER_SECOND
#define THROTTLE_GAP_NS   (250 * NS_PER_MS)

/// How often an unanswered message about the next view is repeated, and one to who is out of it.
#define VIEW_REPEAT_NS (50 * NS_PER_MS)
#define GONE_REPEAT_NS NS_PER_SECOND
#define GONE_REPLY_NS  (250 * NS_PER_MS)

/// How often an unanswered lobby message is repeated.
#define LOBBY_REPEAT_NS (50 * NS_PER_MS)

/// From the time when all can know of the start to the first tick: word of it that gets lost is
/// said again, and clocks are read better [INVERSUS, Startup Advantage].
#define WARM_UP_NS (3 * LOBBY_REPEAT_NS)

/// An echo, which measures the round trip, goes with every so many packets.
#define ECHO_EVERY 6u

/// Guests that do not reach each other for this long, as behind some NATs, start all the same:
/// others pass on what they say.
#define LINK_PATIENCE_NS (2 * NS_PER_SECOND)

/// A guest that hears nothing of a peer for this long before the start greets it anew.
#define LOBBY_RENEW_NS (3 * NS_PER_SECOND)

#define EVENTS_MAX 64u

/// A ballot sends as many at once through a peer as there are others. What is beyond comes again.
#define RELAYS_MAX BKS_PEERS_MAX

/// Hashes kept of each peer until we have our own, a power of two.
#define REMOTE_HASHES_KEPT 256u

/// A hash that a peer told.
typedef struct remote_hash {
    bks_tick tick;
    bksi_hash_kind kind;
    uint64_t state;
    uint64_t inputs;
} remote_hash;

/// Masks of peers.
#define PEER_BIT(peer) (1u << (peer))

/// A peer's word that it does not hear a third one well.
typedef struct peer_wish {
    bool is_active;
    bks_tick need;    ///< the first tick of that one which it lacks; it never lessens
    uint64_t need_ns; ///< since when it is active and lacks that tick
} peer_wish;

/// One view: who left with it, and where each of them ends.
typedef struct session_view {
    uint32_t leavers; ///< bits by peer
    bks_tick ends[BKS_PEERS_MAX];
    uint64_t hash; ///< of this and all before it
} session_view;

/// Ballots are ordered by number, then by peer.
typedef struct session_ballot {
    uint32_t number; ///< 0: none
    uint32_t peer;
} session_ballot;

/// One peer as we see it. Our own entry only says which players are ours.
typedef struct session_peer {
    bksi_channel channel; ///< the way to it, 0: none yet
    uint64_t nonce;       ///< host: of the guest's life
    uint8_t identity[BKSI_IDENTITY_BYTES];
    uint64_t renewed_ns; ///< when it was last greeted anew
    uint32_t first_player;
    uint32_t player_count;

    // lobby
    bool is_ready;          ///< host: the guest said so
    uint64_t build;         ///< host: the guest's; guest: peer 0's alone
    uint64_t start_hash;    ///< host: of the guest's state of tick 0, once it is ready
    bool has_parts;         ///< host: the guest explained its state
    bksi_parts parts;       ///< likewise
    bool heard;             ///< a LINK of it came
    bool heard_us;          ///< and it had heard one of ours
    uint32_t link_stamp_us; ///< the newest stamp of its LINKs
    uint64_t link_stamp_ns; ///< when it came
    bool owes_link;         ///< send a LINK
    bool owes_roster;       ///< host: send a ROSTER

    // match
    bks_tick need;     ///< first tick of ours that it does not have
    bks_tick told_to;  ///< where the last INPUT to it ended, before our newest; 0: it did not
    uint64_t began_ns; ///< when one last began with what it needs
    bksi_link link;
    uint64_t heard_ns;    ///< when anything sound last came from it itself
    uint64_t word_ns;     ///< when it was last known to live, by any path; on the clock `awake_ns`
    uint64_t sent_ns;     ///< when an INPUT last went to it
    uint64_t echo_ns;     ///< when an echo last came from it
    bool hears_us;        ///< it echoed a packet of ours that came a moment ago
    bool is_silent;       ///< no word for notify_after_ms
    bool said_bye;        ///< it needs nothing more of us
    bool has_quit;        ///< by goodbye, or it is of the smaller side of a split
    bool is_mute;         ///< lives, but left our ballot unanswered
    bool is_lost;         ///< told as an event
    bool owes_heard;      ///< the answer to its goodbye
    uint32_t owes_inputs; ///< bits: whose inputs go to it, our own among them
    uint32_t inputs_from; ///< with whose they begin this time
    bool owes_propose;
    bool owes_answer;
    bool owes_commit;
    bool owes_gone;
    bool takes_relay;      ///< the next message about a view goes through a third peer
    uint64_t view_next_ns; ///< next repeat of such a message
    uint32_t view;         ///< the newest view it told to be in
    uint32_t beat;         ///< the newest of its beats that came, by any path
    uint32_t way;          ///< and through whom
    peer_wish wishes[BKS_PEERS_MAX];
    bool owes_bye;
    uint32_t full_hash_countdown; ///< packets until the 64 bits are due
    uint32_t echo_countdown;      ///< packets until an echo is due
    uint64_t packets_sent;
    uint64_t packets_received;

    // checking
    remote_hash hashes[REMOTE_HASHES_KEPT]; ///< by tick modulo length
    bool differs;                           ///< a difference was seen
    bks_tick differs_tick;                  ///< the first tick known to differ
    bool differs_told;                      ///< as an event
    uint64_t differs_ns;                    ///< when it was seen
    uint32_t hashes_left;                   ///< HASHES still to send
    uint64_t hashes_next_ns;
} session_peer;

/// Room for why an operation failed, so that the sentence around it fits an event's text.
#define PROBLEM_BYTES 96

/// An operation that failed.
typedef struct session_failure {
    bks_tick tick; ///< of the operation
    bool is_final; ///< the match ended of it
    char problem[PROBLEM_BYTES];
} session_failure;

/// Where the lobby stands.
typedef enum lobby_stage {
    LOBBY_GATHERING, ///< host: seats free; guest: no complete roster yet
    LOBBY_LINKING,   ///< all are known: make the state, reach everyone
    LOBBY_GO,        ///< the time of the first tick is known
} lobby_stage;

/// A message of one peer for another on its way through us.
typedef struct session_relay {
    bksi_relay_head head;
    uint32_t from; ///< who passed it to us
    size_t bytes;
    uint8_t body[BKSI_BODY_BYTES_MAX];
} session_relay;

struct bks_session {
    bks_session_config config;
    bksi_guard guard;
    bksi_facts facts;
    bksi_layout layout;
    uint8_t setup[BKS_SETUP_BYTES_MAX];
    size_t setup_bytes;

    bks_phase phase;
    uint64_t now_ns;
    bool has_begun;    ///< the first update has been
    uint64_t begun_ns; ///< when
    bool is_updating;  ///< between update and the last next
    bool has_left;     ///< by bks_session_leave
    uint64_t left_ns;  ///< when

    // lobby
    lobby_stage stage;
    uint64_t lobby_next_ns; ///< next repeat
    uint64_t linking_ns;    ///< since when all are known
    bool owes_join;         ///< guest
    bool state_is_made;     ///< START has been carried out
    bool start_is_hashed;   ///< and the state of tick 0 hashed: start_hash
    uint64_t start_hash;
    bool is_unequal;     ///< not all start from the same state, and their parts are compared
    uint64_t unequal_ns; ///< host: since when
    bool has_parts;      ///< RANGES has been carried out
    bksi_parts parts;
    bksi_difference difference; ///< what the match failed for; no peers: it did not
    uint64_t start_ns;          ///< LOBBY_GO: time of the first tick
    bool has_clock;             ///< guest: the host's clock was read
    int32_t clock_trip_us;      ///< over this round trip, the shortest so far
    uint32_t clock_ahead_us;    ///< it is ahead of ours by this, modulo 2^32
    bool has_start;             ///< guest: the host's word on the start is here
    uint32_t start_us;          ///< on the host's clock

    // refusal
    bool owes_refuse;
    bksi_refuse refuse; ///< the newest one made
    bksi_channel refuse_to;
    uint64_t refused_ns;                  ///< when a player was last told
    uint64_t gave_back_ns;                ///< when a guest's seats were last free again
    bool refuses;                         ///< we could not make the state, and say so
    char problem[BKSI_REFUSE_TEXT_BYTES]; ///< why; empty: we could, as far as is known

    // who
    uint32_t peer_count;
    uint32_t self;
    session_peer peers[BKS_PEERS_MAX];
    uint32_t players;
    uint64_t seed;
    bks_tick ticks; ///< 0: no end
    uint32_t hash_every;

    // mesh
    uint64_t updated_ns;              ///< the last update
    uint32_t rounds;                  ///< how often inputs were owed
    uint64_t awake_ns;                ///< time that we were there to hear something, so to speak
    session_relay relays[RELAYS_MAX]; ///< to be passed on
    uint32_t relay_count;
    uint32_t complete; ///< bits: who is known to have every tick, we among them

    // views
    session_view views[BKS_PEERS_MAX];
    uint32_t view;                ///< the newest
    uint32_t departed;            ///< bits: the leavers of all views
    uint32_t frozen;              ///< bits: leavers of the ballots answered since the newest view
    session_ballot promised;      ///< the highest ballot answered since the newest view
    uint32_t leavers;             ///< bits, of that ballot
    bool is_proposing;            ///< it is our own
    uint64_t proposed_ns;         ///< since when; on the clock `awake_ns`
    uint32_t answered;            ///< bits: who answered it
    bks_tick best[BKS_PEERS_MAX]; ///< by leaver: the highest head reported

    bksi_rollback engine;
    bksi_input_stream streams[BKS_PLAYERS_MAX]; ///< by player: its inputs on their way

    session_clock clock;
    session_pace pace;
    session_budget budget;
    uint64_t sent_ns;      ///< when packets last went
    uint64_t send_from_ns; ///< the rate allows the next packets from here on

    bool has_op; ///< one is handed out
    bks_op op;

    session_failure failure;

    // checking
    bool has_desynced; ///< a difference was told

    const bksi_equivocation *equivocation; ///< of the lab; NULL: everybody is told the truth

    bks_event events[EVENTS_MAX]; ///< by number of the event modulo EVENTS_MAX
    uint32_t event_first;
    uint32_t event_count;
    uint64_t events_told; ///< since the session began

    bks_stats stats;
};

/// Length of a tick at full rate.
static inline double bksi_session_tick_ns(const bks_session *session)
{
    return (double)NS_PER_SECOND / session->config.tick_rate_hz;
}

// session.c
/// Take in a message that passed the guard.
/// @return false when it makes no sense
bool bksi_session_take(bks_session *session, const bksi_guard_message *message);

// config.c
bks_status bksi_session_config_check(const bks_session_config *config, bks_error *error);

/// The first seat that a guest wants, as it goes over the wire.
/// @return the seat, -1: the next free one
int32_t bksi_session_wanted_seat(const bks_session_config *config);

// events.c
bks_event *bksi_session_tell(bks_session *session, bks_event_kind kind, uint32_t peer,
                             bks_tick tick);

// lobby.c
void bksi_lobby_init(bks_session *session);
void bksi_lobby_update(bks_session *session);
uint64_t bksi_lobby_wake(const bks_session *session);
bool bksi_lobby_receive(bks_session *session, const bksi_guard_message *message,
                        bksi_byte_reader *reader);
/// @return bytes of body, 0 when the lobby owes nothing; `type` and `to` say what and whom
size_t bksi_lobby_send(bks_session *session, bksi_channel *to, uint8_t *body, uint32_t *type);
void bksi_lobby_go_now(bks_session *session);
/// A guest is not to be there: its seats are free again.
void bksi_lobby_remove(bks_session *session, uint32_t index);
/// Whether that happened a moment ago: guests that ask for it wait, and ask again.
bool bksi_lobby_gave_back_lately(const bks_session *session);
/// The peer at the other end of a channel, BKS_PEERS_MAX when it is none of ours.
uint32_t bksi_lobby_peer(const bks_session *session, bksi_channel channel);

// start.c
/// Our state of tick 0 has this hash.
void bksi_start_made(bks_session *session, uint64_t hash);
/// Whether RANGES is to be carried out, and what came of it.
bool bksi_start_wants_parts(const bks_session *session);
void bksi_start_take_parts(bks_session *session, const uint64_t *hashes, uint32_t count);
/// Host: all are ready. Compare their states of tick 0 with ours; where one differs, ask for the
/// parts, and fail once they are here.
/// @return whether all are the same
bool bksi_start_compare(bks_session *session);
/// Host: take in how far a guest is.
void bksi_start_heard(session_peer *peer, const bksi_join *join);
/// Guest: the host found a difference.
void bksi_start_verdict(bks_session *session, const bksi_difference *difference);
/// Name the peers that play another build.
void bksi_start_tell_builds(bks_session *session);

// refusal.c
/// @param reason  a bksi_fact or bksi_refusal
void bksi_refusal_of_guest(bks_session *session, bksi_channel to, const bksi_join *join,
                           uint32_t reason, uint32_t seats_free);
/// What a host that has failed before the start refuses guests for.
uint32_t bksi_refusal_reason(const bks_session *session);
/// We cannot make the state.
void bksi_refusal_of_match(bks_session *session, const char *problem);
bool bksi_refusal_receive(bks_session *session, bksi_channel from, bksi_byte_reader *reader);
void bksi_refusal_update(bks_session *session);
size_t bksi_refusal_send(bks_session *session, bksi_channel *to, uint8_t *body);

// heads.c
/// The match starts: all is known of who plays.
void bksi_heads_start(bks_session *session);
/// One past the newest tick whose inputs of a peer are known; of our own peer.
bks_tick bksi_heads_of(const bks_session *session, uint32_t peer);
bks_tick bksi_heads_own(const bks_session *session);

// exchange.c
/// @return BKS_OK, BKS_ERR_OUT_OF_MEMORY
bks_status bksi_exchange_create(bks_session *session, uint32_t players);
void bksi_exchange_destroy(bks_session *session);
bool bksi_exchange_receive(bks_session *session, uint32_t peer, const uint8_t *body, size_t count);
size_t bksi_exchange_write(bks_session *session, uint32_t peer, uint8_t *body);
/// Write a run of a peer's inputs from `first` to before `until`, as many as fit.
void bksi_exchange_write_run(bks_session *session, bksi_bit_writer *writer, uint32_t peer,
                             bks_tick first, bks_tick until);
/// Read a run; what is new and before `limit` is taken (0: nothing is).
/// @return false when the bits are no run
bool bksi_exchange_read_run(bks_session *session, bksi_bit_reader *reader, uint32_t peer,
                            bks_tick limit);
/// Append one tick's inputs of a peer's players; marks it wrong when it was stepped with others.
void bksi_exchange_append(bks_session *session, uint32_t peer, const uint8_t *inputs);
/// One tick of our own players was sampled: it is to be sent.
void bksi_exchange_sampled(bks_session *session);

// mesh.c
void bksi_mesh_start(bks_session *session);
/// Who has fallen silent.
void bksi_mesh_update(bks_session *session);
/// A peer itself was heard.
void bksi_mesh_heard(bks_session *session, uint32_t peer);
/// A peer is known to live.
void bksi_mesh_word(bks_session *session, uint32_t peer);
/// Whether packets go both ways between a peer and us.
bool bksi_mesh_is_fine(const bks_session *session, uint32_t peer);
/// Whether a peer may be sent to now, and is: 4 times a second when it is silent.
bool bksi_mesh_may_send(const bks_session *session, uint32_t peer);
/// Owe a peer our own inputs, and those of others that it lacks and we have.
void bksi_mesh_owe_inputs(bks_session *session, uint32_t peer);
/// Whose inputs go to a peer next, of those owed; each in turn goes first.
uint32_t bksi_mesh_next_inputs(bks_session *session, uint32_t peer);
/// How we hear the others, for a peer.
/// @return whether it is to be sent
bool bksi_mesh_fill_part(const bks_session *session, uint32_t peer, bksi_mesh_part *part);
void bksi_mesh_write_part(const bks_session *session, uint32_t peer, bks_tick head,
                          const bksi_mesh_part *part, bksi_bit_writer *writer);
/// @param view  receives the sender's view
/// @return false when it is no mesh part, or the view is not of our line
bool bksi_mesh_read_part(bks_session *session, uint32_t peer, const bksi_input_head *head,
                         bksi_bit_reader *reader, uint32_t *view);
/// @param about  whose inputs
size_t bksi_mesh_write_forward(bks_session *session, uint32_t peer, uint32_t about, uint8_t *body);
bool bksi_mesh_receive_forward(bks_session *session, const uint8_t *body, size_t count);
/// Every other message to a peer that we do not hear goes through a third one.
/// @return bytes of the body, which is wrapped then
size_t bksi_mesh_reroute(bks_session *session, uint32_t peer, uint8_t *body, size_t count,
                         uint32_t *type, uint32_t *to);
/// The message that waits to be passed on.
/// @param to  receives whom it goes to
/// @return bytes, 0 when there is no way
size_t bksi_mesh_write_relay(bks_session *session, uint8_t *body, uint32_t *type, uint32_t *to);
bool bksi_mesh_receive_relay(bks_session *session, uint32_t peer, const uint8_t *body,
                             size_t count);

// views.c
/// Bits of the peers in the view.
uint32_t bksi_views_members(const bks_session *session);
bool bksi_views_has(const bks_session *session, uint32_t peer);
/// Leave: say goodbye to all of them until it is heard.
void bksi_views_say_goodbye(bks_session *session);
/// The lowest peer in the view: the host.
uint32_t bksi_views_host(const bks_session *session);
/// The first tick without a peer, BKS_TICK_NONE while it is in.
bks_tick bksi_views_end(const bks_session *session, uint32_t peer);
/// Whether a hash of this tick told in an older view is still true in ours.
bool bksi_views_agree_on(const bks_session *session, uint32_t view, bks_tick tick);
/// Whether a view with this number and hash is ours or one before it; a later one may be.
bool bksi_views_knows(const bks_session *session, uint32_t view, uint32_t hash);
void bksi_views_update(bks_session *session);
/// Leavers' timelines go on with neutral inputs as far as our own.
void bksi_views_extend(bks_session *session);
bool bksi_views_receive(bks_session *session, uint32_t type, uint32_t peer, const uint8_t *body,
                        size_t count);
/// Something came from a peer that is not in our view.
void bksi_views_heard_departed(bks_session *session, uint32_t peer);
/// @return bytes of body, 0 when nothing of views is owed to a peer
size_t bksi_views_send(bks_session *session, uint32_t peer, uint8_t *body, uint32_t *type);
bool bksi_views_is_urgent(const bks_session *session);
/// The lowest peer of a mask, BKS_PEERS_MAX when it is empty.
uint32_t bksi_views_lowest(uint32_t peers);
/// How many peers a mask holds.
uint32_t bksi_views_count(uint32_t peers);
bksi_view_name bksi_views_name(const bks_session *session, uint32_t view);
bool bksi_views_is_ours(const bks_session *session, const bksi_view_name *name);
/// Whether a peer has to be told of the next view.
bool bksi_views_is_behind(const bks_session *session, uint32_t peer);
/// Enter the next view. All inputs of its leavers before their ends are here.
void bksi_views_adopt(bks_session *session, const session_view *next);
/// Whether such heads of leavers can be.
bool bksi_views_are_sane(const bks_session *session, uint32_t leavers, const bks_tick *heads);
/// Take what a message brings of the leavers' inputs, each before its limit.
bool bksi_views_read_runs(bks_session *session, bksi_bit_reader *reader, uint32_t leavers,
                          const bks_tick *limits);
/// Tell a peer what it lacks of the leavers' inputs.
void bksi_views_write_runs(bks_session *session, bksi_bit_writer *writer, uint32_t to,
                           uint32_t leavers, const bks_tick *ends);

// ballots.c
/// Begin or go on with a ballot if we are the host, or tell the host whose inputs we no longer
/// take.
void bksi_ballots_update(bks_session *session);
/// Whose answers our ballot needs.
uint32_t bksi_ballots_voters(const bks_session *session);
bool bksi_ballots_receive_propose(bks_session *session, uint32_t from, bksi_bit_reader *reader);
bool bksi_ballots_receive_answer(bks_session *session, uint32_t from, bksi_bit_reader *reader);
void bksi_ballots_write_propose(const bks_session *session, bksi_bit_writer *writer);
void bksi_ballots_write_answer(bks_session *session, uint32_t to, bksi_bit_writer *writer);

// drive.c
/// An update begins: hand the engine what is due.
void bksi_drive_begin(bks_session *session);

// failure.c
/// The owner could not carry out an operation.
void bksi_failure_of(bks_session *session, const bks_op *op, const char *problem);
/// Once what is certain is settled: ends the match when the newest state that is certain came of
/// what failed.
void bksi_failure_settle(bks_session *session);

// checking.c
/// Our own hash of this tick, if it has one, is published: compare what others told of it.
void bksi_checking_published(bks_session *session, bks_tick tick);
void bksi_checking_heard(bks_session *session, uint32_t peer, const remote_hash *hash);
void bksi_checking_heard_many(bks_session *session, uint32_t peer,
                              const bksi_hashes_message *message);
bool bksi_checking_owes_hashes(const bks_session *session, uint32_t peer);
void bksi_checking_write_hashes(bks_session *session, uint32_t peer, bksi_byte_writer *writer);
void bksi_checking_update(bks_session *session);
/// The match ends: no more word will come of what was seen to differ.
void bksi_checking_end(bks_session *session);
/// What tells states and inputs apart in few bits: a lie that leaves the state as it is shows too.
uint64_t bksi_checking_short(const bksi_tick_hash *own);
bool bksi_checking_is_same(const bksi_tick_hash *own, const remote_hash *remote);

#endif

// SPDX-License-Identifier: MIT

/// @file toolkit/inspector.h
/// Looking at a running match: a meter of its figures, what bks inspect asks from another program,
/// and what a program that allows it answers. A match does it by itself, see bks_insight.inspect; a
/// program with a session of its own hands the packets of a socket to bks_inspect_answer():
///
///     while ((count = udp.receive(udp.context, &from, packet, sizeof(packet))) > 0) {
///         count = bks_inspect_answer(&inspected, packet, count, answer);
///         if (count > 0) {
///             (void)udp.send(udp.context, &from, answer, count);
///         }
///     }
///
/// Every packet has BKS_INSPECT_BYTES, so an answer is never longer than what asked for it. An
/// answer depends on its request alone: the side that answers keeps nothing.
///
/// @see docs/spec/inspect.md
///
/// Thread rule: as the session that is looked at; reading and writing packets, any thread.

#ifndef BACKSTITCH_TOOLKIT_INSPECTOR_H
#define BACKSTITCH_TOOLKIT_INSPECTOR_H

#include "backstitch/present.h"
#include "backstitch/state.h"
#include "backstitch/toolkit/state_map.h"

#ifdef __cplusplus
extern "C" {
#endif

/// Bytes of every packet.
#define BKS_INSPECT_BYTES 1024

/// Bytes of the token that allows changes.
#define BKS_INSPECT_TOKEN_BYTES 16

/// Most bytes of a text that describes a link, the zero included.
#define BKS_INSPECT_LINK_BYTES 160

/// Most parts of the memory in an answer.
#define BKS_INSPECT_PARTS_MAX 12

/// Figures of a match, and of a link, in the order of bks_figures and bks_link_figures.
#define BKS_INSPECT_MATCH_FIGURES 9
#define BKS_INSPECT_LINK_FIGURES  8 ///< see above

/// Row of a figure: how it is shown in the overlay, by bks inspect, and in the log.
typedef struct bks_figure_row {
    const char *name; ///< for people
    const char *key;  ///< in JSON
    const char *unit; ///< as text, such as "ms"
    float scale;      ///< from the figure to that unit
    float graph_top;  ///< a graph reaches from 0 up to this at the least, in the figure's own unit
    bool is_urgent;   ///< shown also where there is room for a few
    bool has_most;    ///< a line of the log has its most beside the mean
    uint32_t at;      ///< bytes from the start of bks_figures, or of bks_link_figures
} bks_figure_row;

/// Get the row of a figure.
/// @param peer   peer of the link; BKS_PEERS_MAX: a figure of the match
/// @param index  0.., as in a request; the order is the same everywhere
/// @return static; NULL: there is no such figure
const bks_figure_row *bks_figure_row_of(uint32_t peer, uint32_t index);

/// Get one of the figures.
/// @param figures  not NULL
/// @param peer     as in bks_figure_row_of()
/// @return part of `figures`; NULL: there is no such figure
const bks_figure *bks_figure_of(const bks_figures *figures, uint32_t peer, uint32_t index);

/// Kinds of request.
typedef enum bks_inspect_kind {
    BKS_INSPECT_SUMMARY = 1, ///< progress and tuning of the match
    BKS_INSPECT_FIGURE = 2,  ///< one figure with its history
    BKS_INSPECT_MEMORY = 3,  ///< parts of the state's memory
    BKS_INSPECT_CHANGE = 4,  ///< change something; needs the token
} bks_inspect_kind;

/// Things that a request can change.
typedef enum bks_inspect_change {
    BKS_INSPECT_WINDOW = 0, ///< as window_ticks of bks_session_retune()
    BKS_INSPECT_DELAY = 1,  ///< as delay_ticks there
    BKS_INSPECT_PACE = 2,   ///< as pace there
    BKS_INSPECT_LINK = 3,   ///< the emulated link of the program, such as "delay=50ms,loss=2%";
                            ///< "perfect" is none
} bks_inspect_change;

/// Results of a request.
typedef enum bks_inspect_status {
    BKS_INSPECT_OK = 0,           ///< done
    BKS_INSPECT_NOT_ALLOWED = 1,  ///< the token is missing or wrong; nothing is changed
    BKS_INSPECT_OUT_OF_RANGE = 2, ///< the value is; nothing is changed
    BKS_INSPECT_NOT_THERE = 3,    ///< there is no such peer, figure, part or emulated link
} bks_inspect_status;

/// A request. Start from {0}.
typedef struct bks_inspect_request {
    uint32_t serial;                        ///< any number, which the answer repeats
    bks_inspect_kind kind;                  ///< kind of request
    uint32_t peer;                          ///< FIGURE: of which link; BKS_PEERS_MAX: of the match
    uint32_t index;                         ///< FIGURE: which one, 0..; MEMORY: the first part
    uint8_t token[BKS_INSPECT_TOKEN_BYTES]; ///< CHANGE: as the program printed it
    bks_inspect_change change;              ///< CHANGE: what
    uint32_t value;                         ///< CHANGE, but LINK: the new value
    char link[BKS_INSPECT_LINK_BYTES];      ///< CHANGE of LINK: the new one, printable ASCII
} bks_inspect_request;

/// Progress and tuning of a match.
typedef struct bks_inspect_summary {
    char game[32];                     ///< name of the game
    uint32_t tick_rate_hz;             ///< ticks a second
    bks_phase phase;                   ///< phase of the match
    bks_tick tick;                     ///< present
    bks_tick confirmed;                ///< the first that is not confirmed
    bks_tick ticks;                    ///< length of the match, 0: no end
    bks_tick published;                ///< newest tick with a final hash, BKS_TICK_NONE: none
    uint64_t hash;                     ///< that one
    uint32_t players;                  ///< seats
    uint32_t self;                     ///< number of the peer that answers
    uint32_t host;                     ///< number of the host
    uint32_t peers_in;                 ///< bit by peer: it is in the match, ours too
    uint32_t links;                    ///< bit by peer: there are figures of it
    uint32_t window_ms;                ///< window of the figures; 0: there are none
    uint32_t window_ticks;             ///< as it is tuned now
    uint32_t window_max;               ///< the longest window that a change may ask for
    uint32_t delay_ticks;              ///< as it is tuned now; BKS_AUTO
    bks_pace pace;                     ///< as it is tuned now
    bool is_changeable;                ///< the program gave out a token
    bool has_link;                     ///< true when the program has an emulated link
    char link[BKS_INSPECT_LINK_BYTES]; ///< that one, as it is now
    uint64_t rollbacks;                ///< as in bks_stats, this and all that follow
    uint64_t resimulated;              ///< ticks
    uint64_t stalled_ticks;            ///< ticks
    uint64_t starved_ticks;            ///< ticks
    uint32_t repairs;                  ///< number of repairs that are remembered
    bks_repair repair;                 ///< the newest of them
    uint64_t state_bytes;              ///< size of the region, 0: the state lies in none
    uint32_t parts;                    ///< parts of its memory
} bks_inspect_summary;

/// An answer, as it was read.
typedef struct bks_inspect_answer_read {
    uint32_t serial;             ///< serial of the request
    bks_inspect_kind kind;       ///< kind of the request
    bks_inspect_status status;   ///< the rest is 0 unless it is BKS_INSPECT_OK
    bks_inspect_summary summary; ///< SUMMARY, CHANGE
    uint32_t peer;               ///< FIGURE
    uint32_t index;              ///< FIGURE; MEMORY: of the first part
    bks_figure figure;           ///< FIGURE: the history to 2 digits, its weights 0 or 1
    uint32_t part_count;         ///< MEMORY: parts in this answer, 0..BKS_INSPECT_PARTS_MAX
    bks_memory_part parts[BKS_INSPECT_PARTS_MAX]; ///< MEMORY
} bks_inspect_answer_read;

/// Match that is inspected. Start from {0}.
typedef struct bks_inspected {
    bks_session *session;       ///< required
    const char *game;           ///< name of the game, NULL: ""
    uint32_t tick_rate_hz;      ///< ticks a second
    const bks_figures *figures; ///< NULL: there are none
    const void *state;          ///< newest; NULL: nothing is said of its memory
    size_t state_bytes;         ///< size of the state, 0: the state lies in no region
    size_t root_bytes;          ///< size of the game's root
    const uint8_t *token;       ///< BKS_INSPECT_TOKEN_BYTES random bytes; NULL: nothing can change
    /// Change the emulated link. NULL: there is none.
    /// @param link  as bks_lab_link_spec_parse() (toolkit/links.h) takes it; to be checked
    /// @return false: it cannot be read
    bool (*change_link)(void *context, const char *link);
    /// The emulated link as it is now. NULL where change_link is.
    const char *(*link)(void *context);
    void *context; ///< handed to both
} bks_inspected;

/// Answer a packet, whatever is in it.
/// @param bytes  not NULL when count is above 0
/// @param out    receives the answer, BKS_INSPECT_BYTES
/// @return BKS_INSPECT_BYTES; 0: it is no request, and gets no answer
size_t bks_inspect_answer(const bks_inspected *inspected, const void *bytes, size_t count,
                          void *out);

/// Write a request.
/// @param out  receives BKS_INSPECT_BYTES
/// @return BKS_OK, BKS_ERR_BAD_ARGUMENT
bks_status bks_inspect_request_write(const bks_inspect_request *request, void *out);

/// Read an answer, which may come from anywhere.
/// @param bytes  not NULL when count is above 0
/// @param out    receives it; its texts are printable ASCII and end, its numbers may be any
/// @return BKS_OK, BKS_ERR_DAMAGED (it is no answer), BKS_ERR_BAD_ARGUMENT
BKS_NODISCARD bks_status bks_inspect_read(const void *bytes, size_t count,
                                          bks_inspect_answer_read *out);

// The figures of a peer or a session: what bks_match_figures() has for a match.
//
//     bks_meter *meter = NULL;
//     bks_meter_config config = {.window_ms = 2000};
//     if (bks_meter_create(&config, &meter, &error) != BKS_OK) …
//     …                                              // after each update:
//     bks_meter_take(meter, session, now_ns, costs.resimulation_ns_sum);
//     const bks_figures *figures = bks_meter_figures(meter);
//
// Nothing is allocated after create, and nothing flows back into the match.
//
// Thread rule: as the session.

/// Configuration of a meter, copied by bks_meter_create(). Start from {0}.
typedef struct bks_meter_config {
    uint32_t window_ms;      ///< for least, mean and most: 100..10000; 0 (default): 2000
    uint32_t log_every_ms;   ///< send the figures to the log sink (id "figures", one line for the
                             ///< match and one for each link) this often, 100..3600000, at level
                             ///< BKS_LOG_INFO; 0 (default): never
    bks_allocator allocator; ///< default malloc and free
} bks_meter_config;

/// Collects figures. Opaque.
typedef struct bks_meter bks_meter;

/// Create a meter. Nothing is allocated afterwards.
/// @param config  copied
/// @param out     receives it, NULL on failure
/// @param error   may be NULL
/// @return BKS_OK, BKS_ERR_BAD_ARGUMENT, BKS_ERR_BAD_CONFIG, BKS_ERR_OUT_OF_MEMORY
/// Owned by the caller; release with bks_meter_destroy().
BKS_NODISCARD bks_status bks_meter_create(const bks_meter_config *config, bks_meter **out,
                                          bks_error *error);

/// Release a meter. NULL is allowed.
void bks_meter_destroy(bks_meter *meter);

/// Take the figures of a session as they are, after each of its updates. Before the first tick
/// nothing is taken.
/// @param now_ns           as of the update
/// @param resimulation_ns  time that rollbacks took so far, all together:
///                         bks_costs.resimulation_ns_sum (toolkit/peer.h), or measured by the
///                         program; 0: not measured
/// @return BKS_OK, BKS_ERR_BAD_ARGUMENT
bks_status bks_meter_take(bks_meter *meter, const bks_session *session, uint64_t now_ns,
                          uint64_t resimulation_ns);

/// Get the figures as of the newest bks_meter_take().
/// @return valid until the next bks_meter_take() or bks_meter_destroy(); NULL for NULL
const bks_figures *bks_meter_figures(const bks_meter *meter);

/// Write one line of text about the match, or about one link: the mean of each figure, and for some
/// the most.
/// @param peer      which link; BKS_PEERS_MAX: the match
/// @param out       receives it, printable ASCII and zero-terminated, cut where it is too long; may
///                  be NULL when capacity is 0
/// @param capacity  size of `out`; 256 is always enough
/// @return its length; 0 for NULL and for a peer that is not there
size_t bks_figures_line(const bks_figures *figures, uint32_t peer, char *out, size_t capacity);

#ifdef __cplusplus
}
#endif

#endif // BACKSTITCH_TOOLKIT_INSPECTOR_H

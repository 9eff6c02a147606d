// SPDX-License-Identifier: MIT

/// @file toolkit/inspector.h Inspection of a running match: a meter of its figures, the requests
/// that bks inspect sends to another program, and the answers of a program that allows it. A match
/// answers by itself (bks_insight.inspect); a program that drives a session passes the packets of a
/// socket to bks_inspect_answer():
///
///     while ((count = udp.receive(udp.context, &from, packet, sizeof(packet))) > 0) {
///         count = bks_inspect_answer(&inspected, packet, count, answer);
///         if (count > 0) {
///             (void)udp.send(udp.context, &from, answer, count);
///         }
///     }
///
/// Every packet has BKS_INSPECT_BYTES, so an answer is never longer than its request. An answer
/// depends on its request alone: the answering side keeps no state.
///
/// @see docs/spec/inspect.md
///
/// Thread rule: functions that take a session belong to its thread; reading and writing packets may
/// be done on any thread.

#ifndef BACKSTITCH_TOOLKIT_INSPECTOR_H
#define BACKSTITCH_TOOLKIT_INSPECTOR_H

#include "backstitch/present.h"
#include "backstitch/state.h"
#include "backstitch/toolkit/state_map.h"

#ifdef __cplusplus
extern "C" {
#endif

/// Size of every packet in bytes.
#define BKS_INSPECT_BYTES 1024

/// Size of the token that allows changes, in bytes.
#define BKS_INSPECT_TOKEN_BYTES 16

/// Size of a text that describes a link, the zero included.
#define BKS_INSPECT_LINK_BYTES 160

/// Maximum number of parts of memory in an answer.
#define BKS_INSPECT_PARTS_MAX 12

/// Number of figures of a match: those of bks_figures, in their order.
#define BKS_INSPECT_MATCH_FIGURES 9
#define BKS_INSPECT_LINK_FIGURES  8 ///< number of figures of a link: those of bks_link_figures

/// Description of a figure: how the overlay, bks inspect and the log show it.
typedef struct bks_figure_row {
    const char *name; ///< name of the figure, for people
    const char *key;  ///< key of the figure in JSON
    /// Name of the unit, such as "ms".
    const char *unit;
    float scale; ///< factor that converts the figure to the unit
    /// Least height of a graph, which always begins at 0, in the figure's own unit.
    float graph_top;
    bool is_urgent; ///< true: the figure is also shown where there is room for a few figures only
    bool has_most;  ///< true: a line of the log has the largest value beside the mean
    uint32_t at;    ///< offset of the figure in bks_figures or bks_link_figures, in bytes
} bks_figure_row;

/// Get the description of a figure.
/// @param peer   peer of the link; BKS_PEERS_MAX for a figure of the match
/// @param index  index of the figure, as in a request: its place among the figures of bks_figures
///               or bks_link_figures
/// @return the description, static; NULL: no such figure exists
const bks_figure_row *bks_figure_row_of(uint32_t peer, uint32_t index);

/// Get one figure.
/// @param figures  not NULL
/// @param peer     peer of the link; BKS_PEERS_MAX for a figure of the match
/// @return the figure, part of `figures`; NULL: no such figure exists
const bks_figure *bks_figure_of(const bks_figures *figures, uint32_t peer, uint32_t index);

/// Kinds of request.
typedef enum bks_inspect_kind {
    BKS_INSPECT_SUMMARY = 1, ///< ask for the progress and tuning of the match
    BKS_INSPECT_FIGURE = 2,  ///< ask for one figure with its history
    BKS_INSPECT_MEMORY = 3,  ///< ask for the parts of the state's memory
    BKS_INSPECT_CHANGE = 4,  ///< change a setting; needs the token
} bks_inspect_kind;

/// Settings that a request can change.
typedef enum bks_inspect_change {
    BKS_INSPECT_WINDOW = 0, ///< the window, as window_ticks of bks_session_retune()
    BKS_INSPECT_DELAY = 1,  ///< the input delay, as delay_ticks of bks_session_retune()
    BKS_INSPECT_PACE = 2,   ///< the pace, as `pace` of bks_session_retune()
    /// The emulated link of the program, such as "delay=50ms,loss=2%"; "perfect" for none.
    BKS_INSPECT_LINK = 3,
} bks_inspect_change;

/// Results of a request.
typedef enum bks_inspect_status {
    BKS_INSPECT_OK = 0,           ///< the request was carried out
    BKS_INSPECT_NOT_ALLOWED = 1,  ///< nothing changed: the token is missing or wrong
    BKS_INSPECT_OUT_OF_RANGE = 2, ///< nothing changed: the value is out of range
    BKS_INSPECT_NOT_THERE = 3,    ///< no such peer, figure, part or emulated link exists
} bks_inspect_status;

/// A request. Start from {0}.
typedef struct bks_inspect_request {
    uint32_t serial;       ///< number chosen by the sender; the answer repeats it
    bks_inspect_kind kind; ///< kind of request
    /// BKS_INSPECT_FIGURE: peer of the link; BKS_PEERS_MAX for a figure of the match.
    uint32_t peer;
    /// BKS_INSPECT_FIGURE: index of the figure; BKS_INSPECT_MEMORY: index of the first part to
    /// report.
    uint32_t index;
    /// BKS_INSPECT_CHANGE: the token that the inspected program printed.
    uint8_t token[BKS_INSPECT_TOKEN_BYTES];
    bks_inspect_change change; ///< BKS_INSPECT_CHANGE: the setting to change
    /// BKS_INSPECT_CHANGE, except BKS_INSPECT_LINK: the new value.
    uint32_t value;
    /// BKS_INSPECT_CHANGE of BKS_INSPECT_LINK: description of the new link, printable ASCII.
    char link[BKS_INSPECT_LINK_BYTES];
} bks_inspect_request;

/// Progress and tuning of a match.
typedef struct bks_inspect_summary {
    char game[32];         ///< name of the game
    uint32_t tick_rate_hz; ///< ticks a second
    bks_phase phase;       ///< phase of the match
    bks_tick tick;         ///< present tick
    bks_tick confirmed;    ///< first tick that is not confirmed
    bks_tick ticks;        ///< length of the match in ticks, 0: no end
    bks_tick published;    ///< newest tick with a final hash, BKS_TICK_NONE: none
    uint64_t hash;         ///< hash at tick `published`
    uint32_t players;      ///< number of seats
    uint32_t self;         ///< number of the peer that answers
    uint32_t host;         ///< number of the host
    uint32_t peers_in;     ///< bit by peer, our own too: 1 if the peer is in the match
    /// Bit by peer: 1 if there are figures of the link to the peer.
    uint32_t links;
    /// Window of the figures in ms; 0: the program has no figures.
    uint32_t window_ms;
    uint32_t window_ticks; ///< present setting of the window, in ticks
    uint32_t window_max;   ///< the longest window that a change may ask for, in ticks
    uint32_t delay_ticks;  ///< present setting of the input delay, in ticks, or BKS_AUTO
    bks_pace pace;         ///< present setting of the pace
    /// True when the program gave out a token, so bks inspect may change settings.
    bool is_changeable;
    bool has_link;                     ///< true when the program has an emulated link
    char link[BKS_INSPECT_LINK_BYTES]; ///< the emulated link as it is now
    uint64_t rollbacks;                ///< number of rollbacks so far, as in bks_stats
    uint64_t resimulated;              ///< number of ticks stepped again so far, as in bks_stats
    /// Due ticks skipped so that other peers catch up, as in bks_stats.
    uint64_t stalled_ticks;
    /// Due ticks not stepped because inputs were missing, as in bks_stats.
    uint64_t starved_ticks;
    uint32_t repairs;  ///< number of repairs that the session remembers
    bks_repair repair; ///< newest of the repairs that the session remembers
    /// Size of the region in bytes, 0: the state lies in no region.
    uint64_t state_bytes;
    uint32_t parts; ///< number of parts of the state's memory
} bks_inspect_summary;

/// Contents of an answer.
typedef struct bks_inspect_answer_read {
    uint32_t serial;             ///< serial of the request
    bks_inspect_kind kind;       ///< kind of the request
    bks_inspect_status status;   ///< result; unless it is BKS_INSPECT_OK, the fields after it are 0
    bks_inspect_summary summary; ///< BKS_INSPECT_SUMMARY, BKS_INSPECT_CHANGE: progress and tuning
    uint32_t peer;               ///< BKS_INSPECT_FIGURE: peer of the link, or BKS_PEERS_MAX
    /// BKS_INSPECT_FIGURE: index of the figure; BKS_INSPECT_MEMORY: index of the first part in this
    /// answer.
    uint32_t index;
    /// BKS_INSPECT_FIGURE: the figure. The values of its history are rounded to about two
    /// significant digits. The weight of a point only tells if anything was measured: 1 or 0.
    bks_figure figure;
    /// BKS_INSPECT_MEMORY: number of parts in this answer, 0..BKS_INSPECT_PARTS_MAX.
    uint32_t part_count;
    bks_memory_part parts[BKS_INSPECT_PARTS_MAX]; ///< BKS_INSPECT_MEMORY: the parts
} bks_inspect_answer_read;

/// Match that is inspected. Start from {0}.
typedef struct bks_inspected {
    bks_session *session; ///< the session, required
    /// Name of the game; NULL stands for "".
    const char *game;
    uint32_t tick_rate_hz;      ///< ticks a second
    const bks_figures *figures; ///< figures of the match; NULL: the match has none
    const void *state;          ///< newest state; NULL: no parts of memory are reported
    size_t state_bytes;         ///< size of the state, 0: the state lies in no region
    size_t root_bytes;          ///< size of the game's root struct in bytes
    /// Token that a request for a change must have: BKS_INSPECT_TOKEN_BYTES random bytes. NULL:
    /// requests change nothing.
    const uint8_t *token;

    /// Change the emulated link. NULL: the program has none.
    /// @param link  description to check and apply, as bks_lab_link_spec_parse() (toolkit/links.h)
    ///              reads it
    /// @return false: the description is invalid
    bool (*change_link)(void *context, const char *link);
    /// Get the emulated link as it is now. NULL if change_link is NULL.
    const char *(*link)(void *context);
    void *context; ///< passed to change_link and link
} bks_inspected;

/// Get the longest window that a change of the tuning accepts, which is that of the config.
/// @return ticks, 0 in lockstep
uint32_t bks_inspected_window_max(const bks_inspected *inspected);

/// Answer a packet, whatever bytes it has.
/// @param bytes  not NULL when count is above 0
/// @param out    receives the answer, BKS_INSPECT_BYTES
/// @return BKS_INSPECT_BYTES; 0: the packet is no request and gets no answer
size_t bks_inspect_answer(const bks_inspected *inspected, const void *bytes, size_t count,
                          void *out);

/// Write a request.
/// @param out  receives BKS_INSPECT_BYTES
/// @return BKS_OK, BKS_ERR_BAD_ARGUMENT
bks_status bks_inspect_request_write(const bks_inspect_request *request, void *out);

/// Read an answer, which may be any bytes.
/// @param bytes  not NULL when count is above 0
/// @param out    receives the answer; its texts are printable ASCII and zero-terminated, its
///               numbers may be any
/// @return BKS_OK, BKS_ERR_DAMAGED (the packet is no answer), BKS_ERR_BAD_ARGUMENT
BKS_NODISCARD bks_status bks_inspect_read(const void *bytes, size_t count,
                                          bks_inspect_answer_read *out);

// Meter for the figures of a peer or a session. A match has its own: bks_match_figures().
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
// Thread rule: a meter belongs to the thread of its session.

/// Configuration of a meter, copied by bks_meter_create(). Start from {0}.
typedef struct bks_meter_config {
    /// Window for least, mean and most values, in ms, 100..10000; 0 (default): 2000.
    uint32_t window_ms;
    /// Time in ms from one log of the figures to the next, 100..3600000, at level BKS_LOG_INFO with
    /// the id "figures", with one line for the match and one for each link; 0 (default): not
    /// logged.
    uint32_t log_every_ms;
    bks_allocator allocator; ///< memory hooks, default malloc and free
} bks_meter_config;

/// Collector of figures. Opaque.
typedef struct bks_meter bks_meter;

/// Create a meter. Nothing is allocated afterwards.
/// @param config  copied
/// @param out     receives the meter, NULL on failure
/// @param error   may be NULL
/// @return BKS_OK, BKS_ERR_BAD_ARGUMENT, BKS_ERR_BAD_CONFIG, BKS_ERR_OUT_OF_MEMORY
/// Owned by the caller; release with bks_meter_destroy().
BKS_NODISCARD bks_status bks_meter_create(const bks_meter_config *config, bks_meter **out,
                                          bks_error *error);

/// Release a meter. NULL is allowed.
void bks_meter_destroy(bks_meter *meter);

/// Measure a session, after each of its updates. Before the first tick nothing is measured.
/// @param now_ns           time of the update
/// @param resimulation_ns  total time of rollbacks so far: bks_costs.resimulation_ns_sum
///                         (toolkit/peer.h), or measured by the program; 0: not measured
/// @return BKS_OK, BKS_ERR_BAD_ARGUMENT
bks_status bks_meter_take(bks_meter *meter, const bks_session *session, uint64_t now_ns,
                          uint64_t resimulation_ns);

/// Get the figures as of the newest bks_meter_take().
/// @return the figures, valid until the next bks_meter_take() or bks_meter_destroy(); NULL for NULL
const bks_figures *bks_meter_figures(const bks_meter *meter);

/// Write one line of text about the match, or about one link: the mean of each figure, and the
/// largest value of some.
/// @param peer      peer of the link; BKS_PEERS_MAX for the match
/// @param out       receives the line, printable ASCII and zero-terminated, cut if it is too long;
///                  may be NULL when capacity is 0
/// @param capacity  size of `out`; 256 is always enough
/// @return length of the line; 0 for NULL and for a peer that is not in the match
size_t bks_figures_line(const bks_figures *figures, uint32_t peer, char *out, size_t capacity);

#ifdef __cplusplus
}
#endif

#endif // BACKSTITCH_TOOLKIT_INSPECTOR_H

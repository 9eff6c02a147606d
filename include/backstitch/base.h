// SPDX-License-Identifier: MIT

/// @file base.h
/// Status codes, errors, ticks, memory hooks and the log sink, which all other headers use.
///
/// A call that can fail returns a bks_status: 0 is success, positive is no failure (BKS_OVER: the
/// match or recording has ended), negative is failure. A `bks_error *` receives the details: one
/// sentence with the wrong value and the allowed range, the argument or config field to correct,
/// and the offset if input bytes are wrong. The same sentence goes to the log sink. The default
/// sink prints warnings and errors to stderr; bks_log_set_sink() replaces it, bks_log_clear_sink()
/// removes it.
///
/// Thread rule: bks_log_set_sink() and bks_log_clear_sink() before other threads call the library;
/// everything else here may be called from any thread at any time.

#ifndef BACKSTITCH_BASE_H
#define BACKSTITCH_BASE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/// Marks functions that the library exports.
#if defined(__GNUC__) || defined(__clang__)
#define BKS_API __attribute__((visibility("default")))
#else
#define BKS_API
#endif

/// Marks functions whose result the caller must check.
#if defined(__GNUC__) || defined(__clang__)
#define BKS_NODISCARD __attribute__((warn_unused_result))
#else
#define BKS_NODISCARD
#endif

/// Marks functions like printf: FORMAT and FIRST (counted from 1) are the positions of the format
/// and of its first value.
#if defined(__MINGW32__) && !defined(__clang__) // MinGW's own printf format lacks %zu
#define BKS_PRINTF(FORMAT, FIRST) __attribute__((format(gnu_printf, FORMAT, FIRST)))
#elif defined(__GNUC__) || defined(__clang__)
#define BKS_PRINTF(FORMAT, FIRST) __attribute__((format(printf, FORMAT, FIRST)))
#else
#define BKS_PRINTF(FORMAT, FIRST)
#endif

/// Version of this library, MAJOR * 10000 + MINOR * 100 + PATCH.
#define BKS_VERSION 100

/// Maximum number of players (seats) in a match.
#define BKS_PLAYERS_MAX 16

/// Maximum number of peers (machines) in a match.
#define BKS_PEERS_MAX 8

/// Value of a uint32_t setting that lets the library choose; allowed only where the setting's
/// comment says so. A setting of an enum type has an enumerator for this, such as BKS_SAVE_AUTO.
#define BKS_AUTO UINT32_MAX

/// Size of a secret, in bytes.
#define BKS_KEY_BYTES 32

/// Maximum size in bytes of the setup, such as options, that the host sends to every peer.
#define BKS_SETUP_BYTES_MAX 768

/// Every result a call can return; negative ones are failures. The numbers are part of the ABI:
/// append, never renumber; -16 stays unused.
#define BKS_STATUS_MAP(X)                                                                \
    X(BKS_OVER, 1, "the match or recording has ended")                                   \
    X(BKS_OK, 0, "ok")                                                                   \
    X(BKS_ERR_BAD_ARGUMENT, -1, "argument out of its documented range, see the log")     \
    X(BKS_ERR_BAD_CONFIG, -2, "config rejected, see bks_error.field")                    \
    X(BKS_ERR_OUT_OF_MEMORY, -3, "allocator returned NULL")                              \
    X(BKS_ERR_TOO_SMALL, -4, "buffer is too small for the answer")                       \
    X(BKS_ERR_DAMAGED, -5, "bytes are there but wrong")                                  \
    X(BKS_ERR_INCOMPLETE, -6, "bytes end before they are complete")                      \
    X(BKS_ERR_UNSUPPORTED, -7, "not supported by this match, game or file, see the log") \
    X(BKS_ERR_IO, -8, "the operating system refused")                                    \
    X(BKS_ERR_REFUSED, -9, "one side refused to play, see the event or the log")         \
    X(BKS_ERR_TIMEOUT, -10, "no answer in time")                                         \
    X(BKS_ERR_PEER_LOST, -11, "a peer of the match fell silent, or dropped us")          \
    X(BKS_ERR_DESYNC, -12, "the states differ")                                          \
    X(BKS_ERR_NOT_CONFIRMED, -13, "tick still holds predicted input")                    \
    X(BKS_ERR_TICK_TOO_OLD, -14, "tick left the history")                                \
    X(BKS_ERR_FULL, -15, "no room left")                                                 \
    X(BKS_ERR_GAME, -17, "the game cannot go on")

/// Result of every call that can fail, one of the values in BKS_STATUS_MAP.
typedef enum bks_status {
#define BKS_STATUS_ENTRY(name, value, text) name = (value),
    BKS_STATUS_MAP(BKS_STATUS_ENTRY)
#undef BKS_STATUS_ENTRY
} bks_status;

/// Say what a status means in one short sentence. Never NULL, never freed.
/// @return the text, or "unknown status" for a number that is not in BKS_STATUS_MAP
BKS_API const char *bks_status_text(bks_status status);

/// Get the name of a status, such as "BKS_ERR_DAMAGED". Never NULL, never freed.
/// @return the name, or "BKS_ERR_UNKNOWN" for a number that is not in BKS_STATUS_MAP
BKS_API const char *bks_status_name(bks_status status);

/// Details of a failure, for people. Filled when a call fails, untouched when it succeeds.
typedef struct bks_error {
    bks_status code; ///< status that the failed call returned
    /// Argument or config field to correct, static text; NULL when no single one is at fault.
    const char *field;
    /// Offset of the wrong byte in the input bytes; 0 when the call reads no input bytes.
    uint64_t offset_bytes;
    /// One sentence that says what is wrong, with the value and the allowed range, zero-terminated.
    char text[192];
} bks_error;

/// Tick number: 0 is the first step of the simulation. Never negative, except for BKS_TICK_NONE.
typedef int32_t bks_tick;

/// Value that stands for "no tick".
#define BKS_TICK_NONE ((bks_tick)-1)

/// Largest first tick of a match.
#define BKS_FIRST_TICK_MAX 0x3FFFFFFF

/// Maximum size of a packet in bytes, without IP and UDP headers.
#define BKS_PACKET_BYTES_MAX 1200

/// Maximum size of an address in bytes.
#define BKS_ADDRESS_BYTES_MAX 31

/// Address of a peer. Two addresses are equal when their lengths and their bytes are equal. A UDP
/// address has 4 or 16 bytes of IP address, then 2 bytes of port, both in network order.
typedef struct bks_address {
    uint8_t length;                       ///< number of bytes in the address; 0: no address
    uint8_t bytes[BKS_ADDRESS_BYTES_MAX]; ///< bytes of the address; all after `length` are zero
} bks_address;

/// Memory hooks. Set both functions or neither; neither means malloc and free.
/// The library calls them while it creates or destroys an object, and at no other time.
typedef struct bks_allocator {
    /// Allocate memory; return NULL when none is left.
    void *(*alloc)(void *context, size_t bytes, size_t alignment);
    /// Release memory; `bytes` is the size that was allocated.
    void (*release)(void *context, void *memory, size_t bytes);
    void *context; ///< first argument of both hooks, may be NULL
} bks_allocator;

/// Severity of a log line.
typedef enum bks_log_level {
    BKS_LOG_DEBUG = 0,   ///< details for work on the library itself
    BKS_LOG_INFO = 1,    ///< information that is useful to a game's developer
    BKS_LOG_WARNING = 2, ///< something is wrong, but the match continues
    BKS_LOG_ERROR = 3,   ///< a call failed
} bks_log_level;

/// Destination of log lines.
typedef struct bks_log_sink {
    /// Called with a static id such as "session.config" and one sentence without a newline, valid
    /// during the call. Any thread that calls the library may call it.
    void (*write)(void *context, bks_log_level level, const char *id, const char *text);
    void *context; ///< passed to `write`, may be NULL
} bks_log_sink;

/// Send log lines to `sink` from now on; it is copied. Until then the default sink prints warnings
/// and errors to stderr: the first ten lines of an id, then one a minute, and no error that the
/// caller receives in a bks_error. Once replaced, the default sink cannot be set again.
/// @param sink  not NULL, its write not NULL; its context must outlive all use
/// @return BKS_OK, BKS_ERR_BAD_ARGUMENT
BKS_API bks_status bks_log_set_sink(const bks_log_sink *sink);

/// Drop log lines from now on, until bks_log_set_sink().
BKS_API void bks_log_clear_sink(void);

/// Hash bytes as recordings and states are hashed (XXH3-64): the same on every machine, fast, no
/// protection against attackers. Games that give `hash` may use it.
/// @param bytes  may be NULL when `count` is 0
/// @param seed   another seed gives another hash
/// @return the hash; 0 for NULL
/// @see docs/spec/state-hash.md
BKS_API uint64_t bks_hash64(const void *bytes, size_t count, uint64_t seed);

/// Hash two numbers in this order: to chain hashes, or to derive the seeds of several random
/// streams from one seed.
BKS_API uint64_t bks_hash64_pair(uint64_t a, uint64_t b);

/// Size of a buffer for a build's id, the terminating zero included.
#define BKS_BUILD_ID_CHARS 41

/// Get the id that the linker gave to a build of a program or library (the ELF note
/// NT_GNU_BUILD_ID, which stripping does not remove).
/// @param address  address of a function or object in that program or library; NULL: the program
/// @param out      receives the first 20 bytes of the id as hexadecimal digits. "" when the build
///                 has no id: it was linked without one, or the system has no such notes (Windows).
///                 Not NULL
/// @return true when the build has an id
BKS_API bool bks_build_id(const void *address, char out[BKS_BUILD_ID_CHARS]);

#ifdef __cplusplus
}
#endif

#endif // BACKSTITCH_BASE_H

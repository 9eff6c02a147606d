// SPDX-License-Identifier: MIT

/// @file replay_file.h
/// A recording that is loaded whole and opened, and its playback; errors go to stderr.

#ifndef BKS_TOOL_REPLAY_FILE_H
#define BKS_TOOL_REPLAY_FILE_H

#include "backstitch/toolkit/recording.h"
#include "base/args.h"
#include "game/loader.h"

/// A recording that is loaded and opened. Start from {0}.
typedef struct replay_file {
    const char *path;          ///< path of the file as typed
    uint8_t *bytes;            ///< bytes of the whole file
    size_t count;              ///< size of the file in bytes
    bks_replay *replay;        ///< reader of the recording; NULL: it could not be opened
    const bks_recording *info; ///< description of the recording, by the reader
    int status;                ///< TOOL_OK, or TOOL_DAMAGED: only a part can be read
    char why[192];             ///< text of the error that was found, "" without one
} replay_file;

/// Load a recording; errors go to stderr. A damaged one is opened up to the damage if its beginning
/// is intact.
/// @param path  must outlive the file
/// @return TOOL_OK if the recording is open, else TOOL_DAMAGED
/// Release with replay_file_close().
int replay_file_open(const char *path, replay_file *out);

/// Most bytes of a state of a recording whose game is not loaded: a small file can claim a
/// gigabyte.
#define REPLAY_FILE_STATE_BYTES_MAX (32u << 20)

/// Return true if a recording claims a state of more than REPLAY_FILE_STATE_BYTES_MAX bytes. The
/// game tells whether it can have such a state: once a playback of it is created, states up to its
/// size are unpacked.
bool replay_file_is_large(const replay_file *file);

/// Allow a recording the states that its game can have.
void replay_file_allow(const replay_file *file, const bks_game *game);

/// Unpack a whole file once, so that all damage is known before anything is printed, even in a
/// forged file. The first error goes to stderr. Has no effect on a file that is not open.
void replay_file_check(replay_file *file);

/// Find the next range of ticks that a file holds, because damage leaves gaps. Call
/// replay_file_check() first.
/// @param until  one past the last wanted tick
/// @param ticks  range of the last call, {.end = FROM} at first; receives the next range
/// @return false: there are no more ranges
bool replay_file_ticks(const replay_file *file, bks_tick until, bks_replay_ticks *ticks);

/// Replace each folder in a list of paths by its recordings, all *.bks sorted by name. Errors go to
/// stderr.
/// @param paths  paths as typed; new ones live as long as the program
/// @return TOOL_OK; TOOL_DAMAGED for a folder that cannot be read or has none; TOOL_MISUSE for too
///         many
int replay_file_list(args_list *paths);

/// Parse the command line of a command whose positional words are recordings or folders. Folders
/// are replaced by their recordings with replay_file_list().
/// @param spec   receives usage and positionals, which are the same for all these commands
/// @param files  receives the recordings
/// @return ARGS_GO; else the exit status, with an error on stderr
int replay_file_parse(args_spec *spec, int argc, char **argv, args_list *files);

/// Return how a recording ends, as in JSON: "complete", "left" or "cut off".
/// @return the text; NULL: damage may hide the end
const char *replay_file_ending(const bks_recording *info);

/// Release a recording. NULL is allowed.
void replay_file_close(replay_file *file);

/// Load the game of a recording and begin a playback.
/// @param game_name  name of the game as typed; NULL: the name in the recording
/// @param game       receives the game
/// @param out        receives the playback; release with bks_playback_destroy()
/// @return TOOL_OK; else the exit status
int replay_playback_open(const replay_file *file, const char *game_name, loaded_game *game,
                         bks_playback **out);

/// Seek to a tick of the recording.
/// @return TOOL_OK; else the exit status
int replay_playback_seek(const replay_file *file, bks_playback *playback, bks_tick tick);

/// Read a tick as typed, and check that the recording has it.
/// @return TOOL_OK, TOOL_MISUSE
int replay_playback_tick(const replay_file *file, const char *text, bks_tick *out);

/// Compare the hash of the stepped state with the recorded one.
/// @return TOOL_OK, also for a tick that is not confirmed; TOOL_NO
int replay_playback_compare(const replay_file *file, bks_tick tick, uint64_t hash);

/// Read the state that a recording holds at a tick. Errors are dropped.
/// @param out_count  receives the number of bytes
/// @return the bytes, to be released with free(); NULL if the state cannot be read
uint8_t *replay_file_state(const replay_file *file, bks_tick tick, size_t *out_count);

// ---- hashes of the states at the start of a tick and at its marks ----

enum { MARK_LIST_MAX = 256, MARK_LIST_NONE = MARK_LIST_MAX };

/// Hashes of the states at the start of a tick and at its marks. Start with mark_list_begin();
/// release with mark_list_end().
typedef struct mark_list {
    uint32_t count;
    uint64_t hashes[MARK_LIST_MAX];
    char names[MARK_LIST_MAX][64]; ///< names of the marks; `(start)`: start of the tick
    uint32_t wanted; ///< index of the state whose bytes are to be copied; MARK_LIST_NONE: none
    uint8_t *bytes;  ///< bytes of the state `wanted`; NULL: it has not come yet
    size_t bytes_count;
} mark_list;

/// Begin a list of states. The list may have been used before.
/// @param list  {0} before its first use
void mark_list_begin(mark_list *list, uint32_t wanted);

/// Release the bytes that a list has copied.
void mark_list_end(mark_list *list);

/// Add a state to a list. A `visit` function for bks_replay_marks().
/// @param context  list of type mark_list
/// @param mark     name; "": start of the tick
/// @return false: the list is full
bool mark_list_add(void *context, const char *mark, const void *state, size_t count);

/// Return the index of the first state that differs; MARK_LIST_NONE: none does.
uint32_t mark_list_compare(const mark_list *a, const mark_list *b);

#endif

// SPDX-License-Identifier: MIT

/// @file replay_file.h
/// A recording, loaded whole and opened, and stepped by its game; errors go to stderr.

#ifndef BKS_TOOL_REPLAY_FILE_H
#define BKS_TOOL_REPLAY_FILE_H

#include "backstitch/toolkit/recording.h"
#include "base/args.h"
#include "game/loader.h"

/// One recording. Start from {0}.
typedef struct replay_file {
    const char *path;          ///< as given
    uint8_t *bytes;            ///< the whole file
    size_t count;              ///< of them
    bks_replay *replay;        ///< NULL when it could not be opened
    const bks_recording *info; ///< of the replay
    int status;                ///< TOOL_OK; TOOL_DAMAGED when only a part can be read
    char why[192];             ///< what is wrong, "" when nothing is
} replay_file;

/// Load a recording; errors go to stderr. A damaged one is open nevertheless, up to the damage, if
/// its beginning is right.
/// @param path  must outlive the file
/// @return TOOL_OK when it is open, TOOL_DAMAGED when it is not
/// Release with replay_file_close().
int replay_file_open(const char *path, replay_file *out);

/// Unpack all of it once, so that what is printed of it holds even for a forged file: no more
/// damage is found later. The first error goes to stderr. Without effect on a file that is not
/// open.
void replay_file_check(replay_file *file);

/// The next ticks that are there, of a file that was checked; damage leaves gaps.
/// @param until  one past the last tick that is wanted
/// @param ticks  begin with {.end = FROM}; receives them
/// @return false when there are no more
bool replay_file_ticks(const replay_file *file, bks_tick until, bks_replay_ticks *ticks);

/// In a list of paths, put the recordings of a folder, all its *.bks by name, in the folder's
/// place. Errors go to stderr.
/// @param paths  as typed; new ones are kept as long as the program lives
/// @return TOOL_OK; TOOL_DAMAGED for a folder that cannot be read or has none; TOOL_MISUSE for too
///         many
int replay_file_list(args_list *paths);

/// Parse the options of a command whose other words are recordings, or folders of them: these are
/// replaced as by replay_file_list().
/// @param spec   receives what is the same for all these commands: usage and positionals
/// @param files  receives the recordings
/// @return ARGS_GO; else the exit status, what is wrong is said on stderr
int replay_file_parse(args_spec *spec, int argc, char **argv, args_list *files);

/// How a recording ends, as in JSON: "complete", "left" or "cut off".
/// @return the text, NULL when damage may hide it
const char *replay_file_ending(const bks_recording *info);

/// Release a recording. NULL is allowed.
void replay_file_close(replay_file *file);

/// Load the game of a recording and begin a playback.
/// @param game_name  as typed, NULL: found by the recording's own
/// @param game       receives the game
/// @param out        receives the playback; release with bks_playback_destroy()
/// @return TOOL_OK, else the exit status
int replay_playback_open(const replay_file *file, const char *game_name, loaded_game *game,
                         bks_playback **out);

/// Seek to a tick of the recording.
/// @return TOOL_OK, else the exit status
int replay_playback_seek(const replay_file *file, bks_playback *playback, bks_tick tick);

/// Read a tick as typed, one that the recording has.
/// @return TOOL_OK, TOOL_MISUSE
int replay_playback_tick(const replay_file *file, const char *text, bks_tick *out);

/// Compare the hash of the state as it is with the one recorded.
/// @return TOOL_OK, also for a tick that is not confirmed; TOOL_NO
int replay_playback_compare(const replay_file *file, bks_tick tick, uint64_t hash);

// ---- the states of a tick at its start and at its marks, by hash ----

enum { MARK_LIST_MAX = 256, MARK_LIST_NONE = MARK_LIST_MAX };

/// Start from mark_list_begin(); release with mark_list_end().
typedef struct mark_list {
    uint32_t count;
    uint64_t hashes[MARK_LIST_MAX];
    char names[MARK_LIST_MAX][64]; ///< "(start)" for the start of a tick
    uint32_t wanted;               ///< the one whose bytes are kept, MARK_LIST_NONE: none
    uint8_t *bytes;                ///< of it, NULL: it has not come
    size_t bytes_count;
} mark_list;

/// Begin a list, once more too.
/// @param list  {0} at first
void mark_list_begin(mark_list *list, uint32_t wanted);

/// Release its bytes.
void mark_list_end(mark_list *list);

/// Add a state: a `visit` of bks_replay_marks().
/// @param context  the list
/// @param mark     "": the start of a tick
/// @return false when it is full
bool mark_list_add(void *context, const char *mark, const void *state, size_t count);

/// Number of the first state that differs, MARK_LIST_NONE: none does.
uint32_t mark_list_compare(const mark_list *a, const mark_list *b);

#endif

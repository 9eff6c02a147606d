// SPDX-License-Identifier: MIT

/// @file command_list.h
/// Commands of all players of a match, from a file. Any number of readers may share a list.

#ifndef BKS_TOOL_COMMAND_LIST_H
#define BKS_TOOL_COMMAND_LIST_H

#include "backstitch/game.h"

/// One command in a list.
typedef struct command_entry {
    bks_tick tick;
    uint32_t player;
    uint32_t number; ///< number of the command in the list, in the order in which they were added
    uint32_t count;  ///< size of the command in bytes
    size_t at;       ///< offset of the command in command_list.bytes
} command_entry;

/// List of commands. Start from {0}, release with command_list_free().
typedef struct command_list {
    uint32_t count;
    uint32_t capacity;
    command_entry *entries; ///< once sorted: by player and tick, those of a tick as they were added
    size_t byte_count;
    size_t byte_capacity;
    uint8_t *bytes;
} command_list;

/// Place of a reader in a player's commands. Start from {0}.
typedef struct command_cursor {
    bool has_begun;
    uint32_t next; ///< index of the next command to give
} command_cursor;

/// Add a command.
/// @param count  1..BKS_COMMAND_BYTES_MAX
/// @return the memory for the command's bytes, NULL if there is none
uint8_t *command_list_add(command_list *list, uint32_t player, bks_tick tick, uint32_t count);

/// Sort the list by player and tick. Call it after the last command was added.
void command_list_sort(command_list *list);

/// Return the index of a player's first command at or after a tick.
uint32_t command_list_find(const command_list *list, uint32_t player, bks_tick tick);

/// Give a player's next command, as bks_source.command does. The first call of a cursor begins with
/// the commands of that tick. Later calls give all that is due, so commands for which there was no
/// room come at the next tick.
/// @param bytes     receives the command
/// @param capacity  size of `bytes`, at least that of the largest command in the list
/// @return size of the command, 0: no more are due
size_t command_list_give(const command_list *list, command_cursor *cursor, uint32_t player,
                         bks_tick tick, void *bytes, size_t capacity);

void command_list_free(command_list *list);

#endif

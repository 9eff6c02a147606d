// SPDX-License-Identifier: MIT

/// @file bad_arguments.h
/// Calls every public function with bad arguments and looks at what comes back and what the log
/// says. bad_arguments.py sees to it that no function of the headers is left out.

#ifndef BKS_TEST_BAD_ARGUMENTS_H
#define BKS_TEST_BAD_ARGUMENTS_H

#include <stdbool.h>
#include <stddef.h>

#include "backstitch/game.h"

/// A call is refused: `refused` holds what it returned against what is documented, and the log has
/// a line that names the argument and, unless it is NULL, holds `range`. If the call got `wrong`,
/// its text must be the same.
#define REFUSES(refused, name, range) \
    (wrong_clear(), bad_arguments_check((refused), #refused, __FILE__, __LINE__, (name), (range)))

/// What looks like a bad argument is documented as allowed: nothing is logged.
#define ALLOWS(allowed) \
    (wrong_clear(), bad_arguments_allowed((allowed), #allowed, __FILE__, __LINE__))

/// For calls that take a bks_error.
extern bks_error wrong;

/// Forget the log and `wrong`.
void wrong_clear(void);

/// See REFUSES.
void bad_arguments_check(bool refused, const char *call, const char *file, int line,
                         const char *name, const char *range);

/// See ALLOWS.
void bad_arguments_allowed(bool allowed, const char *call, const char *file, int line);

/// Stop the program: the test itself is wrong.
void bad_arguments_need(bool is_so, const char *what);

/// Hear what the log says from here on.
void bad_arguments_listen(void);

/// Say how many calls there were.
/// @return those that were not refused as they should be
uint32_t bad_arguments_report(void);

/// A game without faults: a counter, one field of 2 bits, an option "speed", 1 to 2 players.
extern const bks_game good_game;

/// The parts of the test.
void bad_arguments_of_game(void);    ///< base, det, game, input, state
void bad_arguments_of_det(void);     ///< det, but random numbers
void bad_arguments_of_session(void); ///< net, session
void bad_arguments_of_match(void);   ///< peer, lab, match
void bad_arguments_of_lab(void);     ///< the parts of a lab, bad transports
void bad_arguments_of_replay(void);  ///< replay

#endif

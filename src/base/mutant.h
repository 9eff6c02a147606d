// SPDX-License-Identifier: MIT

/// @file mutant.h
/// Faults that can be switched on in every session of the process and in its recordings, to test
/// that `bks sweep` finds them. Each is placed where it acts, as `if (bksi_mutated(…))`. They exist
/// only with BKSI_WITH_MUTANTS, in the archive that tests and their `bks` link; elsewhere the
/// branches compile to nothing.

#ifndef BKSI_MUTANT_H
#define BKSI_MUTANT_H

#include <stdbool.h>

/// Table of mutants: kind, name on the command line, effect.
#define BKSI_MUTANT_TABLE(X)                                                                       \
    X(WINDOW, "window-off-by-one", "the game runs a tick further ahead than the window")           \
    X(ACK, "ack-early", "a tick is acknowledged before it is there")                               \
    X(HASH, "hash-early", "the hash of a tick that is not yet final is sent")                      \
    X(FORGOT, "late-input-forgotten", "an input that was guessed wrong is never resimulated")      \
    X(KEPT, "snapshot-kept", "snapshots of a wrong past are still believed")                       \
    X(AFTER, "rollback-too-short", "the wrong tick itself is not stepped again")                   \
    X(GUESS, "guess-confirmed", "a guessed input counts as confirmed")                             \
    X(TWICE, "input-twice", "a packet that brings nothing new appends its last input again")       \
    X(SAMPLE, "sample-repeated", "raising the delay repeats an input instead of sampling")         \
    X(SLOT, "wrong-slot", "a rollback loads another snapshot than the one that it means")          \
    X(DELAY, "delay-loses-input", "lowering the delay takes back an input that was sent")          \
    X(STALE, "hash-stale", "resimulating leaves the hashes of the wrong past")                     \
    X(TARGET, "save-too-new", "with one snapshot, it is of a tick that is not yet certain")        \
    X(END, "end-early", "a peer ends before it has all inputs and the others have its own")        \
    X(SHIFT, "input-shifted", "an input that came again is taken for the one after it")            \
    X(EARLY, "early-end-unchecked", "a resimulation ends early though later inputs changed")       \
    X(SLOW, "slow-for-good", "what a slow machine needed is never given back")                     \
    X(STARVE, "starves-for-good", "a peer that starved does not notice that the input is there")   \
    X(CARRIED, "carried-forgotten", "what a peer should carry to another is dropped")              \
    X(ECHO, "echo-unneeded", "a detour and a way back count as working without an echo")           \
    X(COMMIT, "commit-untold", "the decider of the next view sends it to none")                    \
    X(UNASKED, "commit-unasked", "a commit is taken of which no peer was asked")                   \
    X(TAKEBACK, "takeback-ignored", "a peer sticks to a ballot that its proposer took back")       \
    X(HANDOVER, "no-handover", "when the host is gone no peer takes its place")                    \
    X(UNSEEN, "difference-unseen", "another peer's input of a known tick is not compared")         \
    X(LEARNT, "learnt-twice", "an input that came plainly is learnt from twice")                   \
    X(LOBBY, "lobby-impatient", "a silence in the lobby counts like one in the match")             \
    X(LOADING, "loading-unheard", "a peer that makes its first state counts as silent")            \
    X(EAGER, "let-go-early", "a peer is dropped long before it was silent for drop_after_ms")      \
    X(FAREWELL, "lobby-goodbye-ignored", "a peer that leaves before the start counts as there")    \
    X(HALVES, "halves-equal", "each side of a split takes its match for the one that counts")      \
    X(GONE, "gone-untold", "a dropped peer is never informed")                                     \
    X(LEAVER, "leaver-goes-on", "a leaver holds its last input instead of neutral ones")           \
    X(BACKOFF, "back-off-never", "packets go as often to a line that is full")                     \
    X(STREAM, "stream-deaf", "what a peer reports of a stream that it gets is not read")           \
    X(CLOSING, "closing-seals-guesses",                                                            \
      "a recording that is closed takes for final what was stepped with guesses")                  \
    X(CUE_AGAIN, "cue-again", "a cue starts whenever its tick is stepped")                         \
    X(CUE_RESTART, "cue-restart", "a cue that moves is cancelled and starts again")                \
    X(CUE_RINGS, "cue-rings-on", "a cue that did not happen is not cancelled")                     \
    X(CUE_HASTY, "cue-hasty", "a confirmed cue is reported before its tick is confirmed")          \
    X(STOP_NEVER, "stop-never", "a host does not stop a match whose states differ")                \
    X(STOP_UNTOLD, "stop-untold", "a host keeps to itself where the match stops")                  \
    X(STOP_NEAR, "stop-too-near", "a match stops before all can know it")                          \
    X(MEET_NEVER, "meeting-never", "a host that sees a difference calls no meeting")               \
    X(MEND_NOTHING, "repair-unwritten", "a peer says that it has the state of the most at once")   \
    X(MEND_AS_HOST, "repair-as-host", "of three peers, too, the state of the host counts")         \
    X(MEND_UNSOUND, "repair-to-unsound", "a state that its own game refuses counts, too")          \
    X(MEND_LATE, "repair-since-late", "a repair begins its span with its own tick")                \
    X(MEND_WIDE, "repair-since-early", "a repair begins its span five ticks too early")            \
    X(MEND_OFTEN, "repair-without-end", "a third repair within a minute is one more")              \
    X(MEND_UNTOLD, "repair-unlisted", "a peer lists no repairs but its own")                       \
    X(SILENCE, "delay-for-silence",                                                                \
      "a wait for a peer that is not heard counts as a need of delay")                             \
    X(DISTURBED, "delay-after-silence",                                                            \
      "needs from a silence or a detour raise the delay for as long as others")                    \
    X(SHARE, "delay-by-share", "the delay of lockstep leaves one tick in a hundred late")          \
    X(LANE_EARLY, "lane-early",                                                                    \
      "a tick takes commands that others do not have yet, and they count it without them")         \
    X(LANE_DEAD, "lane-of-the-dead",                                                               \
      "of a peer that left, ticks that others hand over count without commands of its lane")       \
    X(UNCHECKED, "commands-unchecked", "a tick is taken also if its commands break the rules")     \
    X(UNBOUNDED, "commands-unbounded", "a peer gives commands also if others lack many of it")     \
    X(PAUSE, "pause-missed", "a peer goes on in the pause for which another peer asked")           \
    X(FEED_SKIPS, "feed-skips-tick", "a new recording for watchers begins without its first tick") \
    X(FEED_DOUBLES, "feed-doubles-tick", "a watcher keeps ticks of its new source that it has")    \
    X(FEED_WAITS, "feed-waits", "a watcher waits for ever for a source that fell silent")          \
    X(FEED_MISHEARS, "feed-mishears", "a watcher takes a second opinion for its opposite")         \
    X(FEED_REFUSES, "feed-refuses", "a source refuses watchers though it has a free place")        \
    X(NOISE, "not-from-seed", "the first delay depends on what the process did before")

typedef enum bksi_mutant {
    BKSI_MUTANT_NONE = 0,
#define BKSI_MUTANT_KIND(kind, name, about) BKSI_MUTANT_##kind,
    BKSI_MUTANT_TABLE(BKSI_MUTANT_KIND)
#undef BKSI_MUTANT_KIND
        BKSI_MUTANT_COUNT,
    // Mutants of sound. No sweep hears sound, so the tests of sound switch these on.
    BKSI_MUTANT_MIX_CUTS_IN = BKSI_MUTANT_COUNT, ///< a sound begun in its middle has no fade-in
    BKSI_MUTANT_MIX_CUTS_OFF,                    ///< a sound that should fade out ends at once
    BKSI_MUTANT_MIX_RINGS_ON,                    ///< a sound that should fade out plays to its end
    BKSI_MUTANT_MIX_LATE_IS_LOST,                ///< a cue that became known late is not played
    BKSI_MUTANT_MIX_LATE_IS_INSIDE, ///< a sound that became known late begins in its middle

    // Mutants of figures, for their tests.
    BKSI_MUTANT_METER_COUNTS_AGAIN, ///< a point of the history has values of earlier points, too
    BKSI_MUTANT_METER_COUNTS_LAST,  ///< a point of the history has values of its last update only
    BKSI_MUTANT_METER_SEES_NO_LOSS, ///< lost packets are not counted
    BKSI_MUTANT_METER_TIMES_AGAIN,  ///< an update's time has resimulation of earlier updates, too

    // Mutants of pictures, for their tests.
    BKSI_MUTANT_PICTURE_OF_TICKS,    ///< pictures show whole ticks only
    BKSI_MUTANT_PICTURE_OF_THE_PAST, ///< a resimulated tick is taken for the newest one
    BKSI_MUTANT_PICTURE_FLOWS_BACK,  ///< the game extrapolates its own state instead of a copy
    /// While the match is held up, the movement from one tick to the next is shown again.
    BKSI_MUTANT_PICTURE_RUNS_ON,
    BKSI_MUTANT_EASE_BY_PICTURES, ///< corrections fade with each picture instead of with time
} bksi_mutant;

#ifdef BKSI_WITH_MUTANTS

extern bksi_mutant bksi_mutant_now;

static inline bool bksi_mutated(bksi_mutant mutant)
{
    return bksi_mutant_now == mutant;
}

/// Switch on a mutant in this process, before any session runs; BKSI_MUTANT_NONE switches it off.
/// @return the mutant that was on before
bksi_mutant bksi_mutant_set(bksi_mutant mutant);

/// Return a different number at each call.
unsigned bksi_mutant_noise(void);

/// Return the name of a mutant on the command line, or the text of its effect.
const char *bksi_mutant_name(bksi_mutant mutant);
const char *bksi_mutant_about(bksi_mutant mutant);

#else

#define bksi_mutated(mutant)    false
#define bksi_mutant_set(mutant) (mutant)
#define bksi_mutant_noise()     0u

#endif

#endif

/*
 * launcher.h - how workers are started
 *
 * A launcher is one record in one file (launcher_local.c, launcher_ssh.c, launcher_spark.c).
 * It says which process is started; the rest is the same for all.  Either there is one
 * process for each bucket, which gets its ticket on standard input and talks on standard
 * input and output; or one process, a scheduler's, starts workers for all buckets, and these
 * connect to the coordinator.
 *
 * To add one, write such a file and add its line to SOTTO_LAUNCHERS (docs/adding-a-launcher.md).
 */
#ifndef SOTTO_LAUNCHER_H
#define SOTTO_LAUNCHER_H

#include <stdbool.h>
#include <stdint.h>

#include "core/base/arena.h"
#include "sotto/status.h"

struct sotto_launcher;

struct sotto_spread_settings {
	const struct sotto_launcher *launcher;
	uint32_t buckets;
	unsigned parallel; /* processes at a time, where there is one for each bucket */
	const char *master; /* of a scheduler */
	const char *const *hosts;
	size_t host_count;
	const char *listen; /* this host's address, for workers that connect; NULL: see there */
	const char *program; /* sotto on other hosts; NULL: see there */
	const char *const *options; /* further words for the command that is started */
	size_t option_count;
	bool keeps_environment; /* a test may want that of local workers, too */
};

struct sotto_launcher {
	const char *name;
	bool is_scheduler; /* one process for all buckets */
	bool needs_master, needs_hosts;
	bool is_remote; /* workers have machines of their own */

	/*
	 * The command for one bucket, or for all; words[0] is looked for in PATH.  Made of
	 * settings alone: no secret stands in it.
	 *
	 * Fails:    SOTTO_EMISSING with a sentence if a program is not there; SOTTO_ENOMEM.
	 */
	enum sotto_status (*command)(struct sotto_arena *a,
				     const struct sotto_spread_settings *s, uint32_t bucket,
				     unsigned attempt, const char *const **words,
				     struct sotto_error *err);

	/*
	 * Whether what the command needs is there: for what only that program itself can say.
	 * Asked before a question is charged.  NULL: there is no such thing.
	 *
	 * Fails:    SOTTO_EMISSING with a sentence.
	 */
	enum sotto_status (*check)(const char *const *words, struct sotto_error *err);

	/* The address that workers are told, if the settings do not say; schedulers only. */
	const char *(*listen)(struct sotto_arena *a, const struct sotto_spread_settings *s);
};

/* One line for each, in the order in which messages list them. */
#define SOTTO_LAUNCHERS(X)                                                                     \
	X(local)                                                                               \
	X(ssh)                                                                                 \
	X(spark)

#define SOTTO_LAUNCHER_DECLARE(name) extern const struct sotto_launcher sotto_launcher_##name;
SOTTO_LAUNCHERS(SOTTO_LAUNCHER_DECLARE)
#undef SOTTO_LAUNCHER_DECLARE

/* The i-th; NULL after the last. */
const struct sotto_launcher *sotto_launcher_at(size_t i);

/* NULL if there is none of that name. */
const struct sotto_launcher *sotto_launcher_find(const char *name);

/* Adds words to a command that is being made; false without memory. */
bool sotto_words_add(struct sotto_arena *a, const char ***words, size_t *count,
		     const char *word);

#define SOTTO_WORDS_NEED(made)                                                                 \
	do {                                                                                   \
		if (!(made))                                                                   \
			return SOTTO_ENOMEM;                                                   \
	} while (0)

/* Whether a program of that name is in PATH, or at that path. */
bool sotto_program_is_there(const char *name);

#endif

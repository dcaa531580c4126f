/*
 * coordinator.h - the parts of buckets_run.c
 *
 * The state of one question while its buckets are run; starting workers
 * (coordinator_start.c) and handling what one of them sends (coordinator_serve.c).
 */
#ifndef SOTTO_COORDINATOR_H
#define SOTTO_COORDINATOR_H

#include "central/spread/launcher/launcher.h"
#include "central/spread/merge/partial.h"
#include "central/spread/merge/partial_keys.h"
#include "central/spread/spread_link.h"

struct sotto_spread_work;
struct sotto_spread_account;

enum { SOTTO_BUCKET_ATTEMPTS = 4 }; /* at most, of one bucket */

struct sotto_coordinator {
	const struct sotto_spread_work *work;
	const struct sotto_spread_settings *settings;
	struct sotto_spread_account *account;
	struct sotto_merge *merge;
	struct sotto_key_pair keys;
	struct sotto_ticket ticket; /* for bucket 0 */
	struct sotto_arena arena; /* of commands */
	struct sotto_link *links;
	size_t link_count, link_most;
	struct sotto_partial_keys openings; /* of all that held the token */
	unsigned *attempts; /* of each bucket */
	unsigned parallel; /* processes at a time, as many as can be started */
	bool *running;
	struct sotto_spread_process scheduler;
	int listener; /* or -1 */
	uint64_t arrivals; /* connections that were taken */
	bool is_full; /* no more could be, when it was last tried */
	uint64_t partial_most; /* bytes of one */
	uint64_t deadline;
};

/* Notes why the question ends: the first reason is the one that is told.  Gives st back. */
enum sotto_status sotto_coordinator_fail(struct sotto_coordinator *r, enum sotto_status st,
					 const char *what, const char *detail);

/* ---- coordinator_start.c ------------------------------------------------------------ */

/* One that nobody uses; NULL: there are as many as there may be. */
struct sotto_link *sotto_coordinator_new_link(struct sotto_coordinator *r);

/* As many as may run, for buckets that nobody has done; fails if one was lost too often. */
SOTTO_MUST_CHECK enum sotto_status sotto_coordinator_start_workers(struct sotto_coordinator *r);

/* The process that starts workers for all buckets. */
SOTTO_MUST_CHECK enum sotto_status
sotto_coordinator_start_scheduler(struct sotto_coordinator *r);

/* ---- coordinator_serve.c ------------------------------------------------------------ */

/*
 * Sends and receives what there is, and does what the frames say.  A worker that is lost is
 * no failure; what ends the question is.
 */
SOTTO_MUST_CHECK enum sotto_status
sotto_coordinator_serve(struct sotto_coordinator *r, struct sotto_link *l);

#endif

/*
 * (1) A batch that was acknowledged is counted after any crash, exactly once.
 * (2) A batch id is counted at most once, ever, across restarts and compaction.
 * (3) Bytes that were acknowledged are never cut off: damage there is refused.
 * (4) Compaction is one rename; before it the segments count, after it the checkpoint.
 */
#include "local/collect/collector.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <unistd.h>

#include "core/base/failure.h"
#include "local/collect/durable_file.h"
#include "local/collect/segment.h"

#define SEGMENT_MAX ((uint64_t)64 << 20)

/* ---- segments ---- */

static enum sotto_status cut_segment(const char *path, size_t length)
{
	int fd = open(path, O_WRONLY | O_CLOEXEC);
	int failed;

	if (fd < 0)
		return SOTTO_EIO;
	failed = ftruncate(fd, (off_t)length) != 0 || fsync(fd) != 0;
	close(fd);
	return failed ? SOTTO_EIO : SOTTO_OK;
}

/* Replays one segment; *there is false if it does not exist. */
static enum sotto_status replay_segment(struct sotto_local_collector *c, uint64_t number,
					bool *there, struct sotto_error *err)
{
	char *path = sotto_collector_segment_path(c->directory, number);
	size_t n = 0, committed = 0;
	enum sotto_status st =
		path ? sotto_collector_count_segment(c, path, number, &n, &committed, err)
		     : SOTTO_ENOMEM;

	*there = st == SOTTO_OK;
	if (st == SOTTO_EMISSING)
		st = SOTTO_OK;
	if (st == SOTTO_ECORRUPT)
		(void)sotto_fail(err, st,
				 "%s is damaged before its end; restore it from a copy", path);
	if (st == SOTTO_OK && committed < n) {
		c->counts.cut += n - committed;
		st = cut_segment(path, committed);
	}
	if (*there && st == SOTTO_OK)
		c->size = c->committed = committed;
	free(path);
	return st;
}

static void remove_segment(const struct sotto_local_collector *c, uint64_t number)
{
	char *path = sotto_collector_segment_path(c->directory, number);

	if (path)
		(void)unlink(
			path); /* it is covered: a leftover is removed at the next opening */
	free(path);
}

static enum sotto_status replay(struct sotto_local_collector *c, struct sotto_error *err)
{
	bool there = true;

	/* A crash may have come between the checkpoint and the removal. */
	for (uint64_t old = c->covered; old > 0; old--) {
		char *path = sotto_collector_segment_path(c->directory, old);
		bool gone = !path || access(path, F_OK) != 0;

		free(path);
		if (gone)
			break;
		remove_segment(c, old);
	}
	c->segment = c->covered + 1;
	for (uint64_t number = c->segment; there; number++) {
		SOTTO_TRY(replay_segment(c, number, &there, err));
		if (there)
			c->segment = number;
	}
	return SOTTO_OK;
}

static enum sotto_status open_segment(struct sotto_local_collector *c)
{
	char *path = sotto_collector_segment_path(c->directory, c->segment);

	if (!path)
		return SOTTO_ENOMEM;
	c->fd = open(path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600);
	free(path);
	return c->fd < 0 ? SOTTO_EIO : sotto_directory_sync(c->directory);
}

static enum sotto_status next_segment(struct sotto_local_collector *c)
{
	int old = c->fd;

	c->fd = -1;
	if (close(old) != 0)
		return SOTTO_EIO;
	c->segment++;
	c->size = c->committed = 0;
	return open_segment(c);
}

/* ---- opening and closing ---- */

static enum sotto_status take_lock(struct sotto_local_collector *c, struct sotto_error *err)
{
	char *path = sotto_collector_path(c->directory, "lock");

	if (!path)
		return SOTTO_ENOMEM;
	c->lock = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0600);
	free(path);
	if (c->lock < 0 && errno == ENOENT)
		return sotto_fail(err, SOTTO_EMISSING,
				  "there is no collection in %s; begin one with its parameters "
				  "(--params)",
				  c->directory);
	if (c->lock < 0)
		return sotto_fail(err, SOTTO_EIO, "could not write in %s", c->directory);
	if (flock(c->lock, LOCK_EX | LOCK_NB) != 0)
		return sotto_fail(err, SOTTO_ESTATE, "another collector has %s open",
				  c->directory);
	return SOTTO_OK;
}

static enum sotto_status create(struct sotto_local_collector *c,
				const struct sotto_client_params *params,
				struct sotto_error *err)
{
	if (getrandom(c->id, sizeof c->id, 0) != (ssize_t)sizeof c->id)
		return SOTTO_EENTROPY;
	c->params = *params;
	SOTTO_TRY(sotto_local_aggregate_new(params, &c->aggregate));
	return sotto_checkpoint_write(c, 0, err);
}

/* The lock is held. */
static enum sotto_status read_store(struct sotto_local_collector *c,
				    const struct sotto_client_params *params,
				    struct sotto_error *err)
{
	enum sotto_status st = sotto_checkpoint_load(c, err);

	if (st == SOTTO_EMISSING && params)
		st = create(c, params, err);
	else if (st == SOTTO_EMISSING)
		return sotto_fail(err, st,
				  "%s holds no collection; give its parameters to start one",
				  c->directory);
	SOTTO_TRY(st);
	if (params && !sotto_collector_has_params(c, params))
		return sotto_fail(
			err, SOTTO_EINVAL,
			"the collection in %s has other parameters; use another directory",
			c->directory);
	SOTTO_TRY(replay(c, err));
	return open_segment(c);
}

static enum sotto_status open_store(struct sotto_local_collector *c,
				    const struct sotto_client_params *params,
				    struct sotto_error *err)
{
	if (params && mkdir(c->directory, 0700) == 0)
		SOTTO_TRY(sotto_directory_sync(c->directory));
	SOTTO_TRY(take_lock(c, err));
	return read_store(c, params, err);
}

enum sotto_status
sotto_local_collector_open(const char *directory, const struct sotto_client_params *params,
			   struct sotto_local_collector **out, struct sotto_error *err)
{
	if (!directory || !out)
		return sotto_fail(err, SOTTO_EINVAL, "NULL was given where a value is needed");

	struct sotto_local_collector *c = calloc(1, sizeof *c);
	enum sotto_status st;

	if (!c)
		return SOTTO_ENOMEM;
	c->fd = c->lock = -1;
	c->directory = strdup(directory);
	st = c->directory ? open_store(c, params, err) : SOTTO_ENOMEM;
	if (st != SOTTO_OK) {
		sotto_local_collector_close(c);
		return st;
	}
	*out = c;
	return SOTTO_OK;
}

void sotto_local_collector_close(struct sotto_local_collector *c)
{
	if (!c)
		return;
	if (c->fd >= 0)
		close(c->fd);
	if (c->lock >= 0)
		close(c->lock);
	sotto_collector_release(c);
	free(c->directory);
	free(c);
}

/*
 * After a failed sync, bytes can be read that are not on the disk: they are cut off, so that
 * nothing is found in the segment that a crash could still take away.
 */
static bool cut_uncommitted(struct sotto_local_collector *c)
{
	return c->fd < 0 || (ftruncate(c->fd, (off_t)c->committed) == 0 && fsync(c->fd) == 0);
}

enum sotto_status
sotto_collector_reopen(struct sotto_local_collector **c, struct sotto_error *err)
{
	struct sotto_local_collector *old = *c, *new = calloc(1, sizeof *new);
	enum sotto_status st;

	if (!new)
		return SOTTO_ENOMEM;
	new->fd = -1;
	new->lock = old->lock;
	new->batch_reports = old->batch_reports;
	new->directory = strdup(old->directory);
	st = !new->directory         ? SOTTO_ENOMEM
	     : !cut_uncommitted(old) ? SOTTO_EIO
				     : read_store(new, &old->params, err);
	if (st == SOTTO_OK) {
		*c = new;
		new = old;
	}
	new->lock = -1; /* whoever stays has it */
	sotto_local_collector_close(new);
	return st;
}

/* ---- taking batches ---- */

static enum sotto_status reject(struct sotto_local_collector *c, enum sotto_local_reason why,
				enum sotto_local_verdict *verdict,
				enum sotto_local_reason *reason)
{
	c->counts.rejected[why]++;
	*verdict = SOTTO_LOCAL_REJECTED;
	*reason = why;
	return SOTTO_OK;
}

static enum sotto_status append(struct sotto_local_collector *c, const uint8_t *batch, size_t n)
{
	SOTTO_TRY(sotto_file_write(c->fd, batch, n));
	c->size += n;
	c->uncommitted++;
	return SOTTO_OK;
}

enum sotto_status sotto_local_collector_limit(struct sotto_local_collector *c, uint64_t reports)
{
	if (!c)
		return SOTTO_EINVAL;
	if (reports == 0 || reports > SOTTO_LOCAL_BATCH_REPORTS_MAX)
		return SOTTO_ERANGE;
	c->batch_reports = reports;
	return SOTTO_OK;
}

enum sotto_status
sotto_local_collector_take(struct sotto_local_collector *c, const uint8_t *batch, size_t n,
			   enum sotto_local_verdict *verdict, enum sotto_local_reason *reason)
{
	if (!c || (!batch && n > 0) || !verdict || !reason)
		return SOTTO_EINVAL;

	struct sotto_collector_look look;
	enum sotto_status st;

	if (c->failed)
		return SOTTO_ESTATE;
	st = sotto_collector_check(c, batch, n, &look); /* before anything is written */
	if (st == SOTTO_EPARSE)
		return reject(c, look.reason, verdict, reason);
	SOTTO_TRY(st);
	*reason = SOTTO_LOCAL_REASON_NONE;
	if (look.known) {
		c->counts.duplicate++;
		*verdict = SOTTO_LOCAL_DUPLICATE;
		return SOTTO_OK;
	}
	st = append(c, batch, n);
	if (st != SOTTO_OK)
		c->full = sotto_disk_is_full();
	if (st == SOTTO_OK)
		st = sotto_collector_add(c, batch, &look);
	if (st != SOTTO_OK) {
		c->failed = true;
		return st;
	}
	c->counts.accepted++;
	*verdict = SOTTO_LOCAL_ACCEPTED;
	return SOTTO_OK;
}

static enum sotto_status commit(struct sotto_local_collector *c)
{
	uint8_t record[SOTTO_COMMIT_BYTES];

	if (c->uncommitted == 0)
		return SOTTO_OK;
	sotto_commit_store(c->segment, c->size, c->uncommitted, record);
	SOTTO_TRY(sotto_file_write(c->fd, record, sizeof record));
	if (fdatasync(c->fd) != 0)
		return SOTTO_EIO;
	c->size += sizeof record;
	c->committed = c->size;
	c->uncommitted = 0;
	return c->size >= SEGMENT_MAX ? next_segment(c) : SOTTO_OK;
}

enum sotto_status
sotto_local_collector_commit(struct sotto_local_collector *c, struct sotto_error *err)
{
	if (!c)
		return sotto_fail(err, SOTTO_EINVAL, "NULL was given where a value is needed");
	if (!c->failed && commit(c) != SOTTO_OK) {
		c->failed = true;
		c->full = sotto_disk_is_full();
	}
	return !c->failed ? SOTTO_OK
			  : sotto_fail(err, SOTTO_EIO,
				       "could not write to %s%s; what was sent since the last "
				       "commit must be sent again",
				       c->directory, c->full ? ": the disk is full" : "");
}

enum sotto_status
sotto_local_collector_compact(struct sotto_local_collector *c, struct sotto_error *err)
{
	if (!c)
		return sotto_fail(err, SOTTO_EINVAL, "NULL was given where a value is needed");

	uint64_t last;

	SOTTO_TRY(sotto_local_collector_commit(c, err));
	last = c->segment;
	SOTTO_TRY(sotto_checkpoint_write(c, last, err));
	for (uint64_t old = c->covered + 1; old <= last; old++)
		remove_segment(c, old); /* upwards: what a crash leaves has no gap */
	c->covered = last;
	if (next_segment(c) != SOTTO_OK) {
		c->failed = true;
		return sotto_fail(err, SOTTO_EIO, "could not write in %s", c->directory);
	}
	return SOTTO_OK;
}

struct sotto_local_aggregate *sotto_local_collector_aggregate(struct sotto_local_collector *c)
{
	return c->aggregate;
}

struct sotto_local_collector_counts
sotto_local_collector_counts(const struct sotto_local_collector *c)
{
	return c->counts;
}

const struct sotto_client_params *
sotto_local_collector_params(const struct sotto_local_collector *c)
{
	return &c->params;
}

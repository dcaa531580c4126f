/* Reads every byte of a store again, without changing it. */
#include <stdlib.h>

#include "core/base/failure.h"
#include "local/collect/collector.h"

static enum sotto_status verify_segment(struct sotto_local_collector *c, uint64_t number,
					bool *there, struct sotto_error *err)
{
	char *path = sotto_collector_segment_path(c->directory, number);
	size_t n = 0, committed = 0;
	enum sotto_status st =
		path ? sotto_collector_count_segment(c, path, number, &n, &committed, err)
		     : SOTTO_ENOMEM;

	*there = st != SOTTO_EMISSING;
	if (st == SOTTO_OK && committed < n)
		st = sotto_fail(
			err, SOTTO_ECORRUPT,
			"%s holds bytes that no commit follows: an unfinished write, or damage",
			path);
	else if (st == SOTTO_ECORRUPT)
		(void)sotto_fail(err, st, "%s is damaged before its end", path);
	free(path);
	return st == SOTTO_EMISSING ? SOTTO_OK : st;
}

enum sotto_status sotto_local_collector_verify(const char *directory, struct sotto_error *err)
{
	if (!directory)
		return sotto_fail(err, SOTTO_EINVAL, "NULL was given where a value is needed");

	struct sotto_local_collector c = {.directory = (char *)directory};
	bool there = true;
	enum sotto_status st = sotto_checkpoint_load(&c, err);

	for (uint64_t number = c.covered + 1; st == SOTTO_OK && there; number++)
		st = verify_segment(&c, number, &there, err);
	sotto_collector_release(&c);
	return st;
}

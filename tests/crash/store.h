/*
 * store.h - a collector's store in a temporary folder, and batches to put into it
 *
 * Included by one test each: everything here is static.
 */
#ifndef SOTTO_TESTS_STORE_H
#define SOTTO_TESTS_STORE_H

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "local/collect/frame.h"
#include "sotto/collect.h"
#include "testlib/fixture/local.h"
#include "testlib/tap.h"

enum { BATCHES_MAX = 40, REPORTS = 5 };

static char dir[64];
static struct sotto_client_params params;
static uint8_t *batch[BATCHES_MAX];
static size_t length[BATCHES_MAX];

/* Of params: different reports and ids, the same each time. */
static inline void fill_batches(unsigned count)
{
	for (unsigned i = 0; i < count; i++) {
		struct sotto_local_batch b = {.params = params, .reports = REPORTS};
		uint8_t *r = local_reports(&params, REPORTS, 100 + i);
		uint64_t seed = 500 + i;

		local_fill(&seed, b.id, 16);
		free(batch[i]);
		CHECK_INT(sotto_local_batch_make(&b, r, &batch[i], &length[i]), SOTTO_OK);
		free(r);
	}
}

static inline void make_batches(uint32_t protocol, unsigned count)
{
	params = local_sample(protocol);
	fill_batches(count);
}

/* In memory if it can be: these tests kill processes, not machines, and sync thousands of times. */
static inline void open_folder(const char *name)
{
	snprintf(dir, sizeof dir, "%s/sotto-%s-%d",
		 access("/dev/shm", W_OK) == 0 ? "/dev/shm" : "/tmp", name, (int)getpid());
	mkdir(dir, 0700);
}

static inline void clear_dir(void)
{
	DIR *d = opendir(dir);
	struct dirent *e;
	char path[400];

	while (d && (e = readdir(d))) {
		snprintf(path, sizeof path, "%s/%s", dir, e->d_name);
		unlink(path);
	}
	if (d)
		closedir(d);
}

static inline void close_folder(void)
{
	clear_dir();
	rmdir(dir);
	for (unsigned i = 0; i < BATCHES_MAX; i++)
		free(batch[i]);
}

static inline struct sotto_local_collector *reopen(enum sotto_status want)
{
	struct sotto_local_collector *c = NULL;
	struct sotto_error err = {""};

	CHECK_INT(sotto_local_collector_open(dir, &params, &c, &err), want);
	return c;
}

static inline enum sotto_local_verdict take(struct sotto_local_collector *c, unsigned i)
{
	enum sotto_local_verdict v = SOTTO_LOCAL_REJECTED;
	enum sotto_local_reason why;

	CHECK_INT(sotto_local_collector_take(c, batch[i], length[i], &v, &why), SOTTO_OK);
	return v;
}

/* cells and reports as if the batches 0 .. n-1 had been counted once each */
static inline bool holds_first(struct sotto_local_collector *c, unsigned n)
{
	struct sotto_local_aggregate *want = NULL;
	struct sotto_local_counts a, b;
	uint8_t reports[4096];
	enum sotto_local_reason why;
	bool same;

	if (sotto_local_aggregate_new(&params, &want) != SOTTO_OK)
		return false;
	for (unsigned i = 0; i < n; i++)
		if (sotto_local_batch_reports(batch[i], length[i], reports, &why) != SOTTO_OK ||
		    sotto_local_aggregate_add(want, reports, REPORTS) != SOTTO_OK)
			return false;
	a = sotto_local_aggregate_counts(sotto_local_collector_aggregate(c));
	b = sotto_local_aggregate_counts(want);
	same = a.reports == b.reports && memcmp(a.cells, b.cells, 8 * a.cell_count) == 0;
	sotto_local_aggregate_free(want);
	return same;
}

#endif

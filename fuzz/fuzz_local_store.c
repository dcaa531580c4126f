/*
 * A store whose checkpoint or segment is anything at all, checksums repaired: it
 * opens or it is refused, and what opens can be worked with, closed and opened
 * again with the same counts.  The first byte says which file: c checkpoint, else
 * segment.
 */
#include "fuzz.h"

#include <dirent.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "local/collect/collector.h"
#include "repair.h"

static char folder[64];

/* A checkpoint may name any segment. */
static void remove_folder(void)
{
	DIR *d = opendir(folder);
	struct dirent *e;
	char path[400];

	while (d && (e = readdir(d))) {
		snprintf(path, sizeof path, "%s/%s", folder, e->d_name);
		(void)unlink(path);
	}
	if (d)
		closedir(d);
	(void)rmdir(folder);
}

static void put(const char *name, const uint8_t *bytes, size_t n)
{
	char path[128];
	int fd;

	snprintf(path, sizeof path, "%s/%s", folder, name);
	fd = open(path, O_WRONLY | O_CREAT | O_TRUNC, 0600);
	if (fd < 0 || write(fd, bytes, n) != (ssize_t)n)
		abort();
	close(fd);
}

/* The collection of the corpus; with it the store is made, unless the input is one. */
static struct sotto_client_params params(void)
{
	return (struct sotto_client_params){.protocol = SOTTO_CLIENT_RR,
					    .size = 2,
					    .zero = {1ull << 62, false},
					    .one = {3ull << 62, false}};
}

static uint64_t reports_in(struct sotto_local_collector *c)
{
	struct sotto_local_counts n =
		sotto_local_aggregate_counts(sotto_local_collector_aggregate(c));

	if (n.reports != sotto_local_collector_counts(c).reports)
		abort();
	return n.reports;
}

static void work(void)
{
	struct sotto_local_collector *c;
	struct sotto_client_params p = params();
	uint64_t before;

	if (sotto_local_collector_open(folder, NULL, &c, NULL) != SOTTO_OK &&
	    sotto_local_collector_open(folder, &p, &c, NULL) != SOTTO_OK)
		return;
	before = reports_in(c);
	sotto_local_collector_close(c);
	if (sotto_local_collector_open(folder, NULL, &c, NULL) != SOTTO_OK ||
	    reports_in(c) != before)
		abort();
	sotto_local_collector_close(c);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	uint8_t *copy;

	if (size < 1 || size > 1 << 16 || !(copy = malloc(size)))
		return 0;
	if (!folder[0]) {
		snprintf(folder, sizeof folder, "/tmp/sotto-fuzz-%d", (int)getpid());
		atexit(remove_folder);
	}
	remove_folder();
	if (mkdir(folder, 0700) != 0)
		abort();
	memcpy(copy, data + 1, size - 1);
	if (data[0] == 'c') {
		repair_end(copy, size - 1);
		put("checkpoint", copy, size - 1);
	} else {
		repair_segment(copy, size - 1, 1);
		put("segment-00000001", copy, size - 1);
	}
	work();
	free(copy);
	return 0;
}

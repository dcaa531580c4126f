/* A store whose disk was full takes reports again once there is room. */
#include "server/collections/collections.h"

#include <errno.h>
#include <pthread.h>
#include <sys/syscall.h>
#include <time.h>

#include "crash/store.h"
#include "sotto/decode.h"

static bool is_full;
static time_t later; /* by how much the steady clock is ahead */

int fdatasync(int fd)
{
	if (is_full) {
		errno = ENOSPC;
		return -1;
	}
	return (int)syscall(SYS_fdatasync, fd);
}

int clock_gettime(clockid_t clock, struct timespec *t)
{
	int failed = (int)syscall(SYS_clock_gettime, clock, t);

	if (clock == CLOCK_MONOTONIC)
		t->tv_sec += later;
	return failed;
}

struct told {
	pthread_mutex_t lock;
	pthread_cond_t change;
	bool is_done;
	enum sotto_status status;
	enum sotto_local_verdict verdict;
};

static void tell(void *context, enum sotto_status status, enum sotto_local_verdict verdict,
		 enum sotto_local_reason reason)
{
	struct told *t = context;

	(void)reason;
	pthread_mutex_lock(&t->lock);
	t->status = status;
	t->verdict = verdict;
	t->is_done = true;
	pthread_cond_signal(&t->change);
	pthread_mutex_unlock(&t->lock);
}

/* What becomes of a batch. */
static enum sotto_status send_batch(struct sotto_collection *c, unsigned i, bool *is_new)
{
	struct told t = {.lock = PTHREAD_MUTEX_INITIALIZER, .change = PTHREAD_COND_INITIALIZER};

	if (sotto_collection_add(c, batch[i], length[i], tell, &t) != SOTTO_OK)
		return SOTTO_ESTATE;
	pthread_mutex_lock(&t.lock);
	while (!t.is_done)
		pthread_cond_wait(&t.change, &t.lock);
	pthread_mutex_unlock(&t.lock);
	*is_new = t.verdict == SOTTO_LOCAL_ACCEPTED;
	return t.status;
}

static uint64_t reports(struct sotto_collection *c)
{
	struct sotto_local_collector_counts counts = {0};
	struct sotto_local_aggregate *a = NULL;

	CHECK_INT(sotto_collection_counted(c, &a, &counts), SOTTO_OK);
	sotto_local_aggregate_free(a);
	return counts.reports;
}

static void a_full_disk_ends(struct sotto_collection *c)
{
	struct sotto_error err = {""};
	bool is_new;

	CHECK_INT(send_batch(c, 0, &is_new), SOTTO_OK);
	is_full = true;
	CHECK(send_batch(c, 1, &is_new) != SOTTO_OK);
	CHECK(sotto_collection_health(c, &err) != SOTTO_OK);
	CHECK(strstr(err.text, "the disk is full") != NULL);
	later += 10;
	CHECK(send_batch(c, 1, &is_new) != SOTTO_OK); /* it still is */
	CHECK(sotto_collection_health(c, &err) != SOTTO_OK);
	CHECK(strstr(err.text, "the disk is full") != NULL);
	is_full = false;
	later += 10;
	CHECK_INT(send_batch(c, 1, &is_new), SOTTO_OK);
	CHECK(is_new); /* what was refused had not been counted */
	CHECK_INT(sotto_collection_health(c, &err), SOTTO_OK);
	CHECK_INT(send_batch(c, 0, &is_new), SOTTO_OK);
	CHECK(!is_new);
	CHECK_INT(reports(c), 2 * REPORTS);
}

static void a_store_is_tried_again_when_the_disk_has_room(void)
{
	static const char text[] = "protocol grr\nsize 8\nepsilon 2\n";
	char path[128];
	struct sotto_policy_collection one = {
		.name = "c", .params = path, .store = dir, .max_reports = 100};
	struct sotto_collections *all = NULL;
	struct sotto_error err = {""};
	FILE *f;

	open_folder("collections");
	REQUIRE(sotto_local_params_parse(text, strlen(text), &params, &err) == SOTTO_OK);
	fill_batches(2);
	snprintf(path, sizeof path, "%s/params", dir);
	f = fopen(path, "w");
	REQUIRE(f && fputs(text, f) >= 0 && fclose(f) == 0);
	REQUIRE(sotto_collections_open(&one, 1, &all, &err) == SOTTO_OK);
	a_full_disk_ends(sotto_collections_at(all, 0));
	sotto_collections_close(all);
	close_folder();
}

int main(void)
{
	RUN(a_store_is_tried_again_when_the_disk_has_room);
	return tap_done();
}

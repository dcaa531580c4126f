/*
 * The collector and crashes: a store cut at any byte, a process killed at any
 * time, batches sent again in any order - what was acknowledged counts once.
 */
#include "sotto/collect.h"

#include <signal.h>
#include <sys/wait.h>

#include "crash/store.h"

#define BATCHES 6

static uint8_t *slurp(const char *name, size_t *n)
{
	char path[400];
	FILE *f;
	uint8_t *bytes = malloc(1 << 20);

	snprintf(path, sizeof path, "%s/%s", dir, name);
	f = fopen(path, "rb");
	*n = f && bytes ? fread(bytes, 1, 1 << 20, f) : 0;
	if (f)
		fclose(f);
	return bytes;
}

static void spill(const char *name, const uint8_t *bytes, size_t n)
{
	char path[400];
	FILE *f;

	snprintf(path, sizeof path, "%s/%s", dir, name);
	f = fopen(path, "wb");
	if (f) {
		fwrite(bytes, 1, n, f);
		fclose(f);
	}
}

static void a_store_cut_at_any_byte_keeps_what_was_acknowledged(void)
{
	struct sotto_local_collector *c;
	size_t mark[BATCHES + 1] = {0}, n, sizes;
	uint8_t *segment, *ignored;

	clear_dir();
	c = reopen(SOTTO_OK);
	REQUIRE(c != NULL);
	for (unsigned i = 0; i < BATCHES; i++) { /* a commit after every second batch */
		CHECK_INT(take(c, i), SOTTO_LOCAL_ACCEPTED);
		if (i % 2)
			CHECK_INT(sotto_local_collector_commit(c, NULL), SOTTO_OK);
		ignored = slurp("segment-00000001", &sizes);
		mark[i + 1] = sizes;
		free(ignored);
	}
	sotto_local_collector_close(c);
	segment = slurp("segment-00000001", &n);
	for (size_t cut = 0; cut <= n; cut++) {
		unsigned acknowledged = 0;

		for (unsigned i = 2; i <= BATCHES; i += 2)
			if (mark[i] <= cut)
				acknowledged = i;
		spill("segment-00000001", segment, cut);
		c = reopen(SOTTO_OK);
		REQUIRE(c != NULL);
		CHECK(holds_first(c, acknowledged));
		/* senders try again, all of them, in reverse order */
		for (unsigned i = BATCHES; i-- > 0;)
			CHECK_INT(take(c, i), i < acknowledged ? SOTTO_LOCAL_DUPLICATE
							       : SOTTO_LOCAL_ACCEPTED);
		CHECK_INT(sotto_local_collector_commit(c, NULL), SOTTO_OK);
		CHECK(holds_first(c, BATCHES));
		sotto_local_collector_close(c);
		c = reopen(SOTTO_OK);
		REQUIRE(c != NULL);
		CHECK(holds_first(c, BATCHES));
		sotto_local_collector_close(c);
	}
	free(segment);
}

static void every_flipped_bit_in_a_segment_is_noticed(void)
{
	struct sotto_local_collector *c;
	struct sotto_error err;
	uint8_t *segment;
	size_t n;

	clear_dir();
	c = reopen(SOTTO_OK);
	REQUIRE(c != NULL);
	for (unsigned i = 0; i < 3; i++) {
		CHECK_INT(take(c, i), SOTTO_LOCAL_ACCEPTED);
		CHECK_INT(sotto_local_collector_commit(c, NULL), SOTTO_OK);
	}
	sotto_local_collector_close(c);
	CHECK_INT(sotto_local_collector_verify(dir, &err), SOTTO_OK);
	segment = slurp("segment-00000001", &n);
	for (size_t bit = 0; bit < 8 * n; bit++) {
		bool last = bit / 8 >= n / 3 * 2;

		segment[bit / 8] ^= (uint8_t)(1 << bit % 8);
		spill("segment-00000001", segment, n);
		CHECK_INT(sotto_local_collector_verify(dir, &err), SOTTO_ECORRUPT);
		if (!last) /* a later commit stands: this is damage, not an unfinished write */
			CHECK(reopen(SOTTO_ECORRUPT) == NULL);
		segment[bit / 8] ^= (uint8_t)(1 << bit % 8);
	}
	free(segment);
}

static void every_flipped_bit_in_the_checkpoint_is_noticed(void)
{
	struct sotto_local_collector *c;
	uint8_t *bytes;
	size_t n;

	clear_dir();
	c = reopen(SOTTO_OK);
	REQUIRE(c != NULL);
	CHECK_INT(take(c, 0), SOTTO_LOCAL_ACCEPTED);
	CHECK_INT(sotto_local_collector_compact(c, NULL), SOTTO_OK);
	sotto_local_collector_close(c);
	bytes = slurp("checkpoint", &n);
	for (size_t bit = 0; bit < 8 * n; bit++) {
		bytes[bit / 8] ^= (uint8_t)(1 << bit % 8);
		spill("checkpoint", bytes, n);
		CHECK(reopen(SOTTO_ECORRUPT) == NULL);
		bytes[bit / 8] ^= (uint8_t)(1 << bit % 8);
	}
	free(bytes);
}

/* Compaction is one rename: with the old segments still there nothing counts twice. */
static void a_crash_inside_compaction_changes_nothing(void)
{
	struct sotto_local_collector *c;
	uint8_t *segment, *before, *after;
	size_t n, nb, na;

	clear_dir();
	c = reopen(SOTTO_OK);
	REQUIRE(c != NULL);
	for (unsigned i = 0; i < 4; i++)
		CHECK_INT(take(c, i), SOTTO_LOCAL_ACCEPTED);
	CHECK_INT(sotto_local_collector_commit(c, NULL), SOTTO_OK);
	segment = slurp("segment-00000001", &n);
	before = slurp("checkpoint", &nb);
	CHECK_INT(sotto_local_collector_compact(c, NULL), SOTTO_OK);
	sotto_local_collector_close(c);
	after = slurp("checkpoint", &na);
	/* crash before the rename: old checkpoint, segment, half of the new checkpoint aside */
	clear_dir();
	spill("checkpoint", before, nb);
	spill("segment-00000001", segment, n);
	spill("checkpoint.new", after, na / 2);
	c = reopen(SOTTO_OK);
	REQUIRE(c != NULL);
	CHECK(holds_first(c, 4));
	sotto_local_collector_close(c);
	/* crash after the rename, before the removal */
	clear_dir();
	spill("checkpoint", after, na);
	spill("segment-00000001", segment, n);
	c = reopen(SOTTO_OK);
	REQUIRE(c != NULL);
	CHECK(holds_first(c, 4));
	CHECK_INT(take(c, 2), SOTTO_LOCAL_DUPLICATE); /* ids outlive the segments */
	CHECK_INT(take(c, 4), SOTTO_LOCAL_ACCEPTED);
	CHECK_INT(sotto_local_collector_commit(c, NULL), SOTTO_OK);
	sotto_local_collector_close(c);
	c = reopen(SOTTO_OK);
	REQUIRE(c != NULL);
	CHECK(holds_first(c, 5));
	sotto_local_collector_close(c);
	free(segment);
	free(before);
	free(after);
}

/* A child takes batches and tells us each acknowledged one; we kill it some time. */
static int child(int out, unsigned count)
{
	struct sotto_local_collector *c = NULL;

	if (sotto_local_collector_open(dir, &params, &c, NULL) != SOTTO_OK)
		return 1;
	for (unsigned i = 0; i < count; i++) {
		enum sotto_local_verdict v;
		enum sotto_local_reason why;
		uint8_t number = (uint8_t)i;

		if (sotto_local_collector_take(c, batch[i], length[i], &v, &why) != SOTTO_OK ||
		    sotto_local_collector_commit(c, NULL) != SOTTO_OK ||
		    write(out, &number, 1) != 1)
			return 1;
		if (i % 7 == 6 && sotto_local_collector_compact(c, NULL) != SOTTO_OK)
			return 1;
	}
	sotto_local_collector_close(c);
	return 0;
}

static void kill_9_loses_nothing_acknowledged(void)
{
	unsigned rounds = getenv("SOTTO_LONG") ? 200 : 25;

	make_batches(SOTTO_CLIENT_OUE, 40);
	for (unsigned round = 0; round < rounds; round++) {
		struct sotto_local_collector *c;
		unsigned acknowledged = 0;
		uint8_t number;
		int pipes[2];
		pid_t pid;

		clear_dir();
		REQUIRE(pipe(pipes) == 0);
		pid = fork();
		if (pid == 0) {
			close(pipes[0]);
			_exit(child(pipes[1], 40));
		}
		close(pipes[1]);
		while (acknowledged < 1 + round % 40 && read(pipes[0], &number, 1) == 1)
			acknowledged = number + 1u;
		usleep((round * 137) % 900);
		kill(pid, SIGKILL);
		while (read(pipes[0], &number, 1) == 1) /* acknowledged before it died */
			acknowledged = number + 1u;
		close(pipes[0]);
		waitpid(pid, NULL, 0);
		c = reopen(SOTTO_OK);
		REQUIRE(c != NULL);
		/* the batch after the last acknowledgement may be there or not, no other */
		CHECK(holds_first(c, acknowledged) ||
		      (acknowledged < 40 && holds_first(c, acknowledged + 1)));
		for (unsigned i = 0; i < 40; i++)
			(void)take(c, i);
		CHECK_INT(sotto_local_collector_commit(c, NULL), SOTTO_OK);
		CHECK(holds_first(c, 40));
		sotto_local_collector_close(c);
	}
	make_batches(SOTTO_CLIENT_OUE, BATCHES);
}

static void bad_batches_are_rejected_whole_with_a_reason(void)
{
	struct sotto_local_collector *c;
	enum sotto_local_verdict v;
	enum sotto_local_reason why;
	uint8_t copy[4096];

	clear_dir();
	c = reopen(SOTTO_OK);
	REQUIRE(c != NULL);
	for (size_t bit = 0; bit < 8 * length[0]; bit++) {
		memcpy(copy, batch[0], length[0]);
		copy[bit / 8] ^= (uint8_t)(1 << bit % 8);
		CHECK_INT(sotto_local_collector_take(c, copy, length[0], &v, &why), SOTTO_OK);
		CHECK_INT(v, SOTTO_LOCAL_REJECTED);
		CHECK(why != SOTTO_LOCAL_REASON_NONE);
	}
	for (size_t n = 0; n < length[0]; n++) {
		CHECK_INT(sotto_local_collector_take(c, batch[0], n, &v, &why), SOTTO_OK);
		CHECK_INT(v, SOTTO_LOCAL_REJECTED);
	}
	CHECK(holds_first(c, 0));
	CHECK_INT(take(c, 0), SOTTO_LOCAL_ACCEPTED);
	CHECK_INT(take(c, 0), SOTTO_LOCAL_DUPLICATE);
	CHECK(holds_first(c, 1));
	sotto_local_collector_close(c);
}

static void batches_of_another_collection_are_rejected(void)
{
	struct sotto_local_collector *c;
	struct sotto_client_params other = params;
	struct sotto_local_batch b = {.reports = 1, .id = {9}};
	enum sotto_local_verdict v;
	enum sotto_local_reason why;
	uint8_t *r, *bytes;
	size_t n;

	other.salt++;
	b.params = other;
	clear_dir();
	c = reopen(SOTTO_OK);
	r = local_reports(&other, 1, 1);
	REQUIRE(c && r && sotto_local_batch_make(&b, r, &bytes, &n) == SOTTO_OK);
	CHECK_INT(sotto_local_collector_take(c, bytes, n, &v, &why), SOTTO_OK);
	CHECK_INT(why, SOTTO_LOCAL_REASON_PARAMETERS);
	CHECK_INT(sotto_local_collector_counts(c).rejected[SOTTO_LOCAL_REASON_PARAMETERS], 1);
	/* one collector at a time; other parameters open nothing */
	CHECK(reopen(SOTTO_ESTATE) == NULL);
	sotto_local_collector_close(c);
	params = other;
	CHECK(reopen(SOTTO_EINVAL) == NULL);
	make_batches(SOTTO_CLIENT_OUE, BATCHES);
	free(r);
	free(bytes);
}

/* A batch of the first reports over and over, past the size where it is drafted. */
static size_t make_large_batch(uint8_t **reports, uint8_t **bytes, size_t *n)
{
	size_t stride = sotto_client_report_bytes(&params), count = (700000 + stride) / stride;
	struct sotto_local_batch b = {.params = params, .reports = count, .id = {7}};
	uint8_t *few = local_reports(&params, 16, 5);

	*reports = malloc(count * stride);
	if (!few || !*reports)
		return 0;
	for (size_t i = 0; i < count; i++)
		memcpy(*reports + i * stride, few + i % 16 * stride, stride);
	free(few);
	CHECK_INT(sotto_local_batch_make(&b, *reports, bytes, n), SOTTO_OK);
	return count;
}

static bool holds_reports(struct sotto_local_collector *c, const uint8_t *reports, size_t n)
{
	struct sotto_local_aggregate *want = NULL;
	struct sotto_local_counts a, b;
	bool same = sotto_local_aggregate_new(&params, &want) == SOTTO_OK &&
		    sotto_local_aggregate_add(want, reports, n) == SOTTO_OK;

	a = sotto_local_aggregate_counts(sotto_local_collector_aggregate(c));
	b = sotto_local_aggregate_counts(want);
	same = same && a.reports == n && a.log_reports == b.log_reports &&
	       memcmp(a.cells, b.cells, 8 * a.cell_count) == 0 &&
	       memcmp(a.groups, b.groups, 8 * a.group_count) == 0;
	sotto_local_aggregate_free(want);
	return same;
}

/* They are counted while they are looked at: what was counted must go again. */
static void large_batches_count_whole_or_not_at_all(void)
{
	static const uint32_t each_way[] = {SOTTO_CLIENT_RAPPOR, SOTTO_CLIENT_GRR,
					    SOTTO_CLIENT_HCMS, SOTTO_CLIENT_OLH};

	for (size_t i = 0; i < sizeof each_way / sizeof each_way[0]; i++) {
		struct sotto_local_collector *c;
		enum sotto_local_verdict v;
		enum sotto_local_reason why;
		uint8_t *reports, *bytes;
		size_t n, count;

		params = local_sample(each_way[i]);
		clear_dir();
		c = reopen(SOTTO_OK);
		count = make_large_batch(&reports, &bytes, &n);
		REQUIRE(c && count > 0);
		for (size_t flip = 1; flip <= 200000; flip += 199999) {
			bytes[n - flip] ^= 0x80;
			CHECK_INT(sotto_local_collector_take(c, bytes, n, &v, &why), SOTTO_OK);
			bytes[n - flip] ^= 0x80;
			CHECK(v == SOTTO_LOCAL_REJECTED && why == SOTTO_LOCAL_REASON_BLOCK);
			CHECK(holds_reports(c, reports, 0));
		}
		CHECK_INT(sotto_local_collector_take(c, bytes, n, &v, &why), SOTTO_OK);
		CHECK_INT(v, SOTTO_LOCAL_ACCEPTED);
		CHECK_INT(sotto_local_collector_take(c, bytes, n, &v, &why), SOTTO_OK);
		CHECK_INT(v, SOTTO_LOCAL_DUPLICATE);
		CHECK(holds_reports(c, reports, count));
		CHECK_INT(sotto_local_collector_commit(c, NULL), SOTTO_OK);
		sotto_local_collector_close(c);
		c = reopen(SOTTO_OK);
		CHECK(c && holds_reports(c, reports, count));
		sotto_local_collector_close(c);
		free(reports);
		free(bytes);
	}
	make_batches(SOTTO_CLIENT_OUE, BATCHES);
}

int main(void)
{
	open_folder("collector");
	make_batches(SOTTO_CLIENT_OUE, BATCHES);
	RUN(a_store_cut_at_any_byte_keeps_what_was_acknowledged);
	RUN(every_flipped_bit_in_a_segment_is_noticed);
	RUN(every_flipped_bit_in_the_checkpoint_is_noticed);
	RUN(a_crash_inside_compaction_changes_nothing);
	RUN(kill_9_loses_nothing_acknowledged);
	RUN(bad_batches_are_rejected_whole_with_a_reason);
	RUN(batches_of_another_collection_are_rejected);
	RUN(large_batches_count_whole_or_not_at_all);
	close_folder();
	return tap_done();
}

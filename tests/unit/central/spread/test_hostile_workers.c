/*
 * Workers that hold the token and lie, break off, flood or never answer.  Whatever they do, the
 * sum is right or there is none, it ends within its time, and no process is left.
 *
 * This program is its own worker; what it does is the kind in TEST_WORKER.
 */
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "central/engine/engine_result.h"
#include "central/engine/whole_io.h"
#include "central/spread/buckets_run.h"
#include "core/base/failure.h"
#include "testlib/fixture/bucket_worker.h"
#include "testlib/tap.h"

enum {
	BUCKETS = 3,
	SUM = 1 + 2 + 3,
	MEMORY = 1 << 20, /* of a worker, and so of a partial */
	SECOND = 1000000000,
	PATIENCE = 50, /* seconds, for all that has a second */
};

#define HUGE ((uint64_t)1 << 63)

static char self[4096];

static bool is(const char *kind)
{
	const char *wanted = getenv("TEST_WORKER");

	return wanted && strcmp(wanted, kind) == 0;
}

/* ---- what it says it has found ----------------------------------------------------------- */

static enum sotto_status
fill_list(struct sotto_engine_list *l, int64_t first, int64_t second, int64_t count)
{
	*l = (struct sotto_engine_list){.n = 2,
					.values = calloc(3, sizeof *l->values),
					.counts = calloc(3, sizeof *l->counts)};
	if (!l->values || !l->counts)
		return SOTTO_ENOMEM;
	l->values[0] = sotto_exact_of(first);
	l->values[1] = sotto_exact_of(second);
	l->counts[0] = l->counts[1] = sotto_exact_of(count);
	return SOTTO_OK;
}

static enum sotto_status
fill_row(struct sotto_engine_result *r, size_t row, const char *key, sotto_i128 measure)
{
	const int64_t end = (int64_t)1 << 62;

	r->columns[0].cells[row] = (struct sotto_engine_cell){
		.kind = SOTTO_ENGINE_TEXT, .text = sotto_result_keep_text(r, key, strlen(key))};
	r->columns[1].wide[row] = measure;
	if (is("with a list out of order"))
		return fill_list(&r->columns[2].lists[row], 2, 1, 1);
	if (is("with counts past the end"))
		return fill_list(&r->columns[2].lists[row], 1, 2, end + 1);
	return fill_list(&r->columns[2].lists[row], 1, 2,
			 is("with counts at the end") ? end : 1);
}

/* Two groups, a and b, that are public, unless it lies. */
static enum sotto_status make_result(uint32_t bucket, struct sotto_engine_result **out)
{
	static const enum sotto_engine_column kinds[] = {SOTTO_ENGINE_CELLS, SOTTO_ENGINE_WIDES,
							 SOTTO_ENGINE_LISTS};
	const char *keys[] = {"a", "b", "c"};
	size_t rows = is("with a group more") ? 3 : is("with a group less") ? 1 : 2;
	sotto_i128 measure = (sotto_i128)bucket + 1;
	struct sotto_engine_result *r = sotto_engine_result_new(3);

	if (bucket == 1 && is("naming a group twice"))
		keys[1] = "a";
	if (bucket == 1 && is("with a group of its own"))
		keys[1] = "Mr Smith";
	if (bucket != 1)
		rows = 2;
	if (is("at the end of 128 bits"))
		measure = (sotto_i128)(~(sotto_u128)0 >> 1);
	r->is_partial = true;
	for (size_t i = 0; i < 3; i++)
		SOTTO_TRY(sotto_result_set_column(
			r, i, "x", is("with other columns") ? SOTTO_ENGINE_CELLS : kinds[i]));
	SOTTO_TRY(sotto_result_grow(r, 3));
	for (size_t i = 0; !is("with other columns") && i < rows; i++)
		SOTTO_TRY(fill_row(r, i, keys[i], measure));
	r->rows = rows;
	*out = r;
	return SOTTO_OK;
}

/* Lengths that no message can hold, in the place of a result. */
static enum sotto_status put_lengths(struct sotto_buffer *b)
{
	if (is("with nothing"))
		return SOTTO_OK;
	SOTTO_TRY(sotto_worker_put_u64(b, is("with 2^63 rows") ? HUGE : 1));
	SOTTO_TRY(sotto_worker_put_u64(b, is("with 2^63 columns") ? HUGE : 1));
	SOTTO_TRY(sotto_buffer_append(b, "\0", 1));
	if (!is("with a text of 2^64 bytes"))
		return sotto_worker_put_text(b, "x");
	return sotto_worker_put_u64(b, UINT64_MAX);
}

static bool has_lengths(void)
{
	return is("with nothing") || is("with 2^63 rows") || is("with 2^63 columns") ||
	       is("with a text of 2^64 bytes");
}

static enum sotto_status put_partial(struct sotto_buffer *b, struct sotto_bucket_job *job)
{
	struct sotto_engine_result *r = NULL;
	uint8_t digest[SOTTO_JOB_DIGEST];

	if (is("with another nonce"))
		job->nonce[3] ^= 1;
	if (is("of another plan"))
		job->plan = "another plan";
	SOTTO_TRY(sotto_bucket_job_digest(job, digest));
	if (has_lengths()) {
		SOTTO_TRY(sotto_buffer_append(b, digest, sizeof digest));
		SOTTO_TRY(sotto_worker_put_u32(b, job->bucket));
		return put_lengths(b);
	}
	SOTTO_TRY(make_result(job->bucket, &r));
	SOTTO_TRY(sotto_partial_put(
		b, digest, is("for a bucket beyond the last") ? BUCKETS : job->bucket, r));
	sotto_engine_result_free(r);
	return SOTTO_OK;
}

/* ---- how it says it ------------------------------------------------------------------------ */

/* The header of a partial of so many bytes, and more bytes than the coordinator wants. */
static int announce(uint64_t length)
{
	static const char zeros[1 << 16];
	const struct sotto_worker_header header = {.type = SOTTO_FRAME_PARTIAL,
						   .length = length};
	uint8_t start[SOTTO_WORKER_HEADER];

	sotto_worker_header_write(&header, start);
	if (!sotto_write_all(1, start, sizeof start))
		return 1;
	while (sotto_write_all(1, zeros, sizeof zeros))
		continue;
	return 0;
}

static int send_half(struct sotto_channel *c, const struct sotto_buffer *b)
{
	struct sotto_buffer frame;
	bool sent;

	sotto_buffer_init(&frame, MEMORY);
	sent = sotto_channel_seal(c, SOTTO_FRAME_PARTIAL, sotto_buffer_text(b), b->length,
				  &frame) == SOTTO_OK &&
	       sotto_write_all(1, frame.bytes, frame.length / 2);
	sotto_buffer_release(&frame);
	if (sent && is("stopping in the middle"))
		(void)pause();
	return sent ? 0 : 1;
}

static int send_without_end(struct sotto_channel *c)
{
	struct sotto_buffer b;

	sotto_buffer_init(&b, 64);
	if (sotto_worker_put_u64(&b, 1) != SOTTO_OK)
		return 1;
	while (bucket_worker_send(c, SOTTO_FRAME_STRAYS, &b, 1))
		continue;
	sotto_buffer_release(&b);
	return 0;
}

/* On its error output; SIGPIPE ends it when nobody hears it. */
static void talk_without_end(void)
{
	static char words[1 << 16];

	memset(words, 'w', sizeof words);
	(void)fcntl(2, F_SETFL, 0);
	for (;;)
		(void)sotto_write_all(2, words, sizeof words);
}

static int answer(struct sotto_channel *c, struct sotto_bucket_job *job)
{
	struct sotto_buffer b;
	int status;

	sotto_buffer_init(&b, MEMORY);
	if (put_partial(&b, job) != SOTTO_OK)
		return 1;
	if (is("breaking off") || is("stopping in the middle"))
		status = send_half(c, &b);
	else
		status = bucket_worker_send(c, SOTTO_FRAME_PARTIAL, &b, 1) ? 0 : 1;
	sotto_buffer_release(&b);
	return status;
}

static int misbehave(struct sotto_channel *c, struct sotto_bucket_job *job)
{
	if (is("killed"))
		(void)kill(getpid(), SIGKILL);
	if (is("announcing 2^63 bytes"))
		return announce(HUGE);
	if (is("announcing more than its memory"))
		return announce(MEMORY + 1);
	if (is("sending without end"))
		return send_without_end(c);
	if (is("silent"))
		(void)pause();
	if (is("answering too late"))
		(void)sleep(2);
	if (is("talking without end"))
		talk_without_end();
	if (is("leaving its group")) {
		(void)setpgid(0, getpgid(getppid()));
		(void)pause();
	}
	if (is("with a child that talks") && fork() == 0) {
		(void)prctl(PR_SET_PDEATHSIG, 0);
		talk_without_end();
	}
	return answer(c, job);
}

static int act_as_worker(void)
{
	static char message[MEMORY];
	struct sotto_bucket_job job;
	struct sotto_ticket ticket;
	struct sotto_channel c;
	int status;

	if (is("deaf") || is("deaf and dumb"))
		(void)close(0);
	if (is("deaf and dumb"))
		(void)close(1);
	if (is("deaf") || is("deaf and dumb"))
		(void)pause();
	if (!bucket_worker_ticket(&ticket))
		return 1;
	if (is("greeting by half")) {
		(void)sotto_write_all(1, "sottoch1", 8);
		(void)pause();
	}
	if (is("of a bucket beyond the last"))
		ticket.bucket = BUCKETS;
	if (!bucket_worker_greet(&c, &ticket,
				 is("of a version with lines") ? "9\n1795 spread: fine"
							       : SOTTO_VERSION,
				 1) ||
	    !bucket_worker_job(&c, 0, message, sizeof message, &job))
		return 1;
	status = misbehave(&c, &job);
	sotto_bucket_job_release(&job);
	return status;
}

/* ---- the coordinator ------------------------------------------------------------------------ */

static enum sotto_status make_job(void *context, uint32_t bucket, struct sotto_bucket_job *out)
{
	(void)context;
	*out = (struct sotto_bucket_job){.version = SOTTO_VERSION,
					 .engine = "v1",
					 .plan = "a plan",
					 .bucket = bucket,
					 .buckets = BUCKETS,
					 .memory = MEMORY,
					 .check = "SELECT TRUE",
					 .sql = "SELECT 1"};
	return SOTTO_OK;
}

static enum sotto_status run(const char *kind, unsigned seconds,
			     struct sotto_engine_result **out,
			     struct sotto_spread_account *account)
{
	const struct sotto_spread_settings settings = {.launcher = &sotto_launcher_local,
						       .buckets = BUCKETS,
						       .parallel = 2,
						       .program = self,
						       .keeps_environment = true};
	const struct sotto_partial_shape shape = {
		.keys = 1, .same_groups = true, .measures = 1, .lists = 1};
	const struct sotto_spread_work work = {.settings = &settings,
					       .shape = &shape,
					       .job = make_job,
					       .time = (uint64_t)seconds * SECOND};
	enum sotto_status st;

	*out = NULL;
	(void)setenv("TEST_WORKER", kind, 1);
	(void)alarm(PATIENCE); /* this test would hang */
	st = sotto_buckets_run(&work, out, account);
	(void)alarm(0);
	CHECK(waitpid(-1, NULL, WNOHANG) < 0); /* no child is left */
	return st;
}

static void fails(const char *kind, unsigned seconds, enum sotto_status want, const char *why)
{
	struct sotto_engine_result *r;
	struct sotto_spread_account a;
	enum sotto_status st = run(kind, seconds, &r, &a);

	(void)tap_check(st == want && r == NULL && strstr(a.detail, why), __FILE__, __LINE__,
			"%s: %s, %s", kind, sotto_status_name(st), a.detail);
	sotto_engine_result_free(r);
}

static const char *const no_partial = "not a partial of its bucket";

static void good_workers_are_added_up(void)
{
	struct sotto_engine_result *r;
	struct sotto_spread_account a;

	REQUIRE(run("good", 300, &r, &a) == SOTTO_OK);
	CHECK_INT(sotto_engine_rows(r), 2);
	CHECK_INT(sotto_engine_exact(r, 1, 1).secret, SUM);
	CHECK_INT(sotto_engine_list(r, 1, 2)->counts[0].secret, BUCKETS);
	sotto_engine_result_free(r);
}

static void a_partial_of_another_question_ends_the_query(void)
{
	fails("with another nonce", 300, SOTTO_ECORRUPT, no_partial);
	fails("of another plan", 300, SOTTO_ECORRUPT, no_partial);
	fails("for a bucket beyond the last", 300, SOTTO_ECORRUPT, no_partial);
	fails("of a bucket beyond the last", 300, SOTTO_ECORRUPT, "which bucket it has");
}

/* Public keys are the same in all buckets: nobody adds a group to an answer, or takes one away. */
static void groups_that_are_not_those_of_others_end_the_query(void)
{
	fails("naming a group twice", 300, SOTTO_ECORRUPT, no_partial);
	fails("with a group of its own", 300, SOTTO_ECORRUPT, no_partial);
	fails("with a group more", 300, SOTTO_ECORRUPT, no_partial);
	fails("with a group less", 300, SOTTO_ECORRUPT, no_partial);
}

static void lengths_that_cannot_be_are_not_believed(void)
{
	fails("announcing 2^63 bytes", 300, SOTTO_ECORRUPT, "forged");
	fails("announcing more than its memory", 300, SOTTO_ECORRUPT, "forged");
	fails("with nothing", 300, SOTTO_ECORRUPT, no_partial);
	fails("with 2^63 rows", 300, SOTTO_ECORRUPT, no_partial);
	fails("with 2^63 columns", 300, SOTTO_ECORRUPT, no_partial);
	fails("with a text of 2^64 bytes", 300, SOTTO_ECORRUPT, no_partial);
	fails("with other columns", 300, SOTTO_ECORRUPT, no_partial);
	fails("with a list out of order", 300, SOTTO_ECORRUPT, no_partial);
	fails("with counts past the end", 300, SOTTO_ECORRUPT, no_partial);
}

static void sums_stop_at_the_end_of_what_numbers_can_be(void)
{
	const int64_t end = (int64_t)1 << 62;
	struct sotto_engine_result *r;
	struct sotto_spread_account a;

	REQUIRE(run("at the end of 128 bits", 300, &r, &a) == SOTTO_OK);
	CHECK(sotto_engine_exact(r, 0, 1).secret == end);
	sotto_engine_result_free(r);
	REQUIRE(run("with counts at the end", 300, &r, &a) == SOTTO_OK);
	CHECK(sotto_engine_list(r, 0, 2)->counts[1].secret == end);
	sotto_engine_result_free(r);
}

static void workers_that_break_off_are_started_again_and_given_up(void)
{
	static const char lost[] = "lost again and again";

	fails("killed", 300, SOTTO_EIO, lost);
	fails("breaking off", 300, SOTTO_EIO, lost);
	fails("deaf and dumb", 300, SOTTO_EIO, lost);
}

static void whoever_takes_too_long_is_ended(void)
{
	fails("deaf", 1, SOTTO_EIO, "out of time");
	fails("silent", 1, SOTTO_EIO, "out of time");
	fails("greeting by half", 1, SOTTO_EIO, "out of time");
	fails("stopping in the middle", 1, SOTTO_EIO, "out of time");
	fails("answering too late", 1, SOTTO_EIO, "out of time");
}

/* Each of them is heard in turn with the others, and with the time. */
static void whoever_talks_without_end_is_ended_in_time(void)
{
	struct sotto_engine_result *r;
	struct sotto_spread_account a;

	fails("talking without end", 1, SOTTO_EIO, "out of time");
	fails("sending without end", 1, SOTTO_EIO, "out of time");
	CHECK(run("with a child that talks", 300, &r, &a) == SOTTO_OK);
	CHECK(r && sotto_engine_exact(r, 0, 1).secret == SUM);
	sotto_engine_result_free(r);
}

static void a_process_that_leaves_its_group_is_ended_too(void)
{
	fails("leaving its group", 1, SOTTO_EIO, "out of time");
}

static void another_version_is_refused_whatever_it_is(void)
{
	fails("of a version with lines", 300, SOTTO_ESTATE, "another version");
}

int main(int argc, char **argv)
{
	ssize_t n = readlink("/proc/self/exe", self, sizeof self - 1);

	(void)argv;
	if (n <= 0)
		return tap_skip_all("/proc is not there");
	if (argc > 1)
		return act_as_worker();
	RUN(good_workers_are_added_up);
	RUN(a_partial_of_another_question_ends_the_query);
	RUN(groups_that_are_not_those_of_others_end_the_query);
	RUN(lengths_that_cannot_be_are_not_believed);
	RUN(sums_stop_at_the_end_of_what_numbers_can_be);
	RUN(workers_that_break_off_are_started_again_and_given_up);
	RUN(whoever_takes_too_long_is_ended);
	RUN(whoever_talks_without_end_is_ended_in_time);
	RUN(a_process_that_leaves_its_group_is_ended_too);
	RUN(another_version_is_refused_whatever_it_is);
	return tap_done();
}

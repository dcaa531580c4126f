/* Partials: the same bucket has the same bytes, groups stay apart, sums and sets are exact. */
#include "central/spread/merge/partial.h"

#include <math.h>
#include <stdlib.h>

#include "central/engine/engine_result.h"
#include "testlib/tap.h"

static const uint8_t job[SOTTO_JOB_DIGEST] = {7};
static const struct sotto_partial_shape shape = {.keys = 1,
						 .measures = 2,
						 .losses = 1,
						 .lists = 1,
						 .domains = 1,
						 .sets = 1,
						 .set_of = {1}};

struct row {
	const char *key;
	size_t length;
	sotto_i128 measure;
	int64_t value; /* in the list, once */
	const char *member; /* of the set */
};

static void fill_list(struct sotto_engine_list *l, int64_t value)
{
	*l = (struct sotto_engine_list){
		.n = 1, .values = calloc(2, sizeof *l->values), .counts = calloc(2, 8)};
	l->values[0] = sotto_exact_of(value);
	l->counts[0] = sotto_exact_of(1);
}

static void fill_keys(struct sotto_engine_result *r, struct sotto_engine_list *l,
		      const char *const *keys, size_t n)
{
	*l = (struct sotto_engine_list){
		.n = n, .keys = calloc(n + 1, sizeof *l->keys), .counts = calloc(n + 1, 8)};
	for (size_t i = 0; i < n; i++)
		l->keys[i] = (struct sotto_engine_cell){
			.kind = SOTTO_ENGINE_TEXT,
			.text = sotto_result_keep_text(r, keys[i], strlen(keys[i]))};
}

/* As the engine gives it: the public list in the first row, whichever that is. */
static struct sotto_engine_result *make(const struct row *rows, size_t n, bool backwards)
{
	static const enum sotto_engine_column kinds[] = {
		SOTTO_ENGINE_CELLS, SOTTO_ENGINE_WIDES, SOTTO_ENGINE_WIDES, SOTTO_ENGINE_WIDES,
		SOTTO_ENGINE_LISTS, SOTTO_ENGINE_LISTS, SOTTO_ENGINE_LISTS};
	static const char *const names[] = {"k0", "m0", "m1", "v0", "l0", "o0", "s1"};
	struct sotto_engine_result *r = sotto_engine_result_new(7);

	r->is_partial = true;
	for (size_t i = 0; i < 7; i++)
		CHECK(sotto_result_set_column(r, i, names[i], kinds[i]) == SOTTO_OK);
	CHECK(sotto_result_grow(r, n) == SOTTO_OK);
	for (size_t i = 0; i < n; i++) {
		const struct row *row = &rows[backwards ? n - 1 - i : i];
		const char *both[] = {backwards ? row->member : "x",
				      backwards ? "x" : row->member};

		r->columns[0].cells[i] = (struct sotto_engine_cell){
			.kind = SOTTO_ENGINE_TEXT,
			.text = sotto_result_keep_text(r, row->key, row->length)};
		r->columns[1].wide[i] = row->measure;
		r->columns[3].wide[i] = 5;
		fill_list(&r->columns[4].lists[i], row->value);
		if (i == 0)
			fill_keys(r, &r->columns[5].lists[i], (const char *const[]){"p", "q"},
				  2);
		fill_keys(r, &r->columns[6].lists[i], both, 2);
	}
	r->rows = n;
	return r;
}

static void
write(struct sotto_buffer *b, uint32_t bucket, const struct row *rows, size_t n, bool backwards)
{
	struct sotto_engine_result *r = make(rows, n, backwards);

	sotto_buffer_init(b, 1 << 20);
	CHECK(sotto_partial_settle(r) == SOTTO_OK);
	CHECK(sotto_partial_put(b, job, bucket, r) == SOTTO_OK);
	sotto_engine_result_free(r);
}

#define TEXT(text) text, sizeof(text) - 1

static void the_order_of_rows_does_not_matter(void)
{
	const struct row rows[] = {
		{TEXT("b"), 1, 10, "y"}, {TEXT("a"), 2, 20, "z"}, {TEXT("c"), 3, 30, "w"}};
	struct sotto_buffer x, y;

	write(&x, 0, rows, 3, false);
	write(&y, 0, rows, 3, true);
	CHECK(x.length == y.length && memcmp(x.bytes, y.bytes, x.length) == 0);
	sotto_buffer_release(&x);
	sotto_buffer_release(&y);
}

static struct sotto_engine_result *
sum_of(const struct row *x, size_t nx, const struct row *y, size_t ny)
{
	struct sotto_merge *m = sotto_merge_new(&shape, 2, job);
	struct sotto_engine_result *sum = NULL;
	struct sotto_buffer b;

	write(&b, 1, y, ny, false);
	CHECK(sotto_merge_add(m, b.bytes, b.length) == SOTTO_OK);
	CHECK(sotto_merge_missing(m) == 1 && !sotto_merge_has(m, 0) && sotto_merge_has(m, 1));
	CHECK(sotto_merge_finish(m, &sum) == SOTTO_ESTATE);
	sotto_buffer_release(&b);
	write(&b, 0, x, nx, false);
	CHECK(sotto_merge_add(m, b.bytes, b.length) == SOTTO_OK);
	sotto_buffer_release(&b);
	CHECK(sotto_merge_finish(m, &sum) == SOTTO_OK);
	sotto_merge_free(m);
	return sum;
}

static size_t find(const struct sotto_engine_result *r, const char *key)
{
	for (size_t i = 0; i < sotto_engine_rows(r); i++)
		if (strcmp(sotto_engine_cell(r, i, 0).text, key) == 0)
			return i;
	return SIZE_MAX;
}

static void groups_measures_lists_and_sets_add_up(void)
{
	const struct row x[] = {{TEXT("a"), 1, 10, "y"}, {TEXT("b"), 2, 20, "y"}};
	const struct row y[] = {{TEXT("b"), 40, 20, "y"}, {TEXT("c"), 8, 30, "z"}};
	struct sotto_engine_result *sum = sum_of(x, 2, y, 2);
	size_t b;

	REQUIRE(sum != NULL);
	CHECK_INT(sotto_engine_rows(sum), 3);
	b = find(sum, "b");
	REQUIRE(b != SIZE_MAX);
	CHECK_INT(sotto_engine_exact(sum, b, 1).secret, 42);
	CHECK_INT(sotto_engine_exact(sum, b, 2).secret, 2); /* x and y, in both */
	CHECK_INT(sotto_engine_exact(sum, b, 3).secret, 10); /* once for each bucket */
	CHECK_INT(sotto_engine_list(sum, b, 4)->n, 1);
	CHECK_INT(sotto_engine_list(sum, b, 4)->counts[0].secret, 2);
	CHECK_INT(sotto_engine_list(sum, 0, 5)->n, 2);
	CHECK_INT(sotto_engine_exact(sum, find(sum, "c"), 1).secret, 8);
	sotto_engine_result_free(sum);
}

/* Merged they would be one group, which one unit could move twice as far. */
static void a_nul_and_its_symbol_are_two_groups(void)
{
	const struct row x[] = {{TEXT("a\0b"), 1, 1, "y"},
				{TEXT("a\xe2\x90\x80"
				      "b"),
				 2, 1, "y"}};
	const struct row y[] = {{TEXT("a\1"
				      "0b"),
				 4, 1, "y"},
				{TEXT("a\0b"), 8, 1, "y"}};
	struct sotto_engine_result *sum = sum_of(x, 2, y, 2);
	int64_t found = 0;

	REQUIRE(sum != NULL);
	CHECK_INT(sotto_engine_rows(sum), 3);
	for (size_t i = 0; i < sotto_engine_rows(sum); i++) {
		found = found * 16 + sotto_engine_exact(sum, i, 1).secret;
		CHECK(strlen(sotto_engine_cell(sum, i, 0).text) ==
		      (sotto_engine_exact(sum, i, 1).secret == 4 ? 4u : 5u));
	}
	CHECK(found == 0x492 || found == 0x429 || found == 0x924 || found == 0x942 ||
	      found == 0x249 || found == 0x294);
	sotto_engine_result_free(sum);
}

static void sums_are_held_only_at_the_end(void)
{
	const sotto_i128 huge = (sotto_i128)1 << 100;
	const struct row x[] = {{TEXT("a"), huge + 3, 1, "y"}, {TEXT("b"), huge, 1, "y"}};
	const struct row y[] = {{TEXT("a"), -huge, 1, "y"}, {TEXT("b"), huge, 1, "y"}};
	struct sotto_engine_result *sum = sum_of(x, 2, y, 2);

	REQUIRE(sum != NULL);
	CHECK_INT(sotto_engine_exact(sum, find(sum, "a"), 1).secret, 3);
	CHECK(sotto_engine_exact(sum, find(sum, "b"), 1).secret == (int64_t)1 << 62);
	sotto_engine_result_free(sum);
}

static void a_group_that_is_named_twice_is_refused(void)
{
	const struct row x[] = {{TEXT("a"), 1, 1, "y"}, {TEXT("a"), 2, 1, "y"}};
	struct sotto_merge *m = sotto_merge_new(&shape, 2, job);
	struct sotto_buffer b;

	write(&b, 0, x, 2, false);
	CHECK(sotto_merge_add(m, b.bytes, b.length) == SOTTO_ECORRUPT);
	sotto_buffer_release(&b);
	sotto_merge_free(m);
}

static void a_bucket_comes_again_only_as_it_was(void)
{
	const struct row x[] = {{TEXT("a"), 1, 1, "y"}}, y[] = {{TEXT("a"), 2, 1, "y"}};
	struct sotto_merge *m = sotto_merge_new(&shape, 2, job);
	struct sotto_buffer b, other;

	write(&b, 0, x, 1, false);
	write(&other, 0, y, 1, false);
	CHECK(sotto_merge_add(m, b.bytes, b.length) == SOTTO_OK);
	CHECK(sotto_merge_add(m, b.bytes, b.length) == SOTTO_OK);
	CHECK_INT(sotto_merge_missing(m), 1);
	CHECK(sotto_merge_add(m, other.bytes, other.length) == SOTTO_ESTATE);
	sotto_buffer_release(&b);
	sotto_buffer_release(&other);
	sotto_merge_free(m);
}

static void a_partial_of_another_job_is_refused(void)
{
	static const uint8_t later[SOTTO_JOB_DIGEST] = {8};
	const struct row x[] = {{TEXT("a"), 1, 1, "y"}};
	struct sotto_merge *m = sotto_merge_new(&shape, 2, later);
	struct sotto_buffer b;

	write(&b, 0, x, 1, false);
	CHECK(sotto_merge_add(m, b.bytes, b.length) == SOTTO_ECORRUPT);
	CHECK_INT(sotto_merge_missing(m), 2);
	sotto_buffer_release(&b);
	sotto_merge_free(m);
}

/* One row whose key is that number. */
static void add_number(struct sotto_merge *m, uint32_t bucket, double key)
{
	const struct row x[] = {{TEXT("a"), 1, 1, "y"}};
	struct sotto_engine_result *r = make(x, 1, false);
	struct sotto_buffer b;

	r->columns[0].cells[0] =
		(struct sotto_engine_cell){.kind = SOTTO_ENGINE_NUMBER, .number = key};
	sotto_buffer_init(&b, 1 << 20);
	CHECK(sotto_partial_settle(r) == SOTTO_OK);
	CHECK(sotto_partial_put(&b, job, bucket, r) == SOTTO_OK);
	CHECK(sotto_merge_add(m, b.bytes, b.length) == SOTTO_OK);
	sotto_engine_result_free(r);
	sotto_buffer_release(&b);
}

static void numbers_that_the_engine_takes_for_equal_are_one_group(void)
{
	const double pairs[][2] = {{0.0, -0.0}, {(double)NAN, -(double)NAN}, {1.5, 1.5}};

	for (size_t i = 0; i < 3; i++) {
		struct sotto_merge *m = sotto_merge_new(&shape, 2, job);
		struct sotto_engine_result *sum = NULL;

		add_number(m, 0, pairs[i][0]);
		add_number(m, 1, pairs[i][1]);
		CHECK(sotto_merge_finish(m, &sum) == SOTTO_OK);
		CHECK_INT(sotto_engine_rows(sum), 1);
		CHECK_INT(sotto_engine_exact(sum, 0, 1).secret, 2);
		sotto_engine_result_free(sum);
		sotto_merge_free(m);
	}
}

static void a_sum_beyond_128_bits_keeps_its_sign(void)
{
	const sotto_i128 end = (sotto_i128)1 << 126;

	const struct row most[] = {{TEXT("a"), end + (end - 1), 1, "y"}};
	const struct row least[] = {{TEXT("a"), -end - (end - 1), 1, "y"}};
	struct sotto_engine_result *high = sum_of(most, 1, most, 1);
	struct sotto_engine_result *low = sum_of(least, 1, least, 1);

	CHECK(high && sotto_engine_exact(high, 0, 1).secret > 0);
	CHECK(low && sotto_engine_exact(low, 0, 1).secret < 0);
	sotto_engine_result_free(high);
	sotto_engine_result_free(low);
}

static void other_columns_are_refused(void)
{
	const struct sotto_partial_shape wider = {.keys = 2, .measures = 1};
	const struct row x[] = {{TEXT("a"), 1, 1, "y"}};
	struct sotto_merge *m = sotto_merge_new(&wider, 1, job);
	struct sotto_buffer b;

	write(&b, 0, x, 1, false);
	CHECK(sotto_merge_add(m, b.bytes, b.length) == SOTTO_ECORRUPT);
	sotto_buffer_release(&b);
	sotto_merge_free(m);
}

int main(void)
{
	RUN(the_order_of_rows_does_not_matter);
	RUN(groups_measures_lists_and_sets_add_up);
	RUN(a_nul_and_its_symbol_are_two_groups);
	RUN(sums_are_held_only_at_the_end);
	RUN(a_group_that_is_named_twice_is_refused);
	RUN(a_bucket_comes_again_only_as_it_was);
	RUN(a_partial_of_another_job_is_refused);
	RUN(numbers_that_the_engine_takes_for_equal_are_one_group);
	RUN(a_sum_beyond_128_bits_keeps_its_sign);
	RUN(other_columns_are_refused);
	return tap_done();
}

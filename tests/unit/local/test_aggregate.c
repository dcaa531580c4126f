/* Counting: any split, any order, any file gives the same aggregate, byte for byte. */
#include "local/aggregate/report_check.h"
#include "sotto/collect.h"

#include <stdlib.h>
#include <unistd.h>

#include "core/base/buffer.h"
#include "local/client/layout.h"
#include "local/client/primitive/checksum.h"
#include "local/collect/crc32c.h"
#include "local/collect/snapshot.h"
#include "testlib/effort.h"
#include "testlib/fixture/local.h"
#include "testlib/tap.h"

#define N 500

static struct sotto_local_aggregate *empty(const struct sotto_client_params *p)
{
	struct sotto_local_aggregate *a = NULL;

	CHECK_INT(sotto_local_aggregate_new(p, &a), SOTTO_OK);
	return a;
}

static struct sotto_buffer bytes_of(struct sotto_local_aggregate *a)
{
	struct sotto_buffer b;

	sotto_buffer_init(&b, SOTTO_SNAPSHOT_MAX);
	CHECK_INT(sotto_snapshot_append(a, &b), SOTTO_OK);
	return b;
}

static bool same(struct sotto_local_aggregate *a, struct sotto_local_aggregate *b)
{
	struct sotto_buffer x = bytes_of(a), y = bytes_of(b);
	bool equal = x.length == y.length && memcmp(x.bytes, y.bytes, x.length) == 0;

	sotto_buffer_release(&x);
	sotto_buffer_release(&y);
	return equal;
}

static void counting_in_pieces_is_counting_at_once(void)
{
	LOCAL_EACH_PROTOCOL(protocol)
	{
		struct sotto_client_params p = local_sample(protocol);
		uint8_t *r = local_reports(&p, N, protocol);
		size_t stride = sotto_client_report_bytes(&p);
		struct sotto_local_aggregate *one = empty(&p), *many = empty(&p);

		REQUIRE(r != NULL);
		CHECK_INT(sotto_local_reports_check(&p, r, N), SOTTO_OK);
		CHECK_INT(sotto_local_aggregate_add(one, r, N), SOTTO_OK);
		for (size_t i = N; i > 0; i--) {
			CHECK_INT(sotto_local_aggregate_add(many, r + (i - 1) * stride, 1),
				  SOTTO_OK);
			if (i % 97 == 0)
				(void)sotto_local_aggregate_counts(many);
		}
		CHECK(same(one, many));
		CHECK_INT(sotto_local_aggregate_counts(one).reports, N);
		sotto_local_aggregate_free(one);
		sotto_local_aggregate_free(many);
		free(r);
	}
}

/* The counters against a second reading of the reports, for vectors with groups. */
static void rappor_cells_are_the_ones_of_each_cohort(void)
{
	struct sotto_client_params p = local_sample(SOTTO_CLIENT_RAPPOR);
	uint8_t *r = local_reports(&p, 20000, 9);
	size_t stride = sotto_client_report_bytes(&p);
	static uint64_t cells[64 * 128], groups[64];
	struct sotto_local_aggregate *a = empty(&p);
	struct sotto_local_counts c;

	REQUIRE(r != NULL);
	for (size_t i = 0; i < 20000; i++) {
		const uint8_t *at = r + i * stride;

		groups[at[0]]++;
		for (unsigned b = 0; b < 128; b++)
			cells[at[0] * 128 + b] += at[1 + b / 8] >> b % 8 & 1;
	}
	CHECK_INT(sotto_local_aggregate_add(a, r, 20000), SOTTO_OK);
	c = sotto_local_aggregate_counts(a);
	CHECK(memcmp(c.cells, cells, sizeof cells) == 0);
	CHECK(memcmp(c.groups, groups, sizeof groups) == 0);
	sotto_local_aggregate_free(a);
	free(r);
}

static void merges_give_the_same_bytes_in_any_order(void)
{
	LOCAL_EACH_PROTOCOL(protocol)
	{
		struct sotto_client_params p = local_sample(protocol);
		uint8_t *r = local_reports(&p, N, protocol), source[16] = {7};
		size_t stride = sotto_client_report_bytes(&p);
		struct sotto_local_aggregate *part[3][2], *all = empty(&p);

		REQUIRE(r != NULL);
		CHECK_INT(sotto_local_aggregate_add(all, r, N), SOTTO_OK);
		CHECK_INT(sotto_local_aggregate_cover(all, source, 1, 3), SOTTO_OK);
		for (int i = 0; i < 3; i++)
			for (int copy = 0; copy < 2; copy++) {
				size_t from = (size_t)(i * 150), n = i == 2 ? N - 300 : 150;

				part[i][copy] = empty(&p);
				CHECK_INT(sotto_local_aggregate_add(part[i][copy],
								    r + from * stride, n),
					  SOTTO_OK);
				CHECK_INT(sotto_local_aggregate_cover(part[i][copy], source,
								      (uint64_t)i + 1,
								      (uint64_t)i + 1),
					  SOTTO_OK);
			}
		/* (0 + 1) + 2 and 2 + (1 + 0) */
		CHECK_INT(sotto_local_aggregate_merge(part[0][0], part[1][0], NULL), SOTTO_OK);
		CHECK_INT(sotto_local_aggregate_merge(part[0][0], part[2][0], NULL), SOTTO_OK);
		CHECK_INT(sotto_local_aggregate_merge(part[1][1], part[0][1], NULL), SOTTO_OK);
		CHECK_INT(sotto_local_aggregate_merge(part[2][1], part[1][1], NULL), SOTTO_OK);
		CHECK(same(part[0][0], part[2][1]));
		CHECK(same(part[0][0], all));
		/* the same batches twice */
		CHECK_INT(sotto_local_aggregate_merge(all, part[0][0], NULL), SOTTO_ESTATE);
		CHECK(same(part[0][0], all));
		for (int i = 0; i < 6; i++)
			sotto_local_aggregate_free(part[i / 2][i % 2]);
		sotto_local_aggregate_free(all);
		free(r);
	}
}

static void other_parameters_are_not_merged(void)
{
	struct sotto_client_params p = local_sample(SOTTO_CLIENT_GRR), q = p;
	struct sotto_local_aggregate *a = empty(&p), *b;
	struct sotto_error err = {""};

	q.keep.numerator++;
	b = empty(&q);
	CHECK_INT(sotto_local_aggregate_merge(a, b, &err), SOTTO_EINVAL);
	CHECK(err.text[0] != '\0');
	sotto_local_aggregate_free(a);
	sotto_local_aggregate_free(b);
}

static void snapshots_come_back_and_every_flipped_bit_is_noticed(void)
{
	LOCAL_EACH_PROTOCOL(protocol)
	{
		struct sotto_client_params p = local_sample(protocol);
		uint8_t *r, source[16] = {1};
		struct sotto_local_aggregate *a, *back = NULL;
		struct sotto_buffer b;
		size_t step;

		if (protocol == SOTTO_CLIENT_CMS || protocol == SOTTO_CLIENT_HCMS)
			p.groups = 2; /* small enough to flip every bit */
		if (protocol == SOTTO_CLIENT_RAPPOR || protocol == SOTTO_CLIENT_FLH)
			p.groups = 2;
		r = local_reports(&p, 20, 3);
		a = empty(&p);
		REQUIRE(r != NULL);
		CHECK_INT(sotto_local_aggregate_add(a, r, 20), SOTTO_OK);
		CHECK_INT(sotto_local_aggregate_cover(a, source, 1, 1), SOTTO_OK);
		b = bytes_of(a);
		CHECK_INT(
			sotto_local_aggregate_parse((uint8_t *)b.bytes, b.length, &back, NULL),
			SOTTO_OK);
		CHECK(same(a, back));
		step = (b.length > 4096 ? 61 : 1) * (effort() == EFFORT_SANITIZED ? 17 : 1);
		for (size_t bit = 0; bit < 8 * b.length; bit += step) {
			struct sotto_local_aggregate *bad = NULL;

			b.bytes[bit / 8] ^= (char)(1 << bit % 8);
			CHECK(sotto_local_aggregate_parse((uint8_t *)b.bytes, b.length, &bad,
							  NULL) != SOTTO_OK);
			b.bytes[bit / 8] ^= (char)(1 << bit % 8);
		}
		CHECK(sotto_local_aggregate_parse((uint8_t *)b.bytes, b.length - 1, &back,
						  NULL) == SOTTO_ECORRUPT);
		sotto_buffer_release(&b);
		sotto_local_aggregate_free(a);
		sotto_local_aggregate_free(back);
		free(r);
	}
}

/* Each protocol with bounds to check refuses a report past them. */
static void reports_that_no_client_sends_are_refused(void)
{
	LOCAL_EACH_PROTOCOL(protocol)
	{
		struct sotto_client_params p = local_sample(protocol);
		size_t stride = sotto_client_report_bytes(&p);
		uint8_t *r = local_reports(&p, 1, 3);

		REQUIRE(r != NULL);
		memset(r, 0xff, stride);
		CHECK_INT(sotto_local_reports_check(&p, r, 1), SOTTO_EINVAL);
		free(r);
	}
	{
		struct sotto_client_params p = local_sample(SOTTO_CLIENT_SUBSET);
		uint8_t twice[20] = {0}; /* not ascending */

		CHECK_INT(sotto_local_reports_check(&p, twice, 1), SOTTO_EINVAL);
	}
}

static void imported_counts_must_be_possible(void)
{
	struct sotto_client_params p = local_sample(SOTTO_CLIENT_RAPPOR);
	static uint64_t groups[64], cells[64 * 128];
	struct sotto_local_aggregate *a = empty(&p);

	groups[3] = 10;
	cells[3 * 128 + 5] = 11;
	CHECK_INT(sotto_local_aggregate_import(a, 10, groups, cells), SOTTO_EINVAL);
	cells[3 * 128 + 5] = 10;
	CHECK_INT(sotto_local_aggregate_import(a, 10, groups, cells), SOTTO_OK);
	CHECK_INT(sotto_local_aggregate_counts(a).cells[3 * 128 + 5], 10);
	sotto_local_aggregate_free(a);
}

/* A snapshot whose number at this place is another one, with a checksum that agrees. */
static enum sotto_status parse_changed(struct sotto_buffer *b, size_t at, uint64_t number)
{
	struct sotto_local_aggregate *back = NULL;
	uint8_t *bytes = (uint8_t *)b->bytes;
	uint64_t before = load64_le(bytes + at);
	enum sotto_status st;

	store_le(bytes + at, number, 8);
	store_le(bytes + b->length - 4, sotto_crc32c(bytes, b->length - 4), 4);
	st = sotto_local_aggregate_parse(bytes, b->length, &back, NULL);
	store_le(bytes + at, before, 8);
	sotto_local_aggregate_free(back);
	return st;
}

static void aggregates_that_cannot_be_are_refused(void)
{
	enum { REPORTS = 4 + SOTTO_CLIENT_PARAMS_BYTES, COVERS = REPORTS + 8 };
	struct sotto_client_params p = local_sample(SOTTO_CLIENT_GRR);
	uint8_t *r = local_reports(&p, 20, 3), source[16] = {1}, other[16] = {2};
	struct sotto_local_aggregate *a = empty(&p);
	struct sotto_buffer b;

	REQUIRE(r != NULL);
	CHECK_INT(sotto_local_aggregate_add(a, r, 20), SOTTO_OK);
	CHECK_INT(sotto_local_aggregate_cover(a, source, 5, 9), SOTTO_OK);
	CHECK_INT(sotto_local_aggregate_cover(a, other, 5, 9), SOTTO_OK);
	b = bytes_of(a);
	CHECK_INT(parse_changed(&b, REPORTS, 20), SOTTO_OK);
	CHECK_INT(parse_changed(&b, REPORTS, 0), SOTTO_ECORRUPT); /* cells hold more */
	CHECK_INT(parse_changed(&b, REPORTS, UINT64_MAX), SOTTO_ECORRUPT);
	CHECK_INT(parse_changed(&b, COVERS, UINT64_MAX), SOTTO_ECORRUPT);
	CHECK_INT(parse_changed(&b, COVERS + 8, 3), SOTTO_ECORRUPT); /* not in order */
	CHECK_INT(parse_changed(&b, COVERS + 24, 10), SOTTO_ECORRUPT); /* first past last */
	sotto_buffer_release(&b);
	sotto_local_aggregate_free(a);
	free(r);
}

/* Counts near the end of 64 bits are not added into small ones. */
static void sums_never_wrap(void)
{
	struct sotto_client_params p = local_sample(SOTTO_CLIENT_GRR);
	static uint64_t cells[65536] = {(uint64_t)1 << 62};
	struct sotto_local_aggregate *a = empty(&p), *b = empty(&p);

	REQUIRE(p.size <= 65536);
	CHECK_INT(sotto_local_aggregate_import(a, cells[0], NULL, cells), SOTTO_OK);
	CHECK_INT(sotto_local_aggregate_import(b, cells[0], NULL, cells), SOTTO_OK);
	CHECK_INT(sotto_local_aggregate_import(b, cells[0], NULL, cells), SOTTO_EINVAL);
	CHECK_INT(sotto_local_aggregate_import(b, cells[0] + 1, NULL, cells), SOTTO_EINVAL);
	CHECK_INT(sotto_local_aggregate_merge(a, b, NULL), SOTTO_ERANGE);
	CHECK(sotto_local_aggregate_counts(a).reports == cells[0]);
	sotto_local_aggregate_free(a);
	sotto_local_aggregate_free(b);
}

static void the_three_checksums_agree(void)
{
	uint8_t data[100];

	CHECK_INT(sotto_crc32c("123456789", 9), 0xe3069283); /* RFC 3720 */
	for (size_t i = 0; i < sizeof data; i++)
		data[i] = (uint8_t)(i * 7);
	for (size_t n = 0; n <= sizeof data; n++) {
		uint32_t half = sotto_crc32c_more(0, data, n / 2);

		CHECK(sotto_crc32c(data, n) == sotto_checksum(data, n));
		CHECK(sotto_crc32c_portable(0, data, n) == sotto_checksum(data, n));
		CHECK(sotto_crc32c_more(half, data + n / 2, n - n / 2) ==
		      sotto_crc32c(data, n));
	}
}

int main(void)
{
	RUN(counting_in_pieces_is_counting_at_once);
	RUN(rappor_cells_are_the_ones_of_each_cohort);
	RUN(merges_give_the_same_bytes_in_any_order);
	RUN(other_parameters_are_not_merged);
	RUN(snapshots_come_back_and_every_flipped_bit_is_noticed);
	RUN(reports_that_no_client_sends_are_refused);
	RUN(imported_counts_must_be_possible);
	RUN(aggregates_that_cannot_be_are_refused);
	RUN(sums_never_wrap);
	RUN(the_three_checksums_agree);
	return tap_done();
}

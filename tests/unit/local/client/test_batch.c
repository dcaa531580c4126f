/*
 * What a device puts together is, byte for byte, what the server would have made of the
 * same reports, and the server reads it back.
 */
#include <stdlib.h>
#include <string.h>

#include "local/collect/frame.h"
#include "sotto/client.h"
#include "sotto/collect.h"
#include "testlib/tap.h"

/* Entropy that counts, and fails from a given call on. */
struct source {
	uint32_t next, calls_left;
};

static int fill(void *context, uint8_t *out, size_t n)
{
	struct source *s = context;

	if (s->calls_left-- == 0)
		return -1;
	for (size_t i = 0; i < n; i++)
		out[i] = (uint8_t)(s->next = s->next * 1103515245u + 12345u, s->next >> 16);
	return 0;
}

/* Reports of one byte, of two, and of thousands, so that blocks end in odd places. */
static const struct sotto_client_params shapes[] = {
	{.protocol = SOTTO_CLIENT_GRR, .size = 16, .keep = {UINT64_C(3) << 62, false}},
	{.protocol = SOTTO_CLIENT_GRR, .size = 1000, .keep = {UINT64_C(3) << 62, false}},
	{.protocol = SOTTO_CLIENT_OUE,
	 .size = 24000,
	 .one = {UINT64_C(1) << 63, false},
	 .zero = {UINT64_C(1) << 62, false}},
	{.protocol = SOTTO_CLIENT_SUE,
	 .size = 260000,
	 .one = {UINT64_C(3) << 62, false},
	 .zero = {UINT64_C(1) << 62, false}},
};

struct made {
	uint8_t *bytes, *reports;
	size_t length, stride;
	uint32_t count;
	uint8_t id[16];
	enum sotto_status status;
};

static void made_release(struct made *m)
{
	free(m->bytes);
	free(m->reports);
}

/* As a device does: encode, add, finish. */
static struct made make(const struct sotto_client_params *params, uint32_t count, uint32_t seed)
{
	struct source entropy = {.next = seed, .calls_left = UINT32_MAX};
	struct sotto_client_secrets secrets = {.fill = fill, .context = &entropy, .id = ""};
	struct made m = {.count = count, .stride = sotto_client_report_bytes(params)};
	size_t room = sotto_client_batch_bytes(params, count), used;
	struct sotto_client_batch batch;
	struct sotto_client client;

	m.bytes = malloc(room);
	m.reports = malloc((size_t)count * m.stride + 1);
	m.status = sotto_client_init(&client, params, &secrets);
	if (m.status == SOTTO_OK)
		m.status =
			sotto_client_batch_start(&batch, params, fill, &entropy, m.bytes, room);
	for (uint32_t i = 0; i < count && m.status == SOTTO_OK; i++) {
		uint8_t *report = m.reports + i * m.stride;

		m.status = sotto_client_encode_number(&client, i % params->size, report,
						      m.stride, &used);
		if (m.status == SOTTO_OK)
			m.status = sotto_client_batch_add(&batch, report, used);
	}
	if (m.status == SOTTO_OK) {
		memcpy(m.id, batch.id, sizeof m.id);
		m.status = sotto_client_batch_finish(&batch, 20000, 20001, &m.length);
	}
	return m;
}

static bool equals_the_servers(const struct sotto_client_params *params, uint32_t count)
{
	struct made m = make(params, count, count);
	struct sotto_local_batch b = {
		.params = *params, .from = 20000, .until = 20001, .reports = count};
	uint8_t *bytes = NULL;
	size_t length = 0;
	bool same;

	memcpy(b.id, m.id, sizeof b.id);
	same = m.status == SOTTO_OK &&
	       sotto_local_batch_make(&b, m.reports, &bytes, &length) == SOTTO_OK &&
	       length == m.length && memcmp(bytes, m.bytes, length) == 0;
	free(bytes);
	made_release(&m);
	return same;
}

static bool is_read_back(const struct sotto_client_params *params, uint32_t count)
{
	struct made m = make(params, count, count + 1);
	uint8_t *reports = malloc((size_t)count * m.stride + 1);
	enum sotto_local_reason reason;
	bool same =
		m.status == SOTTO_OK &&
		sotto_local_batch_reports(m.bytes, m.length, reports, &reason) == SOTTO_OK &&
		memcmp(reports, m.reports, (size_t)count * m.stride) == 0;

	free(reports);
	made_release(&m);
	return same;
}

/* One flipped bit anywhere is seen. */
static unsigned flips_unseen(const struct sotto_client_params *params, uint32_t count)
{
	struct made m = make(params, count, 7);
	uint8_t *reports = malloc((size_t)count * m.stride + 1);
	enum sotto_local_reason reason;
	unsigned unseen = 0;

	for (size_t bit = 0; bit < 8 * m.length; bit++) {
		m.bytes[bit / 8] ^= (uint8_t)(1u << bit % 8);
		unseen += sotto_local_batch_reports(m.bytes, m.length, reports, &reason) ==
			  SOTTO_OK;
		m.bytes[bit / 8] ^= (uint8_t)(1u << bit % 8);
	}
	free(reports);
	made_release(&m);
	return unseen;
}

static void a_device_makes_the_bytes_that_the_server_would(void)
{
	static const uint32_t counts[] = {1, 2, 21, 22, 100};

	for (size_t s = 0; s < sizeof shapes / sizeof shapes[0]; s++)
		for (size_t c = 0; c < sizeof counts / sizeof counts[0]; c++)
			CHECK(equals_the_servers(&shapes[s], counts[c]));
	/* One full block, one report more, and a block and a half. */
	CHECK(equals_the_servers(&shapes[0], 65536));
	CHECK(equals_the_servers(&shapes[0], 65537));
	CHECK(equals_the_servers(&shapes[1], 40000));
}

static void the_server_reads_the_reports_back(void)
{
	for (size_t s = 0; s < sizeof shapes / sizeof shapes[0]; s++)
		CHECK(is_read_back(&shapes[s], 22));
	CHECK(is_read_back(&shapes[0], 65537));
}

static void every_flipped_bit_is_seen(void)
{
	CHECK_INT(flips_unseen(&shapes[1], 3), 0);
}

static void a_full_buffer_takes_no_report_and_keeps_the_others(void)
{
	struct source entropy = {.next = 1, .calls_left = UINT32_MAX};
	uint8_t bytes[SOTTO_CLIENT_BATCH_HEADER + 8 + 3 * 2], report[2] = {1, 0}, reports[6];
	struct sotto_client_batch batch;
	enum sotto_local_reason reason;
	size_t length;

	REQUIRE(sotto_client_batch_start(&batch, &shapes[1], fill, &entropy, bytes,
					 sizeof bytes) == SOTTO_OK);
	for (unsigned i = 0; i < 3; i++)
		CHECK(sotto_client_batch_add(&batch, report, 2) == SOTTO_OK);
	CHECK(sotto_client_batch_add(&batch, report, 2) == SOTTO_ERANGE);
	CHECK(sotto_client_batch_add(&batch, report, 1) == SOTTO_EINVAL);
	REQUIRE(sotto_client_batch_finish(&batch, 0, 0, &length) == SOTTO_OK);
	CHECK_INT(length, sizeof bytes);
	CHECK(sotto_local_batch_reports(bytes, length, reports, &reason) == SOTTO_OK);
	CHECK(sotto_client_batch_add(&batch, report, 2) == SOTTO_EINVAL);
	CHECK(sotto_client_batch_finish(&batch, 0, 0, &length) == SOTTO_EINVAL);
}

/* How many reports a buffer of that size took; SIZE_MAX if a byte behind it was written. */
static size_t taken(size_t capacity)
{
	struct source entropy = {.next = 1, .calls_left = UINT32_MAX};
	uint8_t *bytes = malloc(capacity + 64), report[2] = {1, 0};
	struct sotto_client_batch batch;
	size_t count = 0, length = 0;
	bool inside = true;

	memset(bytes, 0xa5, capacity + 64);
	if (sotto_client_batch_start(&batch, &shapes[1], fill, &entropy, bytes, capacity) ==
	    SOTTO_OK)
		while (sotto_client_batch_add(&batch, report, 2) == SOTTO_OK)
			count++;
	if (count > 0 && sotto_client_batch_finish(&batch, 0, 0, &length) != SOTTO_OK)
		inside = false;
	for (size_t i = capacity; i < capacity + 64; i++)
		inside &= bytes[i] == 0xa5;
	free(bytes);
	return inside && length <= capacity ? count : SIZE_MAX;
}

static void no_buffer_is_written_past_its_end(void)
{
	const size_t header = SOTTO_CLIENT_BATCH_HEADER, block = 65536;

	for (size_t more = 0; more < 40; more++) {
		CHECK_INT(taken(header + more), more < 8 ? 0 : (more - 8) / 2);
		/* a full block, and another one that needs its own header */
		CHECK_INT(taken(header + 8 + block + more),
			  block / 2 + (more < 8 ? 0 : (more - 8) / 2));
	}
}

static void what_cannot_be_a_batch_is_refused(void)
{
	struct source dry = {.calls_left = 0}, entropy = {.calls_left = UINT32_MAX};
	struct sotto_client_batch batch, zeroed = {0};
	uint8_t bytes[SOTTO_CLIENT_BATCH_HEADER];
	struct sotto_client_params broken = {.protocol = 99};
	size_t length;

	CHECK(sotto_client_batch_start(&batch, &shapes[0], fill, &dry, bytes, sizeof bytes) ==
	      SOTTO_EENTROPY);
	CHECK(sotto_client_batch_start(&batch, &broken, fill, &entropy, bytes, sizeof bytes) ==
	      SOTTO_EINVAL);
	CHECK(sotto_client_batch_start(&batch, &shapes[0], fill, &entropy, bytes,
				       sizeof bytes - 1) == SOTTO_ERANGE);
	REQUIRE(sotto_client_batch_start(&batch, &shapes[0], fill, &entropy, bytes,
					 sizeof bytes) == SOTTO_OK);
	CHECK(sotto_client_batch_finish(&batch, 0, 0, &length) == SOTTO_EMISSING);
	CHECK(sotto_client_batch_add(&zeroed, bytes, 1) == SOTTO_EINVAL);
	CHECK(sotto_client_batch_finish(&zeroed, 0, 0, &length) == SOTTO_EINVAL);
	CHECK_INT(sotto_client_batch_bytes(&broken, 1), 0);
	CHECK_INT(sotto_client_batch_bytes(NULL, 1), 0);
}

int main(void)
{
	RUN(a_device_makes_the_bytes_that_the_server_would);
	RUN(the_server_reads_the_reports_back);
	RUN(every_flipped_bit_is_seen);
	RUN(a_full_buffer_takes_no_report_and_keeps_the_others);
	RUN(no_buffer_is_written_past_its_end);
	RUN(what_cannot_be_a_batch_is_refused);
	return tap_done();
}

/*
 * Walks the table of protocols: each has a record that is whole, on the device and on the
 * server, agrees with itself, and is in the manual.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "local/protocol/design.h"
#include "local/client/encode.h"
#include "local/protocol/record.h"
#include "sotto/local.h"
#include "sotto/decode.h"
#include "testlib/tap.h"

enum {
	PROTOCOLS = 0
#define COUNT(id, number, text) +1
	SOTTO_CLIENT_PROTOCOLS(COUNT)
#undef COUNT
};

static const struct {
	uint32_t protocol;
	const char *name;
} all[] = {
#define ENTRY(id, number, text) {SOTTO_CLIENT_##id, text},
	SOTTO_CLIENT_PROTOCOLS(ENTRY)
#undef ENTRY
};

/* A small collection of each protocol; a new one needs a line here. */
static const char *sample(uint32_t protocol)
{
	switch ((enum sotto_client_protocol)protocol) {
	case SOTTO_CLIENT_RR:
		return "protocol rr\ntruth 0.5\nyes 0.5\n";
	case SOTTO_CLIENT_GRR:
		return "protocol grr\nsize 5\nepsilon 1\n";
	case SOTTO_CLIENT_SUE:
		return "protocol sue\nsize 5\nepsilon 1\n";
	case SOTTO_CLIENT_OUE:
		return "protocol oue\nsize 5\nepsilon 1\n";
	case SOTTO_CLIENT_OLH:
		return "protocol olh\nsize 5\nepsilon 1\n";
	case SOTTO_CLIENT_FLH:
		return "protocol flh\nsize 5\nepsilon 1\ngroups 7\n";
	case SOTTO_CLIENT_HR:
		return "protocol hr\nsize 5\nepsilon 1\n";
	case SOTTO_CLIENT_SUBSET:
		return "protocol ss\nsize 5\nepsilon 1\n";
	case SOTTO_CLIENT_RAPPOR:
		return "protocol rappor\nwidth 12\nhashes 2\ngroups 3\nf 0.5\np 0.25\nq 0.75\n";
	case SOTTO_CLIENT_CMS:
		return "protocol cms\nwidth 12\ngroups 3\nepsilon 1\n";
	case SOTTO_CLIENT_HCMS:
		return "protocol hcms\nwidth 16\ngroups 3\nepsilon 1\n";
	case SOTTO_CLIENT_SFP:
		return "protocol sfp\nsize 6\nhashes 2\nwidth 12\ngroups 3\ngrain 4\n"
		       "epsilon 1\nsecond 1\n";
	case SOTTO_CLIENT_ONE_BIT_MEAN:
		return "protocol 1bitmean\nsize 5\nepsilon 1\ngamma 0.1\nmemoize yes\n";
	case SOTTO_CLIENT_DBITFLIP:
		return "protocol dbitflip\nsize 5\nhashes 2\nepsilon 1\n";
	case SOTTO_CLIENT_PEM:
		return "protocol pem\nsize 16\ngrain 4\ngroups 3\nepsilon 1\n";
	case SOTTO_CLIENT_TREEHIST:
		return "protocol treehist\nsize 16\ngrain 4\nwidth 16\ngroups 3\nepsilon 1\n"
		       "second 1\n";
	}
	return NULL;
}

static bool read_sample(size_t i, struct sotto_client_params *p)
{
	struct sotto_error err = {""};
	const char *text = sample(all[i].protocol);
	enum sotto_status st = sotto_local_params_parse(text, strlen(text), p, &err);

	CHECK_STR(err.text, "");
	return st == SOTTO_OK;
}

static void every_record_is_whole(void)
{
	for (size_t i = 0; i < PROTOCOLS; i++) {
		const struct sotto_protocol *r = sotto_protocol_of(all[i].protocol);
		const struct sotto_encoding *e = sotto_encoding_of(all[i].protocol);

		CHECK(r && r->odds && r->shape && r->report_flaw && r->likelihood);
		CHECK(e && e->fits && e->bytes && e->encode);
		CHECK((r->given == SOTTO_GIVEN_CHANCES) == (r->set_chances == NULL));
		/* something reads its counters: a decoder, a search, or that of means */
		CHECK(r->estimate || r->discover || e->includes_size);
		CHECK(!r->collisions || r->rates);
		CHECK_STR(sotto_local_protocol_name(all[i].protocol), all[i].name);
		CHECK_INT(sotto_local_protocol_find(all[i].name), all[i].protocol);
	}
	CHECK(sotto_protocol_of(0) == NULL && sotto_protocol_of(PROTOCOLS + 1) == NULL);
	CHECK(sotto_encoding_of(0) == NULL && sotto_encoding_of(PROTOCOLS + 1) == NULL);
}

static int fill(void *context, uint8_t *out, size_t n)
{
	uint64_t *state = context;

	for (size_t i = 0; i < n; i++) {
		*state = *state * UINT64_C(6364136223846793005) + 1442695040888963407;
		out[i] = (uint8_t)(*state >> 56);
	}
	return 0;
}

static enum sotto_status one_report(const struct sotto_client_params *p, uint64_t *state,
				    uint64_t value, uint8_t *out, size_t capacity, size_t *used)
{
	uint8_t key[32];
	struct sotto_client_secrets secrets = {.key = key, .fill = fill, .context = state};
	struct sotto_client client;

	(void)fill(state, key, sizeof key);
	if (sotto_client_init(&client, p, &secrets) != SOTTO_OK)
		return SOTTO_ESTATE;
	if (sotto_client_takes_number(p))
		return sotto_client_encode_number(&client, value, out, capacity, used);
	return sotto_client_encode(&client, "ab", 2, out, capacity, used);
}

/* What the device sends the server takes, and counts inside the shape. */
static void device_and_server_agree(void)
{
	for (size_t i = 0; i < PROTOCOLS; i++) {
		const struct sotto_protocol *r = sotto_protocol_of(all[i].protocol);
		struct sotto_local_aggregate *a = NULL;
		struct sotto_client_params p;
		uint64_t state = 1;
		uint8_t report[64];
		size_t used = 0;

		CHECK(read_sample(i, &p));
		CHECK_INT(sotto_local_aggregate_new(&p, &a), SOTTO_OK);
		for (unsigned k = 0; k < 200; k++) {
			CHECK_INT(one_report(&p, &state, k % 2, report, sizeof report, &used),
				  SOTTO_OK);
			CHECK_INT(used, sotto_client_report_bytes(&p));
			CHECK_INT(r->report_flaw(&p, report), SOTTO_LOCAL_REASON_NONE);
			CHECK_INT(sotto_local_aggregate_add(a, report, 1), SOTTO_OK);
		}
		CHECK_INT(sotto_local_aggregate_counts(a).reports, 200);
		/* a report of ones only is not a report, but for a bit vector of whole bytes */
		memset(report, 0xff, sizeof report);
		CHECK(r->report_flaw(&p, report) != SOTTO_LOCAL_REASON_NONE);
		sotto_local_aggregate_free(a);
	}
}

/* Epsilons that were asked for are kept; the sum where there are two. */
static void the_realised_epsilon_is_never_above_the_one_asked_for(void)
{
	for (size_t i = 0; i < PROTOCOLS; i++) {
		const struct sotto_protocol *r = sotto_protocol_of(all[i].protocol);
		double asked = r->given == SOTTO_GIVEN_TWO_EPSILONS ? 2 : 1;
		struct sotto_local_privacy privacy;
		struct sotto_client_params p;

		if (r->given == SOTTO_GIVEN_CHANCES)
			continue;
		CHECK(read_sample(i, &p));
		sotto_local_privacy_init(&privacy);
		CHECK_INT(sotto_local_privacy_state(&p, 1, &privacy), SOTTO_OK);
		CHECK(privacy.report > 0 && privacy.report <= asked * (1 + 1e-9));
		sotto_local_privacy_release(&privacy);
	}
}

static char *file_text(const char *path)
{
	FILE *f = fopen(path, "r");
	char *text = calloc(1, 1 << 20);

	CHECK(f && text && fread(text, 1, (1 << 20) - 1, f) > 0);
	if (f)
		fclose(f);
	return text;
}

static bool is_letter(char c)
{
	return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '-' || c == '_';
}

static bool has_word(const char *text, const char *word)
{
	size_t n = strlen(word);

	for (const char *at = strstr(text, word); at; at = strstr(at + 1, word))
		if ((at == text || !is_letter(at[-1])) && !is_letter(at[n]))
			return true;
	return false;
}

static void every_protocol_is_in_the_manual(void)
{
	char *manual = file_text("man/sotto-local.1");

	for (size_t i = 0; i < PROTOCOLS; i++)
		if (!has_word(manual, all[i].name)) {
			CHECK_STR(all[i].name, "in man/sotto-local.1");
		}
	CHECK(!has_word(manual, "no-such-protocol"));
	free(manual);
}

int main(void)
{
	RUN(every_record_is_whole);
	RUN(device_and_server_agree);
	RUN(the_realised_epsilon_is_never_above_the_one_asked_for);
	RUN(every_protocol_is_in_the_manual);
	return tap_done();
}

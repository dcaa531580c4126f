/*
 * Runs the three steps of a deployed client (Bloom filter, permanent and instantaneous
 * response) for each value, and warns where its arithmetic changes f and hence epsilon.
 */
#include "local/device/local_compat.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "frame/allocation.h"
#include "frame/complaint.h"
#include "show/number_text.h"
#include "sotto/rng.h"

#define TEXT(name, number, text) text,
const char *const local_modes[] = {"native", SOTTO_COMPAT_MODES(TEXT) NULL};
#undef TEXT

static int fill_from_rng(void *context, uint8_t *out, size_t n)
{
	return sotto_rng_fill(context, out, n) == SOTTO_OK ? 0 : -1;
}

/* Returns a probability for a deployed client. */
static struct sotto_client_chance chance_of(double p)
{
	return (struct sotto_client_chance){p >= 1 ? 0 : (uint64_t)ldexp(p, 64), p >= 1};
}

struct sotto_compat local_compat(size_t mode, const struct sotto_local_google *params)
{
	return (struct sotto_compat){.mode = (enum sotto_compat_mode)mode,
				     .bits = params->bits,
				     .hashes = params->hashes,
				     .cohorts = params->cohorts,
				     .f = chance_of(params->f),
				     .p = chance_of(params->p),
				     .q = chance_of(params->q),
				     .secret_length = SOTTO_COMPAT_SECRET_BYTES};
}

enum outcome local_compat_check(const struct sotto_compat *c, struct sotto_error *err)
{
	static const char *const needs[] = {
		[SOTTO_COMPAT_GOOGLE_PY] = "k of at most 32 and h of at most 16",
		[SOTTO_COMPAT_GOOGLE_CPP] =
			"k of at most 32, h of at most 16, and m that is a power of 2",
		[SOTTO_COMPAT_GOOGLE_CPP_VECTOR] =
			"k that is a multiple of 8 and at most 4096, h of at most 16, or 8 if "
			"k > 256, and m that is a power of 2",
		[SOTTO_COMPAT_GOOGLE_JAVA] =
			"k of at most 4096, h of at most 8, m that is a power of 2 and at most "
			"128, and a secret of at least 48 bytes",
		[SOTTO_COMPAT_CHROMIUM] =
			"k that is a multiple of 8 and at most 4096, h of at most 16, and f, p "
			"and q that are 0.25, 0.5 or 0.75"};

	if (sotto_compat_check(c) == SOTTO_OK)
		return OUTCOME_DONE;
	return complaint_refuse(err, "%s needs %s", local_modes[c->mode], needs[c->mode]);
}

void local_realised(size_t mode, struct sotto_local_google *params)
{
	struct sotto_compat c = local_compat(mode, params);
	struct sotto_client_chance f, p, q;

	sotto_compat_realised(&c, &f, &p, &q);
	params->f = sotto_local_chance(f);
	params->p = sotto_local_chance(p);
	params->q = sotto_local_chance(q);
}

void compat_print_bits(const uint8_t *bits, uint32_t k, FILE *out)
{
	for (uint32_t i = k; i-- > 0;)
		fputc('0' + (bits[i / 8] >> i % 8 & 1), out);
}

static double epsilon_forever(double f, uint32_t hashes)
{
	return 2 * hashes * log((1 - f / 2) / (f / 2));
}

static void print_epsilon(double epsilon, FILE *err)
{
	char *text = number_text_rounded_up(epsilon, 6);

	fputs(text, err);
	free(text);
}

/* What a mode makes of f, said once per run. */
static void warn_quirk(const struct sotto_compat *c, const char *mode, FILE *err)
{
	struct sotto_client_chance f, p, q;
	double asked = sotto_local_chance(c->f), real;

	sotto_compat_realised(c, &f, &p, &q);
	real = sotto_local_chance(f);
	fprintf(err, "warning: %s realises f as %.10g: epsilon ", mode, real);
	if (real > 0) {
		print_epsilon(epsilon_forever(real, c->hashes), err);
		fputs(" forever for one value", err);
	} else {
		fputs("grows without bound, report by report", err);
	}
	if (real < asked) {
		fputs(", more than the ", err);
		print_epsilon(epsilon_forever(asked, c->hashes), err);
		fprintf(err, " of f = %.10g", asked);
	}
	fprintf(err, "\n");
	if (c->q.certain && !q.certain && q.numerator == 0)
		fprintf(err, "warning: %s cannot send q = 1 and sends zeros\n", mode);
}

static enum sotto_status encode_one(struct sotto_compat *c, uint32_t cohort, const void *value,
				    size_t length, uint8_t bits[3][SOTTO_COMPAT_BYTES_MAX])
{
	enum sotto_status st = sotto_compat_bloom(c, cohort, value, length, bits[0]);

	if (st == SOTTO_OK)
		st = sotto_compat_permanent(c, bits[0], bits[1]);
	if (st == SOTTO_OK)
		st = sotto_compat_report(c, bits[1], bits[2]);
	return st;
}

enum sotto_status compat_report(struct sotto_compat *c, uint32_t cohort, const void *value,
				size_t length, uint8_t *out)
{
	static uint8_t bits[3][SOTTO_COMPAT_BYTES_MAX];
	enum sotto_status st = encode_one(c, cohort, value, length, bits);

	if (st == SOTTO_OK)
		memcpy(out, bits[2], (c->bits + 7) / 8);
	return st;
}

static enum outcome print_report(struct sotto_compat *c, uint32_t cohort, const char *value,
				 size_t length, const struct invocation *call,
				 struct sotto_error *err)
{
	const struct encode_settings *s = call->settings;
	static uint8_t bits[3][SOTTO_COMPAT_BYTES_MAX];
	enum sotto_status st = encode_one(c, cohort, value, length, bits);

	if (st != SOTTO_OK)
		return local_failed(st, err);
	fprintf(call->out, "%s,%u,", s->id, cohort);
	for (int part = 0; part < 3; part++) {
		if (part == 2 || s->reveal)
			compat_print_bits(bits[part], c->bits, call->out);
		fputc(part == 2 ? '\n' : ',', call->out);
	}
	return OUTCOME_DONE;
}

/* Another device: a new secret, and a cohort where the client does not derive it. */
static enum sotto_status
renew(struct sotto_compat *c, uint8_t secret[SOTTO_COMPAT_SECRET_BYTES], uint32_t *cohort)
{
	struct sotto_rng *rng = c->context;
	uint64_t drawn = 0;
	enum sotto_status st = sotto_rng_fill(rng, secret, SOTTO_COMPAT_SECRET_BYTES);

	c->secret = secret;
	if (st != SOTTO_OK)
		return st;
	if (c->mode != SOTTO_COMPAT_GOOGLE_PY && c->mode != SOTTO_COMPAT_CHROMIUM)
		return sotto_compat_cohort(c, cohort);
	st = sotto_uniform_below(rng, c->cohorts, &drawn);
	*cohort = (uint32_t)drawn;
	return st;
}

static enum outcome encode_all(struct sotto_compat *c, uint32_t cohort,
			       const struct local_lines *values, const struct invocation *call,
			       struct sotto_error *err)
{
	const struct encode_settings *s = call->settings;
	enum outcome outcome = OUTCOME_DONE;
	uint8_t secret[SOTTO_COMPAT_SECRET_BYTES];

	fprintf(call->out, s->ngrams.value > 0
				   ? "client,cohort,left,right,first,second,string\n"
				   : "client,cohort,bloom,prr,irr\n");
	for (size_t i = 0; i < values->count && outcome == OUTCOME_DONE; i++) {
		enum sotto_status st = s->each_device ? renew(c, secret, &cohort) : SOTTO_OK;

		if (st != SOTTO_OK)
			return local_failed(st, err);
		outcome = (s->ngrams.value > 0 ? compat_print_pair : print_report)(
			c, cohort, values->strings[i], values->lengths[i], call, err);
	}
	return outcome;
}

static enum outcome choose_cohort(const struct sotto_compat *c, const struct encode_settings *s,
				  uint32_t *out, struct sotto_error *err)
{
	bool told = c->mode == SOTTO_COMPAT_GOOGLE_PY || c->mode == SOTTO_COMPAT_CHROMIUM;

	if (s->each_device)
		return s->cohort.given ? complaint_usage(err, "each device has a cohort of its "
							      "own: leave --cohort out")
				       : OUTCOME_DONE;
	if (told != s->cohort.given)
		return told ? complaint_usage(err,
					      "this client is told its cohort: give --cohort")
			    : complaint_usage(
				      err,
				      "this client derives its cohort: leave --cohort out");
	if (!told) {
		enum sotto_status st = sotto_compat_cohort(c, out);

		return st == SOTTO_OK ? OUTCOME_DONE : local_failed(st, err);
	}
	if (s->cohort.value >= c->cohorts)
		return complaint_refuse(err, "the cohort must be below the %u of params",
					c->cohorts);
	*out = (uint32_t)s->cohort.value;
	return OUTCOME_DONE;
}

static enum outcome encode_with(struct sotto_compat *c, const struct invocation *call,
				const struct local_lines *values, struct sotto_error *err)
{
	const struct encode_settings *s = call->settings;
	struct sotto_rng *rng;
	uint32_t cohort = 0;
	enum sotto_status st = sotto_rng_open(&rng);
	enum outcome outcome;

	if (st != SOTTO_OK)
		return local_failed(st, err);
	c->fill = fill_from_rng;
	c->context = rng;
	outcome = local_compat_check(c, err);
	if (outcome == OUTCOME_DONE)
		outcome = choose_cohort(c, s, &cohort, err);
	if (outcome == OUTCOME_DONE) {
		warn_quirk(c, local_modes[s->mode], call->err);
		outcome = encode_all(c, cohort, values, call, err);
	}
	sotto_rng_close(rng);
	return outcome;
}

enum outcome local_encode_compat(const struct invocation *call,
				 const struct local_lines *values, struct sotto_error *err)
{
	const struct encode_settings *s = call->settings;
	struct sotto_local_google g;
	struct sotto_compat c;
	enum outcome outcome;
	char *secret = NULL;

	if (!s->key_file == !s->each_device || s->out != 0)
		return complaint_usage(err, "a deployed client's mode needs --key-file or "
					    "--each-device and prints csv");
	if (s->ngrams.value > 0 && !s->each_device)
		return complaint_usage(err, "--ngrams needs --each-device: a device draws its "
					    "positions once");
	outcome = local_read_google(s->params, &g, err);
	if (outcome != OUTCOME_DONE)
		return outcome;
	c = local_compat(s->mode, &g);
	c.id = s->id;
	c.id_length = strlen(s->id);
	if (s->key_file)
		outcome = local_read_file(s->key_file, &secret, &c.secret_length, err);
	if (outcome != OUTCOME_DONE)
		return outcome;
	c.secret = secret;
	outcome = c.secret_length > 0
			  ? encode_with(&c, call, values, err)
			  : complaint_refuse(err, "the key file is empty: everybody could undo "
						  "the permanent response");
	free(secret);
	return outcome;
}

/* Reports of two n-grams of a string, for sotto local ngrams. */
#include <stdlib.h>
#include <string.h>

#include "frame/allocation.h"
#include "frame/complaint.h"
#include "local/device/local_compat.h"
#include "sotto/rng.h"

/* Two of the positions, left < right, all pairs alike. */
static enum sotto_status
draw_positions(struct sotto_rng *rng, uint64_t positions, uint64_t *left, uint64_t *right)
{
	uint64_t other;
	enum sotto_status st = sotto_uniform_below(rng, positions, left);

	if (st == SOTTO_OK)
		st = sotto_uniform_below(rng, positions - 1, &other);
	if (st != SOTTO_OK)
		return st;
	other += other >= *left;
	*right = other > *left ? other : *left;
	*left = other > *left ? *left : other;
	return SOTTO_OK;
}

static enum sotto_status print_gram(struct sotto_compat *c, uint32_t cohort, const char *gram,
				    size_t length, char after, FILE *out)
{
	static uint8_t bits[SOTTO_COMPAT_BYTES_MAX];
	enum sotto_status st = compat_report(c, cohort, gram, length, bits);

	if (st != SOTTO_OK)
		return st;
	compat_print_bits(bits, c->bits, out);
	fputc(after, out);
	return SOTTO_OK;
}

enum outcome compat_print_pair(struct sotto_compat *c, uint32_t cohort, const char *value,
			       size_t length, const struct invocation *call,
			       struct sotto_error *err)
{
	const struct encode_settings *s = call->settings;
	size_t size = s->ngrams.value, all = size * s->positions.value;
	uint64_t left, right;
	enum sotto_status st;

	if (s->positions.value < 2 || length != all)
		return complaint_refuse(
			err, "a value must be %llu n-grams (at least 2) of %zu characters",
			(unsigned long long)s->positions.value, size);
	st = draw_positions(c->context, s->positions.value, &left, &right);
	if (st == SOTTO_OK) {
		fprintf(call->out, "%s,%u,%llu,%llu,", s->id, cohort, (unsigned long long)left,
			(unsigned long long)right);
		st = print_gram(c, cohort, value + left * size, size, ',', call->out);
	}
	if (st == SOTTO_OK)
		st = print_gram(c, cohort, value + right * size, size, ',', call->out);
	if (st == SOTTO_OK)
		st = print_gram(c, cohort, value, length, '\n', call->out);
	return st == SOTTO_OK ? OUTCOME_DONE : local_failed(st, err);
}

/*
 * Mechanisms with any parameters and scores: refused, or an outcome of the list.
 *
 * The input is epsilon, a space, the sensitivity, a newline, then 8 bytes a score.
 */
#include "fuzz.h"

#include <stdlib.h>
#include <string.h>

#include "sotto/choose.h"
#include "sotto/noise.h"
#include "sotto/stream.h"

enum { SCORES_MAX = 40 };

struct input {
	struct sotto_rational epsilon;
	struct sotto_rational sensitivity;
	struct sotto_exact scores[SCORES_MAX];
	int64_t open[SCORES_MAX];
	size_t n;
};

static bool read_number(struct sotto_rational *r, const char **at, const char *end, char stop)
{
	const char *until = memchr(*at, stop, (size_t)(end - *at));
	char text[64];

	if (!until || until - *at >= (long)sizeof text || memchr(*at, 0, (size_t)(until - *at)))
		return false;
	memcpy(text, *at, (size_t)(until - *at));
	text[until - *at] = '\0';
	*at = until + 1;
	return !strchr(text, 'e') && !strchr(text, 'E') &&
	       sotto_rational_parse(r, text, NULL) == SOTTO_OK;
}

static bool read_input(struct input *in, const uint8_t *data, size_t size)
{
	const char *at = (const char *)data, *end = at + size;

	if (!read_number(&in->epsilon, &at, end, ' ') ||
	    !read_number(&in->sensitivity, &at, end, '\n'))
		return false;
	for (in->n = 0; in->n < SCORES_MAX && end - at >= 8; in->n++, at += 8) {
		memcpy(&in->scores[in->n].secret, at, 8);
		in->open[in->n] = in->scores[in->n].secret;
	}
	return in->n > 0;
}

/* Lower bounds of probabilities: none negative, together at most 1 and nearly so. */
static void check_law(struct sotto_rational *law, size_t n)
{
	struct sotto_rational sum;

	sotto_rational_init(&sum);
	for (size_t i = 0; i < n; i++) {
		if (sotto_rational_sign(&law[i]) < 0)
			abort();
		sotto_rational_add(&sum, &sum, &law[i]);
		sotto_rational_release(&law[i]);
	}
	if (mpq_cmp_ui(sum.q, 1, 1) > 0 || sotto_rational_double_up(&sum) < 1 - 1e-12)
		abort();
	sotto_rational_release(&sum);
}

static void
run_exponential(const struct input *in, const struct sotto_selection *s, struct sotto_rng *rng)
{
	struct sotto_rational law[SCORES_MAX];
	struct sotto_exponential *m = NULL;
	size_t index;

	if (sotto_exponential_new(s, &m, NULL) != SOTTO_OK)
		return;
	if (sotto_exponential_select(m, rng, in->scores, in->n, &index) != SOTTO_OK ||
	    index >= in->n)
		abort();
	for (size_t i = 0; i < in->n; i++)
		sotto_rational_init(&law[i]);
	if (sotto_exponential_probabilities_down(m, in->open, in->n, 64, law) != SOTTO_OK)
		abort();
	check_law(law, in->n);
	sotto_exponential_free(m);
}

static void run_permute_and_flip(const struct input *in, const struct sotto_selection *s,
				 struct sotto_rng *rng)
{
	struct sotto_rational law[SCORES_MAX];
	struct sotto_permute_and_flip *m = NULL;
	size_t index;

	if (sotto_permute_and_flip_new(s, &m, NULL) != SOTTO_OK)
		return;
	if (sotto_permute_and_flip_select(m, rng, in->scores, in->n, &index) != SOTTO_OK ||
	    index >= in->n)
		abort();
	for (size_t i = 0; i < in->n; i++)
		sotto_rational_init(&law[i]);
	if (sotto_permute_and_flip_probabilities_down(m, in->open, in->n, 64, law) != SOTTO_OK)
		abort();
	check_law(law, in->n);
	sotto_permute_and_flip_free(m);
}

static void
run_noisy_max(const struct input *in, const struct sotto_selection *s, struct sotto_rng *rng)
{
	size_t top = in->n > 2 ? 2 : 1, order[2] = {SIZE_MAX, SIZE_MAX};
	struct sotto_noisy_max *m = NULL;

	if (sotto_noisy_max_new(s, top, &m, NULL) != SOTTO_OK)
		return;
	if (sotto_noisy_max_select(m, rng, in->scores, in->n, order) != SOTTO_OK ||
	    order[0] >= in->n || (top == 2 && (order[1] >= in->n || order[1] == order[0])))
		abort();
	sotto_noisy_max_free(m);
}

static void run_stream(const struct input *in, struct sotto_rng *rng)
{
	struct sotto_sparse_vector_options o = {.epsilon = &in->epsilon,
						.threshold = in->open[0],
						.sensitivity = in->open[in->n - 1],
						.positives = (uint64_t)in->open[in->n / 2],
						.numeric = true};
	struct sotto_sparse_vector *s = NULL;
	struct sotto_sparse_answer answer;
	uint64_t positives = 0;

	if (sotto_sparse_vector_new(&o, &s, NULL) != SOTTO_OK)
		return;
	for (size_t i = 0; i < in->n; i++)
		if (sotto_sparse_vector_ask(s, rng, in->scores[i], &answer) == SOTTO_OK)
			positives += answer.above;
	if (positives > o.positives || sotto_sparse_vector_left(s) != o.positives - positives)
		abort();
	sotto_sparse_vector_free(s);
}

static void run_truncated(const struct input *in, struct sotto_rng *rng)
{
	struct sotto_range range = {in->open[0], in->open[in->n - 1]};
	struct sotto_truncated *m = NULL;
	struct sotto_noisy out;

	if (sotto_truncated_new(&in->epsilon, in->open[in->n / 2], range, &m, NULL) != SOTTO_OK)
		return;
	if (sotto_truncated_publish(m, rng, in->scores[0], &out) != SOTTO_OK ||
	    out.value < range.low || out.value > range.high)
		abort();
	sotto_truncated_free(m);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct sotto_rng *rng = NULL;
	struct input in;

	sotto_rational_init(&in.epsilon);
	sotto_rational_init(&in.sensitivity);
	if (read_input(&in, data, size) && sotto_rng_open(&rng) == SOTTO_OK) {
		struct sotto_selection s = {&in.epsilon, &in.sensitivity, size & 1, size & 2};

		run_exponential(&in, &s, rng);
		run_permute_and_flip(&in, &s, rng);
		run_noisy_max(&in, &s, rng);
		run_stream(&in, rng);
		run_truncated(&in, rng);
	}
	sotto_rng_close(rng);
	sotto_rational_release(&in.epsilon);
	sotto_rational_release(&in.sensitivity);
	return 0;
}

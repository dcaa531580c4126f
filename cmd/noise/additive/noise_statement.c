/*
 * Multiplies the cost of one release by their number, as exact fractions; decimals that do not
 * fit are rounded up, never down.
 */
#include "noise/additive/noise_statement.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>

#include "show/number_text.h"
#include "show/terminal.h"

/* Exact where that is short, else so many digits, rounded up. */
static char *brief_up(const struct sotto_rational *r)
{
	char *text = number_text_parameter(r);

	if (number_text_survives_double(text))
		return text;
	free(text);
	return number_text_rounded_up(sotto_rational_double_up(r), 6);
}

/* r = in * n */
static void times(struct sotto_rational *r, const struct sotto_rational *in, uint64_t n)
{
	struct sotto_rational factor;

	sotto_rational_init(&factor);
	sotto_rational_set_integer(&factor, (int64_t)n);
	sotto_rational_multiply(r, in, &factor);
	sotto_rational_release(&factor);
}

/* The cost of all releases together, by plain addition. */
struct total {
	struct sotto_rational epsilon;
	struct sotto_rational delta;
	struct sotto_rational rho;
};

static void total_init(struct total *t, const struct noise_release *release, uint64_t count)
{
	sotto_rational_init(&t->epsilon);
	sotto_rational_init(&t->delta);
	sotto_rational_init(&t->rho);
	times(&t->epsilon, &release->epsilon, count);
	times(&t->delta, &release->delta, count);
	if (sotto_rational_double_up(&t->delta) > 1)
		sotto_rational_set_integer(&t->delta, 1); /* no more than certainty */
	times(&t->rho, &release->rho, count);
}

static void total_release(struct total *t)
{
	sotto_rational_release(&t->epsilon);
	sotto_rational_release(&t->delta);
	sotto_rational_release(&t->rho);
}

static void print_cost(FILE *out, const struct noise_release *release, const struct total *t)
{
	char *epsilon = brief_up(&t->epsilon), *delta = brief_up(&t->delta);
	char *rho = brief_up(&t->rho);

	if (release->has_epsilon)
		fprintf(out, "epsilon %s", epsilon);
	if (sotto_rational_sign(&t->delta) > 0)
		fprintf(out, ", delta %s", delta);
	if (sotto_rational_sign(&t->rho) > 0)
		fprintf(out, "%srho %s", release->has_epsilon ? ", " : "", rho);
	free(epsilon);
	free(delta);
	free(rho);
}

/* The error of noise and rounding together. */
static char *error_text(const struct noise_input *in, const struct noise_release *release)
{
	struct sotto_rational error;
	char *text;

	sotto_rational_init(&error);
	noise_input_error(in, release->error, &error);
	text = number_text_rational(&error);
	sotto_rational_release(&error);
	return text;
}

static void print_grid(FILE *out, const struct noise_release *release,
		       const struct noise_input *in, const struct noise_settings *settings)
{
	char *step = number_text_rational(&in->grid.step);

	fprintf(out,
		"grid: values are rounded to multiples of %s; with that, a sensitivity of %s "
		"is "
		"%" PRId64 " step%s\n",
		step, settings->sensitivity.text, release->sensitivity,
		release->sensitivity == 1 ? "" : "s");
	free(step);
}

void noise_statement_print(FILE *out, const struct noise_release *release,
			   const struct noise_input *in, const struct noise_settings *settings)
{
	uint64_t count = settings->count.value;
	bool several = in->exact.count > 1 || count > 1;
	char *error = error_text(in, release);
	struct total t;

	total_init(&t, release, count);
	fputs(terminal_dim(out), out);
	if (!in->on_integers)
		print_grid(out, release, in, settings);
	fputs("cost: ", out);
	print_cost(out, release, &t);
	if (count > 1)
		fprintf(out, " (for %" PRIu64 " releases)", count);
	fprintf(out, "\naccuracy: with confidence %s %s off by more than %s\n",
		settings->confidence.text, several ? "no value is" : "the value is not", error);
	fputs(terminal_plain(out), out);
	total_release(&t);
	free(error);
}

static void
write_cost(struct json_writer *json, const struct noise_release *release, uint64_t count)
{
	struct total t;

	total_init(&t, release, count);
	json_key(json, "cost");
	json_open_object(json);
	json_key(json, "epsilon");
	if (release->has_epsilon)
		json_write_rational(json, &t.epsilon);
	else
		json_write_null(json);
	json_key(json, "delta");
	if (release->has_epsilon)
		json_write_rational(json, &t.delta);
	else
		json_write_null(json);
	if (sotto_rational_sign(&t.rho) > 0) {
		json_key(json, "rho");
		json_write_rational(json, &t.rho);
	}
	json_member_integer(json, "releases", (int64_t)count);
	json_close_object(json);
	total_release(&t);
}

static void write_accuracy(struct json_writer *json, const struct noise_release *release,
			   const struct noise_input *in, const struct noise_settings *settings)
{
	char *error = error_text(in, release);
	double step = sotto_rational_double_up(&in->grid.step);

	json_key(json, "accuracy");
	json_open_object(json);
	json_key(json, "confidence");
	json_write_rational(json, &settings->confidence.value);
	json_key(json, "error");
	json_write_number_text(json, error);
	json_member_double(json, "standard_deviation", release->deviation * step);
	json_close_object(json);
	free(error);
}

void noise_statement_write(struct json_writer *json, const struct noise_release *release,
			   const struct noise_input *in, const struct noise_settings *settings)
{
	json_key(json, "step");
	json_write_rational(json, &in->grid.step);
	json_member_integer(json, "sensitivity_steps", release->sensitivity);
	json_key(json, sotto_rational_sign(&release->rho) > 0 ? "sigma2_steps" : "scale_steps");
	json_write_rational(json, &release->scale);
	write_cost(json, release, settings->count.value);
	write_accuracy(json, release, in, settings);
}

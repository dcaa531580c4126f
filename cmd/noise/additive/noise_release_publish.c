/* Draws the noise, prints the noisy values and states what they cost. */
#include "noise/additive/noise_release.h"

#include <inttypes.h>
#include <stdlib.h>

#include "frame/complaint.h"
#include "noise/additive/noise_statement.h"
#include "show/json.h"
#include "show/number_text.h"
#include "show/progress.h"

enum { BLOCK = 4096 };

static void release_init(struct noise_release *release, const char *name)
{
	*release = (struct noise_release){.name = name};
	sotto_rational_init(&release->scale);
	sotto_rational_init(&release->epsilon);
	sotto_rational_init(&release->delta);
	sotto_rational_init(&release->rho);
}

static void release_release(struct noise_release *release)
{
	sotto_rational_release(&release->scale);
	sotto_rational_release(&release->epsilon);
	sotto_rational_release(&release->delta);
	sotto_rational_release(&release->rho);
}

/* Where noisy values go. */
struct printer {
	FILE *out;
	struct json_writer *json; /* NULL for lines */
	const struct sotto_grid *grid;
	bool on_integers;
	struct sotto_rational value;
};

static void print_value(struct printer *p, struct sotto_noisy noisy)
{
	char *text;

	if (p->on_integers && !p->json) {
		fprintf(p->out, "%" PRId64 "\n", noisy.value);
		return;
	}
	sotto_grid_value(p->grid, noisy.value, &p->value);
	text = number_text_rational(&p->value);
	if (p->json)
		json_write_number_text(p->json, text);
	else
		fprintf(p->out, "%s\n", text);
	free(text);
}

/* Value i is published as the draws i * times ... i * times + times - 1. */
static enum outcome draw_and_print(const struct noise_release *release,
				   const struct noise_input *in, uint64_t times,
				   struct sotto_rng *rng, struct printer *printer)
{
	struct sotto_exact exact[BLOCK];
	struct sotto_noisy noisy[BLOCK];
	struct progress progress;
	uint64_t total = in->draws;
	enum sotto_status st = SOTTO_OK;

	progress_begin(&progress, "drawing", total);
	for (uint64_t done = 0; done < total && st == SOTTO_OK; done += BLOCK) {
		size_t n = total - done < BLOCK ? (size_t)(total - done) : BLOCK;

		for (size_t i = 0; i < n; i++)
			exact[i] = in->exact.items[(done + i) / times];
		st = release->publish(release->mechanism, rng, exact, noisy, n);
		for (size_t i = 0; i < n && st == SOTTO_OK; i++)
			print_value(printer, noisy[i]);
		progress_step(&progress, done);
	}
	progress_end(&progress);
	explicit_bzero(exact, sizeof exact);
	return st == SOTTO_OK ? OUTCOME_DONE : OUTCOME_REFUSED;
}

static enum outcome publish_with(const struct noise_release *release,
				 const struct noise_input *in, const struct invocation *call,
				 const struct noise_settings *settings, struct sotto_rng *rng)
{
	struct printer printer = {
		.out = call->out, .grid = &in->grid, .on_integers = in->on_integers};
	struct json_writer json;
	enum outcome outcome;

	sotto_rational_init(&printer.value);
	if (call->format == FORMAT_CSV)
		fputs("value\n", call->out);
	if (call->format == FORMAT_JSON) {
		printer.json = &json;
		json_begin(&json, call->out);
		json_open_object(&json);
		json_member_text(&json, "mechanism", release->name);
		json_key(&json, "values");
		json_open_row(&json);
	}
	outcome = draw_and_print(release, in, settings->count.value, rng, &printer);
	if (printer.json) {
		json_close_array(&json);
		noise_statement_write(&json, release, in, settings);
		json_close_object(&json);
		json_end(&json);
	}
	sotto_rational_release(&printer.value);
	return outcome;
}

enum outcome noise_release_publish(const struct noise_release *release,
				   const struct noise_input *in, const struct invocation *call,
				   const struct noise_settings *settings,
				   struct sotto_error *err)
{
	struct sotto_rng *rng = NULL;
	enum outcome outcome = OUTCOME_REFUSED;

	if (sotto_rng_open(&rng) == SOTTO_OK)
		outcome = publish_with(release, in, call, settings, rng);
	sotto_rng_close(rng);
	if (outcome != OUTCOME_DONE)
		return complaint_refuse(err, "the system's random source failed; do not use "
					     "any value that was printed");
	if (call->format != FORMAT_JSON && !settings->quiet)
		noise_statement_print(command_notes(call), release, in, settings);
	return OUTCOME_DONE;
}

enum outcome noise_release_run(const struct invocation *call, const char *name,
			       noise_mechanism mechanism, struct sotto_error *err)
{
	struct noise_release release;
	struct noise_input in;
	enum outcome outcome;

	release_init(&release, name);
	outcome = noise_input_read(&in, call, call->settings, err);
	if (outcome == OUTCOME_DONE)
		outcome = mechanism(&in, call, &release, err);
	noise_input_release(&in);
	release_release(&release);
	return outcome;
}

/* sotto release --convert RHO and --convert-epsilon E, at --delta D */
#include <stdlib.h>

#include "census/release_command.h"
#include "frame/complaint.h"
#include "show/json.h"
#include "show/number_text.h"

/* What is reported, in every format. */
struct figures {
	const struct sotto_rational *delta;
	struct sotto_rational rho;
	struct sotto_census_conversion to;
	const struct sotto_rational *epsilon; /* what was asked for; NULL: rho was */
};

static void print_json(const struct figures *f, FILE *out)
{
	struct json_writer w;

	json_begin(&w, out);
	json_open_object(&w);
	if (f->epsilon) {
		json_key(&w, "epsilon");
		json_write_rational(&w, f->epsilon);
	}
	json_key(&w, "rho");
	if (f->epsilon)
		json_write_double(&w, sotto_rational_double_down(&f->rho));
	else
		json_write_rational(&w, &f->rho);
	if (f->epsilon) {
		json_key(&w, "rho_exact");
		json_write_rational(&w, &f->rho);
	} else {
		json_key(&w, "epsilon");
		json_write_double(&w, f->to.epsilon_up);
		json_key(&w, "epsilon_bun_steinke");
		json_write_double(&w, f->to.epsilon_bun_steinke_up);
	}
	json_key(&w, "delta");
	json_write_rational(&w, f->delta);
	json_key(&w, "rounding");
	json_write_text(&w, f->epsilon ? "down" : "up");
	json_close_object(&w);
	json_end(&w);
}

static void print_text(const struct figures *f, FILE *out)
{
	char *delta = number_text_parameter(f->delta);
	char *one = f->epsilon
			    ? number_text_rounded_down(sotto_rational_double_down(&f->rho), 12)
			    : number_text_rounded_up(f->to.epsilon_up, 10);
	char *two = number_text_rounded_up(f->to.epsilon_bun_steinke_up, 10);

	if (f->epsilon)
		fprintf(out, "rho %s at delta %s (rounded down)\n", one, delta);
	else
		fprintf(out,
			"epsilon %s at delta %s (rounded up)\n"
			"epsilon %s by the looser rule of Bun and Steinke (rounded up)\n",
			one, delta, two);
	free(delta);
	free(one);
	free(two);
}

static void print_csv(const struct figures *f, FILE *out)
{
	char *delta = number_text_parameter(f->delta);
	char *rho = number_text_double(sotto_rational_double_down(&f->rho));

	if (f->epsilon)
		fprintf(out, "delta,rho\n%s,%s\n", delta, rho);
	else
		fprintf(out, "delta,epsilon,epsilon_bun_steinke\n%s,%.17g,%.17g\n", delta,
			f->to.epsilon_up, f->to.epsilon_bun_steinke_up);
	free(delta);
	free(rho);
}

enum outcome release_convert(const struct invocation *call, struct sotto_error *err)
{
	const struct release_settings *settings = call->settings;
	struct figures f = {.delta = &settings->delta.value,
			    .epsilon = settings->convert_epsilon.given
					       ? &settings->convert_epsilon.value
					       : NULL};
	enum sotto_status st;

	sotto_rational_init(&f.rho);
	if (f.epsilon) {
		st = sotto_census_rho_down(f.epsilon, f.delta, &f.rho);
	} else {
		sotto_rational_set(&f.rho, &settings->convert.value);
		st = sotto_census_convert(&f.rho, f.delta, &f.to);
	}
	if (st == SOTTO_OK && call->format == FORMAT_JSON)
		print_json(&f, call->out);
	else if (st == SOTTO_OK && call->format == FORMAT_CSV)
		print_csv(&f, call->out);
	else if (st == SOTTO_OK)
		print_text(&f, call->out);
	sotto_rational_release(&f.rho);
	return release_outcome(st, err);
}

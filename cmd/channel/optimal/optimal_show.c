/*
 * Prints the lower and the upper bound of the optimum; the two count as equal if they differ by
 * at most one part in 10^9.
 */
#include "channel/optimal/optimal_show.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "channel/channel_show.h"
#include "frame/allocation.h"
#include "show/number_text.h"
#include "show/table.h"

/* Both bounds always hold; optimality is certified if they also meet, to 10^-9. */
static bool is_close(const struct sotto_rational *lower, const struct sotto_rational *upper)
{
	double low = sotto_rational_double_down(lower), high = sotto_rational_double_up(upper);

	return high - low <= 1e-9 * fmax(1, fmax(fabs(low), fabs(high)));
}

/* One row: both bounds, how they were found, the exact epsilon. */
static void print_csv(const char *what, const struct sotto_rational *lower,
		      const struct sotto_rational *upper, const char *method,
		      const struct sotto_verdict *v, FILE *out)
{
	char *low = memory_text("%s_lower", what), *high = memory_text("%s_upper", what);
	const struct column columns[] = {{low, NULL, COLUMN_NUMBER, ALIGN_BY_KIND},
					 {high, NULL, COLUMN_NUMBER, ALIGN_BY_KIND},
					 {"method", NULL, COLUMN_TEXT, ALIGN_BY_KIND},
					 {"epsilon", NULL, COLUMN_NUMBER, ALIGN_BY_KIND}};
	struct table t;

	table_init(&t, columns, 4);
	table_add_double(&t, sotto_rational_double_down(lower), 17);
	table_add_double(&t, sotto_rational_double_up(upper), 17);
	table_add_text(&t, method);
	table_add_double_up(&t, v->epsilon_up, 17);
	table_print(&t, FORMAT_CSV, out);
	table_release(&t);
	free(low);
	free(high);
}

static void print_best(const struct sotto_optimal *o, const struct sotto_verdict *v, FILE *out)
{
	struct sotto_rational width;

	sotto_rational_init(&width);
	sotto_rational_subtract(&width, &o->upper, &o->lower);
	channel_print_line(14, "utility", &o->lower, out);
	if (sotto_rational_sign(&width) == 0)
		fprintf(out, "%-14sno mechanism at this epsilon has a higher utility\n",
			"proven");
	else
		fprintf(out,
			"%-14sno mechanism at this epsilon has a utility higher by more than "
			"%.3g\n",
			"proven", sotto_rational_double_up(&width));
	fprintf(out, "%-14s%s\n", "found by", sotto_optimal_method_name(o->method));
	channel_print_epsilon(14, "epsilon", v->epsilon_up, out);
	fputs(", checked exactly\n", out);
	sotto_rational_release(&width);
}

static void write_best(const struct sotto_optimal *o, const struct sotto_verdict *v, FILE *out)
{
	bool exact = sotto_rational_compare(&o->lower, &o->upper) == 0;
	struct json_writer json;

	json_begin(&json, out);
	json_open_object(&json);
	channel_write_exact(&json, "utility", &o->lower, exact);
	json_member_double(&json, "utility_lower", sotto_rational_double_down(&o->lower));
	json_member_double(&json, "utility_upper", sotto_rational_double_up(&o->upper));
	json_member_text(&json, "method", sotto_optimal_method_name(o->method));
	json_member_bool(&json, "certified", is_close(&o->lower, &o->upper));
	json_member_bool(&json, "exact", exact);
	json_member_double(&json, "epsilon", v->epsilon_up);
	json_close_object(&json);
	json_end(&json);
}

static const char *minimax_method(const struct sotto_minimax *m)
{
	return m->remap ? "linear program, random remap of the geometric mechanism"
			: "linear program, repaired";
}

static void
print_minimax(const struct sotto_minimax *m, const struct sotto_verdict *v, FILE *out)
{
	struct sotto_rational width;

	sotto_rational_init(&width);
	sotto_rational_subtract(&width, &m->loss, &m->lower);
	channel_print_line(14, "worst loss", &m->loss, out);
	if (sotto_rational_sign(&width) == 0)
		fprintf(out, "%-14sno mechanism at this epsilon has a smaller worst loss\n",
			"proven");
	else
		fprintf(out,
			"%-14sno mechanism at this epsilon has a worst loss that is smaller by "
			"more than %.3g\n",
			"proven", sotto_rational_double_up(&width));
	channel_print_epsilon(14, "epsilon", v->epsilon_up, out);
	fprintf(out, ", checked exactly%s\n",
		m->remap ? "; it is the geometric mechanism with a random remap" : "");
	sotto_rational_release(&width);
}

static void
write_minimax(const struct sotto_minimax *m, const struct sotto_verdict *v, FILE *out)
{
	struct json_writer json;

	json_begin(&json, out);
	json_open_object(&json);
	channel_write_exact(&json, "loss", &m->loss,
			    sotto_rational_compare(&m->loss, &m->lower) == 0);
	json_member_double(&json, "loss_lower", sotto_rational_double_down(&m->lower));
	json_member_double(&json, "loss_upper", sotto_rational_double_up(&m->loss));
	json_member_text(&json, "method", minimax_method(m));
	json_member_bool(&json, "certified", is_close(&m->lower, &m->loss));
	json_member_double(&json, "epsilon", v->epsilon_up);
	json_close_object(&json);
	json_end(&json);
}

void optimal_show(const struct sotto_optimal *o, const struct sotto_verdict *v,
		  const struct invocation *call)
{
	if (call->format == FORMAT_JSON)
		write_best(o, v, call->out);
	else if (call->format == FORMAT_CSV)
		print_csv("utility", &o->lower, &o->upper, sotto_optimal_method_name(o->method),
			  v, call->out);
	else
		print_best(o, v, call->out);
}

void optimal_show_minimax(const struct sotto_minimax *m, const struct sotto_verdict *v,
			  const struct invocation *call)
{
	if (call->format == FORMAT_JSON)
		write_minimax(m, v, call->out);
	else if (call->format == FORMAT_CSV)
		print_csv("loss", &m->lower, &m->loss, minimax_method(m), v, call->out);
	else
		print_minimax(m, v, call->out);
}

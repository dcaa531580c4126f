/* sotto utility: how useful a mechanism is to a user, and a comparison of mechanisms */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "channel/channel_show.h"
#include "channel/problem_options.h"
#include "channel/utility/utility_compare.h"
#include "channel/utility/utility_draw.h"
#include "channel/utility/utility_long.h"
#include "channel/utility/utility_target.h"
#include "channel/utility/utility_worth.h"
#include "frame/commands.h"
#include "frame/complaint.h"

struct utility_settings {
	struct problem_settings problem;
	const char *mechanism;
	bool compare;
	const char *svg, *pareto;
	const char *range;
	bool log;
	struct option_rational target;
};

#define OPTION(field, name_, argument_, kind_, help_)                                          \
	.name = name_, .argument = argument_, .kind = kind_, .help = help_,                    \
	.offset = offsetof(struct utility_settings, field)

static const struct option options[] = {
	{OPTION(mechanism, "mechanism", "M", OPTION_TEXT,
		"geometric, laplace, k-rr, exponential, exponential-retuned, tight or a CSV "
		"file; default geometric on a path, else k-rr"),
	 .letter = 'm'},
	PROBLEM_OPTIONS(struct utility_settings),
	{OPTION(compare, "compare", NULL, OPTION_FLAG,
		"compare all mechanisms, or those that the problem file lists, with the best "
		"one")},
	{OPTION(target, "target", "U", OPTION_RATIONAL,
		"also find the smallest epsilon whose best mechanism is worth U")},
	{OPTION(svg, "svg", "FILE", OPTION_TEXT, "draw utility against epsilon")},
	{OPTION(svg, "plot", "FILE", OPTION_TEXT, "the same as --svg"), .hidden = true},
	{OPTION(pareto, "pareto", "FILE", OPTION_TEXT,
		"draw utility against min-entropy leakage")},
	{OPTION(range, "eps-range", "A:B:N", OPTION_TEXT,
		"with --svg or --pareto: N epsilons from A to B; default 0.1:3:30")},
	{OPTION(log, "log", NULL, OPTION_FLAG, "with --svg: epsilon on a log scale")},
	OPTIONS_END};

/* ---- the whole ------------------------------------------------------------------------------------------------ */

/* What is asked for, or what suits the graph. */
static const char *chosen(const struct sotto_user_case *p)
{
	if (p->mechanisms[0])
		return p->mechanisms[0];
	return channel_is_path(p) ? "geometric" : "k-rr";
}

static void print_worth(const struct sotto_user_case *p, const struct worth *w,
			const struct target *target, const struct invocation *call)
{
	const struct utility_settings *s = call->settings;
	struct json_writer json;

	if (call->format == FORMAT_CSV) {
		utility_worth_csv(chosen(p), w, call->out);
		return;
	}
	if (call->format != FORMAT_JSON) {
		utility_worth_print(p, w, call->out);
		if (s->target.given)
			utility_target_print(target, s->target.text, call->out);
		return;
	}
	json_begin(&json, call->out);
	json_open_object(&json);
	utility_worth_write(&json, p, chosen(p), w);
	if (s->target.given)
		utility_target_write(&json, target);
	json_close_object(&json);
	json_end(&json);
}

static enum outcome
show(const struct sotto_user_case *p, const struct invocation *call, struct sotto_error *err)
{
	const struct utility_settings *s = call->settings;
	struct sotto_error why = {""};
	struct target target = {.epsilon = NAN};
	struct worth w;
	enum sotto_status st = utility_worth_find(p, chosen(p), &w, &why);

	if (st == SOTTO_ERANGE && !why.text[0])
		return complaint_usage(err, "there are too many answers for exact fractions; "
					    "take fewer, or the geometric mechanism on a path");
	if (st != SOTTO_OK)
		return channel_complain(st, &why, err);
	if (s->target.given)
		utility_target_find(p, &s->target.value, &target);
	print_worth(p, &w, &target, call);
	if (s->target.given)
		utility_target_release(&target);
	utility_worth_release(&w);
	return OUTCOME_DONE;
}

/* One mechanism in full, or several side by side. */
static enum outcome
look(const struct sotto_user_case *p, const struct invocation *call, struct sotto_error *err)
{
	const struct utility_settings *s = call->settings;
	bool several = p->mechanisms[0] && p->mechanisms[1];

	if (several && s->target.given)
		return complaint_usage(err, "--target is for one mechanism; name it with "
					    "--mechanism");
	return s->compare || several ? utility_compare(p, call, err) : show(p, call, err);
}

static enum outcome run(const struct invocation *call, struct sotto_error *err)
{
	const struct utility_settings *s = call->settings;
	const struct utility_picture picture = {.curve = s->svg,
						.pareto = s->pareto,
						.range = s->range ? s->range : "0.1:3:30",
						.log = s->log};
	bool drawn = picture.curve || picture.pareto;
	struct sotto_user_case problem;
	enum outcome outcome;

	if (s->compare && s->target.given)
		return complaint_usage(err, "--target does not go with --compare");
	if (s->range && !drawn)
		return complaint_usage(err, "--eps-range goes with --svg or --pareto");
	if (s->log && !picture.curve)
		return complaint_usage(err, "--log goes with --svg");
	if (utility_long_suits(&s->problem, s->mechanism, call)) {
		if (s->compare || drawn || s->target.given)
			return complaint_usage(err,
					       "--compare, --svg, --pareto and --target are "
					       "for at most %d answers",
					       UTILITY_EXACT_MAX);
		return utility_long(&s->problem, call, err);
	}
	outcome = channel_problem_read(call, &s->problem, s->mechanism, &problem, err);
	if (outcome != OUTCOME_DONE)
		return outcome;
	outcome = look(&problem, call, err);
	if (outcome == OUTCOME_DONE && drawn)
		outcome = utility_draw(&problem, &picture, err);
	sotto_user_case_release(&problem);
	return outcome;
}

const struct command command_utility = {
	.name = "utility",
	.summary = "say how useful a mechanism is to a user, or compare mechanisms",
	.usage = "--n N --epsilon E [--mechanism M] [OPTION]...\nPROBLEM.yaml [OPTION]...",
	.details = "A user has a prior over the answers 0 .. N-1 and a gain for each guess.  "
		   "The\n"
		   "utility is the expected gain of the best guess after seeing the output; it "
		   "is\n"
		   "computed exactly.  PROBLEM.yaml contains answers, graph, epsilon, prior, "
		   "gain\n"
		   "and mechanism; options override it.",
	.options = options,
	.settings_size = sizeof(struct utility_settings),
	.operands_max = 1,
	.prints_results = true,
	.run = run,
};

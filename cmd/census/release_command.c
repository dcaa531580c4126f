/* sotto release: tables that add up, for every level of a hierarchy */
#include "census/release_command.h"

#include "frame/commands.h"
#include "frame/complaint.h"

#define OPTION(field, name_, argument_, kind_, help_)                                          \
	.name = name_, .argument = argument_, .kind = kind_, .help = help_,                    \
	.offset = offsetof(struct release_settings, field)

static const char *const roundings[] = {"l1", "unbiased", "fast", NULL};
static const char *const scales[] = {"county", "state", "nation", NULL};
static const uint64_t scale_counties[] = {1, 62, 3143};
static const char *const variants[] = {"plain",    "chains",   "empty", "wide",
				       "one-cell", "quarters", "huge",  NULL};

static const struct option options[] = {
	{OPTION(check, "check", NULL, OPTION_FLAG,
		"only print cost and expected error, and what several plans cost "
		"together")},
	{OPTION(explain, "explain", "NODE", OPTION_TEXT,
		"print what holds in one node and the error to expect; releases nothing")},
	{OPTION(policy, "policy", "FILE", OPTION_TEXT,
		"charge the ledger of this policy; without it nothing is charged")},
	{OPTION(analyst, "analyst", "NAME", OPTION_TEXT,
		"name under which the release is charged (default curator)")},
	{OPTION(threads, "threads", "N", OPTION_COUNT, "how many threads to use"),
	 .range = RANGE_POSITIVE, .fallback = "1"},
	{OPTION(memory_limit, "memory-limit", "SIZE", OPTION_TEXT,
		"memory that the release may use, like 512MiB or 2GiB")},
	{OPTION(resume, "resume", "DIR", OPTION_TEXT,
		"continue the interrupted release in DIR, without charging again")},
	{OPTION(test_seed, "test-seed", "N", OPTION_COUNT,
		"use reproducible noise, for tests only: the output says NOT PRIVATE")},
	{OPTION(generate, "generate", "DIR", OPTION_TEXT,
		"write a made-up nation and a plan for it into DIR")},
	{OPTION(scale, "scale", "SIZE", OPTION_CHOICE, "size of what --generate makes"),
	 .choices = scales},
	{OPTION(counties, "counties", "N", OPTION_COUNT,
		"how many counties --generate makes, in place of --scale"),
	 .range = RANGE_POSITIVE},
	{OPTION(variant, "variant", "WHICH", OPTION_CHOICE, "what makes the nation difficult"),
	 .choices = variants},
	{OPTION(sparsity, "sparsity", "X", OPTION_RATIONAL,
		"non-empty cells of a block group that --generate aims at, 30 to 100"),
	 .range = RANGE_POSITIVE, .fallback = "35"},
	{OPTION(seed, "seed", "N", OPTION_COUNT, "which nation --generate makes"),
	 .fallback = "1"},
	{OPTION(estimate, "estimate", "FILE", OPTION_TEXT,
		"estimate the nodes of a small tree (JSON)")},
	{OPTION(variance, "variance", "FILE", OPTION_TEXT,
		"variances of all marginals of a small shape (JSON)")},
	{OPTION(round, "round", "FILE", OPTION_TEXT,
		"round a table or a list to whole numbers (JSON)")},
	{OPTION(exact, "exact", NULL, OPTION_FLAG, "print fractions, not decimals")},
	{OPTION(rounding, "rounding", "HOW", OPTION_CHOICE, "how --round rounds"),
	 .choices = roundings},
	{OPTION(convert, "convert", "RHO", OPTION_RATIONAL,
		"print the epsilon that rho implies at --delta"),
	 .range = RANGE_NOT_NEGATIVE},
	{OPTION(convert_epsilon, "convert-epsilon", "E", OPTION_RATIONAL,
		"print the largest rho that implies epsilon E at --delta"),
	 .range = RANGE_NOT_NEGATIVE},
	{OPTION(delta, "delta", "D", OPTION_RATIONAL, "delta of the conversions"),
	 .range = RANGE_INSIDE_UNIT, .fallback = "1e-10"},
	OPTIONS_END};

enum outcome release_outcome(enum sotto_status status, struct sotto_error *err)
{
	if (status != SOTTO_OK && err->text[0] == '\0')
		(void)complaint_refuse(err, "%s", sotto_status_text(status));
	switch (status) {
	case SOTTO_OK:
		return OUTCOME_DONE;
	case SOTTO_EINVAL:
	case SOTTO_ERANGE:
	case SOTTO_EPARSE:
	case SOTTO_ESTATE:
	case SOTTO_EMISSING:
	case SOTTO_EREFUSED:
	case SOTTO_EOVERFLOW:
		return OUTCOME_USAGE;
	case SOTTO_EINFEASIBLE:
		return OUTCOME_INFEASIBLE;
	case SOTTO_EBUDGET:
		return OUTCOME_BUDGET;
	case SOTTO_ENOMEM:
	case SOTTO_EENTROPY:
	case SOTTO_EIO:
	case SOTTO_ECORRUPT:
		break;
	}
	return OUTCOME_REFUSED;
}

static enum outcome generate(const struct release_settings *settings, struct sotto_error *err)
{
	const struct sotto_nation_request request = {
		.folder = settings->generate,
		.counties = settings->counties.given ? settings->counties.value
						     : scale_counties[settings->scale],
		.cells = sotto_rational_double_up(&settings->sparsity.value),
		.seed = settings->seed.value,
		.variant = (enum sotto_nation_variant)settings->variant};

	return release_outcome(sotto_census_generate(&request, err), err);
}

static enum outcome run(const struct invocation *call, struct sotto_error *err)
{
	const struct release_settings *settings = call->settings;
	size_t asked = (size_t)((settings->estimate != NULL) + (settings->variance != NULL) +
				(settings->round != NULL) + (settings->generate != NULL) +
				settings->convert.given + settings->convert_epsilon.given);

	if (asked == 0 && call->operands.count > 1 && !settings->check)
		return complaint_usage(err,
				       "a release has one plan; only --check takes several");
	if (asked == 0 ? call->operands.count == 0 : asked + call->operands.count > 1)
		return complaint_usage(
			err, "give a plan, or one of --generate, --estimate, --variance, "
			     "--round, --convert and --convert-epsilon");
	if (asked == 0)
		return release_plan(call, err);
	if (settings->convert.given || settings->convert_epsilon.given)
		return release_convert(call, err);
	if (settings->generate)
		return generate(settings, err);
	return release_small(call, err);
}

const struct command command_release = {
	.name = "release",
	.summary = "publish tables that add up, for every level of a hierarchy",
	.usage = "PLAN [--explain NODE] [--policy FILE] [OPTION]...\n"
		 "PLAN... --check\n"
		 "--generate DIR [--scale SIZE | --counties N] [--variant WHICH]\n"
		 "--estimate FILE | --variance FILE | --round FILE\n"
		 "--convert RHO | --convert-epsilon E [--delta D]",
	.details =
		"PLAN is a YAML file that says what is measured and how much it may cost; see\n"
		"\"man 5 sotto-release-plan\".  \"sotto release --generate DIR\" writes a\n"
		"made-up nation and a plan to start from.  --check prints the cost beforehand.",
	.options = options,
	.settings_size = sizeof(struct release_settings),
	.operands_max = SIZE_MAX,
	.prints_results = true,
	.one_is_failure = true,
	.run = run,
};

/*
 * One rule for each entry of the table of functions: interval arithmetic for numbers, fixed
 * ranges for parts of dates, lists for the names of months and days.
 */
#include "central/expression/range/call_range.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "central/aggregate/measure/magnitude.h"
#include "central/expression/bind.h"
#include "central/expression/domain/public_domain.h"
#include "central/expression/range/value_range.h"
#include "core/base/calendar.h"
#include "core/base/failure.h"
#include "core/base/yaml.h"

static enum sotto_status
power_range(struct sotto_binder *b, const struct sotto_bound *args, struct sotto_bound *out)
{
	const struct sotto_rational *exponent = args[1].number;
	struct sotto_value_range r = args[0].range;

	if (!exponent || !sotto_range_is_closed(r) || mpq_cmp_ui(exponent->q, 2, 1) != 0)
		return SOTTO_OK;
	SOTTO_TRY(sotto_range_absolute(b->arena, r, &r));
	return sotto_range_multiply(b->arena, r, r, &out->range);
}

/* Rounded values lie at most one unit of the last digit that is kept outside. */
static enum sotto_status
round_range(struct sotto_binder *b, const struct sotto_bound *args, struct sotto_bound *out)
{
	long digits = args[1].number ? mpz_get_si(mpq_numref(args[1].number->q)) : 0;
	struct sotto_value_range unit, range = args[0].range;
	int64_t size = 1;

	for (long i = digits; i < 0; i++) {
		if (i < -18)
			return SOTTO_OK;
		size *= 10;
	}
	SOTTO_TRY(sotto_range_whole(b->arena, range, &range));
	if (size == 1) {
		out->range = range;
		return SOTTO_OK;
	}
	SOTTO_TRY(sotto_range_of(b->arena, -size, size, &unit));
	return sotto_range_add(b->arena, range, unit, &out->range);
}

static enum sotto_status number_range(struct sotto_binder *b, const struct sotto_function *f,
				      const struct sotto_bound *args, struct sotto_bound *out)
{
	switch (f->known) {
	case SOTTO_KNOWN_ABSOLUTE:
		return sotto_range_absolute(b->arena, args[0].range, &out->range);
	case SOTTO_KNOWN_ROUND:
	case SOTTO_KNOWN_TRUNCATE:
		return round_range(b, args, out);
	case SOTTO_KNOWN_WITHIN_ONE:
		return sotto_range_of(b->arena, -1, 1, &out->range);
	case SOTTO_KNOWN_QUOTIENT:
		SOTTO_TRY(sotto_range_divide(b->arena, args[0].range, args[1].range,
					     &out->range));
		return sotto_range_whole(b->arena, out->range, &out->range);
	case SOTTO_KNOWN_POWER:
		return power_range(b, args, out);
	default:
		break;
	}
	if (f->known == SOTTO_KNOWN_WHOLE)
		return sotto_range_whole(b->arena, args[0].range, &out->range);
	if (f->growing)
		return sotto_range_growing(b->arena, args[0].range, f->growing, &out->range);
	return SOTTO_OK;
}

/* Of a date within bounds: from the year of the first day to that of the last. */
static enum sotto_status
year_range(struct sotto_binder *b, const struct sotto_bound *date, struct sotto_bound *out)
{
	char first[SOTTO_CALENDAR_TEXT], last[SOTTO_CALENDAR_TEXT];

	if (!sotto_range_is_closed(date->range))
		return SOTTO_OK;
	sotto_calendar_format(mpz_get_si(mpq_numref(date->range.lo->q)), first);
	sotto_calendar_format(mpz_get_si(mpq_numref(date->range.hi->q)), last);
	return sotto_range_of(b->arena, strtol(first, NULL, 10), strtol(last, NULL, 10),
			      &out->range);
}

static enum sotto_status
part_range(struct sotto_binder *b, const struct sotto_bound *args, struct sotto_bound *out)
{
	const struct sotto_date_part *p = sotto_date_part(args[0].literal->text);

	if (strcmp(p->name, "year") == 0)
		return year_range(b, &args[1], out);
	if (p->hi == 0)
		return SOTTO_OK;
	SOTTO_TRY(sotto_range_of(b->arena, p->lo, p->hi, &out->range));
	return sotto_domain_integers(b->arena, p->lo, p->hi, out->nullable, &out->domain);
}

enum { LENGTH_MAX = 1000000 };

static enum sotto_status bucket_range(struct sotto_binder *b, const struct sotto_sql_expr *e,
				      const struct sotto_bound *args, struct sotto_bound *out)
{
	long buckets = mpz_get_si(mpq_numref(args[3].number->q));

	if (!args[1].number || !args[2].number || buckets < 1 ||
	    sotto_rational_compare(args[1].number, args[2].number) >= 0)
		return sotto_bind_refuse(
			b, e,
			"width_bucket takes (x, lowest, highest, buckets) with "
			"lowest below highest, all three written out");
	SOTTO_TRY(sotto_range_of(b->arena, 0, buckets + 1, &out->range));
	return sotto_domain_integers(b->arena, 0, buckets + 1, args[0].nullable, &out->domain);
}

/* The names of months and days. */
static enum sotto_status name_domain(struct sotto_binder *b, bool days, struct sotto_bound *out)
{
	static const char *const months[] = {"January",   "February", "March",    "April",
					     "May",       "June",     "July",     "August",
					     "September", "October",  "November", "December"};
	static const char *const week[] = {"Monday", "Tuesday",  "Wednesday", "Thursday",
					   "Friday", "Saturday", "Sunday"};

	return sotto_domain_texts(b->arena, days ? week : months, days ? 7 : 12, out->nullable,
				  &out->domain);
}

/* Texts have a greatest length, in characters of up to four bytes. */
static enum sotto_status length_range(struct sotto_binder *b, const struct sotto_function *f,
				      const struct sotto_bound *text, struct sotto_bound *out)
{
	double most = text->load.length * (f->known == SOTTO_KNOWN_BYTES ? 4 : 1);

	if (!(most >= 1 && most <= LENGTH_MAX))
		return SOTTO_OK;
	out->is_length = true;
	return sotto_range_of(b->arena, 0, (long)most, &out->range);
}

static enum sotto_status finish_number(struct sotto_binder *b, const struct sotto_sql_expr *e,
				       const struct sotto_function *f,
				       const struct sotto_bound *args, struct sotto_bound *out)
{
	out->is_double = true;
	if (f->known == SOTTO_KNOWN_WHOLE || f->known == SOTTO_KNOWN_QUOTIENT ||
	    (f->known == SOTTO_KNOWN_ROUND && e->count == 1)) {
		out->type = SOTTO_TYPE_INTEGER;
		out->divides = true;
	}
	return number_range(b, f, args, out);
}

enum sotto_status sotto_call_finish(struct sotto_binder *b, const struct sotto_sql_expr *e,
				    const struct sotto_function *f,
				    const struct sotto_bound *args, struct sotto_bound *out)
{
	if (f->type == SOTTO_TYPE_BOOLEAN)
		return sotto_domain_boolean(b->arena, out->nullable, &out->domain);
	if (f->type == SOTTO_TYPE_NUMBER)
		return finish_number(b, e, f, args, out);
	switch (f->known) {
	case SOTTO_KNOWN_DATE_PART:
		out->divides = true; /* EXTRACT is numeric: 1995 / 10 is 199.5 */
		return part_range(b, args, out);
	case SOTTO_KNOWN_DATE_DIFFERENCE:
		return sotto_date_diff_range(b->arena, args[0].literal->text, args[1].range,
					     args[2].range, &out->range);
	case SOTTO_KNOWN_MONTH_NAME:
	case SOTTO_KNOWN_DAY_NAME:
		return name_domain(b, f->known == SOTTO_KNOWN_DAY_NAME, out);
	case SOTTO_KNOWN_BUCKET:
		return bucket_range(b, e, args, out);
	case SOTTO_KNOWN_LENGTH:
	case SOTTO_KNOWN_BYTES:
		return length_range(b, f, &args[0], out);
	case SOTTO_KNOWN_MAGNITUDE:
		return sotto_domain_integers(b->arena, -SOTTO_MAGNITUDE_MAX,
					     SOTTO_MAGNITUDE_MAX, out->nullable, &out->domain);
	default:
		return SOTTO_OK;
	}
}

/*
 * Keeps scales at planning time and writes rounding to them into the query; arithmetic between
 * literals is done here, in fractions.
 */
#include "central/expression/number/decimal.h"

#include "central/expression/binder.h"
#include "core/base/arena_rational.h"
#include "core/base/failure.h"

/* Digits of a DECIMAL of the engine, and of one that fits 64 bits. */
enum { ENGINE_DIGITS = 38, SHORT_DIGITS = 18 };

bool sotto_decimal_digits(const struct sotto_rational *r, unsigned *scale)
{
	unsigned s = 0;
	mpz_t power;

	mpz_init_set_ui(power, 1);
	while (s <= SOTTO_SCALE_MAX && !mpz_divisible_p(power, mpq_denref(r->q))) {
		mpz_mul_ui(power, power, 10);
		s++;
	}
	mpz_clear(power);
	if (s > SOTTO_SCALE_MAX)
		return false;
	*scale = s;
	return true;
}

bool sotto_decimal_scale(const struct sotto_bound *x, unsigned *scale)
{
	if (x->type == SOTTO_TYPE_INTEGER) {
		*scale = 0;
		return true;
	}
	if (x->number)
		return sotto_decimal_digits(x->number, scale);
	*scale = x->scale;
	return x->is_decimal;
}

bool sotto_decimal_is_wide(const struct sotto_bound *x)
{
	return x->digits > SHORT_DIGITS && !x->is_double;
}

static void set_scale(struct sotto_bound *out, bool is_decimal, unsigned scale)
{
	out->is_decimal = is_decimal && scale <= SOTTO_SCALE_MAX;
	out->scale = out->is_decimal ? scale : 0;
	out->is_rough = false;
}

void sotto_decimal_take(struct sotto_bound *out, const struct sotto_bound *x)
{
	unsigned scale = 0;
	bool known = sotto_decimal_scale(x, &scale);

	set_scale(out, known, scale);
}

void sotto_decimal_meet(struct sotto_bound *out, const struct sotto_bound *x,
			const struct sotto_bound *y)
{
	unsigned s = 0, t = 0;
	bool known = sotto_decimal_scale(x, &s) && sotto_decimal_scale(y, &t);

	set_scale(out, known, s > t ? s : t);
}

/* x / c has an end if 1 / c has. */
static bool inverse_digits(const struct sotto_bound *x, unsigned *scale)
{
	struct sotto_rational inverse;
	bool ends;

	if (!x->number || sotto_rational_sign(x->number) == 0)
		return false;
	sotto_rational_init(&inverse);
	mpq_inv(inverse.q, x->number->q);
	ends = sotto_decimal_digits(&inverse, scale);
	sotto_rational_release(&inverse);
	return ends;
}

void sotto_decimal_arithmetic(enum sotto_sql_op op, const struct sotto_bound *x,
			      const struct sotto_bound *y, struct sotto_bound *out)
{
	unsigned s = 0, t = 0;
	bool known = sotto_decimal_scale(x, &s);

	if (op == SOTTO_SQL_DIVIDE)
		known = known && inverse_digits(y, &t);
	else
		known = known && sotto_decimal_scale(y, &t);
	if (op == SOTTO_SQL_MULTIPLY || op == SOTTO_SQL_DIVIDE)
		s += t;
	else if (t > s)
		s = t;
	set_scale(out, known, s);
	out->is_rough = out->is_decimal && out->scale > 0 && op != SOTTO_SQL_MODULO;
}

/* ---- numbers written out --------------------------------------------------------------------- */

static bool compute(enum sotto_sql_op op, const struct sotto_rational *x,
		    const struct sotto_rational *y, struct sotto_rational *out)
{
	switch (op) {
	case SOTTO_SQL_ADD:
		sotto_rational_add(out, x, y);
		return true;
	case SOTTO_SQL_SUBTRACT:
		sotto_rational_subtract(out, x, y);
		return true;
	case SOTTO_SQL_MULTIPLY:
		sotto_rational_multiply(out, x, y);
		return true;
	case SOTTO_SQL_DIVIDE:
		if (sotto_rational_sign(y) == 0)
			return false;
		mpq_div(out->q, x->q, y->q);
		return true;
	default:
		return false;
	}
}

/* Far from what a DOUBLE, or a whole number of the engine, can be. */
static bool is_moderate(const struct sotto_rational *r, bool whole)
{
	return mpz_sizeinbase(mpq_numref(r->q), 2) <= (whole ? 62 : 900) &&
	       mpz_sizeinbase(mpq_denref(r->q), 2) <= 900;
}

enum sotto_status sotto_decimal_fold(struct sotto_binder *b, enum sotto_sql_op op,
				     const struct sotto_bound *x, const struct sotto_bound *y,
				     struct sotto_bound *out, bool *done)
{
	bool whole = x->type == SOTTO_TYPE_INTEGER && y->type == SOTTO_TYPE_INTEGER;
	struct sotto_rational *r;

	*done = false;
	if (!x->number || !y->number)
		return SOTTO_OK;
	r = sotto_arena_rational(b->arena);
	if (!r)
		return SOTTO_ENOMEM;
	if (!compute(op, x->number, y->number, r))
		return SOTTO_OK;
	if (whole) { /* cut towards zero, as whole numbers divide */
		mpz_tdiv_q(mpq_numref(r->q), mpq_numref(r->q), mpq_denref(r->q));
		mpz_set_ui(mpq_denref(r->q), 1);
	}
	if (!is_moderate(r, whole))
		return SOTTO_OK;
	*out = (struct sotto_bound){.type = whole ? SOTTO_TYPE_INTEGER : SOTTO_TYPE_NUMBER,
				    .is_double = !whole,
				    .number = r,
				    .range = {r, r}};
	out->value = sotto_expression_number(b->arena, r, !whole);
	*done = true;
	return out->value ? SOTTO_OK : SOTTO_ENOMEM;
}

/* ---- settled --------------------------------------------------------------------------------- */

const struct sotto_expression *sotto_decimal_power(struct sotto_arena *a, unsigned scale)
{
	struct sotto_rational *power = sotto_arena_rational(a);

	if (!power)
		return NULL;
	mpz_ui_pow_ui(mpq_numref(power->q), 10, scale);
	return sotto_expression_number(a, power, true);
}

const struct sotto_expression *sotto_decimal_scaled(struct sotto_arena *a,
						    const struct sotto_expression *value,
						    unsigned scale)
{
	return SOTTO_APPLY(a, SOTTO_OP_SCALED, value, sotto_decimal_power(a, scale));
}

enum sotto_status sotto_decimal_settle(struct sotto_binder *b, struct sotto_bound *x)
{
	if (!x->is_rough)
		return SOTTO_OK;
	x->is_rough = false;
	return sotto_bind_made(b, &x->value,
			       SOTTO_APPLY(b->arena, SOTTO_OP_SETTLED, x->value,
					   sotto_decimal_power(b->arena, x->scale)));
}

const struct sotto_expression *sotto_decimal_round(struct sotto_arena *a,
						   const struct sotto_expression *x,
						   unsigned scale, unsigned digits, bool cut)
{
	return SOTTO_APPLY(a, cut ? SOTTO_OP_CUT_DIGITS : SOTTO_OP_ROUND_DIGITS, x,
			   sotto_decimal_power(a, scale),
			   sotto_decimal_power(a, scale - digits),
			   sotto_decimal_power(a, digits));
}

const struct sotto_expression *
sotto_decimal_modulo(struct sotto_arena *a, const struct sotto_expression *x,
		     const struct sotto_expression *y, unsigned scale)
{
	return SOTTO_APPLY(a, SOTTO_OP_DIVIDED_BY,
			   SOTTO_APPLY(a, SOTTO_OP_MODULO, sotto_decimal_scaled(a, x, scale),
				       sotto_decimal_scaled(a, y, scale)),
			   sotto_decimal_power(a, scale));
}

/* ---- as they lie in the table ------------------------------------------------------------------ */

/* Digits before and after the point of a DECIMAL column, or of a number written out. */
static bool native_digits(const struct sotto_bound *x, unsigned *before, unsigned *after)
{
	if (!x->number) {
		*before = x->digits - x->scale;
		*after = x->scale;
		return x->digits > 0 && x->is_decimal && !x->is_double;
	}
	*before = (unsigned)mpz_sizeinbase(mpq_numref(x->number->q), 10);
	return sotto_decimal_digits(x->number, after);
}

/* A number with all its digits: 0.07 */
static const struct sotto_expression *
written(struct sotto_arena *a, const struct sotto_bound *x)
{
	unsigned scale = 0;
	char digits[ENGINE_DIGITS + 4];
	mpz_t k, whole, part, power;

	if (!x->number)
		return x->value;
	if (!sotto_decimal_digits(x->number, &scale) || scale == 0)
		return sotto_expression_number(a, x->number, false);
	mpz_inits(k, whole, part, power, NULL);
	mpz_ui_pow_ui(power, 10, scale);
	mpz_mul(k, mpq_numref(x->number->q), power);
	mpz_divexact(k, k, mpq_denref(x->number->q));
	mpz_abs(k, k);
	mpz_tdiv_qr(whole, part, k, power);
	(void)gmp_snprintf(digits, sizeof digits, "%s%Zd.%0*Zd",
			   sotto_rational_sign(x->number) < 0 ? "-" : "", whole, (int)scale,
			   part);
	mpz_clears(k, whole, part, power, NULL);
	return sotto_expression_decimal(a, sotto_arena_text(a, digits));
}

bool sotto_decimal_native(struct sotto_arena *a, const struct sotto_bound *x,
			  const struct sotto_bound *y, const struct sotto_expression *out[2])
{
	unsigned before[2], after[2];

	if ((x->number && y->number) || !native_digits(x, &before[0], &after[0]) ||
	    !native_digits(y, &before[1], &after[1]))
		return false;
	if ((before[0] > before[1] ? before[0] : before[1]) +
		    (after[0] > after[1] ? after[0] : after[1]) >
	    ENGINE_DIGITS)
		return false;
	out[0] = written(a, x);
	out[1] = written(a, y);
	return out[0] && out[1];
}

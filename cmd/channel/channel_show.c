/*
 * Prints exact numbers as the nearest double and, where it is short, as a fraction; draws a
 * channel as an SVG heat map whose shade follows the square root of each probability.
 */
#include "channel/channel_show.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "frame/allocation.h"
#include "frame/complaint.h"
#include "show/number_text.h"

/* A fraction longer than this says less than its decimals. */
enum { FRACTION_SHOWN = 24, FRACTION_WRITTEN = 400 };

void channel_print_epsilon(int width, const char *label, double epsilon_up, FILE *out)
{
	enum { DIGITS = 12 };
	char *text = memory_text("%.*g", DIGITS, epsilon_up);

	if (strtod(text, NULL) < epsilon_up) {
		free(text);
		text = number_text_rounded_up(epsilon_up, DIGITS);
	}
	fprintf(out, "%-*s%s", width, label, text);
	free(text);
}

double channel_near(const struct sotto_rational *r)
{
	double down = sotto_rational_double_down(r), up = sotto_rational_double_up(r);
	struct sotto_rational middle, x;
	int sign = 0;

	if (down == up || !isfinite(down) || !isfinite(up))
		return down;
	sotto_rational_init(&middle);
	sotto_rational_init(&x);
	if (sotto_rational_set_double(&middle, down) == SOTTO_OK &&
	    sotto_rational_set_double(&x, up) == SOTTO_OK) {
		sotto_rational_add(&middle, &middle, &x);
		sotto_rational_scale(&middle, &middle, -1);
		sign = sotto_rational_compare(r, &middle);
	}
	sotto_rational_release(&middle);
	sotto_rational_release(&x);
	return sign < 0 ? down : up;
}

char *channel_fraction(const struct sotto_rational *r)
{
	char *text = NULL;

	if (sotto_rational_format_fraction(r, &text) != SOTTO_OK)
		memory_fail();
	return text;
}

/* The power of ten that a number too small or too large for a double is near. */
static char *text_of_size(const char *fraction)
{
	bool negative = *fraction == '-';
	size_t above = strcspn(fraction, "/"), length = strlen(fraction);
	size_t below = above < length ? length - above - 1 : 1;

	return memory_text("about %s1e%ld", negative ? "-" : "",
			   (long)(above - negative) - (long)below);
}

char *channel_text_exact(const struct sotto_rational *r)
{
	char *text = channel_fraction(r), *size;
	double near;

	if (strlen(text) <= FRACTION_SHOWN)
		return text;
	near = fabs(channel_near(r));
	size = near < 0x1p-1022 || near >= DBL_MAX ? text_of_size(text)
						   : number_text_rounded(channel_near(r), 12);
	free(text);
	return size;
}

void channel_print_line(int width, const char *label, const struct sotto_rational *r, FILE *out)
{
	char *exact = channel_text_exact(r), *near = number_text_rounded(channel_near(r), 12);

	fprintf(out, "%-*s%s", width, label, near);
	if (strcmp(exact, near) != 0)
		fprintf(out, " = %s", exact);
	fputc('\n', out);
	free(exact);
	free(near);
}

void channel_write_exact(struct json_writer *json, const char *key,
			 const struct sotto_rational *r, bool is_exact)
{
	char *name = memory_text("%s_exact", key), *text = channel_fraction(r);

	json_member_double(json, key, channel_near(r));
	json_key(json, name);
	if (is_exact && strlen(text) <= FRACTION_WRITTEN)
		json_write_text(json, text);
	else
		json_write_null(json);
	free(name);
	free(text);
}

enum outcome
channel_complain(enum sotto_status st, const struct sotto_error *why, struct sotto_error *err)
{
	const char *sentence = why->text[0] ? why->text : sotto_status_text(st);

	if (st == SOTTO_EPARSE || st == SOTTO_EINVAL || st == SOTTO_ERANGE || st == SOTTO_EIO)
		return complaint_usage(err, "%s", sentence);
	return complaint_refuse(err, "%s", sentence);
}

FILE *channel_create(const char *path, struct sotto_error *err)
{
	FILE *f = fopen(path, "w");

	if (!f)
		(void)complaint_refuse(err, "%.300s could not be written", path);
	return f;
}

bool channel_finish(FILE *f, const char *path, struct sotto_error *err)
{
	bool failed = ferror(f);

	failed = fclose(f) != 0 || failed;
	if (failed)
		(void)complaint_refuse(err, "%.300s could not be written", path);
	return !failed;
}

/* ---- heat map ------------------------------------------------------------------------------- */

enum { MAP_SIDE = 480, MAP_LEFT = 64, MAP_TOP = 64, MAP_LABELS = 24, MAP_WIDTH_LEAST = 440 };

/* White for 0, dark blue for 1; the square root lets small probabilities be seen. */
static void print_colour(double p, FILE *out)
{
	double dark = sqrt(p);

	fprintf(out, "#%02x%02x%02x", (int)lround(255 - 247 * dark),
		(int)lround(255 - 207 * dark), (int)lround(255 - 148 * dark));
}

static void draw_cell(const struct sotto_matrix *m, size_t y, size_t z, double side, FILE *out)
{
	struct sotto_rational p;
	char *text;

	sotto_rational_init(&p);
	if (sotto_matrix_get(m, y, z, &p) == SOTTO_OK) {
		text = channel_text_exact(&p);
		fprintf(out,
			"<rect x=\"%.2f\" y=\"%.2f\" width=\"%.2f\" height=\"%.2f\" fill=\"",
			MAP_LEFT + side * (double)z, MAP_TOP + side * (double)y, side, side);
		print_colour(fmin(1, fmax(0, channel_near(&p))), out);
		fprintf(out, "\"><title>answer %zu, output %zu: %s</title></rect>\n", y, z,
			text);
		free(text);
	}
	sotto_rational_release(&p);
}

static void draw_labels(const struct sotto_matrix *m, double side, FILE *out)
{
	size_t rows = sotto_matrix_rows(m), columns = sotto_matrix_columns(m);

	for (size_t y = 0; y < rows && rows <= MAP_LABELS; y++)
		fprintf(out, "<text x=\"%d\" y=\"%.2f\" text-anchor=\"end\">%zu</text>\n",
			MAP_LEFT - 8, MAP_TOP + side * ((double)y + 0.5) + 4, y);
	for (size_t z = 0; z < columns && columns <= MAP_LABELS; z++)
		fprintf(out, "<text x=\"%.2f\" y=\"%d\" text-anchor=\"middle\">%zu</text>\n",
			MAP_LEFT + side * ((double)z + 0.5), MAP_TOP - 8, z);
}

/* Which colour is which probability: 0, 1/4, 1/2, 3/4, 1. */
static void draw_scale(double top, FILE *out)
{
	enum { STEPS = 4, BOX = 36 };

	for (int i = 0; i <= STEPS; i++) {
		fprintf(out,
			"<rect x=\"%d\" y=\"%.2f\" width=\"%d\" height=\"12\" "
			"stroke=\"#cccccc\" fill=\"",
			MAP_LEFT + i * BOX, top, BOX);
		print_colour((double)i / STEPS, out);
		fprintf(out,
			"\"/>\n<text x=\"%d\" y=\"%.2f\" text-anchor=\"middle\">%g</text>\n",
			MAP_LEFT + i * BOX + BOX / 2, top + 28, (double)i / STEPS);
	}
}

void channel_draw(const struct sotto_matrix *channel, const char *title, FILE *out)
{
	size_t rows = sotto_matrix_rows(channel), columns = sotto_matrix_columns(channel);
	size_t most = rows > columns ? rows : columns;
	double side = (double)MAP_SIDE / (double)most;
	double width = fmax(MAP_WIDTH_LEAST, MAP_LEFT + side * (double)columns + 24);
	double bottom = MAP_TOP + side * (double)rows;

	fprintf(out,
		"<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 %.0f %.0f\" "
		"font-family=\"sans-serif\" font-size=\"12\">\n"
		"<rect width=\"100%%\" height=\"100%%\" fill=\"#ffffff\"/>\n"
		"<text x=\"%d\" y=\"22\" font-size=\"15\" font-weight=\"bold\">%s</text>\n"
		"<text x=\"%d\" y=\"40\">columns: output, rows: exact answer; darker is "
		"likelier</text>\n",
		width, bottom + 60, MAP_LEFT, title, MAP_LEFT);
	for (size_t y = 0; y < rows; y++)
		for (size_t z = 0; z < columns; z++)
			draw_cell(channel, y, z, side, out);
	draw_labels(channel, side, out);
	draw_scale(bottom + 20, out);
	fputs("</svg>\n", out);
}

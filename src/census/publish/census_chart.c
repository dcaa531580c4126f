/*
 * Writes the rectangles and texts directly and estimates the widths of texts, because the font
 * is not known.
 */
#include "census/publish/census_chart.h"

#include <math.h>
#include <string.h>

/* Narrow, so that the letters can still be read on a phone, where a chart is made smaller. */
enum { WIDTH = 480, LEFT_MAX = 200, VALUES = 60, BAR = 14, GAP = 14, LEGEND_ROW = 20 };

/* As many as the published plans have queries, and some more; then they come again. */
static const char *const colours[] = {
	"#4269d0", "#efb118", "#ff725c", "#6cc5b0", "#3ca951", "#ff8ab7", "#a463f2", "#97bbf5",
	"#9c6b4e", "#9498a0", "#8a1c4a", "#c7d36f", "#00707a", "#e3c9a8", "#5b4b8a", "#f2d7ff"};
enum { COLOURS = sizeof colours / sizeof colours[0] };

/* From the weakest series to the strongest. */
static const char *const faint = "#c9ccd3", *const middle = "#97bbf5",
			 *const strong = "#4269d0";

void sotto_census_put_html(FILE *f, const char *text)
{
	for (; *text; text++) {
		const char *written = *text == '<'   ? "&lt;"
				      : *text == '>' ? "&gt;"
				      : *text == '&' ? "&amp;"
				      : *text == '"' ? "&quot;"
						     : NULL;

		if (written)
			fputs(written, f);
		else
			fputc(*text, f);
	}
}

/* About 7 pixels a letter: charts are set without knowing the font. */
static double text_width(const char *text)
{
	return 7 * (double)strlen(text);
}

/* Where bars begin: right of the longest name. */
static double left_of(const char *const *names, size_t n)
{
	double left = 0;

	for (size_t i = 0; i < n; i++)
		left = fmax(left, 1.15 * text_width(names[i]) + 10);
	return fmin(left, LEFT_MAX);
}

static void open_figure(FILE *f, const char *title, size_t height)
{
	fputs("<figure><figcaption>", f);
	sotto_census_put_html(f, title);
	fprintf(f,
		"</figcaption>\n<svg role=\"img\" viewBox=\"0 0 %d %zu\" "
		"xmlns=\"http://www.w3.org/2000/svg\"><title>",
		WIDTH, height);
	sotto_census_put_html(f, title);
	fputs("</title>\n", f);
}

static void close_figure(FILE *f)
{
	fputs("</svg></figure>\n", f);
}

static void put_label(FILE *f, double x, double y, const char *anchor, const char *text)
{
	fprintf(f, "<text x=\"%.1f\" y=\"%.1f\" text-anchor=\"%s\">", x, y, anchor);
	sotto_census_put_html(f, text);
	fputs("</text>\n", f);
}

static void
put_bar(FILE *f, double x, double y, double width, const char *colour, const char *label)
{
	fprintf(f,
		"<rect x=\"%.1f\" y=\"%.1f\" width=\"%.2f\" height=\"%d\" fill=\"%s\"><title>",
		x, y, width, BAR, colour);
	sotto_census_put_html(f, label);
	fputs("</title></rect>\n", f);
}

/* Where each entry of a legend stands; returns the height. */
static size_t put_legend(FILE *f, const char *const *names, const char *const *fills, size_t n)
{
	double x = 0;
	size_t y = 0;

	for (size_t i = 0; i < n; i++) {
		double width = 34 + text_width(names[i]);

		if (x > 0 && x + width > WIDTH) {
			x = 0;
			y += LEGEND_ROW;
		}
		if (f) {
			put_bar(f, x, (double)y + 2, BAR, fills[i], names[i]);
			put_label(f, x + BAR + 5, (double)y + 12, "start", names[i]);
		}
		x += width;
	}
	return y + LEGEND_ROW + 8;
}

static const char *series_colour(const struct sotto_census_bars *b, size_t i)
{
	return i == b->marked ? strong : i == 0 ? faint : middle;
}

void sotto_census_put_bars(FILE *f, const struct sotto_census_bars *b)
{
	const char *fills[3] = {faint, middle, strong};
	double largest = 0, y, left = left_of(b->names, b->count);
	size_t top;

	for (size_t i = 0; i < b->count * b->series_count; i++)
		largest = fmax(largest, isfinite(b->values[i]) ? b->values[i] : 0);
	for (size_t i = 0; i < b->series_count && i < 3; i++)
		fills[i] = series_colour(b, i);
	top = put_legend(NULL, b->series, fills, b->series_count);
	open_figure(f, b->title, top + b->count * (b->series_count * BAR + GAP));
	(void)put_legend(f, b->series, fills, b->series_count);
	y = (double)top;
	for (size_t r = 0; r < b->count; r++, y += GAP) {
		put_label(f, left - 8, y + (double)(b->series_count * BAR) / 2 + 4, "end",
			  b->names[r]);
		for (size_t i = 0; i < b->series_count; i++, y += BAR) {
			double value = b->values[r * b->series_count + i];
			double width = largest > 0 && isfinite(value)
					       ? (WIDTH - VALUES - left) * value / largest
					       : 0;
			char text[80];

			if (isfinite(value))
				snprintf(text, sizeof text, value == 0 ? "exact" : "%.3g %s",
					 value, b->unit);
			else
				snprintf(text, sizeof text, "not determined");
			put_bar(f, left, y, fmax(width, 1), fills[i], text);
			put_label(f, left + width + 6, y + 11, "start", text);
		}
	}
	close_figure(f);
}

void sotto_census_put_stack(FILE *f, const struct sotto_census_stack *s)
{
	const char *fills[64];
	size_t n = s->legend_count < 64 ? s->legend_count : 64, top, at = 0;
	double y, left = left_of(s->names, s->count);

	for (size_t i = 0; i < n; i++)
		fills[i] = colours[i % COLOURS];
	top = put_legend(NULL, s->legend, fills, n);
	open_figure(f, s->title, top + s->count * (BAR + GAP));
	(void)put_legend(f, s->legend, fills, n);
	y = (double)top;
	for (size_t r = 0; r < s->count; r++, y += BAR + GAP) {
		double x = left;
		char text[40];

		put_label(f, left - 8, y + 11, "end", s->names[r]);
		for (; at < s->segment_count && s->segments[at].row == r; at++) {
			double width = (WIDTH - VALUES - left) * s->segments[at].share;

			put_bar(f, x, y, width, colours[s->segments[at].colour % COLOURS],
				s->segments[at].label);
			x += width;
		}
		snprintf(text, sizeof text, "%.3g %%", 100 * s->shares[r]);
		put_label(f, x + 6, y + 11, "start", text);
	}
	close_figure(f);
}

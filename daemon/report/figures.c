/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What was measured, in people's words and units. */
#include "daemon/report/internal.h"

#include <math.h>

/* 1234567 as "1,234,567"; 2^53 and more is no exact count any more. */
static void format_grouped(double value, char *buf, size_t size)
{
	char digits[32];
	size_t n, out = 0;

	(void)snprintf(digits, sizeof(digits), "%.0f", fabs(value));
	n = strlen(digits);
	if (value < 0 && !streq(digits, "0") && out + 1 < size)
		buf[out++] = '-';
	for (size_t i = 0; i < n && out + 2 < size; i++) {
		if (i && (n - i) % 3 == 0)
			buf[out++] = ',';
		buf[out++] = digits[i];
	}
	buf[out] = '\0';
}

static void format_seconds(double value, double largest, char *buf, size_t size)
{
	static const struct {
		double from, scale;
		const char *name;
	} units[] = {{1, 1, "s"}, {1e-3, 1e3, "ms"}, {1e-6, 1e6, "µs"}, {0, 1e9, "ns"}};
	size_t u = 0;
	double shown;
	int digits;

	while (fabs(largest) < units[u].from)
		u++;
	shown = value * units[u].scale;
	digits = fabs(shown) >= 1000 ? 0 : fabs(shown) >= 100 ? 1 : fabs(shown) >= 10 ? 2 : 3;
	(void)snprintf(buf, size, "%.*f %s", digits, shown, units[u].name);
}

void format_value(const char *metric, double value, double largest, char *buf, size_t size)
{
	if (!isfinite(value))
		(void)snprintf(buf, size, "-");
	else if (ends_with(metric, "_seconds") && isfinite(largest))
		format_seconds(value, largest, buf, size);
	else if (fabs(value) >= 1e15)
		(void)snprintf(buf, size, "%.4g", value);
	else if (fabs(value) >= 1000 || value == floor(value))
		format_grouped(value, buf, size);
	else
		(void)snprintf(buf, size, "%.4g", value);
}

void format_rate(const cJSON *c, double seconds, char *buf, size_t size)
{
	const char *metric = json_str(c, "metric", "");
	double gib = json_num(json_get(c, "params"), "size_mib", 0) / 1024;
	double rate = gib / seconds;

	buf[0] = '\0';
	if (!starts_with(metric, "dma-map") || !ends_with(metric, "_seconds") || !(gib > 0) ||
		!(seconds > 0) || !isfinite(rate))
		return;
	(void)snprintf(buf, size, "%.*f", rate >= 100 ? 0 : rate >= 10 ? 1 : 2, rate);
}

void format_percent(double fraction, char *buf, size_t size)
{
	double percent = 100 * fraction;

	if (!isfinite(percent))
		(void)snprintf(buf, size, "-");
	else
		(void)snprintf(buf, size, "%+.*f%%", fabs(percent) < 1000 ? 1 : 0, percent);
}

void format_change(const cJSON *c, char *buf, size_t size)
{
	const cJSON *interval = json_get(c, "interval");
	char change[48], low[48], high[48];

	format_percent(json_num(c, "change", NAN), change, sizeof(change));
	if (cJSON_GetArraySize(interval) != 2) {
		(void)snprintf(buf, size, "%s", change);
		return;
	}
	format_percent(cJSON_GetNumberValue(cJSON_GetArrayItem(interval, 0)), low, sizeof(low));
	format_percent(cJSON_GetNumberValue(cJSON_GetArrayItem(interval, 1)), high, sizeof(high));
	low[strcspn(low, "%")] = '\0';
	high[strcspn(high, "%")] = '\0';
	(void)snprintf(buf, size, "%s [%s, %s]", change, low, high);
}

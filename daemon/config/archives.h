/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Which mailing-list archives a lab follows, and where it fetches a message id: one YAML file,
 * STATE/archives.yaml (docs/OPERATIONS.md). Resolved:
 *
 *   {"fetch":"https://lore.kernel.org/all/",
 *    "archives":[{"name":"kvm", "address":"https://lore.kernel.org/kvm/", "tree":"debian-6.12",
 *                 "profile":"dma", "until":"test", "every_seconds":300, "history_seconds":0,
 *                 "paths":["drivers/vfio"], "lists":[], "allow":["@example.org"],
 *                 "trust":["smtp.example.org"]}]}
 *
 * All members are always there; tree may be null (the only one there is).
 */
#ifndef CONFIG_ARCHIVES_H
#define CONFIG_ARCHIVES_H

#include "base/json.h"

#define ARCHIVES_FETCH "https://lore.kernel.org/all/"

/* A file that is not there names no archives. ERR_SYNTAX says what to write instead. */
int archives_load(const char *path, cJSON **ret_config, struct error *e);
int archives_parse(
	const char *path, const char *text, size_t len, cJSON **ret_config, struct error *e);

#endif

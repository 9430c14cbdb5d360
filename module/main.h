/* SPDX-License-Identifier: GPL-2.0-only */
/* What joins the table, the kernel's hooks and securityfs. */
#ifndef SELINUX_AVC_MAIN_H
#define SELINUX_AVC_MAIN_H

#include <linux/mm.h>

#include <linux/selinux_avc.h>

#include "table.h"

/* The table that the kernel's lookups go to. */
extern struct avc_table avc_table;

/* backend.c */
int avc_backend_enable(bool take_threshold);
void avc_backend_disable(void);
bool avc_backend_active(void);
int avc_hash_stats_print(char *page);

/* securityfs.c */
int avc_securityfs_init(void);
void avc_securityfs_exit(void);

#endif /* SELINUX_AVC_MAIN_H */

/* SPDX-License-Identifier: GPL-3.0-or-later */
/* iommufd itself: an IOAS, the device attached to it, then IOAS_MAP and IOAS_UNMAP. */
#include "agents/target/iommufd.h"
#include "agents/target/mapper.h"
#include <errno.h>

struct mapper {
	struct iommufd iommufd;
	uint32_t ioas;
	bool read_only;
};

static struct mapper *close_mapper(struct mapper *m)
{
	if (!m)
		return NULL;
	iommufd_close(&m->iommufd);
	free(m);
	return NULL;
}

static int attach(struct mapper *m, const struct mapper_options *options, struct error *e)
{
	int err = iommufd_ioas_alloc(&m->iommufd, &m->ioas, e);

	if (!err && options->small_pages)
		err = iommufd_ioas_small_pages(&m->iommufd, m->ioas, e);
	if (err)
		return err;
	err = iommufd_attach(&m->iommufd, m->ioas);
	if (err)
		return error_set(
			e, err, "VFIO_DEVICE_ATTACH_IOMMUFD_PT failed: %s", strerror(-err));
	/* So that it can be asked what pages the IOMMU has: iommufd itself does not say. */
	return iommufd_set_compatible(&m->iommufd, m->ioas, e);
}

static int open_mapper(const struct pci_device *device, const struct mapper_options *options,
	struct mapper **ret_mapper, struct error *e)
{
	struct mapper *m = xmalloc(sizeof(*m));
	int err;

	*m = (struct mapper){IOMMUFD_INIT, 0, options->read_only};
	err = iommufd_open(device, &m->iommufd, e);
	if (!err)
		err = attach(m, options, e);
	if (err) {
		close_mapper(m);
		return err;
	}
	*ret_mapper = m;
	return 0;
}

static int info(struct mapper *m, struct mapper_info *ret_info, struct error *e)
{
	return mapper_read_info(m->iommufd.fd, ret_info, e);
}

static int map(struct mapper *m, void *memory, uint64_t iova, uint64_t size)
{
	return iommufd_map(&m->iommufd, m->ioas, memory, iova, size, m->read_only);
}

static int unmap(struct mapper *m, uint64_t iova, uint64_t size, uint64_t *ret_unmapped)
{
	return iommufd_unmap(&m->iommufd, m->ioas, iova, size, ret_unmapped);
}

const struct mapper_ops mapper_iommufd = {
	.name = "iommufd",
	.open = open_mapper,
	.close = close_mapper,
	.info = info,
	.map = map,
	.unmap = unmap,
};

import type { GetProductsRequest } from '@adcp/sdk/types'
import type { Product } from '../../domain/product/product.ts'

/** What a brief answers with by default: the best, so that an assistant pays for no long tail. `total_count` says how many there are. */
export const BRIEF_PAGE = 8
/** The same where formats are there twice, as ids and as declarations: half of such a row are formats. */
const DECLARED_PAGE = 5

/**
 * Whether the request names a version: client libraries do, those of later releases among them, which need `format_options` (the Python
 * client, converting to 3.0, keeps `adcp_major_version` alone). Assistants name none, and get rows without what they cannot use.
 */
export function namesVersion(request: object): boolean {
  return 'adcp_version' in request || 'adcp_major_version' in request
}

/** Every product that the request or its proposals name is on the first page. */
export function pageSize({ refine = [] }: GetProductsRequest, proposed: readonly Product[], best: number): number {
  return Math.max(best, proposed.length + refine.filter(({ scope }) => scope === 'product').length)
}

/** How many of the best products a request is answered with by default. */
export function bestOf(request: object): number {
  return namesVersion(request) ? DECLARED_PAGE : BRIEF_PAGE
}

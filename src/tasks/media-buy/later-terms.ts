import type { GetProductsRequest } from '@adcp/sdk/types'
import { briefTargeting } from '../../domain/product/hard-targeting.ts'
import type { DiscoveryTerms, HeldTerms } from '../../domain/product/product-question.ts'
import type { PublicContext } from '../../pipeline/task.ts'

/** The terms of 3.2 that a request states, and those that the words of its brief demand; undefined in the words of an earlier release. */
export function laterTerms(
  request: GetProductsRequest & DiscoveryTerms,
  { contract }: PublicContext,
): (GetProductsRequest & HeldTerms) | undefined {
  return contract.rules.discoveryTargeting ? { ...request, brief_targeting: briefTargeting(request) } : undefined
}

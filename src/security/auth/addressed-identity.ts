import type { Identity } from '../../domain/identity/identity.ts'
import { publisherIn } from './addressed-publisher.ts'

/**
 * The principal that a credential stands for, of all that it was registered for, the first registered first: at the publisher that the address names, else at the one whose address it is, else where it was
 * registered first, so that a publisher who registers it too takes it from nobody. Undefined when there is none, or several at one publisher.
 */
export async function addressedIdentity(
  identities: readonly Identity[],
  target: string,
  publicTenant: () => Promise<string | undefined>,
): Promise<Identity | undefined> {
  const publishers = new Set(identities.map(({ tenant }) => tenant.tenantId))
  const [first] = publishers
  if (publishers.size < 2) return identities.length === 1 ? identities[0] : undefined
  const named = publisherIn(target)
  const own = named === undefined ? await publicTenant() : undefined
  const publisher = named ?? (own !== undefined && publishers.has(own) ? own : first)
  const there = identities.filter(({ tenant }) => tenant.tenantId === publisher)
  return there.length === 1 ? there[0] : undefined
}

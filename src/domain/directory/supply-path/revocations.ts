import { isObject } from '../../../protocol/is-object.ts'
import { publisherDomain } from '../publisher-domain.ts'
import type { Manifest, Revocations, SupplyPathInput } from './types.ts'

/** What the two files, and what they said within the last seven days, revoke. A list that cannot be read revokes the other party. */
export function readRevocations(
  owner: Manifest | undefined,
  host: Manifest | undefined,
  { ownerDomain, hostDomain }: Pick<SupplyPathInput, 'ownerDomain' | 'hostDomain'>,
  held: SupplyPathInput['heldRevocations'],
): Revocations {
  const [byOwner, byHost] = [revokedBy(owner, held?.owner), revokedBy(host, held?.host)]
  return {
    ownerItself: byOwner.domains.has(ownerDomain),
    hostItself: byHost.domains.has(hostDomain),
    betweenThem: byOwner.domains.has(hostDomain) || byHost.domains.has(ownerDomain) || !byOwner.isReadable || !byHost.isReadable,
  }
}

function revokedBy(file: Manifest | undefined, held: readonly string[] = []) {
  const list = file?.revoked_publisher_domains ?? []
  const named = Array.isArray(list) ? list.map((entry) => publisherDomain(isObject(entry) ? entry.publisher_domain : entry)) : []
  const domains = new Set([...named, ...held.map(publisherDomain)].flatMap((domain) => domain ?? []))
  return { domains, isReadable: Array.isArray(list) && !named.includes(undefined) }
}

import { blocks } from '../../domain/directory/revocation.ts'
import type { SupplyPathInput } from '../../domain/directory/supply-path/types.ts'
import type { Db } from '../../store/database.ts'
import { listHoldsOn } from '../../store/directory/directory-sources.ts'
import { wellKnownUrl } from './fetch-adagents.ts'

/**
 * What the files of owner and host revoked within the last seven days, as far as the directory has read them: owner and host, each by the
 * publisher that said so.
 */
export async function heldRevocations(
  db: Db,
  { ownerDomain, hostDomain }: Pick<SupplyPathInput, 'ownerDomain' | 'hostDomain'>,
  now: Date,
): Promise<NonNullable<SupplyPathInput['heldRevocations']>> {
  const holds = (await Promise.all([ownerDomain, hostDomain].map((domain) => listHoldsOn(db, domain)))).flat()
  const heldBy = (domain: string) =>
    holds.filter((hold) => hold.fileUrl === wellKnownUrl(domain) && blocks(hold, now.getTime())).map(({ publisher }) => publisher)
  return { owner: heldBy(ownerDomain), host: heldBy(hostDomain) }
}

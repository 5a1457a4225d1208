import { type ListReaderParts, startListReader } from '../ad-serving/embedded/list-reader.ts'
import { agentKey } from '../domain/directory/agent-url.ts'
import type { BackgroundJob } from '../platform/scheduler/background-job.ts'
import type { ListTokenSeal } from '../security/secrets/list-token-seal.ts'
import { findTenant } from '../store/identity/tenants.ts'
import type { ProductCache } from '../store/product/product-cache.ts'
import { storedListMembers } from '../tasks/stored-list-members.ts'

interface Parts extends Omit<ListReaderParts, 'readOwn' | 'collectionsOf' | 'openToken'> {
  readonly products: ProductCache
  readonly agentUrl: string
  readonly listTokens: ListTokenSeal
}

/** Starts the background job that reads the property and collection lists that lines of the embedded ad server are targeted to. */
export function startReferencedLists({ products, agentUrl, listTokens, ...parts }: Parts): BackgroundJob {
  const { read: db } = parts.store
  const ownKey = agentKey(agentUrl)
  return startListReader({
    ...parts,
    openToken: listTokens.open,
    readOwn: async (tenantId, kind, reference) =>
      agentKey(reference.agent_url) === ownKey ? storedListMembers({ db, products }, tenantId, kind, reference) : undefined,
    async collectionsOf(tenantId) {
      const tenant = await findTenant(db, tenantId)
      const { collections } = tenant ? await products.get(db, tenant, undefined) : { collections: [] }
      return collections.map(({ collection_id: id, name, distribution = [] }) => ({
        id,
        name,
        identifiers: distribution.flatMap(({ identifiers }) => identifiers.map(({ type, value }) => `${type}:${value}`)),
      }))
    },
  })
}

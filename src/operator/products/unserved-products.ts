import type { AdServers } from '../../ad-serving/ad-servers.ts'
import { publicOrigin } from '../../config/config.ts'
import { readServedProducts } from '../../store/product/served-products.ts'
import type { OperatorContext } from '../operator-context.ts'

/** What a person does about products that no ad server serves. */
export const UNSERVED_ADVICE = 'give them to an ad server that serves them (sales-agent adservers add --products), or pause them'

/** Products that are named. */
const MOST_NAMED = 5

/**
 * Products on sale of which an ad server of the publisher serves nothing, so that production buyers are not offered them, in one sentence; undefined: there are none.
 * `adServers`: those of the configuration unless they are given. Throws ConfigError when the configuration names one that cannot be loaded.
 */
export async function describeUnserved(
  { store, config, services }: Pick<OperatorContext, 'store' | 'config' | 'services'>,
  tenantId: string,
  adServers?: AdServers,
): Promise<string | undefined> {
  const servers = adServers ?? (await services.adServers())
  const { products } = await readServedProducts(store.read, servers, { tenantId, agentUrl: `${publicOrigin(config)}/mcp` })
  const unserved = products.filter(({ selling }) => selling.unserved !== undefined)
  const [first] = unserved
  if (!first) return undefined
  const ids = unserved.map(({ id }) => id)
  const shown = ids.slice(0, MOST_NAMED).join(', ') + (ids.length > MOST_NAMED ? ' …' : '')
  return `${ids.length} of ${products.length} products are not offered to production buyers (${shown}); ${first.id}: ${first.selling.unserved}`
}

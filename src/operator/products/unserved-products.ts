import type { AdServers } from '../../ad-serving/ad-servers.ts'
import { publicOrigin } from '../../config/config.ts'
import type { Db } from '../../store/database.ts'
import { saveProducts } from '../../store/product/save-products.ts'
import { readServedProducts } from '../../store/product/served-products.ts'
import { tryOut } from '../audited-store.ts'
import type { ImportInput } from '../imports/import-document.ts'
import type { OperatorContext } from '../operator-context.ts'
import { withProductTable } from './product-table.ts'
import { readImport } from './read-import.ts'

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
  return describe(store.read, adServers ?? (await services.adServers()), config, tenantId)
}

/** The same of the products that there would be after an import, of which nothing is stored. Throws as {@link describeUnserved} does. */
export async function describeUnservedAfter(
  context: OperatorContext,
  input: Omit<ImportInput, 'dryRun'>,
): Promise<string | undefined> {
  const { config, services, clock } = context
  const { tenantId, merge } = input
  const servers = await services.adServers()
  const file = await withProductTable(input.file)
  return tryOut(context, async (tx) => {
    const { result } = await readImport(tx, context, { ...input, file })
    if (result.ok) await saveProducts(tx, tenantId, result.file, { merge }, clock())
    return { unserved: await describe(tx, servers, config, tenantId) }
  }).then(({ unserved }) => unserved)
}

/** A warning of the products of a publisher that its ad servers cannot serve, as `doctor` gives it; empty: there are none. */
export function unservedNotes(context: OperatorContext, tenantId: string): Promise<readonly string[]> {
  return noted(describeUnserved(context, tenantId))
}

/** The same of what an import would make of the products. */
export function unservedNotesAfter(context: OperatorContext, input: Omit<ImportInput, 'dryRun'>): Promise<readonly string[]> {
  return noted(describeUnservedAfter(context, input))
}

async function noted(described: Promise<string | undefined>): Promise<readonly string[]> {
  const unserved = await described.catch((error: unknown) =>
    error instanceof Error ? `the ad servers cannot be loaded: ${error.message}` : String(error),
  )
  return unserved === undefined ? [] : [`warning: ${unserved}; ${UNSERVED_ADVICE}`]
}

async function describe(
  db: Db,
  adServers: AdServers,
  config: OperatorContext['config'],
  tenantId: string,
): Promise<string | undefined> {
  const { products } = await readServedProducts(db, adServers, { tenantId, agentUrl: `${publicOrigin(config)}/mcp` })
  const unserved = products.filter(({ selling }) => selling.unserved !== undefined)
  const [first] = unserved
  if (!first) return undefined
  const ids = unserved.map(({ id }) => id)
  const shown = ids.slice(0, MOST_NAMED).join(', ') + (ids.length > MOST_NAMED ? ' …' : '')
  return `${ids.length} of ${products.length} products are not offered to production buyers (${shown}); ${first.id}: ${first.selling.unserved}`
}

import { createHash, randomUUID } from 'node:crypto'
import type { SyncCatalogsSuccess } from '@adcp/sdk'
import type { SyncCatalogsRequest } from '@adcp/sdk/types'
import type { Account, AccountScope } from '../../domain/account/account.ts'
import { accountScopeOf } from '../../domain/account/account.ts'
import type { DeclaredCatalog } from '../../domain/catalog/declared-catalog.ts'
import {
  type CatalogDecision,
  decideCatalog,
  type FeedResult,
  MOST_ISSUES,
  presentCatalog,
  presentFailure,
  strictCatalogs,
} from '../../domain/catalog/sync-catalog.ts'
import { withNotes } from '../../domain/media-buy/order-notes.ts'
import { namedAndStored } from '../../domain/named-and-stored.ts'
import { type AuthenticatedContext, defineTask, type InTransaction } from '../../pipeline/task.ts'
import { inTurns } from '../../platform/concurrency/yield-to-event-loop.ts'
import { AdcpError } from '../../protocol/errors.ts'
import { listFlaggedItems, replaceItems } from '../../store/catalog/catalog-items.ts'
import {
  deleteCatalog,
  findCatalogIds,
  findCatalogs,
  insertCatalog,
  listCatalogIds,
  saveCatalog,
} from '../../store/catalog/catalogs.ts'
import { listedCatalogs } from './listed-catalogs.ts'

type Row = SyncCatalogsSuccess['catalogs'][number]
type Named = DeclaredCatalog & { readonly catalog_id: string }
type Context = InTransaction<AuthenticatedContext>

export const syncCatalogs = defineTask<SyncCatalogsRequest, SyncCatalogsSuccess>()({
  name: 'sync_catalogs',
  mutating: true,
  access: 'authenticated',
  scope: 'catalogs',
  account: 'required',
  summary: 'Upload or change catalogs, inline or by feed URL. Without catalogs: list them.',
  prepare: (request, { services, principal }) => fetchFeeds(wanted(request), services.feeds, principal),
  async handle(request, context, feeds) {
    const { principal } = context
    const account = requireAccount(context.account)
    const simulated = (principal.sandbox || account.sandbox) && { sandbox: true }
    await requireKnown(request, context, account)
    if (!request.catalogs) {
      const { catalogs, notes } = await listedCatalogs(context.tx, reachOf(context, account), request.catalog_ids)
      return withNotes<SyncCatalogsSuccess>({ catalogs, ...simulated }, notes)
    }
    const dryRun = request.dry_run === true
    const rows = await synced(request, context, account, feeds)
    const removed = request.delete_missing ? await removeMissing(context, account, request.catalogs, dryRun) : []
    return { catalogs: [...rows, ...removed], ...(request.dry_run !== undefined && { dry_run: dryRun }), ...simulated }
  },
})

/** The catalogs that the request is about. Throws INVALID_REQUEST for one without an id. */
function wanted({ catalogs = [], catalog_ids, delete_missing }: SyncCatalogsRequest): readonly Named[] {
  if (delete_missing && catalog_ids) {
    throw new AdcpError('INVALID_REQUEST', 'delete_missing covers all catalogs and cannot go with catalog_ids', {
      field: 'delete_missing',
    })
  }
  const named = catalogs.map((catalog, index): Named => {
    if (catalog.catalog_id !== undefined && catalog.catalog_id !== '') return { ...catalog, catalog_id: catalog.catalog_id }
    const field = `catalogs[${index}].catalog_id`
    throw new AdcpError('INVALID_REQUEST', `${field} is required`, { field })
  })
  const asked = catalog_ids && new Set(catalog_ids)
  return named.filter(({ catalog_id }) => asked?.has(catalog_id) ?? true)
}

/** What the URLs of the request give, by catalog id: the network is asked before the transaction. */
async function fetchFeeds(
  catalogs: readonly Named[],
  feeds: AuthenticatedContext['services']['feeds'],
  buyer: AuthenticatedContext['principal'],
): Promise<ReadonlyMap<string, FeedResult>> {
  const fetched = catalogs.map(async (catalog) => {
    const { url, items } = catalog
    if (url === undefined || items !== undefined) return []
    const answer = await feeds.fetch({ ...catalog, url }, buyer)
    return 'unchanged' in answer ? [] : [[catalog.catalog_id, answer] as const]
  })
  return new Map((await Promise.all(fetched)).flat())
}

async function synced(
  request: SyncCatalogsRequest,
  context: Context,
  { accountId }: Account,
  feeds: ReadonlyMap<string, FeedResult>,
): Promise<Row[]> {
  const { tx, principal, now } = context
  const catalogs = wanted(request)
  const ids = catalogs.map(({ catalog_id }) => catalog_id)
  const own = { tenantId: principal.tenantId, principalId: principal.principalId, accountId }
  const { isFirst, storedOf } = namedAndStored(ids, await findCatalogs(tx, own, ids), ({ catalogId }) => catalogId)
  const decisions: CatalogDecision[] = []
  for (const [index, wire] of catalogs.entries()) {
    const field = `catalogs[${index}]`
    const platformId = `cat_${randomUUID()}`
    const feed = feeds.get(wire.catalog_id)
    decisions.push(
      isFirst(index)
        ? await inTurns(
            decideCatalog(wire, storedOf(wire.catalog_id), feed, field, {
              ...{ accountId, platformId, now },
              digest: () => createHash('sha256'),
            }),
          )
        : twice(wire.catalog_id, field),
    )
  }
  const final = request.validation_mode === 'lenient' ? decisions : strictCatalogs(decisions)
  const rows: Row[] = []
  for (const decision of final) {
    if (decision.action === 'failed') {
      rows.push(presentFailure(decision.catalogId, decision.error))
      continue
    }
    if (!request.dry_run) await write(context, decision)
    rows.push(await present(context, decision))
  }
  return rows
}

async function write({ tx, principal }: Context, decision: Exclude<CatalogDecision, { action: 'failed' }>): Promise<void> {
  const { action, catalog, items } = decision
  await (action === 'created' ? insertCatalog(tx, principal, catalog) : saveCatalog(tx, principal, catalog))
  if (items) await replaceItems(tx, principal, catalog.platformId, items)
}

async function present({ tx, principal }: Context, decision: Exclude<CatalogDecision, { action: 'failed' }>): Promise<Row> {
  const { action, catalog, items } = decision
  const flagged =
    items?.filter(({ status }) => status !== 'approved') ??
    (await listFlaggedItems(tx, principal.tenantId, catalog.platformId, MOST_ISSUES))
  return presentCatalog(catalog, action, flagged, decision)
}

/** Throws REFERENCE_NOT_FOUND for an id among `catalog_ids` that neither the request nor the account has. */
async function requireKnown(
  { catalogs = [], catalog_ids: ids = [] }: SyncCatalogsRequest,
  context: Context,
  own: Account,
): Promise<void> {
  if (ids.length === 0) return
  const stored = await findCatalogIds(context.tx, reachOf(context, own), ids)
  const known = new Set([...catalogs.map(({ catalog_id: id }) => id), ...stored])
  const index = ids.findIndex((id) => !known.has(id))
  if (index < 0) return
  const field = `catalog_ids[${index}]`
  throw new AdcpError('REFERENCE_NOT_FOUND', `${field} is no catalog of the account`, { field })
}

function reachOf({ principal, account }: Context, { accountId }: Account): AccountScope {
  return { ...accountScopeOf(principal, account), accountId }
}

async function removeMissing(
  { tx, principal }: Context,
  { accountId }: Account,
  kept: readonly DeclaredCatalog[],
  dryRun: boolean,
): Promise<Row[]> {
  const { tenantId, principalId } = principal
  const stored = await listCatalogIds(tx, { tenantId, principalId, accountId })
  const ids = kept.flatMap(({ catalog_id: id }) => id ?? [])
  const { others: gone } = namedAndStored(ids, stored, ({ catalogId }) => catalogId)
  for (const { platformId } of dryRun ? [] : gone) await deleteCatalog(tx, principal, platformId)
  return gone.map(({ catalogId }) => ({ catalog_id: catalogId, action: 'deleted' }))
}

function twice(catalogId: string, field: string): CatalogDecision {
  const error = new AdcpError('VALIDATION_ERROR', `${field} has the catalog_id of an earlier catalog`, {
    field: `${field}.catalog_id`,
  })
  return { action: 'failed', catalogId, error }
}

function requireAccount(account: Account | undefined): Account {
  if (account) return account
  throw new AdcpError('INVALID_REQUEST', 'account is required', { field: 'account' })
}

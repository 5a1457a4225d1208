import { importReport } from '../../ad-serving/reconcile/import-report.ts'
import { type ReconcilerLog, reconcileDue } from '../../ad-serving/reconcile/reconciler.ts'
import { isAdoptable } from '../../domain/ad-serving/drift.ts'
import { isMissing } from '../../domain/ad-serving/missing.ts'
import { reasonOf } from '../../domain/ad-serving/reason-of.ts'
import { groupBy } from '../../domain/group-by.ts'
import { AdcpError } from '../../protocol/errors.ts'
import { settleDrift } from '../../store/ad-serving/ad-server-drift.ts'
import { listAdServerOrders, makeDue, restartRefusals } from '../../store/ad-serving/ad-server-orders.ts'
import type { Db } from '../../store/database.ts'
import { adoptedOrdersOf } from '../../store/order/adopted-orders.ts'
import { settleRefusedCreatives } from '../../tasks/creative/settle-refused-creatives.ts'
import { settleChanges } from '../../tasks/media-buy/settle-changes.ts'
import { settleReviews } from '../../tasks/media-buy/settle-review.ts'
import { type ActContext, defineAct } from '../act.ts'
import { askAdServer } from '../ask-ad-server.ts'
import { SELLERS } from '../roles.ts'
import { anything, object, string, word } from '../shape.ts'
import { DRIFT } from './ad-server-shapes.ts'
import { driftWords } from './drift-words.ts'
import { getReconciledOrders } from './get-reconciled-orders.ts'
import { getBackend, showOrders } from './show-ad-servers.ts'
import { openDrift, watchedDrift } from './watched-drift.ts'

/** What the reconciler would log is in the answer of these acts. */
const SILENT: ReconcilerLog = { info: () => {}, warn: () => {}, error: () => {} }

/** Rounds of one command: each takes 50 orders. */
const MOST_ROUNDS = 20

/** Longest call to an ad server, in milliseconds. */
const CALL_MS = 30_000

/**
 * Writes orders to their ad servers now instead of when they are due, and looks for drift. An order that a server is working on is left to that server. Returns
 * where the orders are afterwards. Throws REFERENCE_NOT_FOUND for an unknown ad server, and for an order that is in no ad server.
 */
export async function syncOrders(
  context: ActContext,
  input: { readonly tenantId: string; readonly adServer?: string | undefined; readonly mediaBuyId?: string | undefined },
) {
  const { tenantId, adServer, mediaBuyId } = input
  const { clock, services, store } = context
  if (adServer !== undefined) await getBackend(context, tenantId, adServer)
  if (mediaBuyId !== undefined) await getReconciledOrders(store.read, tenantId, mediaBuyId)
  const { backends } = await services.adServers()
  const settleReview = settleReviews(await services.approvals(store), clock, () => {})
  const settleCreatives = settleRefusedCreatives(store, clock, () => {})
  const changes = settleChanges(store, clock, () => {})
  const looked = await store.transaction(async (tx) => {
    // A person who retries a single order has probably fixed the cause, so the 24 hours of refusals start again.
    if (mediaBuyId !== undefined) await restartRefusals(tx, tenantId, mediaBuyId)
    return makeDue(tx, tenantId, { adServer, mediaBuyId }, clock())
  })
  for (let round = 0, more = looked > 0; more && round < MOST_ROUNDS; round++)
    more = await reconcileDue({
      store,
      clock,
      log: SILENT,
      backends,
      settleReview,
      settleCreatives,
      settleChanges: changes,
    })
  return { looked_at: looked, orders: await showOrders(context, tenantId, { mediaBuyId, adServer }) }
}

/** The ad server's value is what is wanted from now on, until the buyer changes the same thing. Throws REFERENCE_NOT_FOUND, INVALID_STATE. */
export const adoptDrift = defineAct({
  name: 'adservers.adopt',
  route: 'POST /ad-servers/drift/{drift}/adopt',
  id: 'adoptDrift',
  roles: SELLERS,
  summary: 'Takes over what somebody changed at the ad server.',
  fields: { drift: DRIFT },
  answer: object({ drift_id: string, state: word('adopted'), subject: string, field: string, value: anything }),
  command: {
    help: 'take over a change that was made at the ad server',
    text: ({ subject, field, value }) => {
      const shown = driftWords({ field, expected: undefined, observed: value })
      return [`${shown.field} of ${subject} is ${shown.observed} from now on`]
    },
  },
  watch: watchedDrift,
  run: ({ store, clock, tenantId }, { drift: driftId }) =>
    store.transaction(async (tx) => {
      const drift = await openDrift(tx, tenantId, driftId)
      if (!isAdoptable(drift)) {
        const instead = isMissing(drift)
          ? 'find it at the ad server, or say that it is gone (adservers gone)'
          : 'take it back at the ad server, or set drift: heal and sync'
        const message = `${drift.field} of ${drift.subject} cannot be adopted; ${instead}`
        throw new AdcpError('INVALID_STATE', message, { field: 'drift_id' })
      }
      await settleDrift(tx, [drift], 'adopted', clock())
      await makeDue(tx, tenantId, { adServer: drift.adServer, mediaBuyId: drift.mediaBuyId }, clock())
      const { subject, field, observed: value } = drift
      return { drift_id: driftId, state: 'adopted' as const, subject, field, value }
    }),
})

/** What an import by hand came to at one ad server. */
export interface ImportedReports {
  readonly ad_server: string
  readonly orders: number
  /** New or corrected ones in the ledger. */
  readonly rows: number
  /** Why not everything was imported; null: it was. */
  readonly reason: string | null
}

/**
 * Imports delivery now, from a UTC day on. Gives the number of rows that are new or corrected, by ad server; one that does not answer, or refuses, has its reason and holds up
 * no other. Throws REFERENCE_NOT_FOUND for a media buy that lies in no reconciled ad server.
 */
export async function importReports(
  context: ActContext,
  input: { readonly tenantId: string; readonly mediaBuyId?: string | undefined; readonly since: string },
): Promise<readonly ImportedReports[]> {
  const { tenantId, mediaBuyId, since } = input
  const { clock, services, store } = context
  const { backends } = await services.adServers()
  const wanted = await reportedOrders(store.read, tenantId, mediaBuyId)
  const imported: ImportedReports[] = []
  for (const [adServer, own] of groupBy(wanted, (order) => order.adServer)) {
    let rows = 0
    let reason: string | null = null
    let refusedRows: string | undefined
    for (const [areAdopted, some] of groupBy(own, (order) => order.isAdopted))
      for (let start = 0; start < some.length && reason === null; start += ORDERS_A_REPORT) {
        const mediaBuyIds = some.slice(start, start + ORDERS_A_REPORT).map(({ key }) => key)
        const part = { tenantId, adServer, mediaBuyIds, since, callMs: CALL_MS, areAdopted }
        try {
          const { added, refused } = await askAdServer(adServer, () => importReport({ store, clock, backends }, part))
          rows += added
          refusedRows ??= refused
        } catch (error) {
          reason = reasonOf(error)
        }
      }
    imported.push({ ad_server: adServer, orders: own.length, rows, reason: reason ?? refusedRows ?? null })
  }
  return imported
}

/** Orders of buyers that lie in reconciled ad servers, and adopted ones, by what reports have them as; one of them, or all. Throws REFERENCE_NOT_FOUND for one that is neither. */
async function reportedOrders(db: Db, tenantId: string, orderId: string | undefined) {
  const adopted = await adoptedOrdersOf(db, tenantId, orderId, MOST_ORDERS)
  const others =
    orderId === undefined
      ? await listAdServerOrders(db, tenantId, { limit: MOST_ORDERS })
      : adopted.length > 0
        ? []
        : await getReconciledOrders(db, tenantId, orderId)
  return [
    ...others.map(({ adServer, mediaBuyId: key }) => ({ adServer, key, isAdopted: false })),
    ...adopted.map(({ ad_server: adServer, external_id: key }) => ({ adServer, key, isAdopted: true })),
  ]
}

/** Orders of one report. */
const ORDERS_A_REPORT = 100
/** Orders of one import by hand. */
const MOST_ORDERS = 10_000

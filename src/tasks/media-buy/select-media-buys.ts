import type { GetMediaBuysResponse } from '@adcp/sdk/types'
import { accountScopeOf } from '../../domain/account/account.ts'
import { shownStatus } from '../../domain/media-buy/lifecycle.ts'
import type { CreativeFacts, MediaBuy } from '../../domain/media-buy/media-buy.ts'
import { insteadOfBuy } from '../../domain/media-buy/not-found.ts'
import type { MediaBuyStatus } from '../../domain/product/media-buy-status.ts'
import type { AuthenticatedContext } from '../../pipeline/task.ts'
import { NameSearch } from '../../protocol/nearest-name.ts'
import type { Db } from '../../store/database.ts'
import { listMediaBuys, type MediaBuyPosition } from '../../store/media-buy/list-media-buys.ts'
import { findMediaBuys } from '../../store/media-buy/media-buys.ts'
import { creativeFactsOf } from './creative-facts.ts'
import { isInScope, newestInScope } from './find-media-buys.ts'

type WireErrors = NonNullable<GetMediaBuysResponse['errors']>

export interface Selection {
  readonly ids: readonly string[] | undefined
  readonly statuses: readonly MediaBuyStatus[] | undefined
  /** Position behind the cursor. */
  readonly after: string | undefined
  readonly limit: number
  /** Packages of a page: it ends before the order that would have more in all, but has one order at least. Absent: any number. */
  readonly mostPackages?: number
}

export interface SelectedPage {
  readonly buys: readonly MediaBuy[]
  readonly creatives: CreativeFacts
  /** Position of the next page; absent on the last. */
  readonly after: string | undefined
  /** One MEDIA_BUY_NOT_FOUND for each id that is not the agent's. */
  readonly missing: WireErrors
}

/** A page of the agent's media buys, by id or by status, in order of creation. */
export async function selectMediaBuys(db: Db, context: AuthenticatedContext, selection: Selection): Promise<SelectedPage> {
  const found = selection.ids ? await byId(db, context, selection, selection.ids) : await byStatus(db, context, selection)
  const buys = found.buys.slice(0, fitting(found.buys, selection))
  const last = found.buys.length > buys.length ? buys.at(-1) : undefined
  return {
    buys,
    creatives: found.creatives,
    after: last && positionText(last),
    missing: await missingOf(db, context, selection, found.known),
  }
}

/** How many of the first orders are a page. */
function fitting(buys: readonly MediaBuy[], { limit, mostPackages = Number.POSITIVE_INFINITY }: Selection): number {
  let packages = 0
  const over = buys.findIndex((buy, index) => {
    packages += buy.packages.length
    return index === limit || (index > 0 && packages > mostPackages)
  })
  return over === -1 ? buys.length : over
}

/** `status_filter` as a list. */
export function statusesOf(filter: MediaBuyStatus | MediaBuyStatus[] | undefined): readonly MediaBuyStatus[] | undefined {
  return filter === undefined || Array.isArray(filter) ? filter : [filter]
}

interface Found {
  /** Matches in order, more than the page when there are more. */
  readonly buys: readonly MediaBuy[]
  readonly creatives: CreativeFacts
  readonly known: ReadonlySet<string>
}

async function byId(
  db: Db,
  context: AuthenticatedContext,
  { statuses, after }: Selection,
  ids: readonly string[],
): Promise<Found> {
  const buys = (await findMediaBuys(db, context.principal, ids)).filter((buy) => isInScope(buy, context))
  const creatives = await creativeFactsOf(db, context.principal, buys)
  const shown = buys.filter(
    (buy) => hasStatus(buy, statuses, creatives, context) && (after === undefined || positionText(buy) > after),
  )
  return { buys: shown, creatives, known: new Set(buys.map((buy) => buy.mediaBuyId)) }
}

/** Orders read at once: one may have hundreds of packages. */
const BATCH = 25

/** Reads on until the page is full: columns narrow the statuses, creatives decide. */
async function byStatus(db: Db, context: AuthenticatedContext, selection: Selection): Promise<Found> {
  const { statuses, after, limit } = selection
  const size = Math.min(BATCH, limit + 1)
  const filter = { accountId: accountScopeOf(context.principal, context.account).accountId, statuses, now: context.now }
  const buys: MediaBuy[] = []
  const creatives = new Map<string, NonNullable<ReturnType<CreativeFacts['get']>>>()
  let position = positionOf(after)
  for (;;) {
    const rows = await listMediaBuys(db, context.principal, filter, { after: position, limit: size })
    for (const [packageId, facts] of await creativeFactsOf(db, context.principal, rows)) creatives.set(packageId, facts)
    buys.push(...rows.filter((buy) => hasStatus(buy, statuses, creatives, context)))
    position = rows.at(-1)
    if (rows.length < size || buys.length > fitting(buys, selection)) return { buys, creatives, known: new Set() }
  }
}

function hasStatus(
  buy: MediaBuy,
  statuses: readonly MediaBuyStatus[] | undefined,
  creatives: CreativeFacts,
  { now, contract }: AuthenticatedContext,
): boolean {
  return statuses === undefined || statuses.includes(shownStatus(buy, creatives, now, contract.rules))
}

function positionText({ createdAt, mediaBuyId }: MediaBuyPosition): string {
  return `${createdAt} ${mediaBuyId}`
}

function positionOf(text: string | undefined): MediaBuyPosition | undefined {
  const space = text?.indexOf(' ') ?? -1
  return text === undefined ? undefined : { createdAt: text.slice(0, space), mediaBuyId: text.slice(space + 1) }
}

async function missingOf(
  db: Db,
  context: AuthenticatedContext,
  { ids = [] }: Selection,
  known: ReadonlySet<string>,
): Promise<WireErrors> {
  const code = 'MEDIA_BUY_NOT_FOUND'
  if (ids.every((id) => known.has(id))) return []
  const newest = await newestInScope(db, context)
  const search = new NameSearch()
  return ids.flatMap((id, index) => {
    const field = `media_buy_ids[${index}]`
    const message = () => `${field} is not one of your media buys${insteadOfBuy(id, newest, search)}`
    return known.has(id) ? [] : [{ code, message: message(), field }]
  })
}

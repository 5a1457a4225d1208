import type { GetMediaBuysResponse } from '@adcp/sdk/types'
import { accountScopeOf } from '../../domain/account/account.ts'
import { shownStatus } from '../../domain/media-buy/lifecycle.ts'
import type { CreativeFacts, MediaBuy } from '../../domain/media-buy/media-buy.ts'
import { insteadOfBuy } from '../../domain/media-buy/not-found.ts'
import type { MediaBuyStatus } from '../../domain/product/media-buy-status.ts'
import type { AuthenticatedContext } from '../../pipeline/task.ts'
import { yieldToEventLoop } from '../../platform/concurrency/yield-to-event-loop.ts'
import { NameSearch } from '../../protocol/nearest-name.ts'
import type { Db } from '../../store/database.ts'
import { listMediaBuys, type MediaBuyPosition } from '../../store/media-buy/list-media-buys.ts'
import { ownMediaBuyIds } from '../../store/media-buy/media-buys.ts'
import { creativeFactsOf } from './creative-facts.ts'
import { newestInScope } from './find-media-buys.ts'

type WireErrors = NonNullable<GetMediaBuysResponse['errors']>

export interface Selection {
  readonly ids: readonly string[] | undefined
  readonly statuses: readonly MediaBuyStatus[] | undefined
  /** Position behind the cursor. */
  readonly after: string | undefined
  readonly limit: number
  /** Packages of a page: it ends before the order that would have more in all, but has one order at least. Absent: any number. */
  readonly mostPackages?: number
  /** Bytes of documents after which a page ends. Absent: any number. */
  readonly mostBytes?: number
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
  const { known, missing } = await namedMediaBuys(db, context, selection.ids)
  const found = await readPage(db, context, { ...selection, ids: known })
  const buys = found.buys.slice(0, fitting(found.buys, selection))
  const last = found.buys.length > buys.length ? buys.at(-1) : found.next
  return { buys, creatives: found.creatives, after: last && positionText(last), missing }
}

/** Those of the ids that are media buys of the agent, and of the account that is named, if one is; and one MEDIA_BUY_NOT_FOUND for each other. */
export async function namedMediaBuys(
  db: Db,
  context: AuthenticatedContext,
  ids: readonly string[] | undefined,
): Promise<{ readonly known: readonly string[] | undefined; readonly missing: WireErrors }> {
  if (ids === undefined) return { known: undefined, missing: [] }
  const { accountId } = accountScopeOf(context.principal, context.account)
  const known = new Set(await ownMediaBuyIds(db, context.principal, ids, accountId))
  return { known: [...known], missing: await missingOf(db, context, ids, known) }
}

/** Some media buys, as few as are read at once. */
export interface SelectedPart {
  /** None of a part whose columns said more than is so. */
  readonly buys: readonly MediaBuy[]
  readonly creatives: CreativeFacts
  /** Where the next part begins; undefined: there is none. */
  readonly next: MediaBuyPosition | undefined
  /** Of their documents. */
  readonly bytes: number
}

/** The first media buys of a selection, `limit` at most, part by part, with turns for others between: columns narrow the statuses, creatives decide. */
export async function* mediaBuysInParts(
  db: Db,
  context: AuthenticatedContext,
  { ids, statuses, limit }: Pick<Selection, 'ids' | 'statuses' | 'limit'>,
  from?: MediaBuyPosition,
): AsyncGenerator<SelectedPart> {
  if (ids?.length === 0) return
  const { accountId } = accountScopeOf(context.principal, context.account)
  const filter = { accountId, ids, statuses, now: context.now }
  let left = limit
  let after = from
  do {
    const page = await listMediaBuys(db, context.principal, filter, { after, limit: Math.min(BATCH, left) })
    const creatives = await creativeFactsOf(db, context.principal, page.buys)
    const buys = page.buys.filter((buy) => hasStatus(buy, statuses, creatives, context))
    yield { ...page, buys, creatives }
    left -= buys.length
    after = page.next
    if (after) await yieldToEventLoop()
  } while (after && left > 0)
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
  /** Where the page ends that holds no more, though there may be more. */
  readonly next: MediaBuyPosition | undefined
}

/** Orders read at once: one may have hundreds of packages. */
const BATCH = 25

/** Reads on until the page is full. */
async function readPage(db: Db, context: AuthenticatedContext, selection: Selection): Promise<Found> {
  const { limit, mostBytes = Number.POSITIVE_INFINITY } = selection
  const buys: MediaBuy[] = []
  const creatives = new Map<string, NonNullable<ReturnType<CreativeFacts['get']>>>()
  let bytes = 0
  for await (const part of mediaBuysInParts(db, context, { ...selection, limit: limit + 1 }, positionOf(selection.after))) {
    for (const [packageId, facts] of part.creatives) creatives.set(packageId, facts)
    buys.push(...part.buys)
    bytes += part.bytes
    if (buys.length > fitting(buys, selection)) return { buys, creatives, next: undefined }
    if (part.next && bytes >= mostBytes) return { buys, creatives, next: part.next }
  }
  return { buys, creatives, next: undefined }
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
  ids: readonly string[],
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

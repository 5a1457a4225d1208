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
  const { ids } = selection
  const known = ids && (await knownIds(db, context, ids))
  const found = await readPage(db, context, known ? { ...selection, ids: [...known] } : selection)
  const buys = found.buys.slice(0, fitting(found.buys, selection))
  const last = found.buys.length > buys.length ? buys.at(-1) : found.next
  return {
    buys,
    creatives: found.creatives,
    after: last && positionText(last),
    missing: ids && known ? await missingOf(db, context, ids, known) : [],
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
  /** Where the page ends that holds no more, though there may be more. */
  readonly next: MediaBuyPosition | undefined
}

/** Orders read at once: one may have hundreds of packages. */
const BATCH = 25

/** Reads on until the page is full: columns narrow the statuses, creatives decide. */
async function readPage(db: Db, context: AuthenticatedContext, selection: Selection): Promise<Found> {
  const { ids, statuses, after, limit, mostBytes = Number.POSITIVE_INFINITY } = selection
  const size = Math.min(BATCH, limit + 1)
  const { accountId } = accountScopeOf(context.principal, context.account)
  const filter = { accountId, ids, statuses, now: context.now }
  const buys: MediaBuy[] = []
  const creatives = new Map<string, NonNullable<ReturnType<CreativeFacts['get']>>>()
  if (ids?.length === 0) return { buys, creatives, next: undefined }
  let next = positionOf(after)
  let bytes = 0
  do {
    if (bytes > 0) await yieldToEventLoop()
    const page = await listMediaBuys(db, context.principal, filter, { after: next, limit: size })
    for (const [packageId, facts] of await creativeFactsOf(db, context.principal, page.buys)) creatives.set(packageId, facts)
    buys.push(...page.buys.filter((buy) => hasStatus(buy, statuses, creatives, context)))
    next = page.next
    bytes += page.bytes
    if (buys.length > fitting(buys, selection)) return { buys, creatives, next: undefined }
  } while (next && bytes < mostBytes)
  return { buys, creatives, next }
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

/** Those of the ids that are media buys of the agent, and of the account that is named, if one is. */
async function knownIds(db: Db, context: AuthenticatedContext, ids: readonly string[]): Promise<ReadonlySet<string>> {
  const { accountId } = accountScopeOf(context.principal, context.account)
  return new Set(await ownMediaBuyIds(db, context.principal, ids, accountId))
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

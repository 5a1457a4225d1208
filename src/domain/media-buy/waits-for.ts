import { isSupplied, isTerminal, mediaBuyStatus } from './lifecycle.ts'
import type { CreativeFact, CreativeFacts, MediaBuy, Package } from './media-buy.ts'

/** Something without which an order, or some of its packages, does not run. The protocol has no member for it: `ext.waits_for`. */
export interface Wait {
  readonly for: 'ad_server_approval' | 'ad_server' | 'approval' | 'creatives' | 'creative_review' | 'resume' | 'start'
  readonly message: string
  /** The packages that it is about, where it is not about all. */
  readonly package_ids?: readonly string[]
}

/** The tasks by which buyers change an order: one of the compact lifecycle has its own. */
export const CHANGE_TASKS = ['update_media_buy', 'control_media_buy'] as const
export type ChangeTask = (typeof CHANGE_TASKS)[number]

/** The most packages that an entry names. */
const MOST_NAMED = 20

/** What an order waits for now, first what its buyer or the publisher has to do, last its start. Empty for one that runs whole, or is over. Linear in packages and creatives. */
export function waitsFor(buy: MediaBuy, creatives: CreativeFacts, now: Date): Wait[] {
  if (isTerminal(mediaBuyStatus(buy, creatives, now))) return []
  const live = buy.packages.filter(({ cancellation }) => cancellation === undefined)
  const paused = buy.paused ? [] : live.filter((pkg) => pkg.paused)
  const task: ChangeTask = buy.accepted ? 'control_media_buy' : 'update_media_buy'
  const starts = live.map(({ terms }) => terms.startsAt).toSorted()[0]
  return [
    ...(buy.confirmedAt === undefined
      ? [{ for: 'ad_server_approval', message: 'people at the ad server of the publisher approve it before it can run' } as const]
      : []),
    ...creativeWaits(
      live.filter((pkg) => !isSupplied(pkg, creatives, buy.startsAt)),
      creatives,
    ),
    ...(buy.paused ? [{ for: 'resume', message: `it is paused: ${task} with paused false resumes it` } as const] : []),
    ...(paused.length > 0 ? [ofPackages('resume', paused, `paused: ${task} with packages[].paused false`)] : []),
    ...(starts !== undefined && Date.parse(starts) > now.getTime()
      ? [{ for: 'start', message: `its flight begins ${starts}` } as const]
      : []),
  ]
}

/** Why packages have nothing that can serve, in the order in which it is told. */
const REASONS = [
  ['creatives', 'no creative is assigned: sync_creatives with assignments'],
  ['creatives', 'the assigned creatives are not in your library: sync_creatives sends them'],
  ['creative_review', 'the creatives wait for review: list_creatives says when it is done'],
  [
    'creatives',
    'the creatives were made from your brief and wait for you: check them (list_creatives), then sync_creatives with status "approved"',
  ],
  ['creatives', 'the creatives were rejected or taken offline: assign others'],
] as const

function creativeWaits(unsupplied: readonly Package[], creatives: CreativeFacts): Wait[] {
  const reasons = unsupplied.map(({ packageId }) => reasonOf(creatives.get(packageId) ?? []))
  return REASONS.flatMap(([kind, message], reason) => {
    const own = unsupplied.filter((_pkg, index) => reasons[index] === reason)
    return own.length === 0 ? [] : [ofPackages(kind, own, message)]
  })
}

/** Position in {@link REASONS}: what can still come is told before what cannot. */
function reasonOf(facts: readonly CreativeFact[]): number {
  if (facts.length === 0) return 0
  const pending = facts.filter(({ approval }) => approval === 'pending_review')
  if (pending.some(({ awaitsBuyer }) => !awaitsBuyer)) return 2
  if (pending.length > 0) return 3
  return facts.some(({ approval }) => approval === undefined) ? 1 : 4
}

function ofPackages(kind: Wait['for'], packages: readonly Package[], message: string): Wait {
  const named = packages.slice(0, MOST_NAMED).map(({ packageId }) => packageId)
  const more = packages.length - named.length
  return { for: kind, message: more > 0 ? `${message} (${packages.length} packages)` : message, package_ids: named }
}

/** The most orders that a text names. */
const MOST_ORDERS = 10

/** What the orders of a list wait for, a sentence each; empty where none has `ext.waits_for`. */
export function waitingOrders(orders: unknown): string[] {
  const rows: readonly unknown[] = Array.isArray(orders) ? orders : []
  const lines = rows.flatMap((row) => {
    const [id, ext] = [memberOf(row, 'media_buy_id'), memberOf(row, 'ext')]
    const waits = memberOf(ext, 'waits_for')
    const told = (Array.isArray(waits) ? waits : []).flatMap((wait) => {
      const [message, packages] = [memberOf(wait, 'message'), memberOf(wait, 'package_ids')]
      return typeof message === 'string' ? [Array.isArray(packages) ? `${packages.join(' ')}: ${message}` : message] : []
    })
    return typeof id === 'string' && told.length > 0 ? [`${id} waits: ${told.join('; ')}.`] : []
  })
  const more = lines.length - MOST_ORDERS
  return more > 0 ? [...lines.slice(0, MOST_ORDERS), `${more} more orders wait (ext.waits_for).`] : lines
}

function memberOf(value: unknown, name: string): unknown {
  return typeof value === 'object' && value !== null ? Reflect.get(value, name) : undefined
}

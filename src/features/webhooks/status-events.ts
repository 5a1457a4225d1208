import { DAY_MS } from '../../domain/calendar/instant.ts'
import type { PrincipalRef } from '../../domain/identity/principal.ts'
import { type Impairment, impairmentChanges, impairmentsOf, presentHealth } from '../../domain/media-buy/impairments.ts'
import { isTerminal, nextClockChange, shownStatus } from '../../domain/media-buy/lifecycle.ts'
import { presentMakeGood } from '../../domain/media-buy/make-good.ts'
import type { CreativeFacts, MediaBuy } from '../../domain/media-buy/media-buy.ts'
import { presentPackage } from '../../domain/media-buy/present-package.ts'
import { presentState } from '../../domain/media-buy/present-state.ts'
import type { ReleaseRules } from '../../protocol/release-rules.ts'
import type { Db } from '../../store/database.ts'
import { enqueue } from '../../store/webhook/outbox.ts'
import { reschedule, unschedule } from '../../store/webhook/scheduled-events.ts'
import { endEndpoints, endpointsOfMediaBuy, findEndpoint } from '../../store/webhook/webhook-endpoints.ts'
import type { DueEvent } from './due-event.ts'
import { shownTo } from './shown-to.ts'

/** Announces a change of a media buy's status, if there was one since the last announcement, and schedules the next moment at which the clock can change it. */
export async function tellStatus({ store, mediaBuys, now, event, buy, creatives }: DueEvent): Promise<void> {
  if (!buy) {
    await store.transaction((tx) => unschedule(tx, event))
    return
  }
  const endpoint = await findEndpoint(store.read, event.endpointId)
  const shows = endpoint ? shownTo(endpoint) : {}
  const status = shownStatus(buy, creatives, now, shows)
  const { status: reported, impairments: known = [] } = knownState(event.state)
  const open = impairmentsOf(buy, status, creatives)
  const simulated = await mediaBuys.isSimulated(event, buy)
  await store.transaction(async (tx) => {
    const next = nextClockChange(buy, now) ?? followedUntil(buy, now)
    const over = (isTerminal(status) && status !== 'completed') || next === undefined
    const mine = over ? await unschedule(tx, event) : await reschedule(tx, event, next, { status, impairments: open })
    if (!mine || !endpoint) return
    const impairments = impairmentChanges(known, open)
    const { taskId, taskType } = endpoint
    const result = presentStatus(buy, creatives, now, { simulated, shows })
    const changed = reported !== undefined && reported !== status
    // Without notifications of health it is told in words where the status says nothing.
    if (!shows.health && !changed && impairments.length > 0 && !isTerminal(status)) {
      const message = healthText(buy, open)
      await enqueue(tx, endpoint, { taskId, taskType, status: 'completed', message, at: now, result }, now)
    }
    if (shows.health && !isTerminal(status)) {
      for (const impairment of impairments) {
        const shown = { notification_type: 'impairment', ...result, ...presentHealth(open), impairment }
        const notificationId = impairment.impairment_id
        await enqueue(tx, endpoint, { taskId, taskType, status: 'completed', at: now, result: shown, notificationId }, now)
      }
    }
    if (changed) {
      const message = `media buy ${buy.mediaBuyId} is ${status}`
      // `completed` is the task's status; the media buy's own is in the result.
      await enqueue(tx, endpoint, { taskId, taskType, status: 'completed', message, at: now, result }, now)
    }
    if (over) await endEndpoints(tx, [endpoint.endpointId], now)
  })
}

/** How long a completed order is followed that can be made good, in days. */
const FOLLOWED_DAYS = 90

/** An order that promised an amount may be offered a make-good, and run again: whoever follows it is told. Undefined: it is over for good. */
function followedUntil({ endsAt, packages }: MediaBuy, now: Date): Date | undefined {
  const until = new Date(Date.parse(endsAt) + FOLLOWED_DAYS * DAY_MS)
  const promised = packages.some(({ guaranteed, terms }) => guaranteed || terms.impressions !== undefined)
  return promised && until > now ? until : undefined
}

/** Tells those who follow an order of a make-good that it is offered: the order as it is, with the offers in `ext.make_goods`. */
export async function tellMakeGood(
  tx: Db,
  owner: PrincipalRef,
  buy: MediaBuy,
  { creatives, now, simulated }: { readonly creatives: CreativeFacts; readonly now: Date; readonly simulated: boolean },
): Promise<void> {
  const offers = (buy.makeGoods ?? []).map((each) => presentMakeGood(each, buy.currency, now))
  const message = `media buy ${buy.mediaBuyId}: a make-good is offered; answer it with update_media_buy, ext.make_good`
  for (const endpoint of await endpointsOfMediaBuy(tx, owner, buy.mediaBuyId, 'push')) {
    const result = { ...presentStatus(buy, creatives, now, { simulated, shows: shownTo(endpoint) }), ext: { make_goods: offers } }
    const { taskId, taskType } = endpoint
    await enqueue(tx, endpoint, { taskId, taskType, status: 'completed', message, at: now, result }, now)
  }
}

interface KnownState {
  readonly status?: unknown
  /** Those that were open when the state was stored. */
  readonly impairments?: readonly Impairment[]
}

/** What subscribers were notified of last; this server wrote it. */
function knownState(state: KnownState): KnownState {
  return state
}

/** The success form of the operation that the subscriber registered with, as it would read now. */
function presentStatus(
  buy: MediaBuy,
  creatives: CreativeFacts,
  now: Date,
  { simulated, shows }: { readonly simulated: boolean; readonly shows: Pick<ReleaseRules, 'health'> },
): object {
  return {
    ...presentState(buy, creatives, now, undefined, shows),
    ...(buy.confirmedAt !== undefined && { confirmed_at: buy.confirmedAt }),
    ...(simulated && { sandbox: true }),
    ...(buy.bidding && { bidding: buy.bidding }),
    packages: buy.packages.map((pkg) => presentPackage(pkg, creatives.get(pkg.packageId) ?? [])),
  }
}

/** The health of a buy in words. */
function healthText({ mediaBuyId }: MediaBuy, [first]: readonly Impairment[]): string {
  if (!first) return `media buy ${mediaBuyId}: every package has a creative that can serve again`
  const { resource_id: creative, transition, reason, reason_code: code, package_ids: packages } = first
  if (code === 'seller_removed')
    return `media buy ${mediaBuyId}: creative ${creative} is no longer assigned, and nothing else serves ${packages.join(', ')}`
  const why = reason === undefined ? '' : ` (${reason})`
  return `media buy ${mediaBuyId}: creative ${creative} is ${transition.to}${why}, and nothing else serves ${packages.join(', ')}`
}

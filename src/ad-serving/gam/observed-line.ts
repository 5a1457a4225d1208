import type { LineSettings } from '../../domain/ad-serving/desired-order.ts'
import type { ObservedAssociation, ObservedLine, ObservedState, OtherChange } from '../../domain/ad-serving/observed-order.ts'
import type { Pacing } from '../../domain/media-buy/order-request.ts'
import { sameValue } from '../../domain/same-value.ts'
import type { Message } from './client.ts'
import { comparable, differing } from './compared-line.ts'
import { costMicros, GUARANTEED_TYPES } from './line-price.ts'
import type { Lookups } from './lookups.ts'
import { countOf, messageOf, microsOf, momentOf, nameOf, textOf } from './messages.ts'
import type { LineMemo } from './remembered.ts'
import { overlayOf } from './targeting.ts'

const PACES: Readonly<Record<string, Pacing>> = { EVENLY: 'even', AS_FAST_AS_POSSIBLE: 'asap', FRONTLOADED: 'front_loaded' }

/** LineItemComputedStatusEnum. A line without creatives is INACTIVE: it would serve, had it any. */
const STATES: Readonly<Record<string, ObservedState>> = {
  DRAFT: 'paused',
  PAUSED: 'paused',
  PAUSED_INVENTORY_RELEASED: 'paused',
  PENDING_APPROVAL: 'waiting',
  DISAPPROVED: 'rejected',
  CANCELED: 'ended',
}

/** State of a line item: what someone archived is over. A line whose flight is over is one that runs, for the order's sake. */
export function gamLineState(line: Message): ObservedState {
  if (line.archived === true) return 'ended'
  return STATES[textOf(line, 'status') ?? ''] ?? 'active'
}

/** Whether a line item serves, or would if its flight had begun and it had creatives. */
export function isRunning(line: Message): boolean {
  return gamLineState(line) === 'active' && textOf(line, 'status') !== 'COMPLETED'
}

/** What a line of ours is read with. */
export interface LineView {
  readonly externalId: string
  readonly memo: LineMemo
  /** Its order is, so that its own state is the one that we remember. */
  readonly orderPaused: boolean
  readonly associations: readonly ObservedAssociation[]
}

/**
 * A line of ours as we see it. What a member means that has the value we wrote is what we wrote; another one was changed by someone and is read back, as the setting that it
 * stands for, or as the member itself where no setting tells it from what we wrote.
 */
export async function observedLine(
  line: Message,
  { externalId, memo, orderPaused, associations }: LineView,
  lookups: Lookups,
): Promise<ObservedLine> {
  const state = gamLineState(line)
  const now = comparable(line)
  const changed = differing(memo.written, now)
  const read = await Promise.all(changed.map(async (field) => [field, await settingsOf(field, line, memo, lookups)] as const))
  const settings: Partial<LineSettings> = Object.assign({}, memo.settings, ...read.map(([, values]) => values))
  const others = read.flatMap(([field, values]): readonly OtherChange[] => {
    const shows = Object.entries(values).some(([name, value]) => !sameValue(value, Reflect.get(memo.settings, name)))
    return shows ? [] : [{ field, expected: memo.written[field] ?? null, observed: now[field] }]
  })
  return {
    id: nameOf(line),
    externalId,
    state: orderPaused && state === 'paused' ? memo.state : state,
    settings,
    associations,
    ...(others.length > 0 && { others }),
  }
}

/** What a changed member is as settings of a line; empty: no setting stands for it. */
async function settingsOf(
  field: string,
  line: Message,
  { settings, written }: LineMemo,
  lookups: Lookups,
): Promise<Partial<LineSettings>> {
  switch (field) {
    case 'startTime':
      return { startsAt: momentOf(line, 'startTime') ?? '' }
    case 'targetEndTime':
      return { endsAt: momentOf(line, 'targetEndTime') ?? momentOf(line, 'endTime') ?? '' }
    case 'rate':
      // The network has a flat price by the day.
      return settings.price.model === 'flat_rate' ? {} : { price: { ...settings.price, ...rateOf(line, settings) } }
    case 'goal':
      return settings.price.model === 'flat_rate' ? {} : goalOf(line, settings)
    case 'lineItemType':
      return { priority: GUARANTEED_TYPES.includes(textOf(line, 'lineItemType') ?? '') ? 'guaranteed' : 'non_guaranteed' }
    case 'deliveryRateType':
      return { pacing: PACES[textOf(line, 'deliveryRateType') ?? ''] ?? settings.pacing }
    case 'targeting':
    case 'frequencyCaps': {
      const now = comparable(line)
      return targetingOf(line, settings, (name) => !sameValue(written[name] ?? null, now[name]), lookups)
    }
    default:
      return {}
  }
}

/** The bid is what an auction's line item has as its rate. */
function rateOf(line: Message, { price }: LineSettings): Partial<LineSettings['price']> {
  const micros = microsOf(messageOf(line, 'rate'))
  return price.bidMicros === undefined ? { rateMicros: micros } : { bidMicros: micros }
}

/** Another goal is another budget: the line item's own budget follows from its rate and goal. */
function goalOf(line: Message, settings: LineSettings): Partial<LineSettings> {
  const units = countOf(messageOf(line, 'goal'), 'units')
  return {
    budgetMicros: costMicros(settings, units),
    ...(settings.goalImpressions !== null && settings.price.model === 'cpm' && { goalImpressions: units }),
  }
}

async function targetingOf(
  line: Message,
  { targeting }: LineSettings,
  changed: (name: string) => boolean,
  lookups: Lookups,
): Promise<Pick<Partial<LineSettings>, 'targeting'>> {
  const cap = changed('frequencyCaps') ? undefined : targeting?.frequency_cap
  const { frequency_cap: _cap, ...others } = targeting ?? {}
  const overlay = changed('targeting') ? await overlayOf(messageOf(line, 'targeting'), targeting, lookups) : others
  if (!overlay) return {}
  const all = { ...overlay, ...(cap && { frequency_cap: cap }) }
  return { targeting: Object.keys(all).length === 0 ? null : all }
}

import type { LineSettings } from '../../domain/ad-serving/desired-order.ts'
import type { ObservedAssociation, ObservedLine, ObservedState } from '../../domain/ad-serving/observed-order.ts'
import type { Pacing } from '../../domain/media-buy/media-buy.ts'
import type { Message } from './client.ts'
import { costMicros, digestsOf } from './line-fields.ts'
import type { Lookups } from './lookups.ts'
import { countOf, messageOf, microsOf, momentOf, nameOf, textOf } from './messages.ts'
import { type LineNote, readLineNote } from './notes.ts'
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

/**
 * A line as we see it. What a member means that has the value we wrote is what we wrote; another one was changed by someone and is read back.
 * `orderPaused`: its order is, so that its own state is the one that we remember.
 */
export async function observedLine(
  line: Message,
  orderPaused: boolean,
  lookups: Lookups,
  associations: readonly ObservedAssociation[] = [],
): Promise<ObservedLine> {
  const externalId = textOf(line, 'externalLineItemId')
  const note = readLineNote(textOf(line, 'notes'))
  const state = gamLineState(line)
  return {
    id: nameOf(line),
    ...(externalId !== undefined && note && { externalId }),
    state: orderPaused && state === 'paused' && note ? note.state : state,
    settings: note ? await settingsOf(line, note, lookups) : {},
    associations,
  }
}

async function settingsOf(line: Message, { settings, written }: LineNote, lookups: Lookups): Promise<Partial<LineSettings>> {
  const now = digestsOf(line)
  const changed = (name: string) => written[name] !== now[name]
  return {
    ...settings,
    ...(changed('startTime') && { startsAt: momentOf(line, 'startTime') ?? '' }),
    ...(changed('targetEndTime') && { endsAt: momentOf(line, 'targetEndTime') ?? momentOf(line, 'endTime') ?? '' }),
    ...(changed('rate') && { price: { ...settings.price, ...rateOf(line, settings) } }),
    ...(changed('goal') && goalOf(line, settings)),
    ...(changed('lineItemType') && {
      priority: textOf(line, 'lineItemType') === 'STANDARD' ? ('guaranteed' as const) : ('non_guaranteed' as const),
    }),
    ...(changed('deliveryRateType') && { pacing: PACES[textOf(line, 'deliveryRateType') ?? ''] ?? settings.pacing }),
    ...((changed('targeting') || changed('frequencyCaps')) && { targeting: await targetingOf(line, settings, changed, lookups) }),
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
): Promise<LineSettings['targeting']> {
  const cap = changed('frequencyCaps') ? undefined : targeting?.frequency_cap
  const { frequency_cap: _cap, ...others } = targeting ?? {}
  const overlay = changed('targeting') ? await overlayOf(messageOf(line, 'targeting'), lookups) : others
  const all = { ...overlay, ...(cap && { frequency_cap: cap }) }
  return Object.keys(all).length === 0 ? null : all
}

import { sameValue } from '../../domain/same-value.ts'
import type { Message } from './client.ts'
import { comparableInventory, comparablePlaces, comparableReach, otherTargeting } from './compared-targeting.ts'
import { comparableCustomFields } from './custom-fields.ts'
import { comparableDayparts, DAYPARTS } from './dayparts.ts'
import type { LineFields } from './line-fields.ts'
import { countOf, messageOf, messagesOf, microsOf, momentOf, textOf } from './messages.ts'
import type { Written } from './remembered.ts'

/** `allowOverbook` is no member of a line item: it says how the call is taken. The cost type is compared with the rate, the targeting in its parts. */
type Compared =
  | Exclude<keyof LineFields, 'allowOverbook' | 'costType'>
  | 'inventory'
  | keyof ReturnType<typeof comparablePlaces>
  | typeof DAYPARTS
  | typeof OTHER_TARGETING

/** What else a targeting has: not what we wrote, but what the network made of it. */
const OTHER_TARGETING = 'otherTargeting'

/** What every member that we write says, made equal where it means the same. The type sees to it that none is left out. */
const COMPARED: Readonly<Record<Compared, (line: Message) => unknown>> = {
  displayName: (line) => textOf(line, 'displayName'),
  externalLineItemId: (line) => textOf(line, 'externalLineItemId'),
  startTime: (line) => momentOf(line, 'startTime'),
  targetEndTime: (line) => momentOf(line, 'targetEndTime') ?? momentOf(line, 'endTime'),
  lineItemType: (line) => textOf(line, 'lineItemType'),
  priority: (line) => countOf(line, 'priority'),
  rate: (line) => ({ costType: textOf(line, 'costType'), micros: microsOf(messageOf(line, 'rate')) }),
  goal: (line) => {
    const goal = messageOf(line, 'goal')
    return { type: textOf(goal, 'goalType'), unit: textOf(goal, 'unitType'), units: countOf(goal, 'units') }
  },
  deliveryRateType: (line) => textOf(line, 'deliveryRateType'),
  creativeRotationType: (line) => textOf(line, 'creativeRotationType'),
  roadblockingType: (line) => textOf(line, 'roadblockingType'),
  appliedLabels: (line) => {
    const labels = messagesOf(line, 'appliedLabels').map(
      (each) => `${textOf(each, 'label')}${each.negated === true ? ' negated' : ''}`,
    )
    return labels.length === 0 ? undefined : labels.sort()
  },
  customFieldValues: comparableCustomFields,
  environmentType: (line) => textOf(line, 'environmentType'),
  creativePlaceholders: (line) => messagesOf(line, 'creativePlaceholders').map(placeholderText).sort(),
  frequencyCaps: (line) =>
    messagesOf(line, 'frequencyCaps')
      .map((cap) => `${countOf(cap, 'maxImpressions')} in ${countOf(cap, 'timeAmount')} ${textOf(cap, 'timeUnit')}`)
      .sort(),
  targeting: (line) => comparableReach(messageOf(line, 'targeting')),
  inventory: (line) => comparableInventory(messageOf(line, 'targeting')),
  browsers: (line) => comparablePlaces(messageOf(line, 'targeting')).browsers,
  videoPositions: (line) => comparablePlaces(messageOf(line, 'targeting')).videoPositions,
  contentBundles: (line) => comparablePlaces(messageOf(line, 'targeting')).contentBundles,
  [DAYPARTS]: (line) => comparableDayparts(messageOf(line, 'targeting')),
  [OTHER_TARGETING]: (line) => otherTargeting(messageOf(line, 'targeting')),
}

/** A size, with the sizes of its companions. */
function placeholderText(placeholder: Message): string {
  const sizeOf = (each: Message) => {
    const size = messageOf(each, 'size')
    return `${countOf(size, 'width')}x${countOf(size, 'height')}`
  }
  return [placeholder, ...messagesOf(placeholder, 'companions')].map(sizeOf).join('+')
}

/** Every compared member of a line item. */
export function comparable(line: Message): Written {
  return Object.fromEntries(Object.entries(COMPARED).map(([name, value]) => [name, value(line) ?? null]))
}

/** Members that people may add to lines which we write none for; those of a targeting are compared with the rest of it then. */
const THEIRS = ['appliedLabels', 'customFieldValues', 'browsers', 'videoPositions', 'contentBundles']

/** The members in which a line item is not as it was written. */
export function differing(written: Written, now: Written): readonly string[] {
  const isTheirs = (name: string) => THEIRS.includes(name) && (written[name] ?? null) === null
  return Object.keys(now).filter((name) => !isTheirs(name) && !sameValue(written[name] ?? null, now[name]))
}

/** What a line item has where we write these members and the network has made of the rest what it made of it. */
export function written(fields: LineFields, there: Written): Written {
  return completed(comparable(fields), there)
}

/** The same with what the network has made of the rest. */
export function completed(own: Written, there: Written): Written {
  return { ...own, [OTHER_TARGETING]: there[OTHER_TARGETING] }
}

/** Members that are written together, and those that are parts of one. */
const WITH: Readonly<Record<string, readonly string[]>> = {
  rate: ['rate', 'costType'],
  inventory: ['targeting'],
  browsers: ['targeting'],
  videoPositions: ['targeting'],
  contentBundles: ['targeting'],
  [DAYPARTS]: ['targeting'],
  [OTHER_TARGETING]: ['targeting'],
}

/** The members to write for what differs. */
export function membersOf(differing: readonly string[]): readonly string[] {
  return [...new Set(differing.flatMap((name) => WITH[name] ?? [name]))]
}

import type { ExistingLine, ExistingPage } from '../../domain/ad-serving/existing-line.ts'
import type { GamClient, Message } from './client.ts'
import { sizeOf } from './gam-inventory.ts'
import { GUARANTEED_TYPES } from './line-price.ts'
import { countOf, idOf, messageOf, messagesOf, microsOf, momentOf, nameOf, textOf, textsOf } from './messages.ts'
import { gamLineState } from './observed-line.ts'
import type { GamMemory } from './remembered.ts'

/** Line items of the network, archived ones included, oldest first, at most 1,000 at a time. Nothing is changed by it. */
export async function existingGamLines(
  { client, memory }: { readonly client: GamClient; readonly memory: Pick<GamMemory, 'known'> },
  tenantId: string,
  after?: string,
): Promise<ExistingPage> {
  const query = { orderBy: 'createTime', after }
  const { items, next } = await client.page(`${client.network}/lineItems`, 'lineItems', query)
  const ours = await memory.known(tenantId, 'line', items.map(nameOf))
  return { lines: items.map((line) => existingGamLine(line, ours)), ...(next !== undefined && { next }) }
}

/** A line item as people see it; `ours`: names of those that we booked. */
export function existingGamLine(line: Message, ours: ReadonlySet<string>): ExistingLine {
  const rate = messageOf(line, 'rate')
  const [startsAt, endsAt] = [momentOf(line, 'startTime'), momentOf(line, 'endTime') ?? momentOf(line, 'targetEndTime')]
  const targeting = messageOf(line, 'targeting')
  const inventory = messageOf(targeting, 'inventoryTargeting')
  const sizes = messagesOf(line, 'creativePlaceholders').flatMap((each) => sizeOf(messageOf(each, 'size')))
  const keyValues = keyValuesOf(targeting)
  const goal = goalOf(messageOf(line, 'goal'))
  const isGuaranteed = GUARANTEED_TYPES.includes(textOf(line, 'lineItemType') ?? '')
  return {
    id: idOf(nameOf(line)),
    orderId: idOf(textOf(line, 'order') ?? ''),
    orderName: textOf(line, 'orderDisplayName') ?? '',
    name: textOf(line, 'displayName') ?? '',
    status: textOf(line, 'status') ?? '',
    isArchived: line.archived === true,
    isOurs: ours.has(nameOf(line)),
    type: textOf(line, 'lineItemType') ?? '',
    ...(startsAt !== undefined && { startsAt }),
    ...(endsAt !== undefined && { endsAt }),
    costType: textOf(line, 'costType') ?? '',
    rateMicros: microsOf(rate),
    currency: textOf(rate, 'currencyCode') ?? '',
    impressionsDelivered: countOf(messageOf(line, 'stats'), 'impressionsDelivered'),
    unitIds: messagesOf(inventory, 'targetedAdUnits').flatMap((each) => {
      const unit = textOf(each, 'adUnit')
      return unit === undefined ? [] : [idOf(unit)]
    }),
    ...(goal && { goal }),
    ...(isGuaranteed && { isGuaranteed }),
    state: STATES[gamLineState(line)],
    ...(sizes.length > 0 && { sizes }),
    ...(keyValues.length > 0 && { keyValues }),
  }
}

/** What was rejected, or waits for approval, is not shown. */
const STATES = { active: 'active', paused: 'paused', waiting: 'paused', rejected: 'ended', ended: 'ended' } as const

/** A number of units until the end of a line; a share of each day is none. */
function goalOf(goal: Message | undefined): ExistingLine['goal'] {
  const units = countOf(goal, 'units')
  return textOf(goal, 'goalType') === 'LIFETIME' && units > 0 ? { unit: textOf(goal, 'unitType') ?? '', units } : undefined
}

/** Keys of the only clause of a targeting; empty where there is another clause, an audience or a value that is left out. */
function keyValuesOf(targeting: Message | undefined): NonNullable<ExistingLine['keyValues']> {
  const [clause, ...others] = messagesOf(messageOf(targeting, 'customTargeting'), 'customTargetingClauses')
  const literals = messagesOf(clause, 'customTargetingLiterals')
  const isMore = others.length > 0 || messagesOf(clause, 'audienceSegmentTargetings').length > 0
  if (isMore || literals.some(({ negative }) => negative === true)) return []
  return literals
    .map((each) => ({
      key: idOf(textOf(each, 'customTargetingKey') ?? ''),
      values: textsOf(each, 'customTargetingValues').map(idOf).sort(),
    }))
    .sort((a, b) => (a.key < b.key ? -1 : 1))
}

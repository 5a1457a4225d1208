import type { ExistingLine, ExistingPage } from '../../domain/ad-serving/existing-line.ts'
import type { GamClient, Message } from './client.ts'
import { sizeOf } from './gam-inventory.ts'
import { countOf, idOf, messageOf, messagesOf, microsOf, momentOf, nameOf, textOf, textsOf } from './messages.ts'
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
  return { lines: items.map((line) => lineOf(line, ours)), ...(next !== undefined && { next }) }
}

function lineOf(line: Message, ours: ReadonlySet<string>): ExistingLine {
  const rate = messageOf(line, 'rate')
  const [startsAt, endsAt] = [momentOf(line, 'startTime'), momentOf(line, 'endTime') ?? momentOf(line, 'targetEndTime')]
  const targeting = messageOf(line, 'targeting')
  const inventory = messageOf(targeting, 'inventoryTargeting')
  const sizes = messagesOf(line, 'creativePlaceholders').flatMap((each) => sizeOf(messageOf(each, 'size')))
  const keyValues = keyValuesOf(targeting)
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
    ...(sizes.length > 0 && { sizes }),
    ...(keyValues.length > 0 && { keyValues }),
  }
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

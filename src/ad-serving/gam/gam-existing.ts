import type { ExistingLine, ExistingPage } from '../../domain/ad-serving/existing-line.ts'
import type { GamClient, Message } from './client.ts'
import { countOf, idOf, messageOf, messagesOf, microsOf, momentOf, nameOf, textOf } from './messages.ts'
import { readLineNote } from './notes.ts'

/** Line items of the network, archived ones included, oldest first, at most 1,000 at a time. Nothing is changed by it. */
export async function existingGamLines(client: GamClient, after?: string): Promise<ExistingPage> {
  const query = { orderBy: 'createTime', after }
  const { items, next } = await client.page(`${client.network}/lineItems`, 'lineItems', query)
  return { lines: items.map(lineOf), ...(next !== undefined && { next }) }
}

function lineOf(line: Message): ExistingLine {
  const rate = messageOf(line, 'rate')
  const [startsAt, endsAt] = [momentOf(line, 'startTime'), momentOf(line, 'endTime') ?? momentOf(line, 'targetEndTime')]
  const inventory = messageOf(messageOf(line, 'targeting'), 'inventoryTargeting')
  return {
    id: idOf(nameOf(line)),
    orderId: idOf(textOf(line, 'order') ?? ''),
    orderName: textOf(line, 'orderDisplayName') ?? '',
    name: textOf(line, 'displayName') ?? '',
    status: textOf(line, 'status') ?? '',
    isArchived: line.archived === true,
    isOurs: readLineNote(textOf(line, 'notes')) !== undefined,
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
  }
}

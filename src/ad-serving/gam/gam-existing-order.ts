import type { ExistingDelivery, ExistingOrder, LineCounts } from '../../domain/ad-serving/existing-line.ts'
import type { ExistingReportRequest } from '../backend.ts'
import type { GamClient, Message } from './client.ts'
import { existingGamLine } from './gam-existing.ts'
import { linesOfOrder } from './gam-lines.ts'
import { countsOfRow, deliveryReport } from './gam-report.ts'
import { nameOf, textOf } from './messages.ts'
import type { GamMemory } from './remembered.ts'
import { partOfReport, type RunParts } from './report-run.ts'

interface OrderParts {
  readonly client: GamClient
  readonly memory: Pick<GamMemory, 'known'>
}

/** An order of the network with its line items, and its advertiser as the network names it. */
export async function existingGamOrder(
  { client, memory }: OrderParts,
  tenantId: string,
  orderId: string,
): Promise<ExistingOrder | undefined> {
  // Ids of the network are numbers: anything else would be another path.
  if (!/^\d{1,19}$/.test(orderId)) return undefined
  const order = await client.find(`${client.network}/orders/${orderId}`)
  if (!order) return undefined
  const lines = await linesOfOrder(client, nameOf(order))
  const ours = await memory.known(tenantId, 'line', lines.map(nameOf))
  return {
    id: orderId,
    name: textOf(order, 'displayName') ?? '',
    advertiser: await advertiserOf(client, order),
    lines: lines.map((line) => existingGamLine(line, ours)),
  }
}

async function advertiserOf(client: GamClient, order: Message): Promise<string> {
  const name = textOf(order, 'advertiser')
  const company = name === undefined ? undefined : await client.find(name)
  return textOf(company, 'displayName') ?? ''
}

/** Delivery of orders of the network by line and UTC day, a part at a time. */
export async function existingGamDelivery(
  { clock, ...parts }: RunParts & { readonly clock: () => Date },
  { orderIds, since, after }: ExistingReportRequest,
): Promise<ExistingDelivery> {
  const { rows, next } = await partOfReport(parts, after, {
    displayName: 'Delivery of adopted orders',
    of: () => deliveryReport(orderIds, since, clock()),
  })
  return { rows: rows.flatMap(rowOf), ...(next !== undefined && { next }) }
}

function rowOf(row: Message): readonly LineCounts[] {
  const { lineId, period, counts } = countsOfRow(row)
  return lineId === undefined || period === undefined ? [] : [{ lineId, period, ...counts }]
}

import type { CreateMediaBuyResponse } from '@adcp/sdk/types'
import { AdcpError } from '../../protocol/errors.ts'
import type { Offer } from './choose-offer.ts'
import { ACCOUNT, approveHere, type FirstBuyParts, money, poll } from './step.ts'

/** A booked order of one package. */
export interface Order {
  readonly mediaBuyId: string
  readonly packageId: string
}

/** An hour: delivery shows within seconds, and the order ends by itself. */
const FLIGHT_MS = 3_600_000

/** Buys the offer. Where the publisher has to approve first, waits for that. Throws AdcpError when it is not booked. */
export async function placeOrder(parts: FirstBuyParts, offer: Offer): Promise<Order> {
  const { call, report, newId, clock } = parts
  const request = {
    account: ACCOUNT,
    brand: ACCOUNT.brand,
    idempotency_key: newId(),
    start_time: 'asap',
    end_time: new Date(clock().getTime() + FLIGHT_MS).toISOString(),
    packages: [
      {
        product_id: offer.product.product_id,
        pricing_option_id: offer.pricingOptionId,
        budget: offer.budget,
        pacing: 'asap',
        ...(offer.isBid && { bid_price: offer.cpm }),
      },
    ],
  }
  const answer = await call<CreateMediaBuyResponse>('create_media_buy', request)
  const order = orderIn(answer)
  const taskId = 'task_id' in answer ? answer.task_id : undefined
  const reason = 'message' in answer && answer.message ? `: ${answer.message}` : ''
  report({
    actor: 'buyer',
    call: 'create_media_buy',
    request,
    answer,
    lines: [
      `order: ${money(offer.budget, offer.currency)} over one hour`,
      order ? `booked as ${order.mediaBuyId}` : `submitted as ${taskId}${reason}`,
    ],
  })
  if (order) return order
  if (taskId === undefined) throw new AdcpError('INVALID_REQUEST', 'create_media_buy answered neither a media buy nor a task')
  await approveHere(parts, 'order', taskId)
  return approvedOrder(parts, taskId)
}

interface TaskStatus {
  readonly status: string
  readonly message?: string
  readonly result?: object
}

const OPEN = ['submitted', 'working', 'input-required']

async function approvedOrder(parts: FirstBuyParts, taskId: string): Promise<Order> {
  const request = { task_id: taskId, include_result: true }
  const { answer } = await poll(
    parts,
    () => parts.call<TaskStatus>('get_task_status', request),
    ({ status }) => !OPEN.includes(status),
  )
  const order = orderIn(answer.result ?? {})
  parts.report({
    actor: 'buyer',
    call: 'get_task_status',
    request,
    answer,
    lines: [`${answer.status}${order ? `: booked as ${order.mediaBuyId}` : ''}`],
  })
  if (order) return order
  if (OPEN.includes(answer.status))
    throw new AdcpError(
      'INVALID_REQUEST',
      `the publisher has not decided on ${taskId} yet; it does with "sales-agent approvals approve ${taskId}"; wait longer with --wait`,
    )
  throw new AdcpError('INVALID_REQUEST', `the order is ${answer.status}: ${answer.message ?? 'no reason given'}`)
}

function orderIn(answer: object): Order | undefined {
  const mediaBuyId: unknown = Reflect.get(answer, 'media_buy_id')
  const packages: unknown = Reflect.get(answer, 'packages')
  const [first] = Array.isArray(packages) ? packages : []
  const packageId: unknown = typeof first === 'object' && first !== null ? Reflect.get(first, 'package_id') : undefined
  return typeof mediaBuyId === 'string' && typeof packageId === 'string' ? { mediaBuyId, packageId } : undefined
}

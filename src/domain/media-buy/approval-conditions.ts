import { conditionsText } from '../approval/policy.ts'
import type { MediaBuy } from './media-buy.ts'

/** Conditions that an order keeps: those of the latest approvals of it and of its changes. */
const MOST_KEPT = 50
/** The most orders that a text names. */
const MOST_ORDERS = 10

/** An order that was approved, or changed by an approval, on these conditions, with those of approvals before. */
export function onConditions(buy: MediaBuy, conditions: readonly string[]): MediaBuy {
  const known = buy.approvalConditions ?? []
  const added = conditions.filter((each) => !known.includes(each))
  return added.length === 0 ? buy : { ...buy, approvalConditions: [...known, ...added].slice(-MOST_KEPT) }
}

/** The member of `ext` that says them, where an order has some. */
export function shownConditions({ approvalConditions }: MediaBuy) {
  return approvalConditions && { approval_conditions: approvalConditions }
}

/** The conditions of the orders of a list, a sentence each. */
export function conditionsOfOrders(orders: unknown): string[] {
  const rows: readonly unknown[] = Array.isArray(orders) ? orders : []
  const lines = rows.flatMap((row) => {
    const [id, conditions] = [memberOf(row, 'media_buy_id'), memberOf(memberOf(row, 'ext'), 'approval_conditions')]
    return Array.isArray(conditions) && conditions.length > 0 ? [`${id}: ${conditionsText(conditions.map(String))}`] : []
  })
  const more = lines.length - MOST_ORDERS
  return more > 0 ? [...lines.slice(0, MOST_ORDERS), `${more} more orders have conditions (ext.approval_conditions).`] : lines
}

function memberOf(value: unknown, name: string): unknown {
  return typeof value === 'object' && value !== null ? Reflect.get(value, name) : undefined
}

import { createHash } from 'node:crypto'

/** Ids follow from the anchors, so that writing the same thing again finds it on any machine. */
export const orderIdOf = (tenantId: string, anchor: string) => idOf('ho', tenantId, anchor)
export const lineIdOf = (orderId: string, anchor: string) => idOf('hl', orderId, anchor)
export const creativeIdOf = (tenantId: string, anchor: string) => idOf('hc', tenantId, anchor)

function idOf(kind: string, ...parts: readonly string[]): string {
  return `${kind}_${createHash('sha256').update(JSON.stringify(parts)).digest('hex').slice(0, 20)}`
}

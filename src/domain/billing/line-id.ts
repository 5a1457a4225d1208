/**
 * The id of a line as its order gives it. The ledger has lines that people entered as `direct:ORDER/LINE`, and those that were adopted from an ad server as `adopted:AD_SERVER/ORDER/LINE` (the order percent-encoded),
 * earlier ones as `adopted:AD_SERVER/LINE`.
 */
export function lineIdInOrder(orderId: string, lineId: string): string {
  const start = `direct:${orderId}/`
  if (lineId.startsWith(start)) return lineId.slice(start.length)
  if (!lineId.startsWith('adopted:')) return lineId
  const there = lineId.slice(lineId.indexOf('/') + 1)
  const order = `${encodeURIComponent(orderId)}/`
  return there.startsWith(order) ? there.slice(order.length) : there
}

/**
 * The id of a line as its order gives it. The ledger has lines that people entered as `direct:ORDER/LINE`, and those that were adopted from an ad server as `adopted:AD_SERVER/LINE`.
 */
export function lineIdInOrder(orderId: string, lineId: string): string {
  const start = `direct:${orderId}/`
  if (lineId.startsWith(start)) return lineId.slice(start.length)
  return lineId.startsWith('adopted:') ? lineId.slice(lineId.indexOf('/') + 1) : lineId
}

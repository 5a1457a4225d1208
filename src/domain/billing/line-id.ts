/** The id of a line as its order gives it: the ledger has lines that people entered as `direct:ORDER/LINE`. */
export function lineIdInOrder(orderId: string, lineId: string): string {
  const start = `direct:${orderId}/`
  return lineId.startsWith(start) ? lineId.slice(start.length) : lineId
}

import { instantOf } from '../calendar/instant.ts'
import { requireOrder } from '../order.ts'

/** Throws INVALID_REQUEST naming the end of a period (RFC 3339; `names`: paths of both ends) that comes before its start. */
export function requirePeriod(start: string | undefined, end: string | undefined, names: readonly [string, string]): void {
  const [startName, endName] = names
  const millis = (text: string | undefined, field: string) => (text === undefined ? undefined : instantOf(text, field))
  requireOrder({ value: millis(start, startName), field: startName }, { value: millis(end, endName), field: endName })
}

import { AdcpError } from '../protocol/errors.ts'

/** One end of a range in a request, with the path that a buyer knows it by. Days and instants are text in one notation, or milliseconds. */
export interface Bound<T> {
  readonly value: T | undefined
  readonly field: string
}

/** The rule of every range that a request may give: it does not end before it starts. An end alone is fine. Throws INVALID_REQUEST naming the end. */
export function requireOrder<T extends string | number>(start: Bound<T>, end: Bound<T>): void {
  if (start.value === undefined || end.value === undefined || start.value <= end.value) return
  throw new AdcpError('INVALID_REQUEST', `${end.field} comes before ${start.field}`, { field: end.field })
}

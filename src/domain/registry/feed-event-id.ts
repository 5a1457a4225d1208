import { hash } from 'node:crypto'

/**
 * The id of an event of the feed: a UUID of version 7 whose time is the event's and whose rest is derived from what makes it unique, so that the
 * same event has the same id whenever it is read and says nothing of how many there are. Source: RFC 9562 §5.7; AdCP registry (change feed).
 * `createdAt` is ISO 8601.
 */
export function feedEventId(unique: string, createdAt: string): string {
  const time = Date.parse(createdAt).toString(16).padStart(12, '0')
  const rest = hash('sha256', unique, 'hex')
  const variant = ((Number.parseInt(rest.slice(3, 4), 16) & 0x3) | 0x8).toString(16)
  return `${time.slice(0, 8)}-${time.slice(8)}-7${rest.slice(0, 3)}-${variant}${rest.slice(4, 7)}-${rest.slice(7, 19)}`
}

import { crc32 } from 'node:zlib'
import type { EmbeddedEvent } from '../events.ts'

/**
 * A segment is a file of records, one a line: the CRC-32 of the text that follows (eight hexadecimal digits), a space, the text, a line feed. JSON texts hold no line
 * feed (RFC 8259 §7), so the record after a damaged one is found again.
 */
const LINE_FEED = 0x0a
const DIGITS = 8

/** What a segment holds. */
export interface SegmentContent {
  /** Events in the order in which they were written. */
  readonly events: readonly EmbeddedEvent[]
  /** Whole lines that are no record any more: their bytes changed after they were written. */
  readonly damaged: number
  /** Bytes after the last line feed: a write that was cut off, whose events nobody was told are kept. */
  readonly tornBytes: number
}

/** Events as records of a segment. */
export function encodeEvents(events: readonly EmbeddedEvent[]): Buffer {
  let text = ''
  for (const event of events) {
    const json = JSON.stringify(partsOf(event))
    text += `${crc32(json).toString(16).padStart(DIGITS, '0')} ${json}\n`
  }
  return Buffer.from(text)
}

/** Reads a segment: whatever its bytes are, every record that is whole. */
export function decodeSegment(bytes: Buffer): SegmentContent {
  const events: EmbeddedEvent[] = []
  let damaged = 0
  let from = 0
  for (let end = bytes.indexOf(LINE_FEED); end >= 0; end = bytes.indexOf(LINE_FEED, from)) {
    const event = eventOf(bytes.subarray(from, end))
    if (event) events.push(event)
    else damaged += 1
    from = end + 1
  }
  return { events, damaged, tornBytes: bytes.length - from }
}

function partsOf(event: EmbeddedEvent): readonly unknown[] {
  const { eventId, decisionId, tenantId, lineId, creativeId, place, kind, isBot, rateMicros, happenedAt } = event
  return [eventId, decisionId, tenantId, lineId, creativeId, place, kind, isBot ? 1 : 0, rateMicros, happenedAt]
}

function eventOf(line: Buffer): EmbeddedEvent | undefined {
  const json = line.subarray(DIGITS + 1)
  if (line.subarray(0, DIGITS + 1).toString('latin1') !== `${crc32(json).toString(16).padStart(DIGITS, '0')} `) return undefined
  return parsed(json.toString())
}

/** Undefined for a text that {@link encodeEvents} did not write, although its checksum fits. */
function parsed(json: string): EmbeddedEvent | undefined {
  let parts: unknown
  try {
    parts = JSON.parse(json)
  } catch {
    return undefined
  }
  if (!Array.isArray(parts)) return undefined
  const [eventId, decisionId, tenantId, lineId, creativeId, place, kind, bot, rateMicros, happenedAt]: readonly unknown[] = parts
  if (
    typeof eventId !== 'string' ||
    typeof decisionId !== 'string' ||
    typeof tenantId !== 'string' ||
    typeof lineId !== 'string' ||
    typeof creativeId !== 'string' ||
    typeof place !== 'string' ||
    typeof kind !== 'string' ||
    typeof rateMicros !== 'number' ||
    typeof happenedAt !== 'string'
  )
    return undefined
  return { eventId, decisionId, tenantId, lineId, creativeId, place, kind, isBot: bot === 1, rateMicros, happenedAt }
}

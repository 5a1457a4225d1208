import { createHmac } from 'node:crypto'
import type { FormatKey } from '../formats/format-id.ts'

/**
 * The option id by which the official clients name a format that they know by its id alone: `migrated_` and the first 32 hexadecimal digits of an HMAC-SHA256
 * with an empty key over owner, id and parameters (Python client, canonical_formats/projection.py `migrated_format_option_id`).
 */
export function migratedOptionId({ agent_url, id, width, height, duration_ms }: FormatKey): string {
  const identity = JSON.stringify([agent_url, id, width ?? null, height ?? null, duration_ms ?? null])
  return `migrated_${createHmac('sha256', '').update(identity).digest('hex').slice(0, 32)}`
}

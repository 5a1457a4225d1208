import type { RecoveryOf } from '../protocol/errors.ts'
import { isObject } from '../protocol/is-object.ts'

type Payload = Readonly<Record<string, unknown>>

/**
 * The payload with the recovery class of every error in it that has none: of `errors[]` and `preview_error` at the top, and of `errors[]` in the rows of
 * its lists (`creatives[].errors`). The same object when there is nothing to add. Linear in the number of rows.
 */
export function withRecovery(payload: Payload, recoveryOf: RecoveryOf): Payload {
  // The form of this answer is closed (AdCP 3.2, get-reporting-status-response.json, "Unavailable lookup").
  if (payload.failure_kind === 'lookup_unavailable') return payload
  let changed: Record<string, unknown> | undefined
  for (const [name, value] of Object.entries(payload)) {
    const completed = name === 'preview_error' ? complete(value, recoveryOf) : inList(name, value, recoveryOf)
    if (completed !== value) changed = { ...(changed ?? payload), [name]: completed }
  }
  return changed ?? payload
}

function inList(name: string, value: unknown, recoveryOf: RecoveryOf): unknown {
  if (!Array.isArray(value)) return value
  return mapped(value, (entry) => (name === 'errors' ? complete(entry, recoveryOf) : inRow(entry, recoveryOf)))
}

function inRow(row: unknown, recoveryOf: RecoveryOf): unknown {
  if (!isObject(row) || !Array.isArray(row.errors)) return row
  const errors = mapped(row.errors, (entry) => complete(entry, recoveryOf))
  return errors === row.errors ? row : { ...row, errors }
}

function complete(error: unknown, recoveryOf: RecoveryOf): unknown {
  if (!isObject(error) || typeof error.code !== 'string' || error.recovery !== undefined) return error
  const { code, message, ...rest } = error
  return { code, message, recovery: recoveryOf(code), ...rest }
}

/** The list with its entries replaced; the same list when none is another. */
function mapped(list: readonly unknown[], replace: (entry: unknown) => unknown): readonly unknown[] {
  const replaced = list.map(replace)
  return replaced.some((entry, index) => entry !== list[index]) ? replaced : list
}

import { isObject } from '../../protocol/is-object.ts'
import type { Step } from '../state.ts'

/** More fields would make the list longer than the answer. */
const MAX_LISTED = 50
const MAX_FIELD = 120

/**
 * Says in the answer's `ext.ignored_members` which members of the request had no effect because neither the official schema nor this agent knows them, or because the task found so.
 * The success forms of the official schemas forbid `errors`, and `ext` is open. Inside `replay`, so that a repeated call gets the same list.
 */
export const listIgnored: Step = async (state, next) => {
  const result = await next(state)
  const { ext } = result.payload
  const named: unknown = isObject(ext) ? ext.ignored_members : undefined
  const ignored = [...(state.ignored ?? []), ...(Array.isArray(named) ? named.filter((field) => typeof field === 'string') : [])]
  if (ignored.length === 0) return result
  const listed = ignored.slice(0, MAX_LISTED).map((field) => field.slice(0, MAX_FIELD))
  const rest = ignored.length - listed.length
  const ignored_members = rest > 0 ? [...listed, `… and ${rest} more`] : listed
  return { ...result, payload: { ...result.payload, ext: { ...(isObject(ext) && ext), ignored_members } } }
}

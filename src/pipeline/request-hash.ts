import { hash } from 'node:crypto'
import canonicalize from 'canonicalize'
import type { Steps } from '../platform/concurrency/steps.ts'
import { AdcpError } from '../protocol/errors.ts'
import { ValueSizes } from '../protocol/value-sizes.ts'

/** Values that are written in one step: a millisecond or two. */
const MOST_VALUES = 1_000

/** Characters of a text that are as much work as a value of their own. */
const CHARACTERS_OF_A_VALUE = 256

/**
 * SHA-256, in hexadecimal, of the RFC 8785 form of tool and request, in the model of the tasks, without the fields that may differ between retries: a retry
 * may name another release. In steps. Throws INVALID_REQUEST for what has no such form: half a surrogate pair, or a number beyond a double's range, and JSON
 * text can hold both.
 */
export function* requestHash(task: string | undefined, request: object): Steps<string> {
  const form = yield* canonicalForm({ task, request: hashedMembers({ ...request }) })
  yield
  return hash('sha256', form, 'hex')
}

function hashedMembers(request: Record<string, unknown>): object {
  const {
    idempotency_key: _key,
    adcp_version: _version,
    adcp_major_version: _major,
    context,
    governance_context: _governance,
    ...rest
  } = request
  const hashed: Record<string, unknown> = typeof context === 'string' ? { ...rest, context } : rest
  const push = hashed.push_notification_config as { authentication?: { credentials?: unknown } } | undefined
  if (push?.authentication?.credentials !== undefined) {
    const { credentials: _credentials, ...authentication } = push.authentication
    hashed.push_notification_config = { ...push, authentication }
  }
  return hashed
}

function* canonicalForm(value: object): Steps<string> {
  try {
    return yield* inParts(value, new ValueSizes(MOST_VALUES, valuesOfText))
  } catch (cause) {
    const message = 'the request holds text that is not Unicode, or a number that is out of range'
    throw new AdcpError('INVALID_REQUEST', message, { cause })
  }
}

/** What `canonicalize` writes for JSON data: a small value by itself, a large one member by member. */
function* inParts(value: unknown, sizes: ValueSizes): Steps<string> {
  if (typeof value !== 'object' || value === null || sizes.values(value) <= MOST_VALUES) return canonicalize(value) ?? ''
  const isList = Array.isArray(value)
  const parts: string[] = []
  let count = 0
  for (const [name, member] of isList ? value.entries() : sortedMembers(value)) {
    count += sizes.values(member)
    if (count > MOST_VALUES) {
      yield
      count = 0
    }
    const text = yield* inParts(member ?? null, sizes)
    parts.push(isList ? text : `${canonicalize(name)}:${text}`)
  }
  return isList ? `[${parts.join(',')}]` : `{${parts.join(',')}}`
}

/** By the UTF-16 code units of their names (RFC 8785, 3.2.3), without those that JSON would leave out. */
function sortedMembers(object: object): [string, unknown][] {
  const members = Object.entries(object).filter(([, member]) => member !== undefined)
  return members.sort(([one], [other]) => (one < other ? -1 : 1))
}

/** A long text is as much work as several values. */
function valuesOfText(text: string): number {
  return 1 + Math.floor(text.length / CHARACTERS_OF_A_VALUE)
}

import { AdcpError } from '../../protocol/errors.ts'
import { isObject } from '../../protocol/is-object.ts'

/** Parameters of a scenario as they came: nothing about them has been checked. */
export type Params = Readonly<Record<string, unknown>>

/** A required text. Throws INVALID_REQUEST naming the parameter. */
export function requiredText(params: Params, name: string, maxLength = 255): string {
  const value = params[name]
  if (typeof value === 'string' && value.length > 0 && value.length <= maxLength) return value
  throw invalidParam(name, `must be a text of 1 to ${maxLength} characters`)
}

/** An optional text. Throws INVALID_REQUEST when it is something else. */
export function optionalText(params: Params, name: string, maxLength = 255): string | undefined {
  return params[name] === undefined ? undefined : requiredText(params, name, maxLength)
}

/** An optional count; 0 when absent. Throws INVALID_REQUEST for anything but a whole number of at least 0. */
export function count(params: Params, name: string): number {
  const value = params[name] ?? 0
  if (typeof value === 'number' && Number.isSafeInteger(value) && value >= 0) return value
  throw invalidParam(name, 'must be a whole number of at least 0')
}

/** The fixture of a seed scenario; empty when absent. Throws INVALID_REQUEST when it is no object. */
export function fixtureOf(params: Params): Params {
  const fixture = params.fixture ?? {}
  if (isObject(fixture)) return fixture
  throw invalidParam('fixture', 'must be an object')
}

/** One of the given values. Throws INVALID_REQUEST naming them. */
export function oneOf<T extends string>(value: unknown, allowed: readonly T[], name: string): T {
  const found = allowed.find((candidate) => candidate === value)
  if (found !== undefined) return found
  throw invalidParam(name, `must be one of ${allowed.join(', ')}`)
}

/** What is wrong with a parameter. */
export function invalidParam(name: string, message: string): AdcpError {
  return new AdcpError('INVALID_REQUEST', `params.${name} ${message}`, { field: `params.${name}` })
}

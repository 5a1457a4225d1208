import { AdcpError, type Issue, joinFaults } from '../protocol/errors.ts'
import { fieldOf } from '../protocol/field-of.ts'

/** One error for all that is wrong with a request. Its message names each finding, its `field` the first one's. */
export function faultsError(code: 'INVALID_REQUEST' | 'UNSUPPORTED_FEATURE', issues: readonly Issue[]): AdcpError {
  const texts = issues.map(({ pointer, message }) => `${pointer === '' ? 'the request' : fieldOf(pointer)} ${message}`)
  return new AdcpError(code, joinFaults(texts), { field: fieldOf(issues[0]?.pointer ?? ''), issues })
}

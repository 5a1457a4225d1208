import { AdcpError, type Issue, joinFaults, MAX_FAULTS } from '../protocol/errors.ts'
import { fieldOf } from '../protocol/field-of.ts'

/** One error for all that is wrong with a request. Its message names each finding, its `field` the first one's; `besides` is said after them. */
export function faultsError(code: 'INVALID_REQUEST' | 'UNSUPPORTED_FEATURE', issues: readonly Issue[], besides = ''): AdcpError {
  const texts = (issues.length > MAX_FAULTS ? missingFirst(issues) : issues).map(
    ({ pointer, message }) => `${pointer === '' ? 'the request' : fieldOf(pointer)} ${message}`,
  )
  return new AdcpError(code, `${joinFaults(texts)}${besides}`, { field: fieldOf(issues[0]?.pointer ?? ''), issues })
}

/** Of more findings than a message names, those about what is missing are named for sure: without it nothing else counts. */
function missingFirst(issues: readonly Issue[]): readonly Issue[] {
  const isMissing = ({ keyword }: Issue) => keyword === 'required'
  return [...issues.filter(isMissing), ...issues.filter((issue) => !isMissing(issue))]
}

import { AdcpError } from '../../protocol/errors.ts'
import { isObject } from '../../protocol/is-object.ts'

/** One change of what is assigned to a package (AdCP 3.2, creative/sync-creatives-request.json, `assignment_operations`). */
export interface AssignmentOperation {
  readonly operation: 'assign' | 'unassign' | 'replace'
  readonly creative_id: string
  readonly package_id: string
  /** Of `replace`: the creative that goes. */
  readonly replaces_creative_id?: string
  readonly weight?: number
  readonly placement_ids?: string[]
  /** Path in the request, e.g. `assignment_operations[0]`. */
  readonly field: string
}

/** As the schema of 3.2 has it; that of 3.0, under which the member may come as well, does not name it. */
const MOST = 500
const NAMES: Readonly<Record<AssignmentOperation['operation'], readonly string[]>> = {
  assign: ['operation', 'creative_id', 'package_id', 'weight', 'placement_ids'],
  unassign: ['operation', 'creative_id', 'package_id'],
  replace: ['operation', 'creative_id', 'package_id', 'replaces_creative_id', 'weight', 'placement_ids'],
}

/** Reads `assignment_operations` of a request; none where it has none. Throws INVALID_REQUEST naming the member that is wrong. */
export function assignmentOperations(request: {
  readonly assignment_operations?: unknown
  readonly assignments?: unknown
  readonly validation_mode?: string
}): readonly AssignmentOperation[] {
  const { assignment_operations: sent, assignments, validation_mode: mode } = request
  if (sent === undefined) return []
  if (assignments !== undefined)
    throw invalid('assignment_operations', 'cannot go with assignments; say the same with operation "assign"')
  if (mode === 'lenient')
    throw invalid('validation_mode', 'has to be "strict" with assignment_operations, which apply as a whole')
  if (!Array.isArray(sent) || sent.length === 0 || sent.length > MOST)
    throw invalid('assignment_operations', `has to be a list of 1 to ${MOST} operations`)
  return sent.map((each: unknown, index) => operationOf(each, `assignment_operations[${index}]`))
}

function operationOf(value: unknown, field: string): AssignmentOperation {
  if (!isObject(value)) throw invalid(field, 'has to be an object')
  const { operation, weight, placement_ids: placements } = value
  if (operation !== 'assign' && operation !== 'unassign' && operation !== 'replace')
    throw invalid(`${field}.operation`, 'has to be "assign", "unassign" or "replace"')
  const unknown = Object.keys(value).find((name) => !NAMES[operation].includes(name))
  if (unknown !== undefined)
    throw invalid(`${field}.${unknown}`, `is not a member of ${operation}; it has ${NAMES[operation].join(', ')}`)
  const textOf = (name: string): string => {
    const text = value[name]
    if (typeof text !== 'string' || text === '') throw invalid(`${field}.${name}`, 'has to be the id, a text')
    return text
  }
  if (weight !== undefined && !(typeof weight === 'number' && weight >= 0 && weight <= 100))
    throw invalid(`${field}.weight`, 'has to be a number from 0 to 100')
  if (placements !== undefined && !isTexts(placements)) throw invalid(`${field}.placement_ids`, 'has to be a list of ids')
  return {
    operation,
    creative_id: textOf('creative_id'),
    package_id: textOf('package_id'),
    ...(operation === 'replace' && { replaces_creative_id: textOf('replaces_creative_id') }),
    ...(weight !== undefined && { weight }),
    ...(placements !== undefined && { placement_ids: placements }),
    field,
  }
}

function isTexts(value: unknown): value is string[] {
  return Array.isArray(value) && value.length > 0 && value.every((each) => typeof each === 'string' && each !== '')
}

function invalid(field: string, what: string): AdcpError {
  return new AdcpError('INVALID_REQUEST', `${field} ${what}`, { field })
}

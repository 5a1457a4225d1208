import { requireAskBounds } from '../../domain/product/ask-bounds.ts'
import { REFINEMENT_SUPPORT } from '../../domain/proposal/refinement-support.ts'
import type { Revision } from '../../domain/proposal/revision-verdict.ts'
import { AdcpError } from '../../protocol/errors.ts'

/** One entry of a refine_proposals request (AdCP 3.2 media-buy/proposal-refinement.json). */
export interface Refinement extends Revision {
  readonly action: 'revise' | 'finalize'
  readonly change_kind?: 'amendment' | 'cancellation'
  readonly criteria?: object
}

/** Throws VALIDATION_ERROR where a list names a proposal twice. */
export function requireEachOnce(entries: readonly { readonly proposal_id: string }[], list: string): void {
  const seen = new Set<string>()
  const again = entries.findIndex(({ proposal_id: id }) => seen.size === seen.add(id).size)
  if (again < 0) return
  const field = `${list}[${again}].proposal_id`
  throw new AdcpError('VALIDATION_ERROR', `${field} is named twice; each proposal may be in ${list} once`, { field })
}

/**
 * What is wrong with a request before any of it is done: INVALID_REQUEST for asks that are too long, UNSUPPORTED_FEATURE for a typed dimension that is not read here, VALIDATION_ERROR for more alternatives
 * than are made and for a budget whose bounds cross.
 */
export function requireRefinable(entries: readonly Refinement[]): void {
  requireEachOnce(entries, 'refinements')
  requireAskBounds(entries, 'refinements')
  for (const [index, entry] of entries.entries()) {
    const path = `refinements[${index}]`
    requireDimensions(entry, path)
    const count = entry.alternatives?.count ?? 0
    if (count > REFINEMENT_SUPPORT.max_alternatives) {
      const field = `${path}.alternatives.count`
      const message = `${field} is ${count}; at most ${REFINEMENT_SUPPORT.max_alternatives} alternatives are made`
      throw new AdcpError('VALIDATION_ERROR', message, { field })
    }
    const { min = 0, max = Number.POSITIVE_INFINITY } = entry.constraints?.total_budget ?? {}
    if (min <= max) continue
    const field = `${path}.constraints.total_budget.min`
    throw new AdcpError('VALIDATION_ERROR', `${field} is above max`, { field })
  }
}

const DIMENSIONS: ReadonlySet<string> = new Set(REFINEMENT_SUPPORT.supported_dimensions)

function requireDimensions({ constraints = {}, criteria }: Refinement, path: string): void {
  const asked = [
    ...Object.keys(constraints).map((name) => [name, `${path}.constraints.${name}`] as const),
    ...(criteria === undefined ? [] : [['criteria', `${path}.criteria`] as const]),
  ]
  const other = asked.find(([name]) => !DIMENSIONS.has(name))
  if (!other) return
  const [dimension, field] = other
  const supported = [...REFINEMENT_SUPPORT.supported_dimensions]
  throw new AdcpError('UNSUPPORTED_FEATURE', `${field} is not read here; write it in ask, or use ${supported.join(', ')}`, {
    field,
    details: { unsupported_dimension: dimension, supported_dimensions: supported },
  })
}

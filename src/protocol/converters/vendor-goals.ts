import { AdcpError } from '../errors.ts'
import { isObject } from '../is-object.ts'
import type { Json } from './line-converter.ts'

/**
 * Refuses goals for metrics of a measurement vendor (AdCP 3.1, core/optimization-goal.json `vendor_metric`): 3.0 has none, so no product of this agent declares
 * `vendor_metric_optimization`, and a seller has to refuse what a product does not declare. Gives the request back. Throws TERMS_REJECTED naming the goal.
 */
export function withoutVendorGoals(request: Json, ...lists: readonly string[]): Json {
  for (const list of lists) {
    const packages: unknown = request[list]
    if (!Array.isArray(packages)) continue
    for (const [index, each] of packages.entries()) refuseIn(each, `${list}[${index}]`)
  }
  return request
}

function refuseIn(pkg: unknown, path: string): void {
  const goals: unknown = isObject(pkg) ? pkg.optimization_goals : undefined
  if (!Array.isArray(goals)) return
  const index = goals.findIndex((goal: unknown) => isObject(goal) && goal.kind === 'vendor_metric')
  if (index < 0) return
  const field = `${path}.optimization_goals[${index}]`
  const allowed = 'use a goal of the kind metric or event, as the product declares in metric_optimization and conversion_tracking'
  throw new AdcpError(
    'TERMS_REJECTED',
    `${field}: the product is not optimised for metrics of a measurement vendor; ${allowed}`,
    {
      field,
    },
  )
}

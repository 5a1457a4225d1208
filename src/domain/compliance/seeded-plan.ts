import { isObject } from '../../protocol/is-object.ts'
import type { PlanDocument } from '../governance/plan-document.ts'
import { ENFORCEMENTS } from '../policy.ts'
import { fixtureOf, invalidParam, oneOf, type Params } from './params.ts'

/** What a fixture without a budget may spend, in units of its currency. */
const DEFAULT_BUDGET = 10_000

/** A fixture without dates runs for a quarter. */
const DEFAULT_MS = 90 * 86_400_000

const FIELDS = new Set(
  'brand objectives budget flight countries regions policy_ids policy_categories custom_policies approved_sellers human_review_required'.split(
    ' ',
  ),
)

/**
 * A plan of what the controller seeds, which may be as little as an id. Throws INVALID_REQUEST for values of the wrong type and for what only
 * sync_plans takes.
 */
export function seededPlan(planId: string, params: Params, now: Date): PlanDocument {
  const fixture = fixtureOf(params)
  const extra = Object.keys(fixture).find((name) => !FIELDS.has(name) && name !== 'plan_id')
  if (extra !== undefined) throw invalidParam(`fixture.${extra}`, 'cannot be seeded; register the plan with sync_plans')
  const flight = recordIn(fixture, 'flight')
  const human = fixture.human_review_required
  if (human !== undefined && typeof human !== 'boolean')
    throw invalidParam('fixture.human_review_required', 'must be true or false')
  return {
    plan_id: planId,
    brand: { domain: textIn(recordIn(fixture, 'brand'), 'brand.domain') ?? 'brand.example' },
    objectives: textIn(fixture, 'objectives') ?? 'Seeded for a compliance test',
    budget: budgetOf(recordIn(fixture, 'budget')),
    flight: {
      start: dateIn(flight, 'flight.start') ?? now.toISOString(),
      end: dateIn(flight, 'flight.end') ?? new Date(now.getTime() + DEFAULT_MS).toISOString(),
    },
    ...(human !== undefined && { human_review_required: human }),
    ...textsOf(fixture, 'countries'),
    ...textsOf(fixture, 'regions'),
    ...textsOf(fixture, 'policy_ids'),
    ...textsOf(fixture, 'policy_categories'),
    ...(fixture.approved_sellers !== null && textsOf(fixture, 'approved_sellers')),
    ...(fixture.custom_policies !== undefined && { custom_policies: policiesOf(fixture.custom_policies) }),
  }
}

function budgetOf(budget: Params): PlanDocument['budget'] {
  const limits = { total: amountIn(budget, 'total') ?? DEFAULT_BUDGET, currency: textIn(budget, 'budget.currency') ?? 'USD' }
  const perSeller = amountIn(budget, 'per_seller_max_pct')
  const threshold = amountIn(budget, 'reallocation_threshold')
  const common = { ...limits, ...(perSeller !== undefined && { per_seller_max_pct: perSeller }) }
  return threshold === undefined ? { ...common, reallocation_unlimited: true } : { ...common, reallocation_threshold: threshold }
}

function policiesOf(policies: unknown): NonNullable<PlanDocument['custom_policies']> {
  if (!Array.isArray(policies)) throw invalidParam('fixture.custom_policies', 'must be a list')
  return policies.map((policy: unknown, index) => {
    const path = `custom_policies[${index}]`
    if (!isObject(policy)) throw invalidParam(`fixture.${path}`, 'must be an object')
    const [id, text] = [textIn(policy, `${path}.policy_id`), textIn(policy, `${path}.policy`)]
    if (id === undefined || text === undefined) throw invalidParam(`fixture.${path}`, 'must have policy_id and policy')
    return {
      policy_id: id,
      enforcement: oneOf(policy.enforcement, ENFORCEMENTS, `fixture.${path}.enforcement`),
      policy: text,
    }
  })
}

function recordIn(fixture: Params, name: string): Params {
  const value = fixture[name] ?? {}
  if (isObject(value)) return value
  throw invalidParam(`fixture.${name}`, 'must be an object')
}

/** The text at the last part of a path. */
function textIn(fields: Params, path: string): string | undefined {
  const value = fields[path.slice(path.lastIndexOf('.') + 1)]
  if (value === undefined || (typeof value === 'string' && value !== '')) return value
  throw invalidParam(`fixture.${path}`, 'must be a text')
}

function dateIn(fields: Params, path: string): string | undefined {
  const value = textIn(fields, path)
  if (value === undefined || !Number.isNaN(Date.parse(value))) return value
  throw invalidParam(`fixture.${path}`, 'must be a date and time')
}

function amountIn(budget: Params, name: string): number | undefined {
  const value = budget[name]
  if (value === undefined || (typeof value === 'number' && value >= 0)) return value
  throw invalidParam(`fixture.budget.${name}`, 'must be a number of at least 0')
}

function textsOf<K extends string>(fixture: Params, name: K): { readonly [name in K]?: string[] } {
  const value = fixture[name]
  if (value === undefined) return {}
  if (!Array.isArray(value) || !value.every((each) => typeof each === 'string'))
    throw invalidParam(`fixture.${name}`, 'must be a list of texts')
  const texts: { [name in K]?: string[] } = {}
  texts[name] = value
  return texts
}

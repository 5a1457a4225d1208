import { AdcpError, type Issue } from '../../protocol/errors.ts'
import { ownValue } from '../own-value.ts'
import type { MeasurementTerms, Offer, PerformanceStandard } from '../product/offer.ts'
import { MAKE_GOOD_REMEDIES } from './make-good-terms.ts'

/** Two counts of the same impressions differ by a few per cent; a smaller tolerance makes every invoice a dispute. */
const MIN_VARIANCE_PERCENT = 5

/** Windows that billing can wait for when the product declares none of its own (core/measurement-window, `window_id`). */
const BILLING_WINDOWS = ['live', 'c3', 'c7', 'final', 'post_givt', 'post_sivt']

/** Remedies that the seller gives when the product names none; a proposal must leave room for making good in kind. */
const REMEDIES: readonly string[] = MAKE_GOOD_REMEDIES

/** Strictest thresholds that the seller signs when the product declares none: floors, except `ivt`, which is a ceiling. */
const STRICTEST: Readonly<Record<string, number>> = {
  viewability: 0.8,
  completion_rate: 0.9,
  brand_safety: 0.99,
  attention_score: 0.7,
  ivt: 0.01,
}

interface Unmet {
  readonly pointer: string
  readonly term: string
  readonly accepted: string
}

/**
 * The measurement terms of a package: the buyer's where the seller can live with them (remedies cut down to those on the
 * seller's menu), the product's where the buyer proposes none. Throws TERMS_REJECTED with each unmet term and what would be accepted.
 */
export function agreeTerms(offer: Offer, proposed: MeasurementTerms | undefined, path: string): MeasurementTerms | undefined {
  if (proposed === undefined) return offer.measurement_terms
  const base = `${pointerOf(path)}/measurement_terms`
  refuse([...billingUnmet(offer, proposed, base), ...makegoodUnmet(offer, proposed, base)], `${path}.measurement_terms`)
  const menu: readonly string[] = offer.measurement_terms?.makegood_policy?.available_remedies ?? REMEDIES
  const remedies = proposed.makegood_policy?.available_remedies.filter((remedy) => menu.includes(remedy))
  return {
    ...offer.measurement_terms,
    ...proposed,
    ...(remedies && { makegood_policy: { ...proposed.makegood_policy, available_remedies: remedies } }),
  }
}

/** The performance standards of a package, by the same rule as the measurement terms. Throws TERMS_REJECTED. */
export function agreeStandards(
  offer: Offer,
  proposed: readonly PerformanceStandard[] | undefined,
  path: string,
): readonly PerformanceStandard[] | undefined {
  if (proposed === undefined) return offer.performance_standards
  const unmet = proposed.flatMap((standard, index): Unmet[] => {
    const declared = offer.performance_standards?.find((own) => own.metric === standard.metric)
    const limit = declared?.threshold ?? ownValue(STRICTEST, standard.metric)
    if (limit === undefined) return []
    const ceiling = standard.metric === 'ivt'
    if (ceiling ? standard.threshold >= limit : standard.threshold <= limit) return []
    const pointer = `${pointerOf(path)}/performance_standards/${index}/threshold`
    return [
      { pointer, term: `performance_standards.${standard.metric}`, accepted: `${ceiling ? 'at least' : 'at most'} ${limit}` },
    ]
  })
  refuse(unmet, `${path}.performance_standards`)
  return proposed
}

function billingUnmet(offer: Offer, { billing_measurement: billing }: MeasurementTerms, base: string): Unmet[] {
  if (!billing) return []
  const declared = offer.measurement_terms?.billing_measurement
  const unmet: Unmet[] = []
  const windows = offer.reporting_capabilities.measurement_windows?.map((window) => window.window_id) ?? BILLING_WINDOWS
  if (billing.measurement_window !== undefined && !windows.includes(billing.measurement_window)) {
    unmet.push({
      pointer: `${base}/billing_measurement/measurement_window`,
      term: 'billing_measurement.measurement_window',
      accepted: windows.join(', '),
    })
  }
  const tolerance = Math.min(declared?.max_variance_percent ?? MIN_VARIANCE_PERCENT, MIN_VARIANCE_PERCENT)
  if (billing.max_variance_percent !== undefined && billing.max_variance_percent < tolerance) {
    unmet.push({
      pointer: `${base}/billing_measurement/max_variance_percent`,
      term: 'billing_measurement.max_variance_percent',
      accepted: `at least ${tolerance}`,
    })
  }
  return unmet
}

function makegoodUnmet(offer: Offer, { makegood_policy: makegood }: MeasurementTerms, base: string): Unmet[] {
  if (!makegood) return []
  const menu: readonly string[] = offer.measurement_terms?.makegood_policy?.available_remedies ?? REMEDIES
  const wanted: readonly string[] = makegood.available_remedies
  if (wanted.some((remedy) => menu.includes(remedy))) return []
  return [
    {
      pointer: `${base}/makegood_policy/available_remedies`,
      term: 'makegood_policy.available_remedies',
      accepted: `a list that includes one of: ${menu.join(', ')}`,
    },
  ]
}

function refuse(unmet: readonly Unmet[], field: string): void {
  if (unmet.length === 0) return
  const issues: Issue[] = unmet.map(({ pointer, term, accepted }) => ({
    pointer,
    keyword: 'terms',
    message: `${term} must be ${accepted}`,
  }))
  throw new AdcpError('TERMS_REJECTED', `${field} cannot be met: ${issues.map((issue) => issue.message).join('; ')}`, {
    field,
    issues,
    details: { rejected_terms: unmet.map(({ term, accepted }) => ({ term, accepted })) },
  })
}

/** `packages[0]` → `/packages/0`. */
function pointerOf(path: string): string {
  return `/${path.replace(/\[(\d+)\]/g, '/$1').replaceAll('.', '/')}`
}

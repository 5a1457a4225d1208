import { AdcpError } from '../../protocol/errors.ts'
import { valueAt } from './action.ts'
import type { Decision } from './decision.ts'

/** What a governance agent said of a commitment. */
interface Judgement {
  readonly status: Decision['status']
  readonly plan_id: string
  readonly check_id: string
  readonly explanation: string
  readonly findings?: readonly object[]
  readonly conditions?: readonly { readonly field: string; readonly required_value?: unknown; readonly reason: string }[]
}

/** Facts of a denial that a buyer needs to mend its order, as the agent gave them. */
function denialOf(agentUrl: string, { plan_id, check_id, explanation, findings, conditions }: Judgement) {
  return {
    agent_url: agentUrl,
    plan_id,
    check_id,
    explanation,
    ...(findings && { findings }),
    ...(conditions && { conditions }),
  }
}

/**
 * What governance agents said of one commitment: returns when all agreed, else throws GOVERNANCE_DENIED with the findings unchanged (AdCP
 * GOVERNANCE_DENIED: buyers decide by them what to do). Conditions without a value are words, which are handed on; one with a value binds, so
 * what is planned has to have it.
 */
export function requireAgreement(
  answers: readonly { readonly agentUrl: string; readonly answer: Judgement }[],
  planned: { readonly delivery: object; readonly request: object },
): void {
  const refusals = answers.filter(({ answer }) => answer.status === 'denied' || !meetsConditions(answer, planned))
  const [first] = refusals
  if (!first) return
  const [denial, ...others] = refusals.map(({ agentUrl, answer }) => denialOf(agentUrl, answer))
  const isDenied = first.answer.status === 'denied'
  throw new AdcpError(
    'GOVERNANCE_DENIED',
    isDenied
      ? 'the governance agent denied the transaction'
      : 'the governance agent sets conditions that the request does not meet',
    {
      details: { ...denial, ...(others.length > 0 && { also_denied_by: others }) },
      suggestion: isDenied
        ? 'restructure the purchase by the findings, or ask for human spending authority'
        : 'change the request as the conditions say, and have it checked again',
    },
  )
}

function meetsConditions(
  { status, conditions = [] }: Judgement,
  { delivery, request }: { readonly delivery: object; readonly request: object },
): boolean {
  if (status !== 'conditions') return true
  return conditions.every(({ field, required_value: value }) => {
    if (value === undefined) return true
    return [delivery, request].some((place) => JSON.stringify(valueAt(place, field)) === JSON.stringify(value))
  })
}

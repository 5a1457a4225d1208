import { targetingOf } from './limited-plan.ts'
import type { DatedProposal, Proposal } from './proposal.ts'

/** Of a proposal whose question wanted a frequency cap that its packages do not have: no figure was named, or one of its products takes none. */
const SUFFIX = '~nocap'
const CAP = 'frequency cap'

/** A proposal that says so in `ext.not_carried`. */
function missingCap<P extends Proposal>(proposal: P): P {
  return { ...proposal, ext: { ...proposal.ext, not_carried: [CAP] } }
}

/** The same, with it in the id, so that answers to a later request by that id say it too. */
export function missingCapById<P extends Proposal>(proposal: P): P {
  return missingCap({ ...proposal, proposal_id: `${proposal.proposal_id}${SUFFIX}` })
}

/** The id of the plan without that; undefined for an id that does not say so. */
export function readMissedCapId(id: string): string | undefined {
  const planId = id.endsWith(SUFFIX) ? id.slice(0, -SUFFIX.length) : ''
  return planId === '' || planId.endsWith(SUFFIX) ? undefined : planId
}

function withoutMissedCap({ ext, ...proposal }: DatedProposal): DatedProposal {
  const { not_carried: _missed, ...others }: { readonly not_carried?: unknown } & object = ext ?? {}
  return Object.keys(others).length > 0 ? { ...proposal, ext: others } : proposal
}

/** Whether its packages lack a cap that was asked for. */
export function missesCap({ ext }: Pick<Proposal, 'ext'>): boolean {
  const missed: unknown = ext && Reflect.get(ext, 'not_carried')
  return Array.isArray(missed) && missed.includes(CAP)
}

/** A plan after an ask, which says whether its packages lack a cap that was asked for. */
export function capTold(
  plan: DatedProposal,
  { isCapped, isMissed }: { readonly isCapped: boolean; readonly isMissed: boolean },
): DatedProposal {
  if (isCapped) return withoutMissedCap(plan)
  return isMissed && !targetingOf(plan).frequency_cap ? missingCap(plan) : plan
}

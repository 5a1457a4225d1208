import { targetingOf } from './limited-plan.ts'
import type { DatedProposal, Proposal } from './proposal.ts'

/** Of a proposal whose question wanted a frequency cap that its packages do not have: no figure was named, or one of its products takes none. */
const SUFFIX = '~nocap'
const CAP = 'frequency cap'

/** A proposal that says so in `ext.not_carried`. */
function missingCap<P extends Proposal>(proposal: P): P {
  return { ...proposal, ext: { ...proposal.ext, not_carried: [...partsNotCarried(proposal), CAP] } }
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

function withoutMissedCap(proposal: DatedProposal): DatedProposal {
  const { not_carried: _missed, ...others }: { readonly not_carried?: unknown } & object = proposal.ext ?? {}
  const parts = partsNotCarried(proposal)
  const ext = { ...others, ...(parts.length > 0 && { not_carried: parts }) }
  const { ext: _before, ...rest } = proposal
  return Object.keys(ext).length > 0 ? { ...rest, ext } : rest
}

/** Words of asks that a proposal keeps, and characters of each. */
const MOST_PARTS = 5
const MOST_CHARACTERS = 120

/** A proposal that says in `ext.not_carried` what targeting its asks wanted for a part of it, in their words: its packages do not have it. */
export function withPartsTold(proposal: DatedProposal, texts: readonly string[]): DatedProposal {
  if (texts.length === 0) return proposal
  const parts = [...new Set([...partsNotCarried(proposal), ...texts.map((text) => text.slice(0, MOST_CHARACTERS))])]
  const cap = missesCap(proposal) ? [CAP] : []
  return { ...proposal, ext: { ...proposal.ext, not_carried: [...parts.slice(-MOST_PARTS), ...cap] } }
}

/** What asks wanted for a part of a proposal and its packages do not have, in their words. */
export function partsNotCarried({ ext }: Pick<Proposal, 'ext'>): string[] {
  const missed: unknown = ext && Reflect.get(ext, 'not_carried')
  return Array.isArray(missed) ? missed.filter((each) => typeof each === 'string' && each !== CAP) : []
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

import { randomUUID } from 'node:crypto'
import { commitProposal } from '../../domain/product/proposals.ts'
import { commitmentEnd, holdPolicy } from '../../domain/proposal/hold-policy.ts'
import { daysOfTerms, presentRefined, type Snapshot } from '../../domain/proposal/negotiated.ts'
import { REFINEMENT_SUPPORT } from '../../domain/proposal/refinement-support.ts'
import { type ReviseContext, revise } from '../../domain/proposal/revise.ts'
import { type Verdict, withShortfall } from '../../domain/proposal/revision-verdict.ts'
import { type AuthenticatedContext, defineTask, type InTransaction } from '../../pipeline/task.ts'
import { AdcpError } from '../../protocol/errors.ts'
import { insertSnapshot } from '../../store/product/proposals.ts'
import { requireAvailability } from './availability.ts'
import { holdFor, poolOfTerms, releaseHold } from './held-proposals.ts'
import { holdingNote } from './hold-limits.ts'
import { REFINE_PROPOSALS } from './input-notes.ts'
import { shortBudget, shortWords } from './plan-within-left.ts'
import { type Planning, planningIn } from './proposal-planning.ts'
import { type AppliedRefinement, summarizeRefined } from './proposal-summaries.ts'
import { type Refinement, requireRefinable } from './refinement-request.ts'
import { type Source, sourceOf } from './refinement-sources.ts'

/** What a buyer wants of proposals (AdCP 3.2 media-buy/refine-proposals-request.json): at most 25 entries; those that finalize are by themselves. */
interface Request {
  readonly refinements: readonly Refinement[]
}

/** What the ad server says of the inventory of proposals that are to be finalized, by proposal id: why it cannot be had. */
type Unavailable = ReadonlyMap<string, string>

type Context = InTransaction<AuthenticatedContext>
type Result = Readonly<Record<string, unknown>>

/** The drafts of one entry that are offered, and what is said of them. */
interface Made {
  readonly drafts: readonly Snapshot[]
  readonly verdict: Verdict
  /** What of the entry they have, in words. */
  readonly applied: readonly string[]
}

interface Refined {
  readonly results: readonly Result[]
  readonly snapshots: readonly Snapshot[]
  /** What was applied of each entry of which something was. */
  readonly applied?: readonly AppliedRefinement[]
}

const CHANGE_KIND = /^\/refinements\/(\d+)\/change_kind$/

export const refineProposals = defineTask<Request>()({
  name: 'refine_proposals',
  since: '3.2',
  mutating: true,
  access: 'authenticated',
  scope: 'products',
  summary:
    'Revise proposals into new drafts, or finalize them, all or none: firm prices and held inventory until expires_at. Ids are new.',
  input: REFINE_PROPOSALS,
  summarize: summarizeRefined,
  // Client libraries send the schema's default on entries that finalize too, where only its absence is valid: it asks for nothing.
  takesValue: ({ pointer, keyword }, { refinements }) => {
    const [, index] = (keyword === 'not' && CHANGE_KIND.exec(pointer)) || []
    return index !== undefined && refinements[Number(index)]?.change_kind === 'amendment'
  },
  async prepare({ refinements }, context): Promise<Unavailable> {
    requireRefinable(refinements)
    const unavailable = new Map<string, string>()
    if (!isFinalizing(refinements)) return unavailable
    const planning = await planningIn(context)
    for (const [index, entry] of refinements.entries()) {
      const source = await sourceOf(entry, fieldOf(index), { db: context.db, context, planning })
      const fault = 'snapshot' in source ? await unavailableOf(source.snapshot, planning, context) : undefined
      if (fault !== undefined) unavailable.set(entry.proposal_id, fault)
    }
    return unavailable
  },
  async handle({ refinements }, context, unavailable) {
    const planning = await planningIn(context)
    const sources: Source[] = []
    for (const [index, entry] of refinements.entries())
      sources.push(await sourceOf(entry, fieldOf(index), { db: context.tx, context, planning }))
    const refined = isFinalizing(refinements)
      ? await finalizeAll(refinements, sources, unavailable, { context, planning })
      : await reviseEach(refinements, sources, { context, planning })
    const { results, snapshots, applied = [] } = refined
    return {
      status: 'completed',
      results,
      products: planning.rows(snapshots),
      // `reason` is for what was not done: the schema refuses it of what was revised.
      ...(applied.length > 0 && { ext: { applied } }),
    }
  },
})

interface Parts {
  readonly context: Context
  readonly planning: Planning
}

async function reviseEach(
  refinements: readonly Refinement[],
  sources: readonly Source[],
  { context, planning }: Parts,
): Promise<Refined> {
  const { tx, principal, now } = context
  const results: Result[] = []
  const snapshots: Snapshot[] = []
  const all: AppliedRefinement[] = []
  for (const [index, entry] of refinements.entries()) {
    const source = sources[index]
    if (!source || !('snapshot' in source)) {
      results.push(unable(entry, 'source_unavailable', source?.reason))
      continue
    }
    const { allowed, search, names } = await planning.allowedBy(source.snapshot.negotiated.question)
    const ids = Array.from({ length: REFINEMENT_SUPPORT.max_alternatives }, () => `proposal_${randomUUID()}`)
    const { offered, terms } = planning
    const { drafts, verdict, applied } = await revisedWithinLeft(
      entry,
      source.snapshot,
      { ...terms, offered, allowed, search, names, ids },
      context,
    )
    for (const draft of drafts) await insertSnapshot(tx, principal, draft, source.accountId, now)
    snapshots.push(...drafts)
    const proposals = drafts.length > 0 ? { proposals: drafts.map(presentRefined) } : {}
    results.push({ source_proposal_id: entry.proposal_id, ...verdict, ...proposals })
    if (applied.length > 0) all.push({ source_proposal_id: entry.proposal_id, applied })
  }
  return { results, snapshots, applied: all }
}

/** The drafts of a revision for no more than what is left of their products: the budget is lowered to what the first can buy, and the verdict says so. */
async function revisedWithinLeft(entry: Refinement, source: Snapshot, by: ReviseContext, context: Context): Promise<Made> {
  const made = revise(entry, source, by)
  const [first] = made.drafts
  const short = first && (await shortBudget(first, by.products, context))
  if (!first || !short) return { drafts: made.drafts, verdict: made.verdictOn(made.drafts), applied: made.appliedOn(made.drafts) }
  const why = shortWords(short, daysOfTerms(first))
  const lowered = short.bought > 0 ? revise(entry, source, { ...by, left: { most: short.bought, why } }) : { ...made, drafts: [] }
  const drafts: Snapshot[] = []
  for (const draft of lowered.drafts) if (!(await shortBudget(draft, by.products, context))) drafts.push(draft)
  const applied = lowered.appliedOn(drafts)
  return { drafts, verdict: withShortfall(lowered.verdictOn(drafts), entry.ask, why, applied), applied }
}

/** Finalizes every draft or none: what was held for the first is given back when a later one cannot be held. */
async function finalizeAll(
  refinements: readonly Refinement[],
  sources: readonly Source[],
  unavailable: Unavailable,
  { context, planning }: Parts,
): Promise<Refined> {
  const made: Snapshot[] = []
  const faults = new Map<number, Result>()
  const accounts: (string | undefined)[] = []
  for (const [index, entry] of refinements.entries()) {
    const source = sources[index]
    if (!source || !('snapshot' in source)) {
      faults.set(index, unable(entry, 'source_unavailable', source?.reason))
      continue
    }
    const committed = committedOf(source.snapshot, planning, context)
    const expiresAt = committed.proposal.expires_at
    const late = expiresAt <= context.now.toISOString() ? 'its flight begins before it could be accepted; revise it' : undefined
    const { proposal_id: proposalId } = committed.proposal
    const hold = { proposalId, negotiated: committed.negotiated, expiresAt }
    const { products } = planning.terms
    const short =
      late === undefined ? (unavailable.get(entry.proposal_id) ?? (await holdFor(context, hold, products))) : undefined
    const pool = poolOfTerms(context, committed.negotiated)
    const fault = short === undefined ? late : `${short}${await holdingNote(context, committed, pool, products)}`
    if (fault === undefined) made.push(committed)
    else faults.set(index, unable(entry, 'hold_unavailable', fault))
    accounts.push(source.accountId)
  }
  if (faults.size > 0) {
    for (const { proposal } of made) await releaseHold(context, proposal.proposal_id)
    const aborted = (entry: Refinement) => unable(entry, 'batch_aborted', 'another proposal of this call could not be finalized')
    return { results: refinements.map((entry, index) => faults.get(index) ?? aborted(entry)), snapshots: [] }
  }
  const { tx, principal, now } = context
  for (const [index, snapshot] of made.entries()) await insertSnapshot(tx, principal, snapshot, accounts[index], now)
  const results = made.map((snapshot, index) => ({
    source_proposal_id: refinements[index]?.proposal_id,
    outcome: 'finalized',
    proposal: presentRefined(snapshot),
  }))
  return { results, snapshots: made }
}

/** The committed successor of a draft: the same terms under an id of its own. */
function committedOf({ proposal, negotiated }: Snapshot, { visible, terms }: Planning, { tenant, now }: Context): Snapshot {
  const requiresSignature = proposal.allocations.some(
    ({ product_id: id }) => terms.products.get(id)?.selling.approval === 'manual',
  )
  const parties = { publisher: visible.publisher?.name, advertiser: negotiated.terms.brand.domain, requiresSignature }
  const committed = commitProposal({ ...proposal, proposal_id: `proposal_${randomUUID()}` }, parties, now)
  const expires_at = commitmentEnd(holdPolicy(tenant.settings), negotiated.latest, now)
  return { proposal: { ...committed, expires_at }, negotiated: { ...negotiated, parentId: proposal.proposal_id } }
}

/** Why the ad server has no room for a proposal; undefined where it has. */
async function unavailableOf(
  { negotiated }: Snapshot,
  { terms }: Planning,
  context: AuthenticatedContext,
): Promise<string | undefined> {
  const account = negotiated.simulated ? { sandbox: true } : undefined
  try {
    await requireAvailability({ ...context, account }, negotiated.holdings, terms.products)
    return undefined
  } catch (error) {
    if (error instanceof AdcpError && error.code === 'PRODUCT_UNAVAILABLE') return error.message
    throw error
  }
}

function isFinalizing(refinements: readonly Refinement[]): boolean {
  return refinements.some(({ action }) => action === 'finalize')
}

function fieldOf(index: number): string {
  return `refinements[${index}].proposal_id`
}

function unable({ proposal_id: id }: Refinement, code: string, reason = 'it cannot be had'): Result {
  return { source_proposal_id: id, outcome: 'unable', reason_code: code, reason }
}

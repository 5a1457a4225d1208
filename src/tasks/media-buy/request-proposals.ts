import type { CreateMediaBuyRequest } from '@adcp/sdk/types'
import type { Allowed } from '../../domain/product/allowed-products.ts'
import { askedDays, withAskedDays } from '../../domain/product/asked-days.ts'
import { readBrief } from '../../domain/product/brief.ts'
import { type BudgetLimit, looseMoneyNotes, noBudgetNotes } from '../../domain/product/budget-limit.ts'
import { briefTargeting, hardNotes, resolution } from '../../domain/product/hard-targeting.ts'
import type { ProductQuestion, Question } from '../../domain/product/product-question.ts'
import { requireModeFields, selectProducts } from '../../domain/product/select-products.ts'
import { placeNotes } from '../../domain/product/unreached.ts'
import { draftCandidates } from '../../domain/proposal/draft-candidates.ts'
import { daysOfTerms, presentSnapshot } from '../../domain/proposal/negotiated.ts'
import { proposedFlight } from '../../domain/proposal/proposed-flight.ts'
import { type AuthenticatedContext, defineTask, type InTransaction, type Modelled } from '../../pipeline/task.ts'
import { briefOf } from '../../protocol/converters/compact-requests.ts'
import { AdcpError } from '../../protocol/errors.ts'
import { insertSnapshot } from '../../store/product/proposals.ts'
import { type Draft, draftWithinLeft } from './draft-of-plan.ts'
import { REQUEST_PROPOSALS } from './input-notes.ts'
import { fittingPlans, shortNote } from './left-in-flight.ts'
import { isSimulated } from './orders.ts'
import { forecastSnapshots } from './plan-forecasts.ts'
import { flightNotes, termsNotes } from './proposal-notes.ts'
import { planningIn, selectingIn } from './proposal-planning.ts'
import { summarizeProposed } from './proposal-summaries.ts'

/** What a buyer asks proposals for (AdCP 3.2 media-buy/request-proposals-request.json). */
interface Wanted {
  readonly account?: { readonly brand?: CreateMediaBuyRequest['brand'] }
  readonly brand?: CreateMediaBuyRequest['brand']
  readonly criteria?: {
    readonly product_ids?: readonly string[]
    readonly outcome_target?: object
    readonly acceptance_context?: { readonly advertiser_industry?: CreateMediaBuyRequest['advertiser_industry'] }
  }
  readonly opportunity?: { readonly opportunity_id: string }
}
type Request = Modelled<Wanted, ProductQuestion>

export const requestProposals = defineTask<Request>()({
  name: 'request_proposals',
  since: '3.2',
  mutating: true,
  access: 'authenticated',
  scope: 'products',
  account: 'optional',
  summary: 'Draft media plans for a brief, each with its commercial terms and their digest. Firm only once finalized.',
  input: REQUEST_PROPOSALS,
  model: {
    task: 'get_products',
    read: briefOf,
    names: {
      filters: 'criteria.offer_filters',
      targeting_overlay: 'criteria.targeting_overlay',
      required_policies: 'criteria.policy_ids',
    },
  },
  summarize: summarizeProposed,
  handle: proposed,
})

/** Products that a buyer may name as candidates: a plan of more is none. */
const MOST_CANDIDATES = 20

async function proposed({ model: asked, ...wanted }: Request, context: InTransaction<AuthenticatedContext>): Promise<object> {
  const { tx, principal, account, now } = context
  requirePlannable(wanted)
  requireModeFields(asked)
  const days = askedDays(asked.filters, asked.brief, now)
  const filters = withAskedDays(asked.filters, days)
  const model: Request['model'] = { ...asked, ...(filters && { filters }) }
  const ids = wanted.criteria?.product_ids
  const hard = briefTargeting(model)
  const question: Question = { ...questionIn(model, ids), ...(hard && { brief_targeting: hard }) }
  const planning = await planningIn(context)
  const selecting = { ...(await selectingIn(context, planning.visible, question)), days }
  const { answered, allowed } = selectProducts(model, selecting)
  const plansOf = (left: Allowed) =>
    answered ? draftCandidates(answered, ids, { plans: planning.visible.plans, allowed: left, now }) : []
  const asking = { ...context, isAsked: false }
  const fitting = await fittingPlans(plansOf, allowed, { flight: proposedFlight(question, now, 0), asking })
  // Where too little is left of each, plans are made for as much as is left.
  const candidates = fitting.proposals.length > 0 ? fitting.proposals : plansOf(allowed)
  const frame = {
    brand: wanted.brand ?? wanted.account?.brand ?? { domain: '' },
    industry: wanted.criteria?.acceptance_context?.advertiser_industry,
    question,
    opportunityId: wanted.opportunity?.opportunity_id,
    simulated: isSimulated(context),
  }
  const drafts: Draft[] = []
  for (const candidate of candidates) drafts.push(await draftWithinLeft(candidate, frame, planning, context))
  const made = drafts.filter((draft) => typeof draft !== 'string')
  const snapshots = made.map(({ snapshot }) => snapshot)
  if (snapshots.length === 0) {
    const fault = hardNotes(hard)[0] ?? drafts.find((draft) => typeof draft === 'string')
    return rejected(fault ?? noPlanReason(asked, selecting, { isAnswered: answered !== undefined, budget: allowed.budget }))
  }
  const forecast = await forecastSnapshots(snapshots, answered?.brief.hints, planning.offered, asking)
  for (const snapshot of snapshots) await insertSnapshot(tx, principal, snapshot, account?.accountId, now)
  const short = snapshots[0] && fitting.proposals.length > 0 ? shortNote(fitting.short, daysOfTerms(snapshots[0])) : []
  const lowered = [...new Set(made.flatMap(({ note }) => note ?? []))]
  return {
    status: 'completed',
    outcome: 'proposed',
    proposals: forecast.snapshots.map(presentSnapshot),
    products: planning.rows(snapshots),
    ...resolution(hard),
    ext: {
      notes: [
        ...hardNotes(hard),
        ...flightNotes(days, snapshots),
        ...looseMoneyNotes(readBrief(asked.brief ?? '').hints, allowed.budget, 'criteria.offer_filters'),
        ...noBudgetNotes(allowed.budget, snapshots, 'criteria.offer_filters'),
        ...termsNotes(asked.brief, planning, snapshots),
        ...short,
        ...lowered,
        ...(forecast.unknown ? [forecast.unknown] : []),
      ],
    },
  }
}

function questionIn(
  { filters, required_policies: policies, targeting_overlay: overlay, ...more }: Request['model'],
  ids?: readonly string[],
): Question {
  const { required_overlay_support: support, required_media_buy_support: shared, media_buy_frequency_cap: cap } = more
  return {
    ...(filters && { filters }),
    ...(policies && { required_policies: policies }),
    ...(overlay && { targeting_overlay: overlay }),
    ...(support && { required_overlay_support: support }),
    ...(shared && { required_media_buy_support: shared }),
    ...(cap && { media_buy_frequency_cap: cap }),
    ...(ids && { product_ids: ids }),
  }
}

function requirePlannable({ criteria = {} }: Wanted): void {
  if (criteria.outcome_target !== undefined) {
    const field = 'criteria.outcome_target'
    throw new AdcpError('UNSUPPORTED_FEATURE', `${field} is not planned for here: say the goal in the brief`, { field })
  }
  const named = criteria.product_ids?.length ?? 0
  if (named <= MOST_CANDIDATES) return
  const field = 'criteria.product_ids'
  throw new AdcpError('INVALID_REQUEST', `${field} has ${named} products; a plan has at most ${MOST_CANDIDATES}`, { field })
}

/** Why no plan answers a question, as far as it is known. */
function noPlanReason(
  { brief = '', filters }: Request['model'],
  offering: Parameters<typeof placeNotes>[1],
  { isAnswered, budget }: { readonly isAnswered: boolean; readonly budget: BudgetLimit | undefined },
): string | undefined {
  const { hints } = readBrief(brief)
  const [place] = placeNotes({ hints, countries: filters?.countries }, offering)
  if (place !== undefined) return place
  const amount = budget?.target ?? budget?.max
  return isAnswered && budget && amount !== undefined
    ? `fewer than two products that answer this brief can be planned for ${amount} ${budget.currency}`
    : undefined
}

function rejected(fault: string | undefined) {
  return {
    status: 'completed',
    outcome: 'rejected',
    reason: fault ?? 'no product answers this brief within these criteria',
    suggestions: [
      'ask with fewer criteria or other words',
      'list_products shows every offer, and buy_products buys without a proposal',
    ],
  }
}

import { AdcpError } from '../errors.ts'
import { isObject } from '../is-object.ts'
import { entries, withResult } from './change-members.ts'
import type { Conversion, Conversions, Json, LineConverter } from './line-converter.ts'

/** 3.2 lets no seller ask for more in the frame of a preview than an empty sandbox (creative/preview-render.json). */
function inEmptySandbox(render: Json): Json {
  const { embedding } = render
  if (typeof embedding !== 'object' || embedding === null || !('recommended_sandbox' in embedding)) return render
  return { ...render, embedding: { ...embedding, recommended_sandbox: '' } }
}

const withRenders = (answer: Json): Json => entries(answer, 'previews', (preview) => entries(preview, 'renders', inEmptySandbox))

/** What a preview shows is the creative as it serves: there is no cheaper rendering (creative/preview-creative-response.json, `quality_used`). */
const IN_FULL = { quality_used: 'production' }

/** Accounts tell the time zone of their days, which is UTC for all of them (capabilities, `account.timezone`); refused rows are no accounts. */
function inUtc(account: Json): Json {
  return account.action === 'failed' ? account : { ...account, timezone: 'UTC' }
}

/** A bid shows in the form and at the place that its buyer wrote it in; beside a policy no amount stands for it (core/package.json, `bid_price` and `bidding`). */
const inWrittenForm: Conversion = (buy) =>
  ofPackages(buy, ({ bid_price: price, ...pkg }) =>
    pkg.bidding === undefined && buy.bidding === undefined && price !== undefined ? { ...pkg, bid_price: price } : pkg,
  )

const withoutPolicy: Conversion = ({ bidding: _policy, ...rest }) => rest
const withoutPolicies: Conversion = (buy) => ofPackages(withoutPolicy(buy), withoutPolicy)

const ofPackages = (buy: Json, change: Conversion): Json => entries(entries(buy, 'packages', change), 'affected_packages', change)

/** A change of media buys in every answer that shows some. */
const ofMediaBuys = (change: Conversion): Conversions => ({
  create_media_buy: change,
  update_media_buy: change,
  get_media_buys: (answer) => entries(answer, 'media_buys', change),
})

/** The releases before know no attestation of a grant. */
const unattested: Conversion = (answer) => {
  const { rights_constraint: constraint } = answer
  if (!isObject(constraint)) return answer
  const {
    rights_holder,
    grant_status,
    content_digest,
    attestation_refs,
    restrictions,
    disclosure,
    creative_approval_required,
    ...known
  } = constraint
  return { ...answer, rights_constraint: known }
}

/** A change is answered with all credentials that there are: none while the grant is paused. */
const withCredentials: Conversion = (answer) => (answer.terms === undefined ? answer : { generation_credentials: [], ...answer })

const BEFORE: Conversions = { ...ofMediaBuys(withoutPolicies), acquire_rights: unattested, update_rights: unattested }

const ANSWERS: Conversions = {
  ...ofMediaBuys(inWrittenForm),
  update_rights: withCredentials,
  sync_accounts: (answer) => entries(answer, 'accounts', inUtc),
  list_accounts: (answer) => entries(answer, 'accounts', inUtc),
  preview_creative: (answer) =>
    entries({ ...withRenders(answer), ...(answer.response_type === 'single' && IN_FULL) }, 'results', (result) => {
      const { response } = result
      const isMade = typeof response === 'object' && response !== null
      return isMade ? { ...result, ...IN_FULL, response: withRenders({ ...response }) } : result
    }),
  build_creative: (answer) => {
    const { preview } = answer
    return typeof preview === 'object' && preview !== null ? { ...answer, preview: withRenders({ ...preview }) } : answer
  },
}

/** The end of a period is the first day after it and must be later than its start; the releases before do not say so, and the same day twice is that day there. */
function ofWholeDays(request: Json): Json {
  const { start_date: start, end_date: end } = request
  if (start === undefined || start !== end) return request
  throw new AdcpError('VALIDATION_ERROR', 'start_date must be before end_date, which is the first day after the period', {
    field: 'start_date',
    suggestion: 'for one day send the next day as end_date',
  })
}

/** The step between AdCP 3.1 and 3.2. */
export const RELEASE_3_2: LineConverter = {
  requests: {
    // 3.2 takes assignments without creatives (creative/sync-creatives-request.json).
    sync_creatives: (request) => ({ creatives: [], ...request }),
    get_media_buy_delivery: ofWholeDays,
  },
  answers: { ...ANSWERS, get_task_status: withResult(ANSWERS) },
  before: { ...BEFORE, get_task_status: withResult(BEFORE) },
  rules: {
    biddingPolicies: true,
    boundApprovals: true,
    dailyCaps: true,
    declinedSearches: true,
    discoveryTargeting: true,
    formatsByKind: true,
  },
  closed: [
    ...['list_products', 'buy_products', 'control_media_buy'],
    ...['request_proposals', 'refine_proposals', 'accept_proposal', 'decline_proposals'],
  ],
}

import { APPROVALS } from '../../domain/creative/lifecycle.ts'
import { GRANT_STATUSES, grantStatus, presentTerms, type RightsGrant } from '../../domain/rights/grant.ts'
import type { SubmittedCreative } from '../../domain/rights/review-creative.ts'
import { listSubmissionsInReview } from '../../store/rights/rights-creatives.ts'
import { listGrantsWithChanges, listGrants as listStoredGrants } from '../../store/rights/rights-grants.ts'
import { defineAct } from '../act.ts'
import { READERS } from '../roles.ts'
import { about, integer, list, listOf, moment, named, number, type Of, object, optional, pageOf, string, word } from '../shape.ts'
import { table } from '../text-table.ts'

// Several acts in one file: a list, and one of its items in full.

const terms = named(
  'RightTerms',
  object({
    pricing_option_id: string,
    amount: number,
    currency: string,
    period: optional(string),
    uses: listOf(string),
    impression_cap: optional(integer),
    overage_cpm: optional(number),
    start_date: optional(string),
    end_date: optional(string),
    exclusivity: optional(object({ scope: optional(string), countries: optional(listOf(string)) })),
  }),
)

const grantMembers = {
  rights_id: string,
  right: string,
  brand_id: string,
  buyer_id: string,
  principal: about('the earlier name of buyer_id', string),
  buyer: about('domain of the buyer', string),
  status: word(...GRANT_STATUSES),
  terms,
  pending_terms: optional(terms),
  revoked_at: optional(moment),
}
export const grantShape = named('RightGrant', object(grantMembers))
export const revokedShape = object({ ...grantMembers, effective_at: moment })
export type ShownGrant = Of<typeof grantShape>

/** A creative that waits for the holder of a right, or was decided, as the API answers it. */
export type ShownSubmission = Of<typeof submissionShape>
export const submissionShape = named(
  'RightSubmission',
  object({
    id: string,
    rights_id: string,
    creative_id: optional(string),
    creative_url: string,
    description: optional(string),
    status: word(...APPROVALS),
    submitted_at: moment,
  }),
)

/** More than a person reads at once. */
const MAX_LISTED = 500

export const listGrants = defineAct({
  name: 'rights.list',
  route: 'GET /rights',
  id: 'listGrants',
  roles: READERS,
  summary: 'Grants of rights, newest first; at most 500.',
  fields: {},
  answer: pageOf(grantShape),
  command: {
    help: 'list grants, newest first',
    columns: [
      ['GRANT', (grant) => grant.rights_id],
      ['RIGHT', ({ right }) => right],
      ['BUYER', ({ buyer }) => buyer],
      ['STATUS', ({ status }) => status],
      ['FROM', (grant) => grant.terms.start_date ?? ''],
      ['TO', (grant) => grant.terms.end_date ?? ''],
    ],
  },
  run: async ({ store, clock, tenantId }) =>
    list((await listStoredGrants(store.read, tenantId, MAX_LISTED)).map((grant) => presentGrant(grant, clock()))),
})

export const listPendingRights = defineAct({
  name: 'rights.pending',
  route: 'GET /rights/pending',
  id: 'showPendingRights',
  roles: READERS,
  summary: 'Creatives and changes of grants that need the rights holder’s decision.',
  fields: {},
  answer: object({ creatives: listOf(submissionShape), changes: listOf(grantShape) }),
  command: {
    help: 'list creatives and changes that wait',
    text: ({ creatives, changes }) =>
      table(
        ['ID', 'WHAT', 'GRANT', 'ABOUT'],
        [
          ...creatives.map(({ id, rights_id: grant, creative_url: url }) => [id, 'creative', grant, url]),
          ...changes.map(({ rights_id: id, pending_terms: wanted }) => [id, 'change', id, JSON.stringify(wanted) ?? '']),
        ],
      ),
  },
  async run({ store, clock, tenantId }) {
    const creatives = await listSubmissionsInReview(store.read, tenantId, MAX_LISTED)
    const grants = await listGrantsWithChanges(store.read, tenantId, MAX_LISTED)
    return { creatives: creatives.map(presentSubmission), changes: grants.map((grant) => presentGrant(grant, clock())) }
  },
})

export function presentGrant(grant: RightsGrant, now: Date): ShownGrant {
  const { grantId, agreement, principalId: buyerId, pending, revokedAt } = grant
  return {
    rights_id: grantId,
    right: agreement.offering.rights_id,
    brand_id: agreement.offering.brand_id,
    buyer_id: buyerId,
    principal: buyerId,
    buyer: agreement.buyerDomain,
    status: grantStatus(grant, now),
    terms: presentTerms(agreement),
    ...(pending && { pending_terms: presentTerms(pending) }),
    ...(revokedAt !== undefined && { revoked_at: revokedAt }),
  }
}

export function presentSubmission({
  submissionId,
  grantId,
  creativeId,
  url,
  description,
  status,
  submittedAt,
}: SubmittedCreative): ShownSubmission {
  return {
    id: submissionId,
    rights_id: grantId,
    ...(creativeId !== undefined && { creative_id: creativeId }),
    creative_url: url,
    ...(description !== undefined && { description }),
    status,
    submitted_at: submittedAt,
  }
}

import { AdcpError } from '../../protocol/errors.ts'
import type { Db } from '../../store/database.ts'
import { findSubmissionAnywhere } from '../../store/rights/rights-creatives.ts'
import { findGrant } from '../../store/rights/rights-grants.ts'
import {
  type CreativeDecision,
  decideRightsChange,
  decideRightsCreative,
  revokeRights as revokeStoredRights,
} from '../../tasks/brand/decide-rights.ts'
import { type ActContext, defineAct, type Watching } from '../act.ts'
import { required, texts } from '../fields.ts'
import { moment } from '../moment.ts'
import { REASON_FOR_BUYER } from '../reasons.ts'
import { SELLERS } from '../roles.ts'
import { either } from '../shape.ts'
import { idText } from '../text-form.ts'
import {
  grantShape,
  presentGrant,
  presentSubmission,
  revokedShape,
  type ShownGrant,
  type ShownSubmission,
  submissionShape,
} from './list-rights.ts'

// Several acts in one file: the same decision or change in its directions, such as approve and reject.

const RIGHT = { right: required(idText('id of a creative (rcs_…) or of a grant (rgt_…)')) }
/** The reason that the buyer reads beside suggestions, where none is given. */
const NEEDS_CHANGES = 'it needs changes'
const REASON = { reason: required(REASON_FOR_BUYER) }
const decided = either(grantShape, submissionShape)

/** On conditions for the buyer, if there are any. Throws REFERENCE_NOT_FOUND, INVALID_STATE. */
export const approveRights = defineAct({
  name: 'rights.approve',
  route: 'POST /rights/{right}/approve',
  id: 'approveRights',
  roles: SELLERS,
  summary: 'Approves a creative (rcs_…) or the change of a grant (rgt_…).',
  fields: { ...RIGHT, conditions: texts('what the approval of a creative depends on') },
  answer: decided,
  command: { flags: { conditions: 'condition' }, text: (_answer, { right }) => [`${right} is approved`] },
  watch: watchedRight,
  run: (context, { right, conditions = [] }) => decide(context, right, { approve: true, conditions }),
})

/** Throws REFERENCE_NOT_FOUND, INVALID_STATE. */
export const rejectRights = defineAct({
  name: 'rights.reject',
  route: 'POST /rights/{right}/reject',
  id: 'rejectRights',
  roles: SELLERS,
  summary: 'Declines a creative (rcs_…) or the change of a grant (rgt_…).',
  fields: {
    ...RIGHT,
    reason: REASON_FOR_BUYER,
    suggestions: texts('what would be approved; in place of a reason, it needs these changes'),
  },
  answer: decided,
  command: { flags: { suggestions: 'suggestion' }, text: (_answer, { right }) => [`${right} is rejected`] },
  watch: watchedRight,
  async run(context, { right, reason = '', suggestions = [] }) {
    if (reason === '' && suggestions.length === 0)
      throw new AdcpError('INVALID_REQUEST', 'reason is required, or suggestions: the buyer reads them', { field: 'reason' })
    return decide(context, right, { approve: false, reason: reason === '' ? NEEDS_CHANGES : reason, suggestions })
  },
})

/** The terms of a grant or the status of a submitted creative, for the audit log. */
async function watchedRight(
  tx: Db,
  { tenantId, clock }: Watching,
  { right }: { readonly right: string },
): Promise<object | undefined> {
  const grant = await findGrant(tx, tenantId, right)
  if (grant) {
    const { status, terms, pending_terms, revoked_at } = presentGrant(grant, clock())
    return { status, terms, pending_terms, revoked_at }
  }
  const submission = await findSubmissionAnywhere(tx, right)
  return submission?.tenantId === tenantId ? { status: submission.status } : undefined
}

async function decide(context: ActContext, id: string, decision: CreativeDecision): Promise<ShownGrant | ShownSubmission> {
  const { store, tenantId } = context
  const now = context.clock()
  if (!id.startsWith('rgt_')) return presentSubmission(await decideRightsCreative(store, tenantId, id, decision, now))
  const services = await context.services.approvals(store)
  return presentGrant(await decideRightsChange({ ...services, store }, tenantId, id, decision, now), now)
}

/** The buyer learns it at its webhook. Throws REFERENCE_NOT_FOUND, INVALID_STATE, INVALID_REQUEST. */
export const revokeRights = defineAct({
  name: 'rights.revoke',
  route: 'POST /rights/{right}/revoke',
  id: 'revokeRights',
  roles: SELLERS,
  summary: 'Revokes a grant from a given time; the buyer is notified at its webhook.',
  fields: { ...RIGHT, ...REASON, from: moment('from when on; default: now') },
  answer: revokedShape,
  command: {
    text: ({ effective_at: at }, { right }) => [`${right} is revoked from ${at}; its holder is notified`],
  },
  watch: watchedRight,
  async run({ store, clock, tenantId }, { right, reason, from }) {
    const now = clock()
    const effectiveAt = from === undefined ? now : new Date(from)
    const grant = await revokeStoredRights(store, tenantId, right, { reason, effectiveAt }, now)
    return { ...presentGrant(grant, now), effective_at: effectiveAt.toISOString() }
  },
})

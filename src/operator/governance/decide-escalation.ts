import { RESOLUTIONS } from '../../domain/governance/escalation.ts'
import { AdcpError } from '../../protocol/errors.ts'
import { findEscalated } from '../../store/governance/governance-actions.ts'
import { decideEscalation as decide } from '../../tasks/governance/decide-escalation.ts'
import { revokeToken } from '../../tasks/governance/revoke-token.ts'
import { defineAct } from '../act.ts'
import { oneOf, required, text, texts } from '../fields.ts'
import { reasonField } from '../reasons.ts'
import { SELLERS } from '../roles.ts'
import { boolean, object, string } from '../shape.ts'
import { readCondition } from './read-condition.ts'
import { CHECK, escalationShape, presentEscalation } from './show-escalations.ts'

// Several acts in one file: the same decision or change in its directions, such as approve and reject.

const WHO = { by: text('who decides, for the log of the plan; default: as the audit log names you') }

/** With conditions if there are any. Throws REFERENCE_NOT_FOUND, INVALID_STATE after another decision, INVALID_REQUEST for a refusal without a reason. */
export const decideEscalation = defineAct({
  name: 'governance.decide',
  route: 'POST /governance/{check}/decide',
  id: 'decideEscalation',
  roles: SELLERS,
  summary: 'Approves the spending as asked, approves it with conditions, or refuses it.',
  fields: {
    ...CHECK,
    resolution: required(oneOf(RESOLUTIONS, 'the decision')),
    reason: reasonField('why, for the log of the plan; the buyer reads that of a refusal, which needs one'),
    conditions: texts('of an approval: "field=value: reason" or "field: reason"'),
    ...WHO,
  },
  answer: escalationShape,
  command: {
    words: 'governance approve',
    help: 'let the buyer go ahead with exactly this',
    fixed: { resolution: 'approved' },
    without: ['conditions'],
    text: ({ check_id: check, state, decided_by: by }) => [`${check} is ${state} by ${by ?? ''}`],
    more: [
      {
        words: 'governance reject',
        help: 'say no; the buyer reads the reason',
        fixed: { resolution: 'rejected' },
        needs: ['reason'],
      },
      {
        words: 'governance conditions',
        help: 'say yes on conditions: a field, the value it must have, and why',
        without: [],
        flags: { conditions: 'condition' },
        needs: ['conditions'],
      },
    ],
  },
  async watch(tx, { tenantId }, { check }) {
    const escalation = (await findEscalated(tx, tenantId, check))?.escalation
    if (!escalation) return undefined
    const { state, conditions } = presentEscalation(escalation)
    return { state, conditions }
  },
  async run(context, { check, resolution, reason = '', conditions = [], by = context.actor.credential }) {
    if (resolution === 'rejected' && reason === '')
      throw new AdcpError('INVALID_REQUEST', 'reason is required: the buyer reads why it is refused', { field: 'reason' })
    context.noteName(`governance.${resolution}`)
    const decidedAt = context.clock().toISOString()
    const review = { resolution, conditions: conditions.map(readCondition), decidedBy: by, reason, decidedAt }
    return presentEscalation(await decide(context.store, context.tenantId, check, review))
  },
})

/** Sellers learn it within a quarter of an hour. Throws REFERENCE_NOT_FOUND. */
export const revokeApproval = defineAct({
  name: 'governance.revoke',
  route: 'POST /governance/{check}/revoke',
  id: 'revokeGovernanceApproval',
  roles: SELLERS,
  summary: 'Revokes the token of an approved check; sellers learn of it within 15 minutes.',
  fields: { ...CHECK, reason: required(reasonField('why, for the log of the plan')), ...WHO },
  answer: object({ check_id: string, jti: string, revoked: boolean }),
  command: { text: ({ check_id: check }) => [`the token of ${check} is taken back`] },
  async run({ store, clock, tenantId, actor, noteChanges }, { check, reason, by = actor.credential }) {
    noteChanges({ token: [null, 'revoked'] })
    const jti = await revokeToken(store, tenantId, check, { actor: by, reason, at: clock() })
    return { check_id: check, jti, revoked: true }
  },
})

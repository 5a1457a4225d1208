import { AdcpError } from '../../protocol/errors.ts'
import { defineAct } from '../act.ts'
import { MAX_ITEMS, oneOf, required, several } from '../fields.ts'
import { oneByOne, REFUSED, refusal, refusedLines } from '../one-by-one.ts'
import { perform } from '../perform.ts'
import { REASON_FOR_BUYER } from '../reasons.ts'
import { SELLERS } from '../roles.ts'
import { about, listOf, named, type Of, object, optional, string } from '../shape.ts'
import { approve, reject } from './decide-approval.ts'

const decisions = object({
  decided: listOf(
    named(
      'DecidedApproval',
      object({
        approval: string,
        status: string,
        message: optional(about('why what was approved could not be carried out', string)),
      }),
    ),
  ),
  refused: about(REFUSED, listOf(named('UndecidedApproval', object({ approval: string, ...refusal })))),
})
type Decisions = Of<typeof decisions>

/**
 * One decision on up to 200 entries of the queue, of any kind: each is decided by itself, with an audit entry of its own, and those that cannot be decided (any
 * more) are named with the reason. Throws INVALID_REQUEST, before any is decided, for a rejection without a reason.
 */
export const decideSeveral = defineAct({
  name: 'approvals.decide-several',
  route: 'POST /approvals/decide-several',
  id: 'decideApprovals',
  roles: SELLERS,
  summary: `Approves or rejects up to ${MAX_ITEMS} approvals: each is decided by itself, and those that cannot be are named.`,
  inParts: true,
  fields: {
    approvals: several(MAX_ITEMS, 'approvals', 'their ids in the queue'),
    decision: required(oneOf(['approve', 'reject'], 'what is decided on all of them')),
    reason: { ...REASON_FOR_BUYER, about: 'of a rejection, for the buyers; required for one' },
  },
  answer: decisions,
  command: {
    text: decisionLines,
    // What the command was called while it decided on creatives alone.
    more: [{ words: 'approvals decide-creatives', help: 'the same as decide-several', flags: { approvals: 'creatives' } }],
    fails: ({ decided, refused }) => refused.length > 0 || decided.some(({ status }) => status === 'failed'),
  },
  async run(context, { approvals, decision, reason }) {
    if (decision === 'reject' && !reason)
      throw new AdcpError('INVALID_REQUEST', 'a rejection needs a reason, which the buyers read', { field: 'reason' })
    if (decision === 'approve' && reason !== undefined)
      throw new AdcpError('INVALID_REQUEST', 'a reason is of a rejection: an approval has none; leave it out', {
        field: 'reason',
      })
    const { done: decided, refused } = await oneByOne(approvals, async (approval) => {
      const entry = { approval, undecided: true }
      const { status, message } = (
        decision === 'approve'
          ? await perform(context, context.caller, approve, entry)
          : await perform(context, context.caller, reject, { ...entry, reason })
      ).answer
      return { approval, status, ...(status === 'failed' && { message }) }
    })
    return { decided, refused: refused.map(({ id: approval, ...why }) => ({ approval, ...why })) }
  },
})

function decisionLines({ decided, refused }: Decisions): readonly string[] {
  const lines = decided.map(
    ({ approval, status, message }) => `${approval} is ${status}${message === undefined ? '' : `: ${message}`}`,
  )
  return [...lines, ...refusedLines(refused.map(({ approval: id, ...why }) => ({ id, ...why })))]
}

import { readEntryId } from '../../domain/approval/entry-id.ts'
import { AdcpError } from '../../protocol/errors.ts'
import { defineAct } from '../act.ts'
import { ids, MAX_ITEMS, oneOf, REASON_FOR_BUYER, required } from '../fields.ts'
import { perform } from '../perform.ts'
import { SELLERS } from '../roles.ts'
import { about, listOf, named, type Of, object, string } from '../shape.ts'
import { approve, reject } from './decide-approval.ts'

const decisions = object({
  decided: listOf(named('DecidedCreative', object({ approval: string, status: string }))),
  refused: about(
    'those that could not be decided, which stay as they are',
    listOf(named('UndecidedCreative', object({ approval: string, code: string, message: string }))),
  ),
})
export type DecidedCreatives = Of<typeof decisions>

/**
 * One decision on several creatives: each is decided by itself, with an audit entry of its own, and those that cannot be decided (any more) are named with the
 * reason. Throws INVALID_REQUEST, before any is decided, for no creatives, for entries that are no creatives and for a rejection without a reason.
 */
export const decideCreatives = defineAct({
  name: 'approvals.decide-creatives',
  route: 'POST /approvals/decide-creatives',
  id: 'decideCreatives',
  roles: SELLERS,
  summary: 'Approves or rejects several creatives: each is decided by itself, and those that cannot be are named.',
  inParts: true,
  fields: {
    creatives: required({ ...ids('their ids among the approvals'), words: `a list of at most ${MAX_ITEMS} creatives` }),
    decision: required(oneOf(['approve', 'reject'], 'what is decided on all of them')),
    reason: { ...REASON_FOR_BUYER, about: 'of a rejection, for the buyers; required for one' },
  },
  answer: decisions,
  command: { text: decisionLines, fails: ({ refused }) => refused.length > 0 },
  async run(context, { creatives, decision, reason }) {
    const chosen = [...new Set(creatives)]
    if (chosen.length === 0) throw refusal('creatives', 'choose at least one creative')
    const other = chosen.find((id) => readEntryId(id).kind !== 'creative')
    if (other !== undefined) throw refusal('creatives', `${other} is no creative; send ids such as creative:BUYER:ACCOUNT:ID`)
    if (decision === 'reject' && !reason) throw refusal('reason', 'a rejection needs a reason, which the buyers read')
    const decide = (approval: string) =>
      decision === 'approve'
        ? perform(context, context.caller, approve, { approval, undecided: true })
        : perform(context, context.caller, reject, { approval, undecided: true, reason })
    const answer: { decided: DecidedCreatives['decided'][number][]; refused: DecidedCreatives['refused'][number][] } = {
      decided: [],
      refused: [],
    }
    for (const approval of chosen) {
      try {
        const { status } = (await decide(approval)).answer
        answer.decided.push({ approval, status })
      } catch (error) {
        if (!(error instanceof AdcpError)) throw error
        answer.refused.push({ approval, code: error.code, message: error.message })
      }
    }
    return answer
  },
})

function refusal(field: string, message: string): AdcpError {
  return new AdcpError('INVALID_REQUEST', message, { field })
}

function decisionLines({ decided, refused }: DecidedCreatives): readonly string[] {
  return [
    ...decided.map(({ approval, status }) => `${approval} is ${status}`),
    ...refused.map(({ approval, message }) => `${approval} stays as it is: ${message}`),
  ]
}

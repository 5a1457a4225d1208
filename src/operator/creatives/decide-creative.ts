import type { Creative } from '../../domain/creative/creative.ts'
import { AdcpError } from '../../protocol/errors.ts'
import type { Db } from '../../store/database.ts'
import { decideCreative } from '../../tasks/creative/decide-creative.ts'
import { type ActContext, defineAct, type Watching } from '../act.ts'
import { oneOf, required } from '../fields.ts'
import { REASON_FOR_BUYER, reasonField } from '../reasons.ts'
import { SELLERS } from '../roles.ts'
import { object, string } from '../shape.ts'
import { CREATIVE_STATUSES } from './creative-shapes.ts'
import { CREATIVE, CREATIVE_COMMAND, findNamedCreative, type NamedCreative } from './find-creative.ts'

// Several acts in one file: the same decision or change in its directions, such as approve and reject.

const DECISION = {
  ...CREATIVE,
  seen: oneOf(CREATIVE_STATUSES, 'the status that was seen: refuse when it is another one by now'),
}
const decided = object({ creative_id: string, status: string })
const decidedLine = ({ creative_id: id, status }: { readonly creative_id: string; readonly status: string }) => [
  `creative ${id} is ${status}`,
]

/** Lets a creative run. Throws CREATIVE_NOT_FOUND; INVALID_STATE when its status does not lead there, or is not the one that was seen. */
export const approveCreative = defineAct({
  name: 'creatives.approve',
  account: 'account',
  route: 'POST /creatives/{buyer}/{account}/{creative}/approve',
  id: 'approveCreative',
  roles: SELLERS,
  summary: 'Lets a creative run.',
  fields: { ...DECISION, reason: reasonField('a note that the buyer reads') },
  answer: decided,
  command: { ...CREATIVE_COMMAND, text: decidedLine },
  watch: watchedCreative,
  run: (context, { reason, seen, ...named }) => decide(context, named, 'approved', { reason, seen }),
})

/** Refuses a creative: it stops serving. Throws as {@link approveCreative} does. */
export const rejectCreative = defineAct({
  name: 'creatives.reject',
  account: 'account',
  route: 'POST /creatives/{buyer}/{account}/{creative}/reject',
  id: 'rejectCreative',
  roles: SELLERS,
  summary: 'Refuses a creative: it stops serving. The buyer gets the reason.',
  fields: { ...DECISION, reason: required(REASON_FOR_BUYER) },
  answer: decided,
  command: { ...CREATIVE_COMMAND, text: decidedLine },
  watch: watchedCreative,
  run: (context, { reason, seen, ...named }) => decide(context, named, 'rejected', { reason, seen }),
})

/** The status of a creative and what its buyer is told of it, for the audit log. */
async function watchedCreative(tx: Db, { tenantId }: Watching, named: NamedCreative): Promise<object> {
  const { status, statusReason: reason } = await findNamedCreative(tx, tenantId, named)
  return { status, reason }
}

async function decide(
  { store, tenantId, clock }: ActContext,
  named: NamedCreative,
  status: 'approved' | 'rejected',
  { reason, seen }: { readonly reason: string | undefined; readonly seen: Creative['status'] | undefined },
) {
  const before = await findNamedCreative(store.read, tenantId, named)
  const id = { tenantId, principalId: named.buyer, accountId: before.accountId, creativeId: named.creative }
  const check = (creative: Creative) => {
    if (seen !== undefined && seen !== creative.status)
      throw new AdcpError('INVALID_STATE', `it is ${creative.status.replaceAll('_', ' ')} by now`, { field: 'seen' })
  }
  const { status: after } = await decideCreative(store, id, status, reason, clock(), check)
  return { creative_id: named.creative, status: after }
}

import { withNotes } from '../../domain/media-buy/order-notes.ts'
import { withIgnored } from '../../domain/media-buy/unused-bids.ts'
import { withSimulation } from '../../domain/protocol/simulated-backends.ts'
import type { AuthenticatedContext, InTransaction } from '../../pipeline/task.ts'
import { actionRulesOf } from './action-rules.ts'
import { creativesOfNew } from './creative-facts.ts'
import { underExt, withGovernance } from './governed-order.ts'
import type { PreparedOrder } from './order-isolation.ts'
import { adServerOf, isSimulated } from './orders.ts'
import { presentPlaced } from './present-placed.ts'

/** What an answer says beside the order: members of the request that had no effect, and sentences for its reader. */
export interface Said {
  readonly ignored?: readonly string[]
  readonly notes?: readonly string[]
}

/** The answer of a task of the compact lifecycle that has placed an order. */
export async function answerPlaced(
  context: InTransaction<AuthenticatedContext>,
  prepared: PreparedOrder,
  idempotencyKey: string,
  { ignored = [], notes = [] }: Said = {},
): Promise<object> {
  const { tx, principal, account, now } = context
  const { buy, governed } = prepared
  const inSandbox = isSimulated(context)
  const answer = await presentPlaced(context, buy, {
    creatives: await creativesOfNew(tx, principal, prepared),
    now,
    account: account?.document,
    sandbox: inSandbox,
    idempotencyKey,
    rules: await actionRulesOf(context),
  })
  const whole = withIgnored(underExt(answer, withGovernance({}, buy, governed)), ignored)
  return withSimulation(withNotes(whole, notes), adServerOf(context), { inSandbox })
}

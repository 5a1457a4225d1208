import type { CreativeFacts, MediaBuy } from '../../domain/media-buy/media-buy.ts'
import { type CreatedOptions, presentCreated } from '../../domain/media-buy/present.ts'
import { presentCommitment, presentControlled } from '../../domain/media-buy/present-commitment.ts'
import { presentState } from '../../domain/media-buy/present-state.ts'
import type { Governed } from '../../features/governance/governance.ts'
import type { Db } from '../../store/database.ts'
import type { CarryOutContext } from '../approvals/carry-out.ts'
import { creativeFactsOf } from './creative-facts.ts'
import { underExt, withGovernance } from './governed-order.ts'
import { type ChangeContext, type PlannedUpdate, presentChange } from './plan-update.ts'

type Context = Pick<CarryOutContext, 'tenant' | 'principal' | 'db' | 'now'> & {
  readonly services: Pick<CarryOutContext['services'], 'products'>
}

/** The answer to an order in the form of the task that placed it: a buy with accepted terms came by the compact lifecycle. */
export async function presentPlaced(context: Context, buy: MediaBuy, options: CreatedOptions<object>): Promise<object> {
  const { accepted } = buy
  if (!accepted) return presentCreated(buy, options)
  const { media_buy_status: status, available_actions: actions } = await compactState(context, buy, options.creatives)
  const { ext } = presentCreated(buy, options)
  return presentCommitment(buy, accepted, { status, actions, ext })
}

/** The state of a buy as the compact lifecycle shows it. */
export async function compactState({ tenant, principal, services, db, now }: Context, buy: MediaBuy, creatives: CreativeFacts) {
  const { byId: products } = await services.products.get(db, tenant, principal)
  const rules = { products, policy: tenant.settings }
  const { status, available_actions } = presentState(buy, creatives, now, rules)
  return { media_buy_status: status, available_actions: available_actions ?? [] }
}

/** The answer to a change by control_media_buy; writes the creative assignments of the change. */
export async function presentControl(tx: Db, context: ChangeContext, planned: PlannedUpdate, governed: Governed | undefined) {
  const { buy, affected } = planned.update
  const { ext } = await presentChange(tx, context, planned)
  const creatives = await creativeFactsOf(tx, context.principal, [buy])
  const { media_buy_status: status, available_actions: actions } = await compactState(context, buy, creatives)
  return underExt(presentControlled(buy, { status, actions, affected, ext }, context.now), withGovernance({}, buy, governed))
}

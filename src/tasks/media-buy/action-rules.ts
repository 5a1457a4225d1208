import type { ActionRules } from '../../domain/media-buy/present-state.ts'
import type { AuthenticatedContext } from '../../pipeline/task.ts'

/** What decides which changes an answer lists; undefined under 3.0, which has no member for them. */
export async function actionRulesOf({
  contract,
  services,
  db,
  tenant,
  principal,
}: AuthenticatedContext): Promise<ActionRules | undefined> {
  if (!contract.rules.availableActions) return undefined
  const { byId: products } = await services.products.get(db, tenant, principal)
  return { products, policy: tenant.settings }
}

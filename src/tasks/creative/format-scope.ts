import type { FormatScope } from '../../domain/creative/resolve-format.ts'
import type { AuthenticatedContext } from '../../pipeline/task.ts'
import { NameSearch } from '../../protocol/nearest-name.ts'

/** The formats that a caller's creatives may have: those of this agent, and those of other agents that its products sell. */
export async function formatScopeOf({ db, tenant, principal, services }: AuthenticatedContext): Promise<FormatScope> {
  const { formats, products } = await services.products.get(db, tenant, principal)
  return {
    formats,
    sold: products.flatMap((product) => product.offer.format_ids),
    agentUrl: services.wiring.agentUrl,
    conformance: principal.conformance === true,
    names: new NameSearch(),
  }
}

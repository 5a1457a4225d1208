import type { CreateMediaBuyRequest, UpdateMediaBuyRequest } from '@adcp/sdk/types'
import { requireReadableList } from '../../ad-serving/embedded/list-address.ts'
import type { AccountScope } from '../../domain/account/account.ts'
import { agentKey } from '../../domain/directory/agent-url.ts'
import type { ListKind } from '../../domain/inventory-list.ts'
import { requestWithListTokens } from '../../domain/media-buy/list-tokens.ts'
import { AdcpError, Faults } from '../../protocol/errors.ts'
import type { ListTokenSeal } from '../../security/secrets/list-token-seal.ts'
import type { Db } from '../../store/database.ts'
import { findList, type ListScope } from '../../store/inventory-list/inventory-lists.ts'
import { findListByToken } from '../../store/inventory-list/list-tokens.ts'

type Packages = NonNullable<CreateMediaBuyRequest['packages']> | NonNullable<UpdateMediaBuyRequest['packages']>

interface Context {
  readonly db: Db
  readonly services: { readonly wiring: { readonly agentUrl: string }; readonly listTokens: ListTokenSeal }
}

/** Members of AdCP core/targeting.json that refer to lists, and the kind of each. */
const KIND_OF = { property_list: 'property', collection_list: 'collection', collection_list_exclude: 'collection' } as const
const MEMBERS = Object.keys(KIND_OF) as readonly (keyof typeof KIND_OF)[]

/** A request of create_media_buy or update_media_buy as it may be stored: the tokens of its lists are sealed. */
export function withSealedLists<R extends object>(
  request: R,
  {
    tenant,
    services,
  }: { readonly tenant: { readonly tenantId: string }; readonly services: Pick<Context['services'], 'listTokens'> },
): R {
  return requestWithListTokens(request, (token) => services.listTokens.seal(tenant.tenantId, token))
}

/**
 * Checks the lists of this agent that packages name: each is one of the buyer's own, or one whose token came along. Lists of other agents are read later,
 * over https. `path` is that of the packages. Throws REFERENCE_NOT_FOUND naming the member, alike for a list that is not there and for another's, and INVALID_REQUEST for an address that is not read.
 */
export async function requireLists(context: Context, reach: AccountScope, packages: Packages, path: string): Promise<void> {
  const own = agentKey(context.services.wiring.agentUrl)
  const faults = new Faults()
  // A list of megabytes that every package names is read once.
  const looked = new Map<string, boolean>()
  for (const [index, { targeting_overlay: overlay }] of packages.entries()) {
    for (const member of MEMBERS) {
      const reference = overlay?.[member]
      if (!reference) continue
      if (agentKey(reference.agent_url) !== own) {
        const field = `${path}[${index}].targeting_overlay.${member}.agent_url`
        faults.attempt(() => requireReadableList(reference.agent_url, context.services.wiring.agentUrl, field))
        continue
      }
      const field = `${path}[${index}].targeting_overlay.${member}.list_id`
      const kind = KIND_OF[member]
      const key = JSON.stringify([kind, reference.list_id, reference.auth_token])
      const isThere =
        looked.get(key) ??
        (await findList(context.db, await reachWith(context, reach, reference.auth_token), kind, reference.list_id)) !== undefined
      looked.set(key, isThere)
      if (!isThere) faults.attempt(() => refuse(kind, field))
    }
  }
  faults.settle()
}

function refuse(kind: ListKind, field: string): never {
  const message = `${field} names no ${kind} list of this account at this agent; list_${kind}_lists lists yours, and the list of another buyer needs its auth_token`
  throw new AdcpError('REFERENCE_NOT_FOUND', message, { field })
}

async function reachWith({ db, services }: Context, reach: AccountScope, sealed: string | undefined): Promise<ListScope> {
  const { tenantId } = reach
  const held = sealed === undefined ? undefined : await findListByToken(db, services.listTokens.open(tenantId, sealed))
  return held?.tenantId === tenantId ? { tenantId, principalId: '', accountId: undefined, confinedTo: held.listId } : reach
}

import type { CreateMediaBuyRequest, UpdateMediaBuyRequest } from '@adcp/sdk/types'
import type { AccountScope } from '../../domain/account/account.ts'
import { EMPTY } from '../../domain/audience/audience.ts'
import type { ActingPrincipal } from '../../domain/identity/principal.ts'
import { requireTargetable } from '../../domain/media-buy/audience-targeting.ts'
import { requireGoalSources, sourceIdsOf } from '../../domain/media-buy/event-goals.ts'
import { AdcpError } from '../../protocol/errors.ts'
import type { ListTokenSeal } from '../../security/secrets/list-token-seal.ts'
import { sizesOf } from '../../store/audience/audience-members.ts'
import { findAudiences } from '../../store/audience/audiences.ts'
import { findCatalogs } from '../../store/catalog/catalogs.ts'
import type { Db } from '../../store/database.ts'
import { findEventSources } from '../../store/event/event-sources.ts'
import { minimumAudienceSize } from './minimum-audience-size.ts'
import { requireLists } from './named-lists.ts'

type Packages = NonNullable<CreateMediaBuyRequest['packages']> | NonNullable<UpdateMediaBuyRequest['packages']>

interface Context {
  readonly db: Db
  readonly principal: ActingPrincipal
  readonly services: {
    readonly wiring: { readonly minimumAudienceSize: number; readonly agentUrl: string }
    readonly listTokens: ListTokenSeal
  }
}

/**
 * Checks what packages refer to on their account: lists of this agent have to be within reach, audiences that are targeted or suppressed have to be there and ready, catalogs and event sources to be there. `path` is that of the list,
 * e.g. `packages`. Throws INVALID_REQUEST, REFERENCE_NOT_FOUND, AUDIENCE_TOO_SMALL or VALIDATION_ERROR naming the entry.
 */
export async function requireBuyerData(
  context: Context,
  accountId: string,
  packages: Packages | undefined,
  path: string,
): Promise<void> {
  if (!packages) return
  const { tenantId, principalId, conformance } = context.principal
  const reach = { tenantId, principalId, accountId: conformance ? undefined : accountId }
  await requireLists(context, reach, packages, path)
  await requireAudiences(context, reach, packages, path)
  await requireCatalogs(context, reach, packages, path)
  await requireSources(context, reach, packages, path)
}

async function requireAudiences(context: Context, reach: AccountScope, packages: Packages, path: string): Promise<void> {
  const { db } = context
  const named = packages.flatMap(({ targeting_overlay: overlay }) => [
    ...(overlay?.audience_include ?? []),
    ...(overlay?.audience_exclude ?? []),
  ])
  if (named.length === 0) return
  const audiences = await findAudiences(db, reach, [...new Set(named)])
  const ids = audiences.map(({ sellerId }) => sellerId)
  const sizes = await sizesOf(db, reach.tenantId, ids)
  const known = new Map(
    audiences.map((audience) => [audience.audienceId, { audience, size: sizes.get(audience.sellerId) ?? EMPTY }]),
  )
  for (const [index, { targeting_overlay: overlay }] of packages.entries()) {
    if (overlay) requireTargetable(overlay, known, minimumAudienceSize(context), `${path}[${index}].targeting_overlay`)
  }
}

/** A catalog that comes with its own items or address needs no sync (core/catalog.json). */
async function requireCatalogs({ db }: Context, reach: AccountScope, packages: Packages, path: string): Promise<void> {
  const references = packages.flatMap(({ catalogs = [] }, index) =>
    catalogs.flatMap(({ catalog_id, type, items, url }, position) =>
      catalog_id === undefined || items !== undefined || url !== undefined
        ? []
        : [{ catalogId: catalog_id, type, field: `${path}[${index}].catalogs[${position}]` }],
    ),
  )
  if (references.length === 0) return
  const stored = await findCatalogs(db, reach, [...new Set(references.map(({ catalogId }) => catalogId))])
  for (const { catalogId, type, field } of references) {
    const own = stored.filter((catalog) => catalog.catalogId === catalogId)
    if (own.length === 0) {
      throw new AdcpError('REFERENCE_NOT_FOUND', `${field}.catalog_id is no catalog of the account`, {
        field: `${field}.catalog_id`,
        suggestion: 'sync it with sync_catalogs first',
      })
    }
    if (!own.some(({ document }) => document.type === type))
      throw new AdcpError('VALIDATION_ERROR', `${field}.type is not that of the catalog`, { field: `${field}.type` })
  }
}

async function requireSources({ db }: Context, reach: AccountScope, packages: Packages, path: string): Promise<void> {
  const goals = packages.map(({ optimization_goals = [] }) => optimization_goals)
  const ids = sourceIdsOf(goals.flat())
  if (ids.length === 0) return
  const sources = await findEventSources(db, reach, ids)
  const known = new Set(sources.map(({ eventSourceId }) => eventSourceId))
  goals.forEach((own, index) => {
    requireGoalSources(own, known, `${path}[${index}].optimization_goals`)
  })
}

import type { CreateMediaBuyRequest } from '@adcp/sdk/types'

/** Whom a package is shown to, as the buyer orders it (AdCP core/targeting.json). */
export type TargetingOverlay = NonNullable<NonNullable<CreateMediaBuyRequest['packages']>[number]['targeting_overlay']>

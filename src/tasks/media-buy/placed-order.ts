import type { CreateMediaBuyRequest } from '@adcp/sdk/types'
import type { OrderRequest } from '../../domain/media-buy/order-request.ts'

/** An order whichever task places it: as the core reads it, with what its caller wants to be told and by which account it buys. */
export type PlacedOrder = Omit<OrderRequest, 'packages' | 'context' | 'ext'> &
  Pick<
    CreateMediaBuyRequest,
    'account' | 'idempotency_key' | 'packages' | 'push_notification_config' | 'reporting_webhook' | 'context' | 'ext'
  >

/** Where an order is (AdCP enums/media-buy-status.json of all releases). */
export const MEDIA_BUY_STATUSES = [
  'pending_creatives',
  'pending_start',
  'active',
  'paused',
  'completed',
  'rejected',
  'canceled',
] as const
export type MediaBuyStatus = (typeof MEDIA_BUY_STATUSES)[number]

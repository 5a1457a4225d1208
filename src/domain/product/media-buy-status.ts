/** Where an order is (AdCP enums/media-buy-status.json). */
export type MediaBuyStatus = 'pending_creatives' | 'pending_start' | 'active' | 'paused' | 'completed' | 'rejected' | 'canceled'

import type { MediaBuyStatus } from './media-buy-status.ts'

/** How a change is carried out (AdCP 3.1, enums/media-buy-action-mode.json). */
export type ActionMode = 'self_serve' | 'conditional_self_serve' | 'requires_approval'

/** A change that a product allows of the buys on it (AdCP 3.1, core/product-allowed-action.json). */
export interface AllowedAction {
  readonly action: string
  readonly modes: readonly ActionMode[]
  readonly allowed_statuses?: readonly MediaBuyStatus[]
  readonly sla?: object
  readonly terms_ref?: string
}

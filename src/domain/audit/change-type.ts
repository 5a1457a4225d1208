/** An act, or all of a group: `orders.pause`, `orders.*`, `create_media_buy`. */
export const CHANGE_TYPE = /^[a-z][a-z0-9_-]{0,39}(?:\.(?:[a-z][a-z0-9_-]{0,39}|\*))?$/

/** The act by which a subscriber is tried; it goes to that subscriber alone. */
export const TEST_CHANGE = 'changes.test'

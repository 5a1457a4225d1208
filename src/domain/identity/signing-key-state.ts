/** `next`: published, does not sign yet; `active`: signs; `retired`: published until receivers have forgotten it, signs no more. */
export const SIGNING_KEY_STATES = ['active', 'next', 'retired'] as const
export type SigningKeyState = (typeof SIGNING_KEY_STATES)[number]

/**
 * Where an order comes from: a buyer agent, the publisher's people, or an ad server in which people had booked it. What was booked there without this program is one of its orders once somebody
 * adopts it.
 */
export const ORIGINS = ['buyer', 'entered', 'adopted'] as const
export type OrderOrigin = (typeof ORIGINS)[number]

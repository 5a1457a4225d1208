import type { Offer } from './offer.ts'

const SCREENS = ['desktop', 'mobile', 'tablet']

/** Kinds of device (enums/device-type.json) that a channel is shown on; any but those out of home for one that is not here. */
const BY_CHANNEL: Readonly<Record<string, readonly string[]>> = {
  display: SCREENS,
  social: SCREENS,
  search: SCREENS,
  email: SCREENS,
  retail_media: SCREENS,
  ctv: ['ctv'],
  linear_tv: ['ctv'],
  dooh: ['dooh'],
  ooh: ['dooh'],
}
const OTHERS = [...SCREENS, 'ctv']

/** Kinds of device that a product can be shown on, by its channels; undefined where it states none. */
export function devicesOf({ channels = [] }: Pick<Offer, 'channels'>): readonly string[] | undefined {
  return channels.length === 0 ? undefined : [...new Set(channels.flatMap((channel) => BY_CHANNEL[channel] ?? OTHERS))]
}

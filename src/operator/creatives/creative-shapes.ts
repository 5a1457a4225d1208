import type { CreativeStatus } from '../../domain/creative/creative.ts'
import { TRANSITIONS } from '../../domain/creative/lifecycle.ts'
import { PREVIEW_LAYOUTS } from '../../domain/creative/preview/render.ts'
import { about, number, object, optional, word } from '../shape.ts'

const isStatus = (name: string): name is CreativeStatus => Object.hasOwn(TRANSITIONS, name)

/** Every status of a creative, as fields take them. */
export const CREATIVE_STATUSES: readonly CreativeStatus[] = Object.keys(TRANSITIONS).filter(isStatus)

/** How a preview takes its room. */
export const PREVIEW_MEMBERS = {
  layout: about(
    'fixed: it has the dimensions; video: a player, with a script of this server where it is the whole preview; all others are as wide as their frame',
    word(...PREVIEW_LAYOUTS),
  ),
  dimensions: optional(
    about('in CSS pixels, where its format or its assets say them', object({ width: number, height: number })),
  ),
}
